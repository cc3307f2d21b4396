"""The array API for CuPy arrays: array-api-compat's, but for functions that wait for the GPU or ignore the device.

array-api-compat 1.16 writes ``sign`` and ``clip`` with masks (``out[mask] = value``), whose number of places CuPy
copies to the host each time, and its creation functions use CuPy's current device whatever ``device`` says.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import array_api_compat.cupy as _compat
import cupy as _cupy
from array_api_compat.cupy import *  # noqa: F403

from ..array_types import Array

__all__ = list(_compat.__all__)


def sign(x: Array, /) -> Array:
    """-1, 0 or 1, and NaN of NaN; of complex numbers x / |x|."""
    if x.dtype.kind == "c":
        size = _cupy.abs(x)
        return _cupy.where(size == 0, x, x / _cupy.where(size == 0, 1, size))
    return _cupy.sign(x) if x.dtype.kind in "iu" else _cupy.where(_cupy.isnan(x), x, _cupy.sign(x))


def clip(x: Array, /, min: Array | complex | None = None, max: Array | complex | None = None) -> Array:
    """x, or `min` where x is below it, or `max` where that is above it; NaN stays."""
    out = x
    if min is not None:
        out = _cupy.maximum(out, _of_dtype(min, x))
    if max is not None:
        out = _cupy.minimum(out, _of_dtype(max, x))
    return out.copy() if out is x else out


def _of_dtype(limit: Any, x: Array) -> Any:
    return limit.astype(x.dtype, copy=False) if isinstance(limit, _cupy.ndarray) else limit


def asarray(
    obj: Any,
    /,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
) -> Array:
    """`obj` as an array, by default where it is if it is one."""
    with obj.device if device is None and isinstance(obj, _cupy.ndarray) else _cupy.cuda.Device(device):
        return _compat.asarray(obj, dtype=dtype, copy=copy)  # type: ignore[attr-defined]


def _on_device(function: Callable[..., Array], like: bool) -> Callable[..., Array]:
    """A creation function that minds ``device``: by default that of its argument if it makes an array `like` one."""

    @wraps(function)
    def create(*args: Any, device: Any = None, **kwargs: Any) -> Array:
        with args[0].device if like and device is None else _cupy.cuda.Device(device):
            return function(*args, **kwargs)

    return create


for _name in ("arange", "empty", "eye", "full", "linspace", "ones", "zeros"):
    globals()[_name] = _on_device(getattr(_compat, _name), like=False)
for _name in ("empty_like", "full_like", "ones_like", "zeros_like", "astype"):
    globals()[_name] = _on_device(getattr(_compat, _name), like=True)
