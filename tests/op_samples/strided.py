"""Samples of windows by strides, diagonals, and copies in plain order."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct


def as_strided(x: np.ndarray, size: Any, stride: Any, offset: int) -> np.ndarray:
    """One element after the other."""
    out = np.zeros(size)
    for at in np.ndindex(out.shape):
        out[at] = x[offset + sum(i * step for i, step in zip(at, stride, strict=True))]
    return out


def diagonal(x: np.ndarray, offset: int) -> np.ndarray:
    """NumPy's, of the last two dimensions."""
    return np.diagonal(x, offset, -2, -1).copy()


#: Length of x, size, stride, offset: side by side, apart, overlapping, repeated, a number, and nothing.
WINDOWS = [
    (6, (2, 3), (3, 1), 0),
    (9, (2, 2), (5, 2), 1),
    (5, (3, 3), (1, 1), 0),
    (4, (2, 3), (0, 1), 1),
    (3, (), (), 2),
    (6, (3, 2), (1, 3), 0),
    (4, (0, 2), (1, 1), 3),
    (0, (0,), (1,), 0),
]

#: Shape of x, offset.
DIAGONALS = [
    ((3, 3), 0),
    ((2, 3), 1),
    ((3, 2), -1),
    ((2, 2, 4), 2),
    ((2, 3), -2),
    ((2, 3), 3),
    ((0, 3), 0),
    ((2, 0, 3), 1),
]

SAMPLES: dict[str, list[Sample]] = {
    "as_strided": [Sample(as_strided, distinct((n,)), *rest) for n, *rest in WINDOWS],
    "diagonal": [Sample(diagonal, distinct(shape), offset) for shape, offset in DIAGONALS],
    "contiguous": [Sample(np.copy, distinct(shape)) for shape in ((2, 3), (), (0, 2), (2, 1, 2))],
}
