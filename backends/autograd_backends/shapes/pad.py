"""Shapes of padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..array_types import Shape
from ..errors import ShapeError
from ..options import as_ints

__all__ = ["pad_output_shape", "pad_pairs"]


PAD_MODES = ("constant", "reflect", "edge", "circular")


def pad_pairs(rank: int, padding: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """`padding`, (before, after) for the last dimensions, as such a pair for each of `rank` dimensions."""
    return [(0, 0)] * (rank - len(padding)) + [(before, after) for before, after in padding]


def _check_pairs(padding: Any) -> None:
    is_pairs = hasattr(padding, "__len__") and all(hasattr(pair, "__len__") and len(pair) == 2 for pair in padding)
    if not is_pairs:
        raise ValueError(f"pad: padding={padding} must be pairs (before, after), one for each of the last dimensions")
    for pair in padding:
        as_ints("pad: an entry of padding", pair)


def pad_output_shape(x_shape: Shape, padding: Sequence[tuple[int, int]], mode: str) -> Shape:
    """The shape of x, padded by (before, after) in each of its last dimensions.

    Raises
    ------
    ShapeError
        If there are too many pairs, more is cut off than there is, or `mode` cannot fill so much.
    ValueError
        If there is no such `mode`, or an entry of `padding` is no pair.
    TypeError
        If an entry is no pair of ints.
    """
    if mode not in PAD_MODES:
        raise ValueError(f"pad: mode must be one of {', '.join(map(repr, PAD_MODES))}, not {mode!r}")
    _check_pairs(padding)
    if len(padding) > len(x_shape):
        raise ShapeError(f"pad: padding has {len(padding)} pairs but x {x_shape} has {len(x_shape)} dimensions")
    shape = []
    for axis, (size, (before, after)) in enumerate(zip(x_shape, pad_pairs(len(x_shape), padding), strict=True)):
        most, where = max(before, after), f"dimension {axis} of x {x_shape}, which is {size} long"
        if mode == "reflect" and most > 0 and most >= size:
            raise ShapeError(f"pad: reflect padding {(before, after)} must be less than {where}")
        if mode == "edge" and most > 0 and not size:
            raise ShapeError(f"pad: edge padding {(before, after)} has nothing to repeat in {where}")
        if before + size + after < 0:
            raise ShapeError(f"pad: padding {(before, after)} cuts off more than there is in {where}")
        if mode == "circular" and most > size + min(before, 0) + min(after, 0):
            raise ShapeError(f"pad: circular padding {(before, after)} is more than is left of {where}")
        shape.append(before + size + after)
    return tuple(shape)
