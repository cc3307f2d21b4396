"""Blocks that stay in the processor's cache: many passes over a large array cost little more than one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..array_types import Array

__all__ = ["SMALL", "blocks", "in_cache", "in_memory_order"]

#: Elements of a block. Smaller, and the calls cost more than the passes; larger, and the cache is too small.
BLOCK = 2**16

#: Arrays of fewer elements lie in the cache whole: the defaults, which make fewer calls, are faster.
SMALL = 2**13


def blocks(count: int, width: int) -> Iterator[slice]:
    """Cut `count` items of `width` elements each into blocks."""
    step = max(1, BLOCK // max(1, width))
    for start in range(0, count, step):
        yield slice(start, start + step)


def in_memory_order(*arrays: Array) -> list[Array]:
    """Arrays of one shape as rows of elements, in the order in which those of the last one lie in memory.

    Those of the last are where it has them, if they lie side by side, as those of a new array do; an array whose
    elements lie in another order is copied.
    """
    shape, strides = arrays[-1].shape, arrays[-1].strides
    order = sorted(range(len(shape)), key=strides.__getitem__, reverse=True)
    return [x.transpose(order).reshape(-1) for x in arrays]


def in_cache(*arrays: Array) -> Iterable[tuple[Array, ...]]:
    """Arrays of one shape, cut alike along their first dimension into blocks: windows, to be changed in place."""
    count = arrays[0].size
    if count <= BLOCK:
        return (arrays,)
    rows = len(arrays[0])
    return [tuple([x[part] for x in arrays]) for part in blocks(rows, count // rows)]
