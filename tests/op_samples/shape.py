"""Samples of shape ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct

M, CUBE, VECTOR, NUMBER = distinct((2, 3)), distinct((2, 3, 2), seed=1), distinct((4,), seed=2), distinct((), seed=3)
ROW, EMPTY = distinct((1, 3), seed=4), np.zeros((0, 3))
INTEGERS = np.arange(6).reshape(2, 3)


def getitem(x: np.ndarray, key: Any) -> np.ndarray:
    """NumPy's indexing."""
    return np.asarray(x[key])


def place(x: np.ndarray, shape: Any, key: Any) -> np.ndarray:
    """NumPy's assignment into zeros."""
    out = np.zeros(shape, x.dtype)
    out[key] = x
    return out


def overwrite(x: np.ndarray, value: np.ndarray, key: Any) -> np.ndarray:
    """NumPy's assignment into a copy."""
    out = x.copy()
    out[key] = value
    return out


def sum_to(x: np.ndarray, shape: Any) -> np.ndarray:
    """Element by element: each goes where broadcasting would have taken it from."""
    out = np.zeros(shape)
    lead = x.ndim - len(shape)
    for at in np.ndindex(x.shape):
        out[tuple(0 if n == 1 else i for i, n in zip(at[lead:], shape, strict=True))] += x[at]
    return out


def roll(x: np.ndarray, shift: Any, axis: Any) -> np.ndarray:
    """NumPy's, whose shift is one number for the flattened array."""
    return np.roll(x, shift if axis is not None else shift[0], axis)


#: Shape of x, key: integers, slices of both directions, None, and ... at the end at the latest.
KEYS: list[tuple[tuple[int, ...], tuple[Any, ...]]] = [
    ((4,), (1, ...)),
    ((4,), (-1, ...)),
    ((2, 3), (...,)),
    ((2, 3), (1, 2, ...)),
    ((2, 3), (slice(None), 1, ...)),
    ((2, 3), (..., 0)),
    ((2, 3, 2), (1, ..., slice(0, 1))),
    ((5, 3), (slice(1, 5, 2), ...)),
    ((5, 2), (slice(4, None, -1), ...)),
    ((5,), (slice(3, 0, -2), ...)),
    ((2, 3), (None, slice(None), None, slice(0, 2), ...)),
    ((2, 3), (slice(0, 0), ...)),
    ((), (...,)),
    ((), (None, ...)),
    ((0, 3), (slice(None), 1, ...)),
]


def part(shape: Any, key: Any, seed: int) -> np.ndarray:
    """Floats in the shape of ``x[key]``."""
    return distinct(np.zeros(shape)[key].shape, seed=seed)


def axes(reference: Any, *choices: Any) -> list[Sample]:
    """Samples for (array, options...) pairs."""
    return [Sample(reference, *choice) for choice in choices]


def unstack(x: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    """Slice by slice."""
    return tuple(np.take(x, i, axis) for i in range(x.shape[axis]))


def split(x: np.ndarray, lengths: tuple[int, ...], axis: int) -> tuple[np.ndarray, ...]:
    """Cut by cut."""
    return tuple(np.split(x, np.cumsum(lengths)[:-1], axis))


SAMPLES: dict[str, list[Sample]] = {
    "reshape": axes(
        np.reshape,
        (M, (3, 2)),
        (M, (6,)),
        (M, (-1,)),
        (CUBE, (4, -1)),
        (NUMBER, (1, 1)),
        (distinct((1, 1)), ()),
        (EMPTY, (3, 0)),
        (M, (2, 3)),
    ),
    "permute": axes(
        np.transpose, (M, (1, 0)), (CUBE, (2, 0, 1)), (CUBE, (0, 1, 2)), (NUMBER, ()), (VECTOR, (0,)), (EMPTY, (1, 0))
    ),
    "matrix_transpose": axes(np.matrix_transpose, (M,), (CUBE,), (EMPTY,), (distinct((1, 1)),)),
    "expand_dims": axes(np.expand_dims, (M, 0), (M, 1), (M, 2), (M, -1), (NUMBER, 0), (EMPTY, 1)),
    "squeeze": axes(
        np.squeeze,
        (ROW, (0,)),
        (distinct((1, 2, 1)), (0, 2)),
        (distinct((1, 2, 1)), (2,)),
        (M, ()),
        (np.ones((1, 0)), (0,)),
    ),
    "broadcast_to": axes(
        np.broadcast_to,
        (ROW, (2, 3)),
        (ROW, (2, 4, 3)),
        (NUMBER, (2, 2)),
        (distinct((2, 1)), (2, 3)),
        (distinct((1,)), (4,)),
        (M, (2, 3)),
        (ROW, (0, 3)),
        (NUMBER, ()),
        (distinct((2, 2)).T, (3, 2, 2)),
    ),
    "sum_to": axes(
        sum_to,
        (M, (1, 3)),
        (M, (2, 1)),
        (M, (3,)),
        (M, (1,)),
        (M, ()),
        (CUBE, (3, 1)),
        (CUBE, (1, 3, 1)),
        (M, (2, 3)),
        (NUMBER, ()),
        (EMPTY, (3,)),
        (EMPTY, (1, 3)),
    ),
    "flip": axes(
        np.flip, (M, (0,)), (M, (1,)), (CUBE, (0, 2)), (M, ()), (VECTOR, (0,)), (EMPTY, (0,)), (INTEGERS, (1,))
    ),
    "roll": axes(
        roll,
        (M, (1,), (1,)),
        (M, (-1,), (0,)),
        (CUBE, (1, -2), (0, 1)),
        (M, (2,), None),
        (VECTOR, (5,), (0,)),
        (EMPTY, (1,), (1,)),
        (INTEGERS, (1,), (1,)),
    ),
    "concat": axes(
        np.concatenate,
        ([M, distinct((1, 3), seed=7)], 0),
        ([M, distinct((2, 1), seed=8), distinct((2, 2), seed=9)], 1),
        ([M, M.copy()], -1),
        ([M], 0),
        ([EMPTY, M], 0),
        ([INTEGERS, INTEGERS], 1),
    ),
    "stack": axes(
        np.stack,
        ([M, distinct((2, 3), seed=7)], 0),
        ([M, -M, 2 * M], 1),
        ([M, -M], 2),
        ([M, -M], -1),
        ([NUMBER, distinct((), seed=8)], 0),
        ([M], 0),
        ([EMPTY, EMPTY], 1),
        ([INTEGERS, INTEGERS], 1),
    ),
    "rejoin": axes(
        np.concatenate, ([M, M], 0), ([M, distinct((2, 1), seed=5)], 1), ([CUBE, CUBE, CUBE], 1), ([VECTOR, VECTOR], 0)
    ),
    "getitem": [Sample(getitem, distinct(shape, seed=i), key) for i, (shape, key) in enumerate(KEYS)],
    "place": [Sample(place, part(shape, key, i), shape, key) for i, (shape, key) in enumerate(KEYS)],
    "overwrite": [
        Sample(overwrite, distinct(shape, seed=i), part(shape, key, i + 50), key) for i, (shape, key) in enumerate(KEYS)
    ],
    "tril": axes(np.tril, (distinct((3, 3)), 0), (distinct((3, 4)), 1), (CUBE, -1), (distinct((2, 2)), 5), (EMPTY, 0)),
    "triu": axes(np.triu, (distinct((3, 3)), 0), (distinct((3, 4)), 1), (CUBE, -1), (distinct((2, 2)), -5), (EMPTY, 0)),
    "unstack": [
        Sample(unstack, x, axis) for x, axis in [(M, 0), (M, 1), (CUBE, 1), (VECTOR, 0), (M[:1], 0), (INTEGERS, 1)]
    ],
    "split": axes(
        split,
        (M, (1, 2), 1),
        (M, (2,), 0),
        (CUBE, (1, 0, *[1] * (CUBE.shape[1] - 1)), 1),
        (VECTOR, (len(VECTOR) - 1, 1), 0),
        (INTEGERS, (1,) * INTEGERS.shape[1], 1),
    ),
    "repeat": axes(
        np.repeat, (M, 2, 0), (M, 3, 1), (M, 2, -1), (VECTOR, 1, 0), (EMPTY, 2, 1), (INTEGERS, 2, 1), (M, 0, 0)
    ),
}
