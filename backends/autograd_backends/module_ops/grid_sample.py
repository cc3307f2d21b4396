"""Reading an array at given points, in any number of dimensions.

A point lies between cells, along each dimension for itself: there are so many taps along each, every one with a weight,
a polynomial in how far the point is past the first. The array is held as rows of channels, one for each cell, and where
the outside is zeros, one more row of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from ..array_types import Array, Namespace, Shape
from ..lookup import kernels, namespace
from ..options import GridSampleOptions
from ..resampling import cubic_slopes, cubic_weights
from ..results import GridSampleBackward
from ..shapes import check_output_grad, grid_sample_output_shape
from .precision import cast, widened

__all__ = [
    "Points",
    "grid_sample",
    "grid_sample_backward",
    "grid_sample_points",
    "products",
    "tap_slopes",
    "tap_weights",
]

#: The first and the last tap of a point, counted from the cell before it; of the nearest cell itself.
_REACH = {"nearest": (0, 0), "bilinear": (0, 1), "bicubic": (-1, 2)}

#: Coordinates are cut off here: what is farther is as far, and nothing overflows.
FAR = 1e30


class Points(NamedTuple):
    """Where the points of a grid lie.

    P is the number of points in the whole batch; dimensions are in the order of the array.

    Attributes
    ----------
    taps
        For each combination of one tap along each dimension: the numbers of these taps, and the row that each point
        finds there, int64 [P]; the row after the last stands for zeros.
    past
        For each dimension how far each point is past the cell before it: [P, 1] in [0, 1).
    slopes
        The derivative of its position by its coordinate: [P, 1].
    """

    taps: list[tuple[tuple[int, ...], Array]]
    past: list[Array]
    slopes: list[Array]


# ---------------------------------------------------------------- weights: of numbers, arrays or Tensors


def tap_weights(mode: str, t: Any) -> tuple[Any, ...]:
    """The weights of the taps of a point `t` past the cell before it."""
    if mode == "bilinear":
        return 1.0 - t, t
    return cubic_weights(t)


def tap_slopes(mode: str, t: Any) -> tuple[Any, ...]:
    """The derivatives of `tap_weights` by `t`."""
    if mode == "bilinear":
        return -1.0, 1.0
    return cubic_slopes(t)


def products(factors: Sequence[tuple[Any, ...]], taps: tuple[int, ...]) -> Any:
    """The product of one factor for each dimension, of those with the numbers `taps`."""
    first, *rest = (along[k] for along, k in zip(factors, taps, strict=True))
    for factor in rest:
        first = factor * first
    return first


# ---------------------------------------------------------------- points


def grid_sample_points(grid: Array, spatial: Shape, options: GridSampleOptions) -> Points:
    """Where `grid` [N, ..., rank] points in an array of shape [N, C, *spatial]."""
    xp = namespace(grid)
    rank = len(spatial)
    batch, count = grid.shape[0], prod(grid.shape[1:-1])
    cells, past, slopes = [], [], []
    for d, size in enumerate(spatial):
        coordinate = xp.reshape(grid[..., rank - 1 - d], (batch, count))
        before, t, slope = _position(xp, coordinate, size, options)
        first, last = _REACH[options.mode]
        cells.append([_cell(xp, before + k, size, options) for k in range(first, last + 1)])
        past.append(xp.reshape(t, (-1, 1)))
        slopes.append(xp.reshape(slope, (-1, 1)))
    starts = xp.arange(batch, dtype=xp.int64, device=grid.device) * prod(spatial)
    starts = xp.reshape(starts, (batch, 1))
    taps = [
        (
            numbers,
            xp.reshape(_rows(xp, [along[k] for along, k in zip(cells, numbers, strict=True)], starts, spatial), (-1,)),
        )
        for numbers in product(*(range(len(along)) for along in cells))
    ]
    return Points(taps, past, slopes)


def _position(xp: Namespace, coordinate: Array, size: int, options: GridSampleOptions) -> tuple[Array, Array, Array]:
    """One dimension's cells before the points, int64; how far past these they are; and the slope of that."""
    known = coordinate == coordinate
    # PyTorch's documentation: a NaN is read as -1.
    u = xp.clip(xp.where(known, coordinate, -1.0), -FAR, FAR)
    if options.align_corners:
        scale = (size - 1) / 2
        position = (u + 1.0) * scale
    else:
        scale = size / 2
        position = ((u + 1.0) * size - 1.0) / 2
    slope = xp.astype(known, u.dtype) * scale
    if options.mode != "bicubic" and options.padding_mode != "zeros":
        if options.padding_mode == "reflection":
            position, slope = _reflected(xp, position, slope, size, options)
        # A point on the first or last cell does not move, as PyTorch has it.
        slope = xp.where(xp.logical_and(position > 0, position < size - 1), slope, 0.0)
        position = xp.clip(position, 0.0, size - 1.0)
    elif options.padding_mode == "reflection":
        period = _period(size, options)
        position = xp.remainder(position, float(period)) if period else position * 0.0
    else:
        # So far outside every tap is, and an int can tell.
        position = xp.clip(position, -4.0, size + 3.0)
    if options.mode == "nearest":
        cell = xp.round(position)
        return xp.astype(cell, xp.int64), cell * 0.0, cell * 0.0
    cell = xp.floor(position)
    return xp.astype(cell, xp.int64), position - cell, slope


def _period(size: int, options: GridSampleOptions) -> int:
    """After how many cells the reflections of a dimension repeat."""
    return 2 * (size - 1) if options.align_corners else 2 * size


def _reflected(
    xp: Namespace, position: Array, slope: Array, size: int, options: GridSampleOptions
) -> tuple[Array, Array]:
    """Positions, and their slopes, mirrored at the centres or the outer edges of the first and last cells."""
    period = _period(size, options)
    if not period:
        return position * 0.0, slope * 0.0
    edge = 0.0 if options.align_corners else -0.5
    distance = position - edge
    folded = xp.remainder(xp.abs(distance), float(period))
    back = folded >= period / 2
    folded = xp.where(back, period - folded, folded)
    # A position before the edge runs against the coordinate, and so does one on its way back.
    against = xp.logical_xor(back, distance < 0)
    return folded + edge, xp.where(against, -slope, slope)


def _cell(xp: Namespace, cell: Array, size: int, options: GridSampleOptions) -> tuple[Array, Array | None]:
    """Where in a dimension the cells of a tap are, and, if the outside is zeros, which are inside."""
    if options.padding_mode == "zeros":
        return cell, xp.logical_and(cell >= 0, cell < size)
    if options.padding_mode == "border":
        return xp.clip(cell, 0, size - 1), None
    period = _period(size, options)
    if not period:
        return xp.zeros_like(cell), None
    folded = xp.remainder(cell, period)
    last = period if options.align_corners else period - 1
    return xp.where(folded < size, folded, last - folded), None


def _rows(xp: Namespace, cells: Sequence[tuple[Array, Array | None]], starts: Array, spatial: Shape) -> Array:
    """The row of each point's cell, from its place along each dimension."""
    row, inside = None, None
    for (cell, there), size in zip(cells, spatial, strict=True):
        row = cell if row is None else row * size + cell
        if there is not None:
            inside = there if inside is None else xp.logical_and(inside, there)
    row = row + starts
    return row if inside is None else xp.where(inside, row, starts.shape[0] * prod(spatial))


# ---------------------------------------------------------------- values and gradients


def grid_sample(x: Array, grid: Array, options: GridSampleOptions) -> Array:
    """x [N, C, ...] at the points `grid` [N, ..., rank], in (x, y) order -> [N, C, ...], spatially as `grid`"""
    xp = namespace(x)
    shape = grid_sample_output_shape(_name(x), x.shape, grid.shape)
    points = grid_sample_points(widened(xp, grid), x.shape[2:], options)
    weights = [tap_weights(options.mode, t) for t in points.past]
    cells = _cells_as_rows(xp, widened(xp, x))
    out: Any = None
    for numbers, rows in points.taps:
        part = xp.take(cells, rows, axis=0)
        if options.mode != "nearest":
            part = part * products(weights, numbers)
        out = part if out is None else out + part
    return cast(xp, _channels_first(xp, out, shape), x.dtype)


def grid_sample_backward(
    x: Array, grid: Array, output_grad: Array, options: GridSampleOptions, needs: tuple[bool, bool] = (True, True)
) -> GridSampleBackward:
    """The gradients of x [N, C, ...] and of grid [N, ..., rank]; None for what `needs` does not ask for.

    Parameters
    ----------
    output_grad
        [N, C, ...], spatially as `grid`.
    """
    xp = namespace(x)
    name = f"{_name(x)}_backward"
    check_output_grad(name, output_grad.shape, grid_sample_output_shape(name, x.shape, grid.shape))
    points = grid_sample_points(widened(xp, grid), x.shape[2:], options)
    grads = _channels_last(xp, widened(xp, output_grad))
    x_grad = cast(xp, _x_grad(points, grads, x.shape, options), x.dtype) if needs[0] else None
    grid_grad = None
    if needs[1]:
        grid_grad = cast(xp, _grid_grad(points, grads, widened(xp, x), grid.shape, options), grid.dtype)
    return GridSampleBackward(x_grad, grid_grad)


def _x_grad(points: Points, grads: Array, x_shape: Shape, options: GridSampleOptions) -> Array:
    xp = namespace(grads)
    weights = [tap_weights(options.mode, t) for t in points.past]
    count = x_shape[0] * prod(x_shape[2:])
    total = xp.zeros((count + 1, x_shape[1]), dtype=grads.dtype, device=grads.device)
    for numbers, rows in points.taps:
        part = grads if options.mode == "nearest" else grads * products(weights, numbers)
        total = kernels(grads).scatter_add(total, rows, part)
    return _channels_first(xp, total[:count, :], x_shape)


def _grid_grad(points: Points, grads: Array, x: Array, grid_shape: Shape, options: GridSampleOptions) -> Array:
    xp = namespace(grads)
    if options.mode == "nearest":
        return xp.zeros(grid_shape, dtype=grads.dtype, device=grads.device)
    weights = [tap_weights(options.mode, t) for t in points.past]
    slopes = [tap_slopes(options.mode, t) for t in points.past]
    cells = _cells_as_rows(xp, x)
    totals: list[Any] = [0.0] * len(weights)
    for numbers, rows in points.taps:
        # What the output would gain if this tap weighed one more.
        gain = xp.sum(grads * xp.take(cells, rows, axis=0), axis=1, keepdims=True)
        for d in range(len(weights)):
            factors = [*weights[:d], slopes[d], *weights[d + 1 :]]
            totals[d] = gain * products(factors, numbers) + totals[d]
    moved = [total * slope for total, slope in zip(totals, points.slopes, strict=True)]
    return xp.reshape(xp.concat(moved[::-1], axis=1), grid_shape)


def _name(x: Array) -> str:
    """The op's, for messages."""
    return f"grid_sample_{x.ndim - 2}d"


def _channels_last(xp: Namespace, x: Array) -> Array:
    """x [N, C, ...] as one row of channels for each cell of the batch."""
    last = xp.permute_dims(x, (0, *range(2, x.ndim), 1))
    return xp.reshape(last, (prod(last.shape[:-1]), x.shape[1]))


def _channels_first(xp: Namespace, rows: Array, shape: Shape) -> Array:
    """Rows of channels as an array of `shape` [N, C, ...]."""
    last = xp.reshape(rows, (shape[0], *shape[2:], shape[1]))
    return xp.permute_dims(last, (0, len(shape) - 1, *range(1, len(shape) - 1)))


def _cells_as_rows(xp: Namespace, x: Array) -> Array:
    """The rows of x [N, C, ...], and after them one of zeros, for what is outside."""
    rows = _channels_last(xp, x)
    return xp.concat([rows, xp.zeros((1, x.shape[1]), dtype=x.dtype, device=x.device)], axis=0)
