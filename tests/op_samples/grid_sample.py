"""Samples of reading an array at points, and of its gradients."""

from __future__ import annotations

import math
from collections import namedtuple
from itertools import product
from typing import Any

import numpy as np

from autograd_ops.ops import GridSampleOptions

from .base import Sample, adjoint, complex_step, distinct

Gradients = namedtuple("Gradients", ["x_grad", "grid_grad"])


def mirrored(p: Any, size: int, options: GridSampleOptions) -> Any:
    """`p`, turned back at the ends until it is inside."""
    low, high = (0.0, size - 1.0) if options.align_corners else (-0.5, size - 0.5)
    if low == high:
        return 0.0
    while not low <= np.real(p) <= high:
        p = 2 * low - p if np.real(p) < low else 2 * high - p
    return p


def placed(p: Any, size: int, options: GridSampleOptions) -> Any:
    """Where a position is read. On the first and the last cell, and beyond, it does not move with the grid."""
    if options.mode == "bicubic" or options.padding_mode == "zeros":
        return p
    if options.padding_mode == "reflection":
        p = mirrored(p, size, options)
    return 0.0 if np.real(p) <= 0 else size - 1.0 if np.real(p) >= size - 1 else p


def tap(cell: int, size: int, options: GridSampleOptions) -> int | None:
    """The cell that is read for `cell`, or None for zero."""
    if options.padding_mode == "zeros":
        return cell if 0 <= cell < size else None
    if options.padding_mode == "reflection":
        cell = round(float(mirrored(float(cell), size, options)))
    return min(max(cell, 0), size - 1)


def weight(d: Any, options: GridSampleOptions) -> Any:
    """That of a cell at distance `d`, real or complex."""
    d = d if np.real(d) >= 0 else -d
    if options.mode == "bilinear":
        return 1 - d
    a = -0.75
    if np.real(d) <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * (d**3 - 5 * d**2 + 8 * d - 4) if np.real(d) < 2 else 0.0


def along(p: Any, size: int, options: GridSampleOptions) -> list[tuple[int, Any]]:
    """The cells that a coordinate reads in one dimension, and their weights."""
    p = (p + 1) / 2 * (size - 1) if options.align_corners else ((p + 1) * size - 1) / 2
    p = placed(p, size, options)
    if options.mode == "nearest":
        pairs = [(int(np.round(np.real(p))), 1.0)]
    else:
        # At a cell, its derivative is that of moving on from it.
        before = math.floor(np.real(p))
        cells = range(before, before + 2) if options.mode == "bilinear" else range(before - 1, before + 3)
        pairs = []
        for cell in cells:
            d = cell - p
            pairs.append((cell, weight(d, options) if cell != before else weight(-d, options)))
    found = [(tap(cell, size, options), w) for cell, w in pairs]
    return [(cell, w) for cell, w in found if cell is not None]


def grid_sample(x: Any, grid: Any, options: GridSampleOptions) -> Any:
    """Point by point."""
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), np.result_type(x, grid))
    for n, *at in np.ndindex(grid.shape[:-1]):
        coordinates = grid[(n, *at)][::-1]
        reads = [along(p, size, options) for p, size in zip(coordinates, x.shape[2:], strict=True)]
        for taps in product(*reads):
            cell = tuple(c for c, _ in taps)
            out[(n, slice(None), *at)] += x[(n, slice(None), *cell)] * math.prod(w for _, w in taps)
    return out


def grid_sample_backward(x: Any, grid: Any, g: Any, options: GridSampleOptions, needs: Any = (True, True)) -> Any:
    """The adjoint of grid_sample in x; and complex steps along the grid."""
    return Gradients(
        adjoint(lambda x: grid_sample(x, grid, options), x.shape, g) if needs[0] else None,
        complex_step(lambda grid: grid_sample(x, grid, options), grid, g) if needs[1] else None,
    )


def options_of(rank: int) -> list[GridSampleOptions]:
    """All that there are; in three dimensions, which the same code serves, half of them."""
    modes = ("bilinear", "nearest", "bicubic")[: 5 - rank]
    return [
        GridSampleOptions(mode, padding, corners)
        for mode in modes
        for padding in ("zeros", "border", "reflection")
        for corners in (True, False)[rank - 2 :]
    ]


#: Shapes of x and of the points; the points reach beyond x, and those of the last beyond its reflections.
SHAPES: dict[int, list[tuple[tuple[int, ...], tuple[int, ...], float]]] = {
    2: [((2, 1, 2, 3), (1, 2), 1.4), ((1, 2, 3, 1), (2, 2), 3.7)],
    3: [((1, 1, 2, 1, 2), (1, 2, 1), 1.8)],
}

#: Points on cells, between them, on the edges and outside, in numbers that float16 has.
EXACT = np.array([-1.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 1.25, 2.0])

SAMPLES: dict[str, list[Sample]] = {}
for _rank, _shapes in SHAPES.items():
    _forward: list[Sample] = []
    _backward: list[Sample] = []
    for _i, _options in enumerate(options_of(_rank)):
        _x_shape, _points, _reach = _shapes[_i // 2 % len(_shapes)]
        _x = distinct(_x_shape, seed=_i)
        _grid = distinct((_x_shape[0], *_points, _rank), -_reach, _reach, seed=31 + _i)
        _g = distinct((*_x_shape[:2], *_points), seed=50 + _i)
        _forward.append(Sample(grid_sample, _x, _grid, _options))
        _backward.append(Sample(grid_sample_backward, _x, _grid, _g, _options))
        _grid = np.stack([np.roll(EXACT, _d) for _d in range(_rank)], -1).reshape(1, *(1,) * (_rank - 1), -1, _rank)
        _x = distinct((1, 1, 4, 2, 2)[: _rank + 2], seed=_i)
        _g = distinct((1, 1, *_grid.shape[1:-1]), seed=9)
        _forward.append(Sample(grid_sample, _x, _grid, _options, smooth=False, note="exact"))
        _backward.append(Sample(grid_sample_backward, _x, _grid, _g, _options, smooth=False, note="exact"))
    _x, _grid = distinct(_shapes[0][0]), distinct((_shapes[0][0][0], *_shapes[0][1], _rank))
    _g = distinct((*_x.shape[:2], *_shapes[0][1]), seed=3)
    for _needs in ((True, False), (False, True)):
        for _mode in ("bilinear", "nearest"):
            # The nearest cell does not move with the grid: there is nothing to differentiate.
            _moves = _mode != "nearest" or _needs[0]
            _backward.append(
                Sample(grid_sample_backward, _x, _grid, _g, GridSampleOptions(_mode), _needs, smooth=_moves)
            )
    for _empty in ((0, *_x.shape[1:]), (1, 0, *_x.shape[2:])):
        _grid = distinct((_empty[0], *_shapes[0][1], _rank))
        _g = distinct((*_empty[:2], *_shapes[0][1]))
        _forward.append(Sample(grid_sample, np.zeros(_empty), _grid, GridSampleOptions()))
        _backward.append(Sample(grid_sample_backward, np.zeros(_empty), _grid, _g, GridSampleOptions()))
    SAMPLES[f"grid_sample_{_rank}d"] = _forward
    SAMPLES[f"grid_sample_{_rank}d_backward"] = _backward
