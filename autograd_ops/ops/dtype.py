"""Casting, copying and constants in the shape of another array."""

from __future__ import annotations

from typing import Any

from autograd_backends import Device, get_backend, kernels, namespace
from autograd_backends.lookup import complex_dtypes

from ..dtypes import DType, native_dtype
from ..registry import Array, op

__all__ = ["accumulator", "astype", "clone", "has_complex", "ones_like", "to_device", "zeros_like"]


@op(formula="dx = g, cast back", promote=True, casts=True)
def astype(x: Array, dtype: Any) -> Array:
    """x with elements of `dtype`, a DType or a dtype of the backend of x; of complex numbers the real parts"""
    if isinstance(dtype, DType):
        dtype = native_dtype(kernels(x), dtype)
    return kernels(x).cast(x, dtype)


astype.backward(x=lambda g: g)


@op(formula="dx = g, moved back")
def to_device(x: Array, device: Device) -> Array:
    """x on another device"""
    source, target = kernels(x), get_backend(device)
    dtype = target.dtype(source.dtype_name(x.dtype))
    return target.asarray(source.to_host(x), dtype, device)


to_device.backward(x=lambda g, x_device: to_device(g, x_device))


@op(formula="dx = g")
def clone(x: Array) -> Array:
    """A copy of x"""
    return namespace(x).asarray(x, copy=True)


clone.backward(x=lambda g: g)


@op(nondiff=True)
def zeros_like(x: Array) -> Array:
    """Zeros in the shape and dtype of x"""
    return namespace(x).zeros_like(x)


@op(nondiff=True)
def ones_like(x: Array) -> Array:
    """Ones in the shape and dtype of x"""
    return namespace(x).ones_like(x)


def has_complex(x: Any) -> bool:
    """Whether the elements of x, an array or a Tensor, are complex."""
    array = getattr(x, "array", x)
    return array.dtype in complex_dtypes[type(array)]


def accumulator(x: Any) -> Any:
    """The dtype in which sums over x, an array or a Tensor, are taken: float32 for half precision, else its own."""
    array = getattr(x, "array", x)
    return kernels(array).accumulator(array.dtype)
