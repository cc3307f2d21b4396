"""Samples of running extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct

TIES = np.array([[1.0, 3.0, 3.0, 2.0], [2.0, 2.0, 0.0, np.nan], [np.nan, 1.0, np.nan, 5.0]])


def running(reaches: Any) -> Any:
    """By going along: an element counts if it `reaches` the extreme so far, or is NaN."""

    def function(x: np.ndarray, axis: int) -> np.ndarray:
        out = np.zeros(x.shape, np.int64)
        rows, found = np.moveaxis(x, axis, -1), np.moveaxis(out, axis, -1)
        for at in np.ndindex(rows.shape[:-1]):
            best = 0
            for i, value in enumerate(rows[at]):
                extreme = rows[at][best]
                if value != value or (extreme == extreme and reaches(value, extreme)):
                    best = i
                found[at][i] = best
        return out

    return function


def samples(reference: Any) -> list[Sample]:
    """Floats with ties and NaN, integers, bools, nothing."""
    return [
        Sample(reference, x, axis)
        for x, axis in [
            (distinct((2, 3)), 0),
            (distinct((2, 5, 2), seed=1), 1),
            (distinct((9,), seed=2), 0),
            (TIES, 1),
            (TIES, 0),
            (np.array([[2, 1, 2], [0, 3, 3]]), 1),
            (np.array([True, False, True]), 0),
            (np.zeros((0, 2)), 0),
            (np.zeros((2, 0)), 1),
        ]
    ]


SAMPLES: dict[str, list[Sample]] = {
    "running_argmax": samples(running(lambda value, extreme: value >= extreme)),
    "running_argmin": samples(running(lambda value, extreme: value <= extreme)),
}
