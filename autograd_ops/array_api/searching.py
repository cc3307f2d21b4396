"""Searching functions."""

from __future__ import annotations

from typing import Any, Literal

from .. import indexing, ops
from ..dims import axis_of
from ..tensor import Tensor
from .axes import Axes, axes_of
from .creation import asarray

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the largest element along `axis`, or in the flattened x; the first of equals."""
    return ops.argmax(x, None if axis is None else axis_of("argmax", axis, x.ndim), keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the smallest element along `axis`, or in the flattened x; the first of equals."""
    return ops.argmin(x, None if axis is None else axis_of("argmin", axis, x.ndim), keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """How many elements over `axis` are not 0."""
    return ops.sum(x if x.dtype.kind == "bool" else x != 0, axes_of("count_nonzero", axis, x.ndim), keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Where x is not 0: one vector of indices for each axis.

    Raises
    ------
    ValueError
        If x has no dimensions.
    """
    if not x.ndim:
        raise ValueError("nonzero: an array of no dimensions has no indices")
    return indexing.nonzero(x, as_tuple=True)


def searchsorted(
    x1: Tensor, x2: Any, /, *, side: Literal["left", "right"] = "left", sorter: Tensor | None = None
) -> Tensor:
    """Where each of `x2` would go in the ordered vector `x1`: before the elements equal to it, or after.

    Parameters
    ----------
    x1
        In ascending order.
    x2
        An array of any shape, or a number.
    side
        ``"left"`` or ``"right"`` of what is equal.
    sorter
        The indices that put `x1` in order, if it is in none.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side must be 'left' or 'right', not {side!r}")
    if not isinstance(x2, Tensor):
        whole = isinstance(x2, int) or x1.dtype.kind == "float"
        x2 = asarray(x2, dtype=x1.dtype if whole else None, device=x1.device)
    ordered = x1 if sorter is None else indexing.getitem(x1, sorter)
    return ops.searchsorted(ordered, x2, side == "right")


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    """`x1` where the condition holds, `x2` elsewhere; the gradient to the branch not taken is 0."""
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        x1 = asarray(x1, device=condition.device)
    return ops.where(condition, x1, x2)
