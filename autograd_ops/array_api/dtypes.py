"""Dtypes, and functions of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import dtype_info, ops
from ..dtypes import (
    DType,
    as_dtype,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..dtypes import bool_ as bool
from ..promotion import NUMBER_ORDER
from ..tensor import Tensor

__all__ = [
    "astype",
    "bool",
    "can_cast",
    "complex64",
    "complex128",
    "finfo",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int",),
    "unsigned integer": ("uint",),
    "integral": ("int", "uint"),
    "real floating": ("float",),
    "complex floating": ("complex",),
    "numeric": ("int", "uint", "float", "complex"),
}


def astype(x: Tensor, dtype: Any, /, *, copy: Any = True, device: str | None = None) -> Tensor:
    """x with another dtype, on another device if one is given; with ``copy=False`` x itself where it is so already.

    Raises
    ------
    TypeError
        If x is complex and `dtype` is not: take `real` or `abs` first.
    """
    wanted = as_dtype(dtype)
    if x.dtype.is_complex and not wanted.is_complex:
        raise TypeError(f"astype: {x.dtype.name} to {wanted.name} would lose a part; take real, imag or abs first")
    moved = x.to(wanted) if device is None else x.to(device, wanted)
    return ops.clone(x) if copy and moved is x else moved


def isdtype(dtype: Any, kind: Any) -> Any:
    """Whether `dtype` is of a kind: a dtype, a word of the standard's such as ``"real floating"``, or any of a tuple.

    Raises
    ------
    ValueError
        If the word is none of the standard's.
    """
    found = as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: {kind!r} is no kind of dtypes; the kinds are {', '.join(_KINDS)}")
        return found.kind in _KINDS[kind]
    return found is as_dtype(kind)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that arrays, dtypes and Python numbers meet in; a number counts only by its kind.

    Raises
    ------
    TypeError
        If there is neither an array nor a dtype.
    """
    numbers = [NUMBER_ORDER[type(a)] for a in arrays_and_dtypes if isinstance(a, (int, float, complex))]
    others = [a for a in arrays_and_dtypes if not isinstance(a, (int, float, complex))]
    if not others:
        raise TypeError("result_type: give at least one array or dtype")
    return dtype_info.meeting(*map(_dtype, others), number=max(numbers, default=-1))


def _dtype(array_or_dtype: Any) -> DType:
    return array_or_dtype.dtype if isinstance(array_or_dtype, Tensor) else as_dtype(array_or_dtype)


def can_cast(from_: Any, to: Any, /) -> Any:
    """Whether promotion leads from one dtype, or that of an array, to the other."""
    return dtype_info.meeting(_dtype(from_), as_dtype(to)) is as_dtype(to)


class FInfo(NamedTuple):
    """The limits of a float dtype, or of the parts of a complex one.

    Attributes
    ----------
    bits
        Bits a number.
    eps
        From 1 to the next larger number.
    max, min
        The largest and the smallest number.
    smallest_normal
        The smallest positive number of full precision.
    dtype
        The float dtype.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IInfo(NamedTuple):
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: Any, /) -> FInfo:
    """The limits of a float or complex dtype, or of that of an array.

    Raises
    ------
    TypeError
        If it is neither.

    Examples
    --------
    >>> import autograd_ops.array_api as xp
    >>> xp.finfo(xp.float32).eps == 2.0**-23
    True
    """
    limits = dtype_info.finfo(_dtype(type))
    return FInfo(limits.bits, limits.eps, limits.max, limits.min, limits.smallest_normal, as_dtype(limits.dtype))


def iinfo(type: Any, /) -> IInfo:
    """The limits of an integer dtype, or of that of an array.

    Raises
    ------
    TypeError
        If it is of no integers.
    """
    limits = dtype_info.iinfo(_dtype(type))
    return IInfo(limits.bits, limits.max, limits.min, as_dtype(limits.dtype))
