"""How many elements have each value, or lie between edges."""

from __future__ import annotations

import math
from typing import NamedTuple

from .. import ops
from ..creation import linspace
from ..dtypes import int64
from ..refusals import named
from ..tensor import Tensor

__all__ = ["bincount", "histc", "histogram"]


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often 0, 1, 2, ... occur in a vector of integers, or the sum of the `weights` where they do; no gradient.

    Raises
    ------
    TypeError
        If `input` is not of integers.
    ValueError
        If it is no vector, has a negative element, or `weights` another length.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.bincount(ag.tensor([0, 2, 2]), minlength=4)
    tensor([1, 0, 2, 0])
    """
    if input.dtype.kind not in ("int", "uint"):
        raise TypeError(f"bincount: expected integers, got {input.dtype.name}")
    if input.ndim != 1:
        raise ValueError(f"bincount: expected a vector, got shape {tuple(input.shape)}")
    if minlength < 0:
        raise ValueError(f"bincount: minlength must not be negative, got {minlength}")
    if weights is not None and tuple(weights.shape) != tuple(input.shape):
        raise ValueError(f"bincount: weights must have shape {tuple(input.shape)}, not {tuple(weights.shape)}")
    if input.numel() and int(ops.amin(input)) < 0:
        raise ValueError(f"bincount: {int(ops.amin(input))} is negative")
    length = max(minlength, int(ops.amax(input)) + 1 if input.numel() else 0)
    values = ops.ones_like(input).to(int64) if weights is None else weights.detach()
    if values.dtype.kind in ("int", "uint", "bool") and weights is not None:
        values = values.double()
    return ops.add_rows((length,), values, input.to(int64))


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements are in each of `bins` equal parts of [min, max]; by default from the smallest to the largest.

    Raises
    ------
    ValueError
        If `bins` is not positive, or the bounds are not finite or cross.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.histc(ag.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    if bins < 1:
        raise ValueError(f"histc: bins must be positive, got {bins}")
    low, high = _bounds(input, min, max) if min == max else (float(min), float(max))
    if low == high:
        low, high = low - 1.0, high + 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"histc: the range from {low} to {high} is not finite")
    if low > high:
        raise ValueError(f"histc: max, {high}, must not be less than min, {low}")
    return _counts(
        input.detach(),
        ops.reshape(linspace(low, high, bins + 1, dtype="float64", device=input.device), (bins + 1,)),
        None,
    ).to(input.dtype)


def _bounds(input: Tensor, low: float, high: float) -> tuple[float, float]:
    """The smallest and the largest element; `low` and `high` where there is none."""
    if input.numel():
        low, high = float(ops.amin(input)), float(ops.amax(input))
    return low, high


def _counts(input: Tensor, edges: Tensor, weights: Tensor | None) -> Tensor:
    """The weight between each two of the `edges`, of which the last belongs to the part before it."""
    bins = edges.numel() - 1
    flat = ops.reshape(input, (input.numel(),)).to(edges.dtype)
    place = ops.searchsorted(edges, flat, True) - 1
    place = ops.where(flat == ops.getitem(edges, (-1, ...)), ops.zeros_like(place) + (bins - 1), place)
    inside = (place >= 0) & (place < bins) & (flat == flat)
    values = ops.ones_like(flat) if weights is None else ops.reshape(weights, (weights.numel(),)).to(edges.dtype)
    values = ops.where(inside, values, 0.0)
    return ops.add_rows((bins,), values, ops.where(inside, place, ops.zeros_like(place)))


class Histogram(NamedTuple):
    """What `histogram` gives."""

    hist: Tensor
    bin_edges: Tensor


def histogram(
    input: Tensor,
    bins: int | Tensor = 100,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Histogram:
    """How many elements are in each part of a range, and the edges of the parts; no gradient.

    Parameters
    ----------
    bins
        The number of equal parts, or their edges in order.
    range
        From where to where the equal parts go; by default from the smallest element to the largest.
    weight
        What each element counts, in the shape of `input`.
    density
        Whether the counts are divided by their sum and each by the width of its part.

    Raises
    ------
    ValueError
        If the range is not finite or falls, the weights do not fit, or there is no part.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.histogram(ag.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
    tensor([2., 1.])
    """
    if weight is not None and tuple(weight.shape) != tuple(input.shape):
        raise ValueError(f"histogram: weight must have shape {tuple(input.shape)}, not {tuple(weight.shape)}")
    if isinstance(bins, Tensor):
        if bins.ndim != 1 or bins.numel() < 1:
            raise ValueError(f"histogram: bins must be a number or a vector of edges, not of shape {tuple(bins.shape)}")
        edges = bins.detach()
    else:
        if bins < 1:
            raise ValueError(f"histogram: bins must be positive, got {bins}")
        low, high = _bounds(input, 0.0, 1.0) if range is None else range
        if not (math.isfinite(low) and math.isfinite(high)) or low > high:
            raise ValueError(f"histogram: the range from {low} to {high} is not finite, or falls")
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = linspace(low, high, bins + 1, dtype=input.dtype, device=input.device)
    hist = _counts(input.detach(), edges, None if weight is None else weight.detach())
    if density:
        widths = ops.sub(ops.getitem(edges, (slice(1, None), ...)), ops.getitem(edges, (slice(0, -1), ...)))
        hist = hist / ops.sum(hist) / widths
    return Histogram(hist.to(input.dtype), edges)


named(__name__)
