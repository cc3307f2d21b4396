"""The array API for NumPy arrays, fast on small ones.

Names that NumPy itself has as the standard means them are NumPy's. A few are rewritten here because the NumPy
function costs several times its own work on small arrays (``sum``, ``permute_dims``, ``broadcast_to``), or because
NumPy adds up half precision in half precision. Every other name comes from array-api-compat, which is imported when
one is first asked for: it takes longer to import than NumPy.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy
from numpy import (
    abs,
    acos,
    acosh,
    add,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_or,
    bitwise_xor,
    bool,
    ceil,
    complex64,
    complex128,
    copysign,
    cos,
    cosh,
    divide,
    e,
    empty_like,
    equal,
    exp,
    float16,
    float32,
    float64,
    floor,
    floor_divide,
    full_like,
    greater,
    greater_equal,
    hypot,
    iinfo,
    inf,
    int8,
    int16,
    int32,
    int64,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    linalg,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    nan,
    negative,
    newaxis,
    not_equal,
    ones_like,
    pi,
    positive,
    pow,
    reciprocal,
    remainder,
    repeat,
    round,
    searchsorted,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    stack,
    subtract,
    tan,
    tile,
    trunc,
    uint8,
    uint16,
    uint32,
    uint64,
    zeros_like,
)
from numpy.lib.stride_tricks import as_strided

from . import complex_functions
from .choice import choose
from .onednn.gate import gate

__array_api_version__ = "2025.12"

#: NumPy's type stubs know only some of the ways to call its functions.
np: Any = numpy

_HALF = np.dtype(np.float16)


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__array_namespace_info__":
        raise AttributeError(name)
    from array_api_compat import numpy as compat

    globals()[name] = value = getattr(compat, name)
    return value


# ---------------------------------------------------------------- creation


def asarray(data: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
    return np.array(data, dtype=dtype, copy=copy)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return np.zeros(shape, dtype)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    out = np.empty(shape, dtype)
    out.fill(1)  # np.ones says the same in twice the time
    return out


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return np.empty(shape, dtype)


def full(shape: Any, value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return np.full(shape, value, dtype)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Any:
    return np.arange(0, start, step, dtype) if stop is None else np.arange(start, stop, step, dtype)


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    out = x.astype(dtype, copy=copy)
    return recognised(out) if out.dtype.kind == "V" else out


# ---------------------------------------------------------------- dtypes: those of NumPy, and bfloat16, of kind "V"


def recognised(array: Any) -> Any:
    """An array of bfloat16, of the class that computes with it as it should."""
    from . import bfloat16

    return bfloat16.recognised(array)


def isdtype(dtype: Any, kind: Any, /) -> Any:
    dtype = np.dtype(dtype)
    if dtype.kind != "V":
        return np.isdtype(dtype, kind)
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, k) for k in kind)
    return np.isdtype(np.float32, kind) if isinstance(kind, str) else dtype == kind


def result_type(*arrays_and_dtypes: Any) -> Any:
    try:
        return np.result_type(*arrays_and_dtypes)
    except np.exceptions.DTypePromotionError:
        # bfloat16 beside float16: neither holds the other.
        return np.result_type(*(np.float32 if _is_bfloat16(x) else x for x in arrays_and_dtypes))


def _is_bfloat16(x: Any) -> Any:
    return getattr(getattr(x, "dtype", x), "kind", "") == "V"


# ---------------------------------------------------------------- complex numbers, at infinities


def expm1(x: Any, /) -> Any:
    return complex_functions.expm1(x) if x.dtype.kind == "c" else np.expm1(x)


def tanh(x: Any, /) -> Any:
    return complex_functions.tanh(x) if x.dtype.kind == "c" else np.tanh(x)


# ---------------------------------------------------------------- shape


def reshape(x: Any, /, shape: Any, *, copy: Any = None) -> Any:
    return x.reshape(shape) if copy is None else np.reshape(x, shape, copy=copy)


def permute_dims(x: Any, /, axes: Any) -> Any:
    return x.transpose(axes)


def matrix_transpose(x: Any, /) -> Any:
    return x.swapaxes(-1, -2)


def expand_dims(x: Any, /, *, axis: int = 0) -> Any:
    rank = x.ndim + 1
    if not -rank <= axis < rank:
        raise IndexError(f"axis {axis} is out of range for {rank} dimensions")
    return x[(slice(None),) * (axis % rank) + (None,)]


def take(x: Any, indices: Any, /, *, axis: Any = None) -> Any:
    return x.take(indices, axis)


def squeeze(x: Any, /, axis: Any) -> Any:
    return x.squeeze(axis)


def broadcast_to(x: Any, /, shape: Any) -> Any:
    # A stride of 0 in each new or stretched dimension; np.broadcast_to says the same in three times the time.
    if x.size == 1 and x.ndim <= len(shape):
        out = np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
        out.flags.writeable = False
        return out
    lead = len(shape) - x.ndim
    strides = [0] * lead
    for n, m, stride in zip(x.shape, shape[lead:] if lead >= 0 else (), x.strides, strict=lead >= 0):
        if n not in (1, m):
            lead = -1
        strides.append(stride if n == m else 0)
    if lead < 0:
        raise ValueError(f"shape {x.shape} cannot be broadcast to {tuple(shape)}")
    if not x.flags.c_contiguous or not x.size:
        return as_strided(x, shape, strides, writeable=False)
    out = np.ndarray(shape, x.dtype, x, 0, strides)
    out.flags.writeable = False
    return out


def concat(arrays: Any, /, *, axis: Any = 0) -> Any:
    first = arrays[0]
    if first.flags.c_contiguous or first.ndim < 3 or axis is None:
        return np.concatenate(arrays, axis)
    # In the order in memory of the first: that of images whose batch comes last, as convolutions leave it.
    shape = list(first.shape)
    shape[axis] = builtins.sum(x.shape[axis] for x in arrays)
    out = np.empty_like(first, dtype=np.result_type(*arrays), shape=shape)
    return np.concatenate(arrays, axis, out)


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    return choose(condition, x1, x2)


# ---------------------------------------------------------------- reductions: float16 adds up in float32


#: From how many float32 numbers on they are added up in parts, and how many are in one.
_LONG, _PART = 2048, 64


def _total(x: Any, axis: Any, dtype: Any, keepdims: Any) -> Any:
    """NumPy's sum. It adds up pairwise along memory only, one by one otherwise: a million float32 lose 1 %."""
    if x.size >= _LONG and x.dtype == np.float32 and dtype is None and axis is not None:
        axes = [a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))]
        if axes and x.itemsize not in [x.strides[a] for a in axes]:
            for a in sorted(axes, reverse=True):
                x = _in_parts(x, a, keepdims)
            return x
    return np.add.reduce(x, axis, dtype, None, keepdims)


def _in_parts(x: Any, axis: int, keepdims: Any) -> Any:
    """The sum along one axis, where it is long that of the sums of its parts."""
    if x.shape[axis] < _LONG:
        return np.add.reduce(x, axis, None, None, keepdims)
    parts, rest = np.split(x, (x.shape[axis] // _PART * _PART,), axis)
    sums = np.add.reduce(parts.reshape(*x.shape[:axis], -1, _PART, *x.shape[axis + 1 :]), axis + 1)
    return _in_parts(np.concat((sums, rest), axis) if rest.size else sums, axis, keepdims)


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    kind = x.dtype.kind
    if dtype is None:
        if x.dtype == _HALF:
            return np.add.reduce(x, axis, np.float32, None, keepdims).astype(_HALF)
        if kind in "biu":
            dtype = np.uint64 if kind == "u" else np.int64
    return _total(x, axis, dtype, keepdims)


def mean(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    if x.dtype == _HALF:
        return mean(x.astype(np.float32), axis=axis, keepdims=keepdims).astype(_HALF)
    if not x.size:
        return sum(x, axis=axis, keepdims=keepdims) * (np.nan if not _count(x.shape, axis) else 1.0)
    if axis is None:
        return np.add.reduce(x, None, None, None, keepdims) / x.size
    total = _total(x, axis, None, keepdims)
    return total / (x.size // total.size)


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    kind = x.dtype.kind
    if dtype is None and kind in "biu":
        dtype = np.uint64 if kind == "u" else np.int64
    return np.multiply.reduce(x, axis, dtype, None, keepdims)


def max(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return np.maximum.reduce(x, axis, None, None, keepdims)


def min(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return np.minimum.reduce(x, axis, None, None, keepdims)


def any(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return np.logical_or.reduce(x, axis, None, None, keepdims)


def all(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return np.logical_and.reduce(x, axis, None, None, keepdims)


def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    if x.dtype == _HALF and dtype is None:
        return np.cumulative_sum(x, axis=axis, dtype=np.float32, include_initial=include_initial).astype(_HALF)
    return np.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)


def _count(shape: tuple[int, ...], axis: Any) -> int:
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = 1
    for a in axes:
        count *= shape[a]
    return count


# ---------------------------------------------------------------- products: float16 multiplies in float32


def _matmul(x1: Any, x2: Any) -> Any:
    # NumPy has no BLAS for half precision: its own loop is a hundred times slower, and adds up in half.
    if x1.dtype == _HALF and x2.dtype == _HALF:
        product = matmul(x1.astype(np.float32), x2.astype(np.float32))
        return product.astype(_HALF)
    return x1 @ x2


matmul = gate("matmul", lambda: _matmul)


def _matmul_into(x1: Any, x2: Any, target: Any) -> Any:
    return np.matmul(x1, x2, out=target)


#: What the standard lacks: the product of two stacks of matrices, written to an array of its shape.
matmul_into = gate("matmul_into", lambda: _matmul_into)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    if x1.dtype == _HALF and x2.dtype == _HALF:
        return np.vecdot(x1.astype(np.float32), x2.astype(np.float32), axis=axis).astype(_HALF)
    return np.vecdot(x1, x2, axis=axis)
