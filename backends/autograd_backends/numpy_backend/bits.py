"""Bools, eight to the byte, by NumPy's own functions."""

from __future__ import annotations

from math import prod

import numpy as np

from ..array_types import Array, Shape

__all__ = ["pack_bits", "unpack_bits"]


def pack_bits(x: Array) -> Array:
    return np.packbits(x)


def unpack_bits(bits: Array, shape: Shape) -> Array:
    return np.unpackbits(bits, count=prod(shape)).view(np.bool_).reshape(shape)
