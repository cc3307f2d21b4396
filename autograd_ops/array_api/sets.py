"""Set functions. The values come first-come in order, so they carry gradients to the first of equal elements."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..tensor import Tensor

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAll(NamedTuple):
    """The different elements, where each is first in the flattened x, which each of x is, and how often it occurs."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The different elements, and how often each occurs."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The different elements, and for each element of x which of them it is."""

    values: Tensor
    inverse_indices: Tensor


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Where `x1` is equal to any element of `x2`, or to none if `invert`."""
    return ops.isin(x1, x2, invert)


def unique_all(x: Tensor, /) -> UniqueAll:
    """The different elements of x in order, with indices and counts; every NaN is different."""
    found = ops.unique(x)
    return UniqueAll(ops.take_rows(ops.reshape(x, (-1,)), found.indices), *found)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The different elements of x in order, and how often each occurs."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The different elements of x in order, and for each element of x which of them it is."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """The different elements of x in order."""
    return unique_all(x).values
