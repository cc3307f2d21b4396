"""Max pools that remember a maximum by the number of its cell, and keep the order of the input in memory."""

from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np

from ..array_types import Array, Shape
from ..base import Backend
from ..module_ops.pool import max_pool as default_max_pool
from ..module_ops.pool import max_pool_with_indices as default_max_pool_with_indices
from ..results import MaxPool, MaxPoolWithIndices
from ..shapes import pool_windows
from ..windows import Window

__all__ = ["cell_tables", "max_pool", "max_pool_with_indices", "scatter_cells", "scatter_planes"]


# ---------------------------------------------------------------- maximum


def max_pool_with_indices(
    x: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> MaxPoolWithIndices:
    windows = pool_windows(f"max_pool{len(kernel_size)}d", x.shape, kernel_size, stride, padding, dilation, ceil_mode)
    found = _largest(x, windows)
    if found is None:
        return default_max_pool_with_indices(x, kernel_size, stride, padding, dilation, ceil_mode)
    return MaxPoolWithIndices(found.output, _indices(found.cells, windows))


def max_pool(x: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool) -> MaxPool:
    windows = pool_windows(f"max_pool{len(kernel_size)}d", x.shape, kernel_size, stride, padding, dilation, ceil_mode)
    return _largest(x, windows) or default_max_pool(x, kernel_size, stride, padding, dilation, ceil_mode)


def _largest(x: Array, windows: tuple[Window, ...]) -> MaxPool | None:
    """The maxima and their cells; None if there is a NaN: no comparison finds one, so its cell is not known."""
    best, cell = x, np.zeros((1,) * x.ndim, np.uint8 if prod(w.kernel for w in windows) <= 256 else np.int64)
    below = 1
    for axis in range(x.ndim - 1, 1, -1):
        best, cell = _max_along(best, cell, windows[axis - 2], axis, below)
        below *= windows[axis - 2].kernel
    return None if np.isnan(best).any() else MaxPool(best, cell)


def _max_along(x: Array, cell: Array, window: Window, axis: int, below: int) -> tuple[Array, Array]:
    """One dimension of a max pool: the maxima, and the numbers of their cells.

    `cell` counts the cells of the later dimensions, of which there are `below`. A later cell has a larger
    number, and it replaces an earlier one: so the number to keep is the largest that won.
    """
    cell = np.broadcast_to(cell, x.shape)
    best = np.empty_like(x, shape=(*x.shape[:axis], window.out, *x.shape[axis + 1 :]))
    best_cell = np.empty_like(best, dtype=cell.dtype)
    at, met = (_along(axis, part) for part in window.inside(0))
    best[at], best_cell[at] = x[met], cell[met]
    for position, k, place in _padded_starts(window):
        at, met = _along(axis, slice(position, position + 1)), _along(axis, slice(place, place + 1))
        best[at] = x[met]
        np.add(cell[met], k * below, out=best_cell[at], casting="unsafe")
    for k in range(1, window.kernel):
        at, met = (_along(axis, part) for part in window.inside(k))
        new, old, numbers = x[met], best[at], best_cell[at]
        wins = new > old
        np.maximum(old, new, out=old)
        np.maximum(numbers, (cell[met] + cell.dtype.type(k * below)) * wins, out=numbers)
    return best, best_cell


@lru_cache(maxsize=1024)
def _padded_starts(window: Window) -> list[tuple[int, int, int]]:
    """The positions whose first cell is padding: (position, first cell inside, where that is)."""
    found = []
    for position in range(window.out):
        place = window.first_inside(position)
        if position * window.stride < window.before:
            found.append((position, (place - position * window.stride + window.before) // window.dilation, place))
    return found


def _indices(cells: Array, windows: tuple[Window, ...]) -> Array:
    """Where cells are in their planes; in memory as `cells` lie."""
    offsets, starts = cell_tables(windows)
    indices = offsets[cells]
    indices += starts
    return indices


@lru_cache(maxsize=256)
def cell_tables(windows: tuple[Window, ...]) -> tuple[Array, Array]:
    """Number of a cell -> its distance from the first cell; and where the first cell is at each position."""
    offsets, starts = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for w in windows:
        offsets = offsets[:, None] * w.size + np.arange(w.kernel) * w.dilation
        starts = starts[..., None] * w.size + np.arange(w.out) * w.stride - w.before
        offsets = offsets.reshape(-1)
    return offsets, starts[0]


def scatter_cells(
    x_shape: Shape,
    values: Array,
    cells: Array,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> Array:
    """By the indices that tables make of cells."""
    windows = pool_windows(f"max_pool{len(kernel_size)}d", x_shape, kernel_size, stride, padding, dilation, ceil_mode)
    return scatter_planes(x_shape, values, _indices(cells, windows))


def scatter_planes(x_shape: Shape, values: Array, indices: Array) -> Array:
    # Where the batch came last in memory, as convolutions leave it, so it does in the result.
    if indices.strides[0] >= indices.strides[-1]:
        return Backend.scatter_planes(x_shape, values, indices)
    batch, channels = x_shape[:2]
    last = (*range(1, values.ndim), 0)
    places = indices.astype(np.int64).transpose(last)
    places *= batch
    places += (np.arange(channels) * (prod(x_shape[2:]) * batch)).reshape(-1, *(1,) * (places.ndim - 1))
    places += np.arange(batch)
    dtype = np.dtype(np.float32) if values.dtype == np.float16 else values.dtype
    out = np.zeros((*x_shape[1:], batch), dtype)
    added = values.transpose(last).reshape(-1).astype(dtype, copy=False)
    np.add.at(out.reshape(-1), places.reshape(-1), added)
    return out.transpose(out.ndim - 1, *range(out.ndim - 1)).astype(values.dtype, copy=False)


def _along(axis: int, part: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, part)
