"""The array API standard, version 2025.12, for Tensors: what ``x.__array_namespace__()`` gives.

Names, signatures and meaning are the standard's, not PyTorch's: ``std`` divides by n, ``max`` along an axis gives
values only, `sort` has no indices. All of it records, so that code written against the standard is differentiated by
``backward``. The chapters are the standard's own, one file each.

Examples
--------
>>> import autograd_ops as ag
>>> def standardised(x):
...     xp = x.__array_namespace__()
...     return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)
>>> standardised(ag.tensor([1.0, 3.0]))
tensor([-1.,  1.])
"""

from typing import TYPE_CHECKING

from .. import lazy
from .constants import *
from .creation import *
from .dtypes import *
from .elementwise import *
from .indexing import *
from .info import __array_namespace_info__
from .linear_algebra import *
from .manipulation import *
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *
from .utility import *

__array_api_version__ = "2025.12"

if TYPE_CHECKING:
    from . import fft, linalg, special

__getattr__, __dir__ = lazy.attributes(
    __name__, {f"array_api.{extension}": (extension,) for extension in ("fft", "linalg", "special")}
)
