"""A choice between two arrays, element by element, by their bits.

NumPy jumps this way or that at every element, and where neither side is likely the processor has guessed wrong half the
time. What is done with bits is the same at each: four times as fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array_types import Array
from .blocks import SMALL, blocks, in_memory_order

__all__ = ["INTEGERS", "choose"]

#: The integers that hold the bits of an element, by its size.
INTEGERS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def choose(condition: Array, x: Any, y: Any) -> Array:
    """The array API's where: `x` where the bools `condition` hold, `y` elsewhere; one of the two may be a number."""
    if condition.size < SMALL:
        return np.where(condition, x, y)
    arrays = [z for z in (x, y) if isinstance(z, np.ndarray) and z.ndim]
    if condition.dtype != np.bool or not arrays or any(z.shape != condition.shape for z in arrays):
        return np.where(condition, x, y)
    dtype = arrays[0].dtype
    integer = INTEGERS.get(dtype.itemsize)
    if integer is None or dtype.kind not in "fiu" or not (_is_of(dtype, x) and _is_of(dtype, y)):
        return np.where(condition, x, y)
    out = np.empty_like(arrays[0])
    holds, *given, made = in_memory_order(condition, *arrays, out)
    made = made.view(integer)
    bits = iter(given)
    left, right = (next(bits).view(integer) if _is_full(z) else np.array(z, dtype).view(integer) for z in (x, y))
    for part in blocks(len(holds), 1):
        # True is 1: its negative is all ones.
        mask, target = np.negative(holds[part].view(np.int8)), made[part]
        second = right[part] if right.ndim else right
        np.bitwise_xor(left[part] if left.ndim else left, second, out=target)
        target &= mask
        target ^= second
    return out


def _is_full(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.ndim > 0


def _is_of(dtype: Any, x: Any) -> bool:
    """Whether `x` has the dtype, or is a Python number that takes it on."""
    if isinstance(x, np.ndarray):
        return x.dtype is dtype
    return type(x) is int or (type(x) is float and dtype.kind == "f")
