"""Indexing functions."""

from __future__ import annotations

from .. import indexing, ops
from ..dims import axis_of, broadcast_shape
from ..tensor import Tensor
from .axes import axis_or_only

__all__ = ["take", "take_along_axis"]


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """x at a vector of `indices` along `axis`, which a vector need not name; negative ones count from the end."""
    at = axis_or_only("take", axis, x.ndim)
    return indexing.getitem(x, (*(slice(None),) * at, indices))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """x at `indices` along `axis`, of the rank of x; the other axes broadcast.

    Raises
    ------
    ValueError
        If the ranks differ, or the other axes do not broadcast.
    """
    if indices.ndim != x.ndim:
        raise ValueError(f"take_along_axis: indices have {indices.ndim} dimensions, and x has {x.ndim}")
    at = axis_of("take_along_axis", axis, x.ndim)
    rest = [tuple([1 if i == at else n for i, n in enumerate(a.array.shape)]) for a in (x, indices)]
    common = broadcast_shape("take_along_axis", rest)
    x, indices = [ops.broadcast_to(a, (*common[:at], a.array.shape[at], *common[at + 1 :])) for a in (x, indices)]
    return ops.take_along_axis(x, indexing.in_range(indices, x.array.shape[at], "take_along_axis"), at)
