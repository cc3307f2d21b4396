"""Padding: cells before and after the input, which hold a constant or repeat what lies inside.

In each dimension the output has up to three parts, each filled from a range of the input: the input itself, and a
border on either side. Their products cover the output in all dimensions, and read the other way round they are the
gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ..array_types import Array, Namespace, Shape
from ..lookup import kernels, namespace
from ..shapes import check_output_grad, pad_output_shape, pad_pairs
from .precision import cast, widened

__all__ = ["pad", "pad_backward"]

#: What a part of the output meets in the input, in one dimension: the two have the same length, or the second has 1.
Part = tuple[slice, slice]


def pad(x: Array, padding: Sequence[tuple[int, int]], mode: str = "constant", value: float = 0.0) -> Array:
    """`x` with cells before and after its last dimensions.

    Parameters
    ----------
    x
        Of any shape.
    padding
        (before, after) for each of the last dimensions of `x`, in their order; negative numbers cut cells off.
    mode
        ``"constant"``: the cells are `value`. ``"edge"``: the outermost of `x`. ``"reflect"``: mirrored at the
        outermost, which are not repeated. ``"circular"``: as if copies of `x` lay side by side.
    value
        For ``"constant"``.

    Raises
    ------
    ShapeError
        If `padding` has more pairs than `x` dimensions, cuts off more than there is, or `mode` cannot fill so much.
    """
    xp = namespace(x)
    out = _full(xp, x, pad_output_shape(x.shape, padding, mode), value)
    for at, met in _parts(x.shape, padding, mode):
        out[at] = x[met]
    return out


def pad_backward(x_shape: Shape, output_grad: Array, padding: Sequence[tuple[int, int]], mode: str) -> Array:
    """Each element of `output_grad` added where it was read -> the gradient of x, of shape `x_shape`"""
    xp = namespace(output_grad)
    check_output_grad("pad_backward", output_grad.shape, pad_output_shape(x_shape, padding, mode))
    grad = widened(xp, output_grad)
    x_grad = kernels(grad).zeros_beside(grad, x_shape)
    for at, met in _parts(x_shape, padding, mode):
        part, target = grad[at], x_grad[met]
        stretched = tuple(axis for axis in range(len(x_shape)) if part.shape[axis] != target.shape[axis])
        x_grad[met] = target + (xp.sum(part, axis=stretched, keepdims=True) if stretched else part)
    return cast(xp, x_grad, output_grad.dtype)


def _full(xp: Namespace, x: Array, shape: Shape, value: float) -> Array:
    """An array like `x`, filled with `value`; the standard wants a number of the kind of the dtype."""
    fill: Any = value
    if xp.isdtype(x.dtype, "bool"):
        fill = bool(value)
    elif xp.isdtype(x.dtype, "integral"):
        fill = int(value)
    return xp.full(shape, fill, dtype=x.dtype, device=x.device)


def _parts(x_shape: Shape, padding: Sequence[tuple[int, int]], mode: str) -> Iterator[tuple[Any, Any]]:
    """The parts of the output and what each meets in the input, as indices of both."""
    pairs = pad_pairs(len(x_shape), padding)
    along = [_parts_along(size, *pair, mode) for size, pair in zip(x_shape, pairs, strict=True)]
    for parts in product(*along):
        yield (*(at for at, _ in parts), ...), (*(met for _, met in parts), ...)


def _parts_along(size: int, before: int, after: int, mode: str) -> list[Part]:
    """The parts of one dimension, without the empty ones.

    The input covers the places 0 to `size`, and the output those from -before on, which may lie inside: then what is
    cut off can still be mirrored, but a circle is one of what is left. A part is its first place, its end, and the
    place in the input that it meets, as a shift and a factor.
    """
    start, stop = -before, size + after
    first, end = max(start, 0), min(stop, size)
    parts = [(first, end, 0, 1)]
    below, above = (start, min(stop, 0)), (max(start, size), stop)
    if mode == "reflect":
        parts += [(*below, 0, -1), (*above, 2 * (size - 1), -1)]
    elif mode == "edge":
        parts += [(*below, 0, 0), (*above, size - 1, 0)]
    elif mode == "circular":
        parts += [(*below, end - first, 1), (*above, first - end, 1)]
    return [
        (slice(low + before, high + before), _range(shift + step * low, high - low, step))
        for low, high, shift, step in parts
        if low < high
    ]


def _range(first: int, count: int, step: int) -> slice:
    """`count` places from `first` on, up or down; for a step of 0 only that one, to be stretched."""
    if step == 0:
        return slice(first, first + 1)
    stop = first + step * count
    return slice(first, stop if stop >= 0 else None, step)
