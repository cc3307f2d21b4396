"""Samples of pools and their gradients."""

from __future__ import annotations

from collections import namedtuple
from itertools import product
from math import ceil, floor
from typing import Any

import numpy as np

from .base import Sample, adjoint, distinct

MaxPool = namedtuple("MaxPool", ["output", "indices"])
XGrad = namedtuple("XGrad", ["x_grad"])

#: A cell of a plane.
Cell = tuple[int, ...]
#: For each position of the output: the cells of the plane in its window, and how many there are with padding.
Windows = dict[Cell, tuple[list[Cell], int]]


def each(size: Any, rank: int) -> tuple[int, ...]:
    """One int for each dimension."""
    return (size,) * rank if isinstance(size, int) else size


def crossed(along: list[list[tuple[list[int], int]]]) -> Windows:
    """Windows from those of each dimension: the cells, and how many with padding."""
    found = {}
    for at in product(*[range(len(places)) for places in along]):
        parts = [places[i] for places, i in zip(along, at, strict=True)]
        found[at] = (list(product(*[cells for cells, _ in parts])), int(np.prod([count for _, count in parts])))
    return found


def windows(plane: Cell, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Windows:
    """Those of a pool.

    A last window that reaches past the padding counts in `ceil_mode`, if it starts inside the plane or its padding
    before, and the one before it left cells over.
    """
    along = []
    for n, k, s, p, d in zip(plane, *[each(a, len(plane)) for a in (kernel, stride, padding, dilation)], strict=True):
        places = []
        for start in range(-p, n, s):
            cells = [start + d * i for i in range(k)]
            if cells[-1] < n + p or (ceil_mode and cells[-1] - s < n + p - 1):
                places.append(([c for c in cells if 0 <= c < n], len([c for c in cells if c < n + p])))
        along.append(places)
    return crossed(along)


def even_windows(plane: Cell, output_size: Any) -> Windows:
    """Window i of m runs from floor(i n / m) to ceil((i + 1) n / m)."""
    along = []
    for n, m in zip(plane, each(output_size, len(plane)), strict=True):
        parts = [list(range(floor(i * n / m), ceil((i + 1) * n / m))) for i in range(m)]
        along.append([(cells, len(cells)) for cells in parts])
    return crossed(along)


def shape_of(x_shape: Any, found: Windows) -> tuple[int, ...]:
    """[N, C, ...] of the output."""
    return (*x_shape[:2], *(1 + n for n in max(found)))


def largest(x: np.ndarray, found: Windows, indices_dtype: str = "int64") -> Any:
    """The first largest of each window, and its number in the flattened plane."""
    shape = shape_of(x.shape, found)
    output, indices = np.zeros(shape), np.zeros(shape, indices_dtype)
    for n, c in np.ndindex(x.shape[:2]):
        for at, (cells, _) in found.items():
            best = max(cells, key=lambda cell, plane=x[n, c]: plane[cell])
            output[(n, c, *at)], indices[(n, c, *at)] = x[(n, c, *best)], np.ravel_multi_index(best, x.shape[2:])
    return MaxPool(output, indices)


def max_pool(
    x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices_dtype: str = "int64"
) -> Any:
    """Window by window."""
    return largest(x, windows(x.shape[2:], kernel, stride, padding, dilation, ceil_mode), indices_dtype)


def largest_alone(x: np.ndarray, *sizes: Any) -> np.ndarray:
    """Window by window."""
    found: np.ndarray = max_pool(x, *sizes).output
    return found


def adaptive_max_pool(x: np.ndarray, output_size: Any, indices_dtype: str = "int64") -> Any:
    """Window by window."""
    return largest(x, even_windows(x.shape[2:], output_size), indices_dtype)


def gather(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Element by element of the flattened planes."""
    out = np.zeros(indices.shape)
    for at in np.ndindex(indices.shape):
        out[at] = x[at[:2]].reshape(-1)[indices[at]]
    return out


def scatter(x_shape: Any, values: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The adjoint of gathering."""
    return adjoint(lambda x: gather(x, indices), x_shape, values)


def cells_of(x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> np.ndarray:
    """The numbers of the cells that win in the windows of a max pool."""
    rank = x.ndim - 2
    k, s, p, d = (each(size, rank) for size in (kernel, stride, padding, dilation))
    indices = max_pool(x, kernel, stride, padding, dilation, ceil_mode).indices
    cells = np.zeros(indices.shape, "uint8" if np.prod(k) <= 256 else "int64")
    for at in np.ndindex(indices.shape):
        place = np.unravel_index(indices[at], x.shape[2:])
        cell = [(place[i] + p[i] - at[2 + i] * s[i]) // d[i] for i in range(rank)]
        cells[at] = np.ravel_multi_index(cell, k)
    return cells


def gather_cells(
    x: np.ndarray, cells: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> np.ndarray:
    """Window by window."""
    rank = x.ndim - 2
    k, s, p, d = (each(size, rank) for size in (kernel, stride, padding, dilation))
    out = np.zeros(cells.shape)
    for at in np.ndindex(cells.shape):
        cell = np.unravel_index(cells[at], k)
        out[at] = x[(*at[:2], *(at[2 + i] * s[i] - p[i] + cell[i] * d[i] for i in range(rank)))]
    return out


def scatter_cells(x_shape: Any, values: np.ndarray, cells: np.ndarray, *sizes: Any) -> np.ndarray:
    """The adjoint of gathering."""
    return adjoint(lambda x: gather_cells(x, cells, *sizes), x_shape, values)


def max_pool_backward(x_shape: Any, *rest: Any) -> Any:
    """However the windows lay."""
    return XGrad(scatter(x_shape, *rest[-2:]))


def avg_pool(
    x: np.ndarray,
    kernel: Any,
    stride: Any,
    padding: Any,
    count_include_pad: bool,
    ceil_mode: bool,
    divisor: int | None = None,
) -> np.ndarray:
    """Window by window."""
    found = windows(x.shape[2:], kernel, stride, padding, 1, ceil_mode)
    out = np.zeros(shape_of(x.shape, found))
    for n, c in np.ndindex(x.shape[:2]):
        for at, (cells, padded) in found.items():
            count = divisor or (padded if count_include_pad else len(cells))
            out[(n, c, *at)] = sum(x[(n, c, *cell)] for cell in cells) / count
    return out


def avg_pool_backward(x_shape: Any, g: np.ndarray, *options: Any) -> np.ndarray:
    """The adjoint of avg_pool."""
    return adjoint(lambda x: avg_pool(x, *options), x_shape, g)


def adaptive_avg_pool(x: np.ndarray, output_size: Any) -> np.ndarray:
    """Window by window."""
    found = even_windows(x.shape[2:], output_size)
    out = np.zeros(shape_of(x.shape, found))
    for n, c in np.ndindex(x.shape[:2]):
        for at, (cells, count) in found.items():
            out[(n, c, *at)] = sum(x[(n, c, *cell)] for cell in cells) / count
    return out


def adaptive_avg_pool_backward(x_shape: Any, g: np.ndarray) -> np.ndarray:
    """The adjoint of adaptive_avg_pool."""
    return adjoint(lambda x: adaptive_avg_pool(x, g.shape[2:]), x_shape, g)


#: By rank: shape of x, kernel_size, stride, padding, dilation, ceil_mode.
MAX_CASES: dict[int, list[tuple[Any, ...]]] = {
    1: [
        ((2, 2, 6), 3, 1, 1, 1, False),
        ((1, 1, 7), (2,), (3,), (1,), (2,), True),
        ((1, 2, 5), 5, 5, 0, 1, False),
        ((1, 2, 2), 3, 2, 0, 1, True),
        ((0, 1, 3), 2, 1, 0, 1, False),
        ((2, 0, 3), 2, 1, 0, 1, False),
    ],
    2: [
        ((1, 2, 4, 4), 2, 2, 0, 1, False),
        ((2, 1, 3, 4), (2, 3), 1, (1, 0), 1, False),
        ((1, 1, 5, 4), 2, 2, 1, 1, True),
        ((1, 1, 5, 5), 3, 2, 1, 1, True),
        ((1, 1, 5, 4), 2, (3, 1), 0, (2, 3), False),
        ((1, 1, 4, 5), (2, 1), (2, 3), 0, 1, True),
        ((0, 1, 3, 3), 2, 1, 0, 1, False),
    ],
    3: [
        ((1, 2, 2, 3, 2), 2, 1, 0, 1, False),
        ((2, 1, 3, 2, 4), (2, 1, 3), (1, 2, 2), (1, 0, 1), (2, 1, 1), True),
        ((0, 1, 2, 2, 2), 2, 1, 0, 1, False),
    ],
}

#: By rank: shape of x, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override.
AVG_CASES: dict[int, list[tuple[Any, ...]]] = {
    rank: [
        (shape, kernel, stride, padding, include, ceil_mode, divisor)
        for shape, kernel, stride, padding in cases
        for include in (True, False)
        for ceil_mode in (True, False)
        for divisor in (None, 3)
    ]
    + [(shape, *sizes, True, False, None) for shape, *sizes in plain]
    for rank, cases, plain in [
        (1, [((1, 2, 6), 3, 2, 1)], [((2, 1, 4), (2,), (3,), (0,)), ((0, 1, 3), 2, 1, 0)]),
        (
            2,
            [((1, 1, 5, 4), 2, 2, 1), ((1, 2, 4, 3), (3, 2), (2, 3), (1, 0))],
            [((0, 1, 3, 3), 2, 1, 0), ((2, 1, 2, 2), 1, 1, 0), ((2, 0, 2, 2), 1, 1, 0)],
        ),
        (3, [((1, 1, 2, 3, 2), (2, 2, 1), (1, 2, 1), (1, 1, 0))], [((0, 1, 2, 2, 2), 2, 1, 0)]),
    ]
}

#: By rank: shape of x, output_size: even, uneven, larger than the input.
ADAPTIVE_CASES: dict[int, list[tuple[Any, ...]]] = {
    1: [((1, 2, 6), 3), ((2, 1, 5), (3,)), ((1, 1, 2), 5), ((0, 1, 3), 2)],
    2: [
        ((1, 2, 4, 4), 2),
        ((2, 1, 3, 5), (2, 3)),
        ((1, 1, 2, 3), (3, 4)),
        ((1, 1, 3, 2), 1),
        ((0, 1, 3, 3), 2),
    ],
    3: [((1, 2, 2, 2, 2), 1), ((2, 1, 3, 2, 4), (2, 3, 1)), ((0, 1, 2, 2, 2), 1)],
}

#: Shape of x, and indices into its planes that repeat, as overlapping windows give them, and some that nothing meets.
PLANES = [
    ((2, 1, 4), np.array([[[3, 1, 3, 0, 3]], [[2, 2, 0, 1, 0]]])),
    ((1, 2, 2, 3), np.array([[[[5], [0]], [[4], [4]]]])),
    ((1, 1, 2, 2, 2), np.array([[[[[7, 1], [1, 6]]]]], "int32")),
    ((1, 1, 300), np.array([[[254, 255, 254]]], "uint8")),
    ((1, 2, 3), np.zeros((1, 2, 0), "int64")),
    ((0, 2, 3), np.zeros((0, 2, 4), "int64")),
]


def pooled(case: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
    """A gradient for the output of a max pool, and the indices of that pool."""
    indices = max_pool(distinct(case[0]), *case[1:]).indices
    return distinct(indices.shape, seed=8), indices


def in_cells() -> list[tuple[np.ndarray, np.ndarray, tuple[Any, ...]]]:
    """An input, the cells that a max pool of another finds, and the arguments of that pool."""
    cases = [case for cases in MAX_CASES.values() for case in cases]
    found = [(distinct(shape, seed=9), cells_of(distinct(shape), *sizes), tuple(sizes)) for shape, *sizes in cases]
    x, cells, sizes = found[0]
    large = distinct((1, 1, 30, 20)), (17, 16), (5, 3), (2, 0), 1, False
    return [*found, (x, cells.astype("int64"), sizes), (large[0], cells_of(*large), large[1:])]


def of_rank(rank: int) -> dict[str, list[Sample]]:
    """Those of the pools over `rank` dimensions."""
    few = (2, 1, *range(3, 3 + rank))
    tied = np.round(distinct((1, 1, *(4,) * rank)))
    return {
        f"max_pool{rank}d": [
            *[Sample(largest_alone, distinct(shape), *options) for shape, *options in MAX_CASES[rank]],
            Sample(largest_alone, tied, 2, 1, 0, 1, False, smooth=False, note="ties"),
        ],
        f"max_pool{rank}d_with_indices": [
            *[Sample(max_pool, distinct(shape), *options) for shape, *options in MAX_CASES[rank]],
            Sample(max_pool, distinct(few), 2, 1, 0, 1, False, "int32"),
            Sample(max_pool, tied, 2, 1, 0, 1, False, smooth=False, note="ties"),
        ],
        f"max_pool{rank}d_with_indices_backward": [
            Sample(max_pool_backward, *case, *pooled(case)) for case in MAX_CASES[rank]
        ],
        f"adaptive_max_pool{rank}d_with_indices": [
            *[Sample(adaptive_max_pool, distinct(shape), size) for shape, size in ADAPTIVE_CASES[rank]],
            Sample(adaptive_max_pool, distinct(few), 2, "int32"),
            Sample(adaptive_max_pool, tied, 3, smooth=False, note="ties"),
        ],
        f"avg_pool{rank}d": [Sample(avg_pool, distinct(shape), *options) for shape, *options in AVG_CASES[rank]],
        f"avg_pool{rank}d_backward": [
            Sample(avg_pool_backward, shape, distinct(avg_pool(np.zeros(shape), *options).shape), *options)
            for shape, *options in AVG_CASES[rank]
        ],
        f"adaptive_avg_pool{rank}d": [
            Sample(adaptive_avg_pool, distinct(shape), size) for shape, size in ADAPTIVE_CASES[rank]
        ],
        f"adaptive_avg_pool{rank}d_backward": [
            Sample(adaptive_avg_pool_backward, shape, distinct((*shape[:2], *each(size, rank))))
            for shape, size in ADAPTIVE_CASES[rank]
        ],
    }


SAMPLES: dict[str, list[Sample]] = {
    "gather_cells": [Sample(gather_cells, x, cells, *sizes) for x, cells, sizes in in_cells()],
    "scatter_cells": [
        Sample(scatter_cells, x.shape, distinct(cells.shape), cells, *sizes) for x, cells, sizes in in_cells()
    ],
    "gather_planes": [Sample(gather, distinct(shape, seed=9), indices) for shape, indices in PLANES],
    "scatter_planes": [Sample(scatter, shape, distinct(indices.shape), indices) for shape, indices in PLANES],
    **of_rank(1),
    **of_rank(2),
    **of_rank(3),
}
