"""bfloat16 on NumPy: arrays of ml_dtypes' dtype, computed with in float32 and rounded, as CPUs do.

NumPy knows bfloat16 only from outside: ``x + 1.5`` is float32, einsum and half of the rest refuse it. So arrays of it
are of a class of their own, and by that class they find this namespace and these kernels: each function widens what it
is given, asks NumPy, and rounds what comes back. Nothing else in the library has to know.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

from ..array_types import Array, Shape
from ..base import module_ops
from ..device import Device
from ..lookup import register
from . import NumpyBackend, namespace

__all__ = ["BFLOAT16", "Bfloat16Array", "Bfloat16Backend"]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_WIDE = np.dtype(np.float32)


class Bfloat16Array(np.ndarray):
    """An array whose elements are bfloat16. Its operators compute in float32 and round."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if any(hasattr(type(x), "__array_ufunc__") and not isinstance(x, (np.ndarray, np.generic)) for x in inputs):
            return NotImplemented  # what is made of arrays knows what to do with them
        if out is not None:
            options["out"] = _widen(out)
        result = getattr(ufunc, method)(*_widen(inputs), **options)
        if out is None:
            return result if _stays_wide(inputs, options) else rounded(result)
        for target, wide in zip(out, options["out"], strict=True):
            if target is not wide:
                target[...] = wide
        return out[0] if len(out) == 1 else out

    def astype(self, dtype: Any, *arguments: Any, **options: Any) -> Any:
        copied = self.view(np.ndarray).astype(dtype, *arguments, **options)
        return recognised(copied) if copied.dtype == BFLOAT16 else copied


def recognised(array: Any) -> Any:
    """An array of bfloat16, seen as a `Bfloat16Array`: the same memory."""
    return array.view(Bfloat16Array)


def _is_narrow(value: Any) -> bool:
    return isinstance(value, (Bfloat16Array, ml_dtypes.bfloat16))


def _widen(value: Any) -> Any:
    """`value` with what is of bfloat16 in it made float32; arrays may stand in sequences and named tuples."""
    if isinstance(value, Bfloat16Array):
        return value.view(np.ndarray).astype(_WIDE)
    if isinstance(value, ml_dtypes.bfloat16):
        return _WIDE.type(value)
    return _rebuilt(value, _widen)


def rounded(value: Any) -> Any:
    """`value` with what is of float32 in it rounded to bfloat16, but for the statistics of norms."""
    if isinstance(value, (np.ndarray, np.float32)):
        return recognised(np.asarray(value).astype(BFLOAT16)) if value.dtype == _WIDE else value
    return _rebuilt(value, rounded, keep=("mean", "variance"))


def _rebuilt(value: Any, change: Callable[[Any], Any], keep: tuple[str, ...] = ()) -> Any:
    if hasattr(value, "_fields"):
        return value._replace(**{n: change(getattr(value, n)) for n in value._fields if n not in keep})
    return type(value)(map(change, value)) if isinstance(value, (tuple, list)) else value


def _stays_wide(arguments: Any, options: dict[str, Any]) -> bool:
    """Whether float32 was asked for: by ``dtype=``, or by an array of it beside those of bfloat16."""
    asked = options.get("dtype")
    if asked is not None:
        return bool(asked != BFLOAT16)
    return any(isinstance(a, (np.ndarray, np.generic)) and a.dtype.kind in "fc" for a in arguments)


# ---------------------------------------------------------------- the namespace

#: What gives a window on the memory of its argument, or needs no arithmetic: NumPy's own, on the array as it is.
_AS_THEY_ARE = frozenset(
    (
        *("expand_dims", "flip", "matrix_transpose", "moveaxis", "permute_dims", "reshape", "squeeze"),
        *("isdtype", "result_type"),
    )
)


class Bfloat16Namespace(ModuleType):
    """The array API for arrays of bfloat16."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(namespace, name)
        if callable(found) and not isinstance(found, type):
            found = found if name in _AS_THEY_ARE else _through_float32(found)
        setattr(self, name, found)
        return found

    @staticmethod
    def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
        return namespace.astype(x, dtype, copy=copy)

    @staticmethod
    def broadcast_to(x: Any, /, shape: Any) -> Any:
        return recognised(namespace.broadcast_to(x, shape))

    @staticmethod
    def finfo(dtype: Any, /) -> Any:
        return ml_dtypes.finfo(dtype)

    @staticmethod
    def asarray(data: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        array = np.array(data, dtype=dtype, copy=copy, subok=True)
        return recognised(array) if array.dtype == BFLOAT16 else array


def _through_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        wide = options | {"dtype": _WIDE} if options.get("dtype") == BFLOAT16 else options
        result = function(*_widen(arguments), **{name: _widen(value) for name, value in wide.items()})
        return result if _stays_wide(arguments, options) else rounded(result)

    return call


# ---------------------------------------------------------------- the kernels


class Bfloat16Backend(NumpyBackend):
    """NumPy's kernels, run in float32 on arrays of bfloat16."""

    name: ClassVar[str] = "cpu"
    xp = Bfloat16Namespace("bfloat16_namespace")
    array_types = (Bfloat16Array,)
    scalar_types = (ml_dtypes.bfloat16,)
    floating_dtypes = frozenset((BFLOAT16,))

    def asarray(self, data: Any, dtype: Any, device: Device) -> Array:
        return recognised(np.array(data, dtype=dtype))

    def to_host(self, array: Array) -> Any:
        return array.view(np.ndarray)

    def scalar_to_array(self, scalar: Any) -> Array:
        return recognised(np.asarray(scalar))

    def scatter_add(self, base: Array, indices: Array, values: Array) -> Array:
        return rounded(super().scatter_add(_widen(base), indices, _widen(values)))

    def uniform(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        # Rounding would turn the numbers next to 1 into 1.
        return rounded(np.minimum(super().uniform(rng, shape, _WIDE, device), _WIDE.type(1 - 2**-8)))

    def normal(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        return rounded(super().normal(rng, shape, _WIDE, device))


def _widened(name: str) -> Any:
    @cache
    def kernel() -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(NumpyBackend, name)
        return found

    def call(*arguments: Any, **options: Any) -> Any:
        return rounded(kernel()(*_widen(arguments), **options))

    return staticmethod(call)


for _name in module_ops(NumpyBackend):
    setattr(Bfloat16Backend, _name, _widened(_name))


backend = Bfloat16Backend()
register(backend)
