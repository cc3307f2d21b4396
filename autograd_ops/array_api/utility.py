"""Utility functions."""

from __future__ import annotations

from .. import ops
from ..dims import axis_of
from ..tensor import Tensor
from .axes import Axes, axes_of

__all__ = ["all", "any", "diff"]


def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether all elements over `axis` are true, or not 0."""
    return ops.all(x, axes_of("all", axis, x.ndim), keepdims)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether any element over `axis` is true, or not 0."""
    return ops.any(x, axes_of("any", axis, x.ndim), keepdims)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """What each element along `axis` has more than the one before it, `n` times over.

    Parameters
    ----------
    n
        How often differences are taken.
    prepend, append
        What stands before and after x, of its shape but for `axis`.

    Raises
    ------
    ValueError
        If `n` is negative, or x has no dimensions.
    """
    if n < 0 or not x.ndim:
        raise ValueError(f"diff: {n} differences of an array of {x.ndim} dimensions")
    at = axis_of("diff", axis, x.ndim)
    if prepend is not None or append is not None:
        x = ops.concat([a for a in (prepend, x, append) if a is not None], at)
    lead = (slice(None),) * at
    for _ in range(n):
        length = x.array.shape[at]
        later = ops.getitem(x, (*lead, slice(min(1, length), length), ...))
        earlier = ops.getitem(x, (*lead, slice(0, max(length - 1, 0)), ...))
        x = ops.not_equal(later, earlier) if x.dtype.kind == "bool" else later - earlier
    return x
