"""Tensors that record the ops applied to them, and gradients by walking the record back.

The arrays come from the backend that a device string names: ``"cpu"`` is NumPy, ``"cuda:0"`` is CuPy.
"""

__version__ = "0.1.0.dev0"

from . import autograd, nn, ops
from .creation import *
from .dtypes import *
from .random import *
from .tape import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .tensor import Tensor
