"""Blocks that stay in the processor's cache: many passes over a large array cost little more than one."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["SMALL", "blocks"]

#: Elements of a block. Smaller, and the calls cost more than the passes; larger, and the cache is too small.
BLOCK = 2**16

#: Arrays of fewer elements lie in the cache whole: the defaults, which make fewer calls, are faster.
SMALL = 2**13


def blocks(count: int, width: int) -> Iterator[slice]:
    """Cut `count` items of `width` elements each into blocks."""
    step = max(1, BLOCK // max(1, width))
    for start in range(0, count, step):
        yield slice(start, start + step)
