"""Running extremes."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels, namespace

from ..registry import Array, op

__all__ = ["running_argmax", "running_argmin"]


@op(nondiff=True)
def running_argmax(x: Array, axis: int) -> Array:
    """Where the largest element so far along `axis` is; the last of equals, and of NaN, which is larger than all"""
    return _places(x, axis, kernels(x).running_max)


@op(nondiff=True)
def running_argmin(x: Array, axis: int) -> Array:
    """Where the smallest element so far along `axis` is; the last of equals, and of NaN, which is smaller than all"""
    return _places(x, axis, kernels(x).running_min)


def _places(x: Array, axis: int, running: Any) -> Array:
    xp = namespace(x)
    if x.dtype == xp.bool:
        x = xp.astype(x, xp.uint8)
    reached = x == running(x, axis)
    if xp.isdtype(x.dtype, "real floating"):
        reached = reached | xp.isnan(x)
    shape = tuple([n if i == axis else 1 for i, n in enumerate(x.shape)])
    places = xp.reshape(xp.arange(x.shape[axis], dtype=xp.int64, device=x.device), shape)
    return kernels(x).running_max(xp.where(reached, places, xp.zeros_like(places)), axis)
