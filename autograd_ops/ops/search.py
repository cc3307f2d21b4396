"""What is where: searches and sets."""

from __future__ import annotations

from typing import NamedTuple

from autograd_backends import namespace
from autograd_backends.array_types import Namespace

from ..registry import Array, op

__all__ = ["isin", "searchsorted", "unique"]


@op(nondiff=True, promote=True, real=True)
def searchsorted(x: Array, values: Array, right: bool = False) -> Array:
    """Where each of `values` would go in the ordered vector x: before the elements equal to it, or after if `right`"""
    xp = namespace(x)
    side = "right" if right else "left"
    return xp.astype(xp.searchsorted(x, values, side=side), xp.int64, copy=False)


@op(nondiff=True, promote=True)
def isin(x: Array, elements: Array, invert: bool = False) -> Array:
    """Where x is equal to any of `elements`, or to none if `invert`"""
    lead = x if hasattr(x, "dtype") else elements
    found = _found(namespace(lead), lead, x, elements)
    return ~found if invert else found


def _found(xp: Namespace, lead: Array, x: Array, elements: Array) -> Array:
    if lead.dtype == xp.bool:
        x, elements = [xp.astype(a, xp.int8) if hasattr(a, "dtype") else int(a) for a in (x, elements)]
    elif not xp.isdtype(lead.dtype, "integral"):
        # The standard has it of integers only. Nothing equals a NaN.
        x, elements = [xp.asarray(a, dtype=lead.dtype, device=lead.device) for a in (x, elements)]
        ordered = xp.sort(xp.reshape(elements, (-1,)))
        return (xp.searchsorted(ordered, x, side="right") > xp.searchsorted(ordered, x)) & (x == x)
    return xp.isin(x, elements)


class Unique(NamedTuple):
    """What `unique` gives."""

    indices: Array
    inverse_indices: Array
    counts: Array


@op(nondiff=True, outputs=("indices", "inverse_indices", "counts"))
def unique(x: Array) -> Unique:
    """The different elements of x in order, by where in the flattened x each is first

    With them, for each element of x which of them it is, and how often each occurs. Every NaN is different.
    """
    xp = namespace(x)
    found = xp.unique_all(x)
    return Unique(*[xp.astype(a, xp.int64, copy=False) for a in (found.indices, found.inverse_indices, found.counts)])
