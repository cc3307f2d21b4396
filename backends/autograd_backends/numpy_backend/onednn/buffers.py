"""Outputs: new arrays of float32, the large ones in memory that an earlier one of the size no longer needs.

The system gives a large block of memory back when it is freed, and page by page again when it is asked for: an output
of 64 MB costs more to touch for the first time than to compute. So a thread keeps such blocks, and uses one again when
nothing but the list here refers to it: neither the array that was given out nor any view of it.
"""

from __future__ import annotations

import sys
from math import prod

import numpy as np

from ...array_types import Array, Shape
from .memory import FLOAT32
from .room import here

__all__ = ["empty"]

#: Smaller blocks the allocator keeps by itself.
LARGE = 2**22

#: The most elements of blocks that a thread keeps an eye on: 256 MB.
BUDGET = 2**26


def empty(shape: Shape) -> Array:
    """A new array of float32, in order, with no particular values."""
    size = prod(shape)
    if size < LARGE:
        return np.empty(shape, FLOAT32)
    blocks = here().blocks
    of_size = blocks.setdefault(size, [])
    for at in range(len(of_size)):
        if _is_free(of_size, at):
            return of_size[at].reshape(shape)
    block = np.empty(size, FLOAT32)
    if _make_room(blocks, size):
        of_size.append(block)
    return block.reshape(shape)


def _is_free(blocks: list[Array], at: int) -> bool:
    """Whether nothing but the list refers to a block: the other reference is that of the call that counts."""
    return sys.getrefcount(blocks[at]) == 2


def _make_room(blocks: dict[int, list[Array]], size: int) -> bool:
    """Whether a block of `size` fits the budget, if need be in place of free ones of other sizes."""
    kept = sum(n * len(of_size) for n, of_size in blocks.items())
    for n, of_size in blocks.items():
        for at in reversed(range(len(of_size))):
            if kept + size > BUDGET and _is_free(of_size, at):
                del of_size[at]
                kept -= n
    return kept + size <= BUDGET
