"""A stand-in for CuPy over NumPy; README.md beside it says what it keeps of CuPy, and where that is written."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import cuda, fft, linalg, random, watch
from .core import BINARY, COMPARISONS, add_at, calling, host_of, ndarray, ufunc, viewing, wrapped

__version__ = "14.0.0"

#: CuPy's dtypes, and what it tells of them, are NumPy's own.
OF_NUMPY = (
    *("bool_", "complex64", "complex128", "complexfloating", "dtype", "e", "finfo", "float16", "float32", "float64"),
    *("floating", "iinfo", "inf", "int8", "int16", "int32", "int64", "integer", "intp", "isdtype", "issubdtype", "nan"),
    *("newaxis", "number", "pi", "signedinteger", "uint8", "uint16", "uint32", "uint64", "unsignedinteger"),
)
UFUNCS = (
    *sorted({*BINARY.values()} - {"matmul"}),
    *COMPARISONS,
    *("absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "bitwise_not", "cbrt"),
    *("ceil", "conj", "conjugate", "copysign", "cos", "cosh", "divide", "exp", "exp2", "expm1", "floor", "fmax"),
    *("fmin", "fmod", "heaviside", "hypot", "invert", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2"),
    *("logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum"),
    *("mod", "negative", "nextafter", "positive", "reciprocal", "rint", "sign", "signbit", "sin", "sinh", "sqrt"),
    *("square", "tan", "tanh", "trunc"),
)
FUNCTIONS = (
    *("all", "amax", "amin", "angle", "any", "argmax", "argmin", "argsort", "around", "clip"),
    *("count_nonzero", "cross", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diag", "diff"),
    *("dot", "inner", "isin", "kron", "matmul", "max", "mean", "median", "min", "nanmax", "nanmin"),
    *("nansum", "outer", "pad", "prod", "repeat", "roll", "round", "searchsorted", "sort", "std", "sum"),
    *("tensordot", "tile", "trace", "tril", "triu", "var", "vdot"),
)
VIEWS = (
    *("broadcast_to", "diagonal", "expand_dims", "flip", "imag", "matrix_transpose", "moveaxis"),
    *("permute_dims", "ravel", "real", "reshape", "rollaxis", "squeeze", "swapaxes", "transpose"),
)
OF_LISTS = ("broadcast_arrays", "concatenate", "einsum", "hstack", "meshgrid", "split", "stack", "vstack", "where")
CREATION = ("arange", "empty", "eye", "full", "identity", "linspace", "ones", "tri", "zeros")
LIKE = ("empty_like", "full_like", "ones_like", "zeros_like")
THAT_WAIT = ("argwhere", "array_equal", "flatnonzero", "nonzero", "unique")

for _name in OF_NUMPY:
    globals()[_name] = getattr(np, _name)
for _name in UFUNCS:
    globals()[_name] = ufunc(_name)
for _name in (*FUNCTIONS, *CREATION):
    globals()[_name] = calling(_name, getattr(np, _name))
for _name in (*VIEWS, *LIKE):
    globals()[_name] = viewing(_name, getattr(np, _name))
for _name in OF_LISTS:
    globals()[_name] = calling(_name, getattr(np, _name), lists=True)
abs = absolute  # noqa: F821
globals()["add"].at = add_at


def _waiting(name: str) -> Any:
    function = calling(name, getattr(np, name))

    def call(*args: Any, **kwargs: Any) -> Any:
        watch.wait(name)
        return function(*args, **kwargs)

    return call


for _name in THAT_WAIT:
    globals()[_name] = _waiting(_name)


def array(obj: Any, dtype: Any = None, copy: bool = True, order: str = "K", ndmin: int = 0, **_: Any) -> ndarray:
    """A copy on the current device of an array of any device, of NumPy's, or of nested lists."""
    if isinstance(obj, ndarray):
        at_home = obj.device == cuda.Device()
        if not copy and at_home and (dtype is None or obj.dtype == np.dtype(dtype)):
            return obj
        obj = obj.host
    elif isinstance(obj, (list, tuple)) and obj and isinstance(obj[0], ndarray):
        obj = [host_of("array", part) for part in obj]
    return ndarray(np.array(obj, dtype=dtype, order=order, ndmin=ndmin))  # type: ignore[call-overload]


def asarray(a: Any, dtype: Any = None, order: str = "K", **_: Any) -> ndarray:
    """`a` on the current device, itself where it is there already."""
    return array(a, dtype=dtype, copy=False, order=order)


ascontiguousarray = asarray


def asnumpy(a: Any, *_: Any, **__: Any) -> np.ndarray:
    """`a` on the host."""
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def copyto(dst: ndarray, src: Any) -> None:
    """Set the elements of `dst`."""
    dst[...] = src


def take(a: ndarray, indices: Any, axis: int | None = None, out: None = None) -> ndarray:
    """Places along an axis; those out of range wrap."""
    host = host_of("take", a)
    at = np.asarray(host_of("take", indices))
    return ndarray(np.asarray(np.take(host, wrapped(at, host.size if axis is None else host.shape[axis]), axis)))


def take_along_axis(a: ndarray, indices: ndarray, axis: int | None) -> ndarray:
    """Places along an axis, for each place in the others; those out of range wrap."""
    host = host_of("take_along_axis", a)
    size = host.size if axis is None else host.shape[axis]
    return ndarray(np.take_along_axis(host, wrapped(host_of("take_along_axis", indices), size), axis))


def astype(x: ndarray, dtype: Any, /, *, copy: bool = True) -> ndarray:
    """`x` of another dtype."""
    return x.astype(dtype, copy=copy)


def _dtype_or_number(value: Any) -> Any:
    return value.dtype if isinstance(value, ndarray) else value


def result_type(*args: Any) -> Any:
    """The dtype that they meet in."""
    return np.result_type(*map(_dtype_or_number, args))


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Whether no value is lost."""
    return np.can_cast(_dtype_or_number(from_), to, casting)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that they meet in."""
    return np.broadcast_shapes(*shapes)


def ndim(a: Any) -> int:
    """The number of dimensions."""
    return int(a.ndim)


def get_array_module(*_: Any) -> Any:
    """This module."""
    import cupy

    return cupy


del _name
