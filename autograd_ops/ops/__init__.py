"""Every op: functions of Tensors, which they record, and of arrays, which they do not.

The names and argument orders of the module ops (`linear`, `conv2d`, ...) are the library's own;
``autograd_ops.nn.functional`` has PyTorch's and translates.

The families that Tensor's own methods need are imported with the package; the module ops, which take longer to import
than NumPy's core, together when the first of them is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .activation import *
from .compare import *
from .complex import *
from .dtype import *
from .elementwise import *
from .indexing import *
from .product import *
from .reduce import *
from .shape import *

if TYPE_CHECKING:
    from autograd_backends.options import (
        AttentionModuleOptions,
        ConvOptions,
        ConvTransposeOptions,
        DeformConvOptions,
        GridSampleOptions,
        InterpolateOptions,
        PaddedConvOptions,
        RecurrentOptions,
        UnfoldOptions,
    )

    from .attention import *
    from .conv import *
    from .conv_transpose import *
    from .ctc import *
    from .deform_conv import *
    from .dropout import *
    from .embedding import *
    from .fft import *
    from .grid_sample import *
    from .group_norm import *
    from .integers import *
    from .interpolate import *
    from .linalg import *
    from .linear import *
    from .loss import *
    from .norm import *
    from .pad import *
    from .pool import *
    from .recurrent import *
    from .scan import *
    from .scatter import *
    from .search import *
    from .special import *
    from .strided import *
    from .unfold import *

#: The families of module ops.
MODULE_OPS = (
    "attention",
    "conv",
    "conv_transpose",
    "ctc",
    "deform_conv",
    "dropout",
    "embedding",
    "fft",
    "grid_sample",
    "group_norm",
    "integers",
    "interpolate",
    "linalg",
    "linear",
    "loss",
    "norm",
    "pad",
    "pool",
    "recurrent",
    "scan",
    "scatter",
    "search",
    "special",
    "strided",
    "unfold",
)


def load_all() -> None:
    """Import every family, so that the table of ops is whole."""
    # A family may have the name of one of its ops: the op is what the package shows.
    for module in (import_module("autograd_backends.options"), *(import_module(f".{f}", __name__) for f in MODULE_OPS)):
        globals().update({name: getattr(module, name) for name in module.__all__})


def __getattr__(name: str) -> Any:
    if not name.startswith("__"):
        load_all()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
