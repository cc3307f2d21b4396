"""Reductions of what is scattered to one place."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels, namespace

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
    at, found = _reduced(xp, values, indices, extreme)
    return kernels(x).scatter(x, at, extreme(xp.take(x, at, axis=0), found))


def _reduced(xp: Any, values: Array, indices: Array, extreme: Any) -> tuple[Array, Array]:
    """The indices, each once, and the extreme of the `values` of each."""
    order = xp.argsort(indices, stable=True)
    values, indices = xp.take(values, order, axis=0), xp.take(indices, order, axis=0)
    step = 1
    while step < indices.shape[0]:
        # Each has the extreme of the `step` values up to it of its index, and takes that of the `step` before them.
        same = indices[step:] == indices[:-step]
        if not bool(xp.any(same)):
            break
        later = xp.where(same, extreme(values[step:], values[:-step]), values[step:])
        values = xp.concat([values[:step], later])
        step *= 2
    end = xp.ones(indices.shape, dtype=xp.bool, device=indices.device)
    end[:-1] = indices[1:] != indices[:-1]
    (last,) = xp.nonzero(end)
    return xp.take(indices, last, axis=0), xp.take(values, last, axis=0)


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
