"""Statistical functions: over all axes by default, of the population where a spread is divided by a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..creation import full
from ..dtypes import DType, as_dtype, int64, uint64
from ..tensor import Tensor
from .axes import Axes, axes_of, axis_or_only

__all__ = ["cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var"]


def _accumulated(function: Callable[..., Tensor], x: Tensor, dtype: Any, *options: Any) -> Tensor:
    """A sum or product in `dtype`, by default that of x, or 64 bits of its kind if x is of integers."""
    if dtype is None:
        kind = x.dtype.kind
        result: DType = uint64 if kind == "uint" else int64 if kind in ("int", "bool") else x.dtype
    else:
        result = as_dtype(dtype)
    # Ops add integers up in int64, which wraps as any narrower or unsigned dtype does.
    total = function(x if x.dtype is result else ops.astype(x, result), *options)
    return total if total.dtype is result else ops.astype(total, result)


def sum(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum over `axis`; by default unsigned integers add up in uint64, others and bools in int64."""
    return _accumulated(ops.sum, x, dtype, axes_of("sum", axis, x.ndim), keepdims)


def prod(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product over `axis`; its dtype as that of `sum`."""
    return _accumulated(ops.prod, x, dtype, axes_of("prod", axis, x.ndim), keepdims)


def _running(
    name: str, function: Callable[..., Tensor], x: Tensor, axis: int | None, dtype: Any, initial: int | None
) -> Tensor:
    at = axis_or_only(name, axis, x.ndim)
    running = _accumulated(function, x, dtype, at)
    if initial is None:
        return running
    shape = tuple([1 if i == at else n for i, n in enumerate(running.shape)])
    return ops.concat([full(shape, initial, dtype=running.dtype, device=running.device), running], at)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running sums along `axis`, which a vector need not name; from 0 on if `include_initial`."""
    return _running("cumulative_sum", ops.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running products along `axis`, which a vector need not name; from 1 on if `include_initial`."""
    return _running("cumulative_prod", ops.cumprod, x, axis, dtype, 1 if include_initial else None)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The largest element over `axis`; equal ones share the gradient."""
    return ops.amax(x, axes_of("max", axis, x.ndim), keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The smallest element over `axis`; equal ones share the gradient."""
    return ops.amin(x, axes_of("min", axis, x.ndim), keepdims)


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The mean over `axis`."""
    return ops.mean(x, axes_of("mean", axis, x.ndim), keepdims)


def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The variance over `axis`: squared distances from the mean, summed, over n - `correction`."""
    return ops.var(x, axes_of("var", axis, x.ndim), correction, keepdims)


def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The standard deviation over `axis`: the root of `var`. Where it is 0, so is its gradient."""
    return ops.std(x, axes_of("std", axis, x.ndim), correction, keepdims)
