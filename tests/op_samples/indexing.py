"""Samples of rows by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct


def add_rows(shape: Any, values: np.ndarray, indices: np.ndarray, axis: int = 0) -> np.ndarray:
    """One row after the other."""
    out = np.zeros(shape)
    for row, i in zip(np.moveaxis(values, axis, 0), indices, strict=True):
        np.moveaxis(out, axis, 0)[i] += row
    return out


def put_rows(x: np.ndarray, values: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """One row after the other."""
    out = x.copy()
    for row, i in zip(values, indices, strict=True):
        out[i] = row
    return out


def take_along_axis(x: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
    """One element after the other."""
    out = np.zeros(indices.shape)
    for at in np.ndindex(indices.shape):
        out[at] = x[_moved(at, indices, axis)]
    return out


def put_along_axis(shape: Any, values: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
    """One element after the other."""
    out = np.zeros(shape)
    for at in np.ndindex(indices.shape):
        out[_moved(at, indices, axis)] += values[at]
    return out


def _moved(at: tuple[int, ...], indices: np.ndarray, axis: int) -> tuple[int, ...]:
    place = list(at)
    place[axis] = int(indices[at])
    return tuple(place)


def ints(*values: Any, dtype: Any = np.int64) -> np.ndarray:
    """An array of indices."""
    return np.array(values, dtype)


#: Shape of x, and rows of it that do not repeat.
ROWS = [
    ((4,), ints(2, 0)),
    ((3, 2), ints(2, 0, 1)),
    ((3, 2), ints(1, dtype=np.int32)),
    ((2, 2, 2), ints(1, 0)),
    ((3, 0), ints(1)),
    ((3, 2), ints(dtype=np.int64)),
]
#: The same, and rows that do.
REPEATED = [((4,), ints(3, 0, 3)), ((3, 2), ints(1, 1, 0, 1)), ((2, 2, 2), ints(0, 0, 1, dtype=np.int32))]
#: Shape of x, indices, axis.
ALONG = [
    ((2, 3), ints([2, 0], [1, 1]), 1),
    ((2, 3), ints([1, 0, 1], [1, 1, 0], [0, 0, 0]), 0),
    ((2, 3), ints([2, 2, 2, 0], [1, 1, 0, 1]), -1),
    ((2, 2, 2), ints([[1, 0]], [[0, 0]]), 1),
    ((4,), ints(3, 3, 1), 0),
    ((2, 3), np.zeros((2, 0), np.int64), 1),
]

#: Shape of x, indices, the dimension that they index.
OTHER = [
    ((2, 3), ints(2, 0, 2), 1),
    ((2, 3, 2), ints(1, 1), 1),
    ((2, 1, 3), ints(0, 2), 2),
    ((2, 3), ints(dtype=np.int64), 1),
]


def _along(shape: Any, count: int, axis: int) -> tuple[int, ...]:
    return (*shape[:axis], count, *shape[axis + 1 :])


SAMPLES: dict[str, list[Sample]] = {
    "take_rows": [
        *(Sample(lambda x, i: x[i], distinct(shape), rows) for shape, rows in [*ROWS, *REPEATED]),
        *(Sample(lambda x, i, axis: x[(slice(None),) * axis + (i,)], distinct(x), i, axis) for x, i, axis in OTHER),
    ],
    "add_rows": [
        *(Sample(add_rows, shape, distinct((len(rows), *shape[1:])), rows) for shape, rows in [*ROWS, *REPEATED]),
        *(Sample(add_rows, shape, distinct(_along(shape, len(i), axis)), i, axis) for shape, i, axis in OTHER),
    ],
    "put_rows": [
        Sample(put_rows, distinct(shape), distinct((len(rows), *shape[1:]), seed=1), rows) for shape, rows in ROWS
    ],
    "take_along_axis": [Sample(take_along_axis, distinct(shape), indices, axis) for shape, indices, axis in ALONG],
    "put_along_axis": [
        Sample(put_along_axis, shape, distinct(indices.shape), indices, axis) for shape, indices, axis in ALONG
    ],
}
