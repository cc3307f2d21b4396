"""Running extremes, in steps that double."""

from __future__ import annotations

from collections.abc import Callable

from ..array_types import Array
from ..lookup import namespace

__all__ = ["running_max", "running_min"]


def running_max(x: Array, axis: int) -> Array:
    """The largest element so far along `axis`; NaN from the first one on."""
    return _running(x, axis, namespace(x).maximum)


def running_min(x: Array, axis: int) -> Array:
    """The smallest element so far along `axis`; NaN from the first one on."""
    return _running(x, axis, namespace(x).minimum)


def _running(x: Array, axis: int, extreme: Callable[[Array, Array], Array]) -> Array:
    xp = namespace(x)
    lead = (slice(None),) * axis
    n, step = x.shape[axis], 1
    while step < n:
        # Each has the extreme of the `step` elements up to it, and takes that of the `step` before them.
        later = extreme(x[(*lead, slice(step, n), ...)], x[(*lead, slice(0, n - step), ...)])
        x = xp.concat([x[(*lead, slice(0, step), ...)], later], axis=axis)
        step *= 2
    return x
