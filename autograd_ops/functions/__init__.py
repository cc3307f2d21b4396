"""Functions with PyTorch's names and signatures. Each translates to ops; most are methods of Tensor as well.

What a small training script needs is imported with the package; the rest, listed here, when it is first asked for.
"""

from typing import TYPE_CHECKING

from .. import lazy
from .arithmetic import *
from .products import *
from .reductions import *
from .shapes import *

if TYPE_CHECKING:
    from .arranging import *
    from .complex_numbers import *

#: Modules that are imported when one of their functions is first asked for, here, in ``autograd_ops`` or as a method.
LAZY = {
    "functions.arranging": ("broadcast_shapes", "diag_embed", "diagflat", "fliplr", "flipud", "ravel", "rot90"),
    "functions.complex_numbers": (
        *("adjoint", "angle", "complex", "conj", "conj_physical", "imag", "is_complex", "is_conj", "is_neg", "isreal"),
        *("polar", "real", "resolve_conj", "resolve_neg", "sgn", "vdot", "view_as_complex", "view_as_real"),
    ),
}

__getattr__, __dir__ = lazy.attributes(__name__, LAZY)
