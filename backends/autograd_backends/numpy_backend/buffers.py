"""Memory for new arrays that was touched before: the one pool of the NumPy backend, oneDNN's kernels included.

The system gives memory page by page when it is first touched, and a page costs more than the arithmetic on what it
holds. Two things keep a training step from asking for the same pages again and again:

- `keep_freed_memory`, called when the backend is loaded, lets glibc keep what is freed, up to its own limit of 32 MB a
  block.
- `empty` makes outputs. Blocks beyond that limit, which glibc always maps afresh, come from a pool.

A thread keeps the blocks of its pool, and gives one out again when nothing but the pool refers to it: every view of an
array, and whatever else can reach its memory, holds the array that owns it. So a block is never used while somebody can
see it, and there is nothing to give back.
"""

from __future__ import annotations

import sys
import threading
from math import prod
from typing import Any

import numpy as np

from ..array_types import Array, Shape

__all__ = ["empty", "keep_freed_memory"]

#: Smaller blocks, in bytes, the C library keeps by itself: the largest that glibc's limit may become.
LARGE = 2**25

#: The most bytes that a thread's pool holds, given out or not.
BUDGET = 2**28


class _Pool(threading.local):
    """One thread's blocks, by their size in bytes."""

    def __init__(self) -> None:
        self.blocks: dict[int, list[Array]] = {}


_pool = _Pool()


def keep_freed_memory() -> None:
    """Let glibc keep the memory that large arrays leave, for the next ones.

    It maps a large block for itself, and gives it back when it is freed, until one of that size has been freed: then it
    expects more of them, and takes them from the heap, of which it keeps twice that much. So one block of nearly the
    most that it will believe in, which is never touched, stands for what a program with large arrays does anyway.
    """
    np.empty(LARGE - 2**13, np.uint8)


def empty(shape: Shape, dtype: Any) -> Array:
    """A new array, in order, with no particular values.

    Examples
    --------
    >>> empty((2, 3), np.dtype(np.float32)).shape
    (2, 3)
    """
    size = prod(shape) * dtype.itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    blocks = _pool.blocks
    of_size = blocks.setdefault(size, [])
    for at in range(len(of_size)):
        if _is_free(of_size, at):
            return of_size[at].view(dtype).reshape(shape)
    block = np.empty(size, np.uint8)
    if _make_room(size):
        of_size.append(block)
    return block.view(dtype).reshape(shape)


def _is_free(blocks: list[Array], at: int) -> bool:
    """Whether nothing but the list refers to a block: the other reference is that of the call that counts."""
    return sys.getrefcount(blocks[at]) == 2


def _make_room(size: int) -> bool:
    """Whether a block of `size` bytes fits the budget, if need be in place of free ones of other sizes."""
    blocks = _pool.blocks
    kept = sum(n * len(of_size) for n, of_size in blocks.items())
    for n, of_size in blocks.items():
        for at in reversed(range(len(of_size))):
            if kept + size > BUDGET and _is_free(of_size, at):
                del of_size[at]
                kept -= n
    return kept + size <= BUDGET
