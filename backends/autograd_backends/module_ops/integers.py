"""Functions of whole numbers."""

from __future__ import annotations

from ..array_types import Array
from ..lookup import namespace

__all__ = ["gcd"]


def gcd(x: Array, y: Array) -> Array:
    """The greatest common divisor of each x and y, by Euclid's algorithm, in as many steps as the dtype may need."""
    xp = namespace(x)
    x, y = xp.broadcast_arrays(x, y)
    # No two numbers need more than consecutive Fibonacci numbers do, which grow by a factor of 1.618 at each step.
    for _ in range(xp.iinfo(x.dtype).bits * 3 // 2):
        done = y == 0
        rest = xp.remainder(x, xp.where(done, xp.ones_like(y), y))
        x, y = xp.where(done, x, y), xp.where(done, y, rest)
    return xp.abs(x)
