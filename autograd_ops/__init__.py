"""Tensors that record the ops applied to them, and gradients by walking the record back.

The arrays come from the backend that a device string names: ``"cpu"`` is NumPy, ``"cuda:0"`` is CuPy.
"""

from math import e, inf, nan, pi
from typing import TYPE_CHECKING

__version__ = "0.1.0.dev0"

from autograd_backends import Device as device
from autograd_backends import DeviceError

from . import autograd, cuda, functions, lazy, linalg, ops, random
from .creation import *
from .dtypes import *

# PyTorch's other names of dtypes. They hide Python's own here, and nowhere else.
from .dtypes import bool_ as bool
from .dtypes import complex64 as cfloat
from .dtypes import complex128 as cdouble
from .dtypes import float16 as half
from .dtypes import float32 as float
from .dtypes import float64 as double
from .dtypes import int16 as short
from .dtypes import int32 as int
from .dtypes import int64 as long
from .functions import *
from .indexing import (
    check_indices,
    gather,
    index_add,
    index_fill,
    index_select,
    masked_fill,
    masked_select,
    narrow,
    nonzero,
    scatter,
    scatter_add,
    select,
    take,
)
from .printing import set_printoptions
from .random import *
from .tape import (
    TapeError,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .tensor import Size, Tensor

# After the rest: Tensor's operators and methods are attached.
from . import methods  # isort: skip

if TYPE_CHECKING:
    from . import array_api, fft, func, nn, optim, pytree, utils
    from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
    from .dtype_info import can_cast, finfo, iinfo, promote_types, result_type
    from .func import vmap
    from .serialization import SerializationError, load, save

#: What is imported when it is first asked for: modules, and what is in one.
_LAZY = {
    "fft": ("fft",),
    "func": ("func", "vmap"),
    "nn": ("nn",),
    "optim": ("optim",),
    "pytree": ("pytree",),
    "utils": ("utils",),
    "special": ("special",),
    "autograd.anomaly_mode": ("is_anomaly_check_nan_enabled", "is_anomaly_enabled"),
    "array_api": ("array_api",),
    "dtype_info": ("can_cast", "finfo", "iinfo", "promote_types", "result_type"),
    "serialization": ("SerializationError", "load", "save"),
    **functions.LAZY,
}

#: A new dimension, in ``x[:, newaxis]``.
newaxis = None

__getattr__, __dir__ = lazy.attributes(__name__, _LAZY)

lazy.follow("einops._backends", "einops_backend")
