"""Functions of whole numbers, and of the two that make a float."""

from __future__ import annotations

from typing import Any

from autograd_backends import namespace

from ..registry import Array, op

__all__ = ["gcd", "lcm"]


def _refuse_floats(name: str, x: Any) -> None:
    if not namespace(x).isdtype(x.dtype, "integral"):
        raise TypeError(f"{name}: expected integers, got {x.dtype}")


@op(nondiff=True, broadcast=True)
def gcd(x: Array, y: Array) -> Array:
    """The greatest common divisor of x and y, not negative; of two zeros, 0"""
    xp = namespace(x if hasattr(x, "dtype") else y)
    lead = x if hasattr(x, "dtype") else y
    _refuse_floats("gcd", lead)
    x, y = xp.broadcast_arrays(*[xp.asarray(a, dtype=lead.dtype, device=lead.device) for a in (x, y)])
    # Euclid's algorithm, for all at once.
    while bool(xp.any(y != 0)):
        done = y == 0
        divisor = xp.where(done, xp.ones_like(y), y)
        x, y = xp.where(done, x, y), xp.where(done, y, xp.remainder(x, divisor))
    return xp.abs(x)


@op(nondiff=True, broadcast=True)
def lcm(x: Array, y: Array) -> Array:
    """The least common multiple of x and y, not negative; 0 if either is"""
    divisor = gcd(x, y)
    xp = namespace(divisor)
    return xp.abs(
        xp.floor_divide(
            xp.asarray(x, dtype=divisor.dtype, device=divisor.device),
            xp.where(divisor == 0, xp.ones_like(divisor), divisor),
        )
        * y
    )
