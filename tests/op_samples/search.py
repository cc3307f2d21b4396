"""Samples of searches and sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample

LEVELS = np.array([-1.0, 0.5, 0.5, 2.0])
VALUES = np.array([[-2.0, 0.5, 0.75], [2.0, 3.0, -1.0]])
REPEATING = np.array([[2.0, -1.0, 0.5], [0.5, 2.0, 0.5]])
INTEGERS = np.array([[3, 1, 3], [-2, 1, 3]])
EMPTY = np.zeros(0)


def searchsorted(x: np.ndarray, values: Any, right: bool = False) -> np.ndarray:
    """By counting the elements that stand before each value."""
    v = np.asarray(values)[..., None]
    return np.sum(x <= v if right else x < v, axis=-1, dtype=np.int64)


def isin(x: Any, elements: Any, invert: bool = False) -> np.ndarray:
    """Each element beside every other."""
    found = np.any(np.asarray(x)[..., None] == np.reshape(elements, -1), axis=-1)
    return ~found if invert else found


def unique(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Element by element, in Python."""
    flat = x.reshape(-1).tolist()
    values = sorted(set(flat))
    return (
        np.array([flat.index(v) for v in values], np.int64),
        np.array([values.index(v) for v in flat], np.int64).reshape(x.shape),
        np.array([flat.count(v) for v in values], np.int64),
    )


SAMPLES: dict[str, list[Sample]] = {
    "searchsorted": [
        *[Sample(searchsorted, LEVELS, VALUES, right) for right in (False, True)],
        Sample(searchsorted, LEVELS, np.array(0.5)),
        Sample(searchsorted, np.array([1, 3, 3, 7]), np.array([3, 8, 0])),
        Sample(searchsorted, np.array([1, 3, 3, 7]), np.array([3.0, 6.5])),
        Sample(searchsorted, EMPTY, VALUES),
        Sample(searchsorted, LEVELS, EMPTY),
    ],
    "isin": [
        *[Sample(isin, REPEATING, np.array([0.5, -1.0, 7.0]), invert) for invert in (False, True)],
        Sample(isin, INTEGERS, np.array([[3], [-2]])),
        Sample(isin, INTEGERS, np.array([3]), True),
        Sample(isin, INTEGERS, 3),
        Sample(isin, 3, INTEGERS),
        Sample(isin, INTEGERS, np.array([1.0, 2.5])),
        Sample(isin, REPEATING, EMPTY),
        Sample(isin, REPEATING, 0.5),
        Sample(isin, np.array([np.nan, 1.0, np.inf]), np.array([np.nan, np.inf])),
        Sample(isin, np.array([True, False]), np.array([False])),
        Sample(isin, EMPTY, REPEATING),
        Sample(isin, np.array(2.0), REPEATING),
    ],
    "unique": [Sample(unique, x) for x in (REPEATING, INTEGERS, np.array(2.0), EMPTY, np.array([True, False, True]))],
}
