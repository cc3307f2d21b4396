"""Functions of whole numbers."""

from __future__ import annotations

from typing import Any

from autograd_backends import dtype_name, kernels, namespace

from ..registry import Array, op

__all__ = ["gcd", "lcm"]


def _integers(name: str, x: Any, y: Any) -> tuple[Any, Any]:
    """x and y, of which one may be a Python number, as arrays of one dtype."""
    lead = x if hasattr(x, "dtype") else y
    xp = namespace(lead)
    if not xp.isdtype(lead.dtype, "integral"):
        raise TypeError(f"{name}: expected integers, got {dtype_name(lead)}")
    x, y = [xp.asarray(a, dtype=lead.dtype, device=lead.device) for a in (x, y)]
    return x, y


@op(nondiff=True, broadcast=True)
def gcd(x: Array, y: Array) -> Array:
    """The greatest common divisor of x and y, not negative; of two zeros, 0"""
    x, y = _integers("gcd", x, y)
    return kernels(x).gcd(x, y)


@op(nondiff=True, broadcast=True)
def lcm(x: Array, y: Array) -> Array:
    """The least common multiple of x and y, not negative; 0 if either is"""
    x, y = _integers("lcm", x, y)
    xp = namespace(x)
    divisor = kernels(x).gcd(x, y)
    return xp.abs(xp.floor_divide(x, xp.where(divisor == 0, xp.ones_like(divisor), divisor)) * y)
