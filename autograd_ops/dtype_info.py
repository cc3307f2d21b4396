"""What dtypes hold, and how they meet."""

from __future__ import annotations

from typing import Any

from autograd_backends import get_backend

from .dtypes import (
    DType,
    as_dtype,
    bool_,
    dtype_of,
    get_default_dtype,
    native_dtype,
)
from .promotion import KIND_ORDER, NUMBER_ORDER, common_dtype
from .refusals import named
from .tensor import Tensor

__all__ = ["can_cast", "finfo", "iinfo", "meeting", "promote_types", "result_type"]


class finfo:
    """The limits of a float dtype; of a complex one, those of its parts.

    Parameters
    ----------
    dtype
        The dtype; the default one if none is given.

    Attributes
    ----------
    bits
        Bits a number.
    eps
        The step from 1 to the next number.
    max, min
        The largest and the smallest finite number.
    tiny, smallest_normal
        The smallest positive number of full precision.
    smallest_subnormal
        The smallest positive number.
    resolution
        The power of 10 that its decimal digits reach down to.
    dtype
        The name of the dtype.

    Raises
    ------
    TypeError
        If `dtype` is no float or complex dtype.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.finfo(ag.float16).max
    65504.0
    """

    def __init__(self, dtype: Any = None) -> None:
        chosen = get_default_dtype() if dtype is None else as_dtype(dtype)
        if chosen.kind not in ("float", "complex"):
            raise TypeError(f"finfo: {chosen.name} is no float dtype; its limits are in iinfo")
        parts = chosen.to_real()
        limits = _float_limits(parts)
        self.bits = 8 * parts.itemsize
        self.eps = float(limits.eps)
        self.max = float(limits.max)
        self.min = float(limits.min)
        self.smallest_normal = self.tiny = float(limits.smallest_normal)
        self.smallest_subnormal = float(limits.smallest_subnormal)
        self.resolution = float(limits.resolution)
        self.dtype = parts.name

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny", "dtype")
        values = {name: getattr(self, name) for name in shown}
        return f"finfo({', '.join(f'{n}={v:.6g}' if isinstance(v, float) else f'{n}={v}' for n, v in values.items())})"


def _float_limits(dtype: DType) -> Any:
    backend = get_backend("cpu")
    native = native_dtype(backend, dtype)
    return backend.for_dtype(native).xp.finfo(native)


class iinfo:
    """The limits of an integer dtype.

    Attributes
    ----------
    bits
        Bits a number.
    max, min
        The largest and the smallest.
    dtype
        The name of the dtype.

    Raises
    ------
    TypeError
        If `dtype` is no integer dtype.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.iinfo(ag.int8).min
    -128
    """

    def __init__(self, dtype: Any) -> None:
        chosen = as_dtype(dtype)
        if chosen.kind not in ("int", "uint"):
            raise TypeError(f"iinfo: {chosen.name} is no integer dtype; the limits of floats are in finfo")
        self.bits = 8 * chosen.itemsize
        self.max = 2 ** (self.bits - (chosen.kind == "int")) - 1
        self.min = -self.max - 1 if chosen.kind == "int" else 0
        self.dtype = chosen.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def promote_types(type1: Any, type2: Any) -> DType:
    """The dtype that Tensors of two dtypes meet in.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.promote_types(ag.uint8, ag.int8), ag.promote_types(ag.int64, ag.float16)
    (autograd_ops.int16, autograd_ops.float16)
    """
    return meeting(as_dtype(type1), as_dtype(type2))


def result_type(tensor1: Any, tensor2: Any) -> DType:
    """The dtype of what arithmetic on two Tensors gives; one of them may be a number, which is weak.

    Raises
    ------
    TypeError
        If an argument is neither a Tensor nor a number.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.result_type(ag.tensor([1, 2]), 1.5), ag.result_type(ag.ones(2, dtype=ag.float64), 1)
    (autograd_ops.float32, autograd_ops.float64)
    """
    dtypes, number = [], -1
    for value in (tensor1, tensor2):
        if isinstance(value, Tensor):
            dtypes.append(value.dtype)
        elif type(value) in NUMBER_ORDER:
            number = max(number, NUMBER_ORDER[type(value)])
        else:
            raise TypeError(f"result_type: expected Tensors and numbers, got {type(value).__name__}")
    return meeting(*dtypes or [bool_], number=number)


def meeting(*dtypes: DType, number: int = -1) -> DType:
    """The dtype that arrays of `dtypes` meet in, and with them a Python number of that place in `NUMBER_ORDER`."""
    backend = get_backend("cpu")
    natives = tuple([native_dtype(backend, dtype) for dtype in dtypes])
    return dtype_of(backend, common_dtype(backend, natives, number, False, get_default_dtype()))


def can_cast(from_: Any, to: Any) -> bool:
    """Whether PyTorch's rules let results of one dtype be written into a Tensor of another, as in-place ops do.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.can_cast(ag.float64, ag.float16), ag.can_cast(ag.float32, ag.int64)
    (True, False)
    """
    return KIND_ORDER[as_dtype(from_).kind] <= KIND_ORDER[as_dtype(to).kind]


named(__name__)
