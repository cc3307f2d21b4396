"""Bools, eight to the byte: what a mask costs while it is kept."""

from __future__ import annotations

from math import prod

from ..array_types import Array, Shape
from ..lookup import namespace

__all__ = ["pack_bits", "unpack_bits"]


def pack_bits(x: Array) -> Array:
    """Bools of any shape -> uint8 [ceil(n / 8)]: in order, eight to the byte, the first in its highest bit."""
    xp = namespace(x)
    flat = xp.astype(xp.reshape(x, (-1,)), xp.uint8)
    rest = xp.zeros((-flat.shape[0] % 8,), dtype=xp.uint8, device=x.device)
    rows = xp.reshape(xp.concat([flat, rest]), (-1, 8))
    out = rows[:, 0]
    for i in range(1, 8):
        out = out * 2 + rows[:, i]
    return out


def unpack_bits(bits: Array, shape: Shape) -> Array:
    """What `pack_bits` packed, in its `shape`."""
    xp = namespace(bits)
    shifts = xp.arange(7, -1, -1, dtype=xp.uint8, device=bits.device)
    rows = xp.bitwise_and(xp.bitwise_right_shift(xp.expand_dims(bits, axis=1), shifts), 1)
    return xp.reshape(xp.astype(xp.reshape(rows, (-1,))[: prod(shape)], xp.bool), shape)
