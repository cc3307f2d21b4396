"""Reductions of what is scattered to one place."""

from __future__ import annotations

from typing import Any

from autograd_backends import namespace

from ..registry import Array, op
from .compare import where
from .indexing import add_rows, take_rows

__all__ = ["scatter_extreme"]


@op(
    formula="dx, dvalues = g where they equal the extreme, shared evenly among those that do",
    nondiff=("indices",),
    promote=True,
)
def scatter_extreme(x: Array, values: Array, indices: Array, largest: bool = True) -> Array:
    """The vector x [n], with the larger, or smaller, of each element and the `values` [m] at its `indices` [m]"""
    xp = namespace(x)
    extreme = xp.maximum if largest else xp.minimum
    if not indices.shape[0]:
        return xp.asarray(x, copy=True)
    order = xp.argsort(indices, stable=True)
    indices, values = xp.take(indices, order, axis=0), xp.take(values, order, axis=0)
    step = 1
    while step < indices.shape[0]:
        # Each has the extreme of the `step` values up to it of its index, and takes that of the `step` before them.
        same = indices[step:] == indices[:-step]
        later = xp.where(same, extreme(values[step:], values[:-step]), values[step:])
        values = xp.concat([values[:step], later])
        step *= 2
    # The last value of an index has that of all. Looked for from each element, so that a GPU need not wait.
    places = xp.arange(x.shape[0], dtype=indices.dtype, device=indices.device)
    last = xp.maximum(xp.searchsorted(indices, places, side="right") - 1, xp.zeros_like(places))
    there = xp.take(indices, last, axis=0) == places
    return xp.where(there, extreme(x, xp.take(values, last, axis=0)), x)


def _equal(x: Any, y: Any) -> Any:
    """Where x and y are the same, NaN included."""
    return (x == y) | ((x != x) & (y != y))


def _share(g: Any, x: Any, values: Any, indices: Any, out: Any) -> tuple[Any, Any, Any]:
    """The part of `g` for each that reaches the extreme, and which of `x` and of `values` do."""
    mine, theirs = _equal(x, out), _equal(values, take_rows(out, indices))
    one = where(mine, 1.0, g * 0.0)
    ties = one + add_rows(tuple(g.shape), where(theirs, 1.0, values * 0.0), indices)
    return g / where(ties == 0, 1.0, ties), mine, theirs


def _scatter_extreme_x(g: Any, x: Any, values: Any, indices: Any, out: Any) -> Any:
    each, mine, _ = _share(g, x, values, indices, out)
    return where(mine, each, 0.0)


def _scatter_extreme_values(g: Any, x: Any, values: Any, indices: Any, out: Any) -> Any:
    each, _, theirs = _share(g, x, values, indices, out)
    return where(theirs, take_rows(each, indices), 0.0)


scatter_extreme.backward(x=_scatter_extreme_x, values=_scatter_extreme_values)
