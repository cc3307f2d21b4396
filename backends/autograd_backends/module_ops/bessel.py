"""The modified Bessel functions of the first kind of orders 0 and 1.

Formulas 10.25.2 (power series) and 10.40.1 (asymptotic) of the NIST Digital Library of Mathematical Functions.
"""

from __future__ import annotations

import math

from ..array_types import Array, Namespace
from ..lookup import namespace
from .precision import cast, doubled

__all__ = ["i0", "i0e", "i1", "i1e"]

#: Here the power series gives way to the asymptotic one, whose smallest term is then about e^(-2x).
SPLIT = 20.0
TERMS, FAR_TERMS = 45, 30


def i0(x: Array) -> Array:
    """I_0(x), element by element."""
    return _grown(x, 0)


def i1(x: Array) -> Array:
    """I_1(x), element by element."""
    return _grown(x, 1)


def i0e(x: Array) -> Array:
    """e^(-|x|) I_0(x), element by element."""
    xp = namespace(x)
    return cast(xp, _scaled(xp, doubled(xp, x), 0), x.dtype)


def i1e(x: Array) -> Array:
    """e^(-|x|) I_1(x), element by element."""
    xp = namespace(x)
    return cast(xp, _scaled(xp, doubled(xp, x), 1), x.dtype)


def _grown(x: Array, order: int) -> Array:
    xp = namespace(x)
    wide = doubled(xp, x)
    # From 714 on it is infinite, which is to be no overflow that anyone is warned of.
    endless = xp.abs(wide) > 713.98
    near = xp.where(endless, xp.zeros_like(wide), wide)
    # In two steps: e^|x| overflows before the function does.
    root = xp.exp(0.5 * xp.abs(near))
    out = _scaled(xp, near, order) * root * root
    infinite = xp.full_like(wide, xp.inf)
    infinite = infinite if order == 0 else xp.where(wide < 0, -infinite, infinite)
    return cast(xp, xp.where(endless, infinite, out), x.dtype)


def _scaled(xp: Namespace, x: Array, order: int) -> Array:
    """e^(-|x|) I_order(x)"""
    size = xp.abs(x)
    near = xp.minimum(size, xp.full_like(x, SPLIT))
    quarter = 0.25 * near * near
    series = xp.ones_like(x)
    for k in range(TERMS, 0, -1):
        series = 1.0 + series * quarter / float(k * (k + order))
    small = series * xp.exp(-near) * (0.5 * near) ** order
    far = xp.where((size < SPLIT) | xp.isinf(size), xp.full_like(x, SPLIT), size)
    inverse = 0.125 / far
    tail = xp.ones_like(x)
    for k in range(FAR_TERMS, 0, -1):
        tail = 1.0 - tail * inverse * (float(4 * order**2 - (2 * k - 1) ** 2) / k)
    large = xp.where(xp.isinf(size), xp.zeros_like(x), tail / (math.sqrt(2.0 * math.pi) * xp.sqrt(far)))
    out = xp.where(size <= SPLIT, small, large)
    out = out if order == 0 else xp.where(x < 0, -out, out)
    return xp.where(xp.isnan(x), x, out)
