"""Samples of pools and their gradients."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .base import Sample, adjoint, distinct
from .conv import each

MaxPool = namedtuple("MaxPool", ["output", "indices"])
XGrad = namedtuple("XGrad", ["x_grad"])


def windows(shape: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """For each output position of a plane: what its window meets of the plane, and its cells within the padding.

    A last window that reaches past the end counts in `ceil_mode`, if it starts inside the plane or its padding before.
    """
    sizes = []
    for n, k, s, p, d in zip(shape, each(kernel, 2), each(stride, 2), each(padding, 2), each(dilation, 2), strict=True):
        places = []
        for start in range(-p, n, s):
            cells = [start + d * i for i in range(k)]
            if cells[-1] < n + p or ceil_mode:
                places.append(([c for c in cells if 0 <= c < n], [c for c in cells if c < n + p]))
        sizes.append(places)
    return {
        (i, j): (
            [(a, b) for a in rows for b in columns],
            len(all_rows) * len(all_columns),
        )
        for i, (rows, all_rows) in enumerate(sizes[0])
        for j, (columns, all_columns) in enumerate(sizes[1])
    }


def _out(x_shape: Any, found: Any) -> tuple[int, ...]:
    return (*x_shape[:2], *(1 + max(at[d] for at in found) for d in range(2)))


def max_pool(
    x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices_dtype: str = "int64"
) -> Any:
    """The first largest of each window, and its number in the flattened plane."""
    found = windows(x.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    output, indices = np.zeros(_out(x.shape, found)), np.zeros(_out(x.shape, found), indices_dtype)
    for n, c in np.ndindex(x.shape[:2]):
        for at, (cells, _) in found.items():
            best = max(cells, key=lambda cell, plane=x[n, c]: plane[cell])
            output[(n, c, *at)], indices[(n, c, *at)] = x[(n, c, *best)], best[0] * x.shape[3] + best[1]
    return MaxPool(output, indices)


def gather(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Element by element of the flattened planes."""
    out = np.zeros(indices.shape)
    for n, c, i, j in np.ndindex(indices.shape):
        out[n, c, i, j] = x[n, c].reshape(-1)[indices[n, c, i, j]]
    return out


def max_pool_backward(x_shape: Any, *rest: Any) -> Any:
    """The adjoint of gathering."""
    g, indices = rest[-2:]
    return XGrad(adjoint(lambda x: gather(x, indices), x_shape, g))


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
    out = np.zeros(_out(x.shape, found))
    for n, c in np.ndindex(x.shape[:2]):
        for at, (cells, padded) in found.items():
            count = divisor or (padded if count_include_pad else len(cells))
            out[(n, c, *at)] = sum(x[(n, c, *cell)] for cell in cells) / count
    return out


def avg_pool_backward(x_shape: Any, g: np.ndarray, *options: Any) -> np.ndarray:
    """The adjoint of avg_pool."""
    return adjoint(lambda x: avg_pool(x, *options), x_shape, g)


def adaptive(x: np.ndarray, output_size: Any) -> np.ndarray:
    """Window i of n runs from floor(i size / n) to ceil((i + 1) size / n)."""
    h, w = each(output_size, 2)
    out = np.zeros((*x.shape[:2], h, w))
    for i, j in np.ndindex(h, w):
        rows = slice(i * x.shape[2] // h, -(-(i + 1) * x.shape[2] // h))
        columns = slice(j * x.shape[3] // w, -(-(j + 1) * x.shape[3] // w))
        out[:, :, i, j] = x[:, :, rows, columns].mean((2, 3))
    return out


def adaptive_backward(x_shape: Any, g: np.ndarray) -> np.ndarray:
    """The adjoint of adaptive."""
    return adjoint(lambda x: adaptive(x, g.shape[2:]), x_shape, g)


#: x, kernel_size, stride, padding, dilation, ceil_mode
MAX_CASES: list[tuple[Any, ...]] = [
    ((1, 2, 4, 4), 2, 2, 0, 1, False),
    ((2, 1, 3, 4), (2, 3), 1, (1, 0), 1, False),
    ((1, 1, 5, 4), 2, 2, 1, 1, True),
    ((1, 1, 5, 5), 3, 2, 1, 1, True),
    ((1, 1, 5, 4), 2, (3, 1), 0, (2, 3), False),
    ((1, 1, 4, 5), (2, 1), (2, 3), 0, 1, True),
    ((0, 1, 3, 3), 2, 1, 0, 1, False),
]

#: x, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
AVG_CASES: list[tuple[Any, ...]] = [
    (shape, kernel, stride, padding, include, ceil, divisor)
    for shape, kernel, stride, padding in [((1, 1, 5, 4), 2, 2, 1), ((1, 2, 4, 3), (3, 2), (2, 3), (1, 0))]
    for include in (True, False)
    for ceil in (True, False)
    for divisor in (None, 3)
] + [((0, 1, 3, 3), 2, 1, 0, True, False, None), ((2, 1, 2, 2), 1, 1, 0, True, False, None)]

#: x, output_size: even, uneven, larger than the input
ADAPTIVE_CASES = [
    ((1, 2, 4, 4), 2),
    ((2, 1, 3, 5), (2, 3)),
    ((1, 1, 2, 3), (3, 4)),
    ((1, 1, 3, 2), 1),
    ((0, 1, 3, 3), 2),
]


def _pooled(case: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
    """A gradient for the output of a max pool, and the indices of that pool."""
    indices = max_pool(distinct(case[0]), *case[1:]).indices
    return distinct(indices.shape, seed=8), indices


SAMPLES: dict[str, list[Sample]] = {
    "max_pool2d_with_indices": [
        *[Sample(max_pool, distinct(shape), *options) for shape, *options in MAX_CASES],
        Sample(max_pool, distinct((1, 1, 3, 3)), 2, 1, 0, 1, False, "int32"),
        Sample(max_pool, np.round(distinct((1, 1, 4, 4))), 2, 1, 0, 1, False, smooth=False, note="ties"),
    ],
    "max_pool2d_with_indices_backward": [Sample(max_pool_backward, *case, *_pooled(case)) for case in MAX_CASES],
    "max_pool2d_gather": [Sample(gather, distinct(case[0], seed=9), _pooled(case)[1]) for case in MAX_CASES],
    "avg_pool2d": [Sample(avg_pool, distinct(shape), *options) for shape, *options in AVG_CASES],
    "avg_pool2d_backward": [
        Sample(avg_pool_backward, shape, distinct(avg_pool(np.zeros(shape), *options).shape), *options)
        for shape, *options in AVG_CASES
    ],
    "adaptive_avg_pool2d": [Sample(adaptive, distinct(shape), size) for shape, size in ADAPTIVE_CASES],
    "adaptive_avg_pool2d_backward": [
        Sample(adaptive_backward, shape, distinct((*shape[:2], *each(size, 2)))) for shape, size in ADAPTIVE_CASES
    ],
}
