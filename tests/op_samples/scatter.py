"""Samples of reductions of what is scattered."""

from __future__ import annotations

import numpy as np

from .base import Sample, distinct

INDICES = np.array([2, 0, 2, 2, 0, 4])


def scatter_extreme(x: np.ndarray, values: np.ndarray, indices: np.ndarray, largest: bool = True) -> np.ndarray:
    """One after the other."""
    out = x.copy()
    for value, i in zip(values, indices, strict=True):
        out[i] = max(out[i], value) if largest else min(out[i], value)
    return out


SAMPLES: dict[str, list[Sample]] = {
    "scatter_extreme": [
        *[
            Sample(scatter_extreme, distinct((5,)), distinct((6,), seed=1), INDICES, largest)
            for largest in (True, False)
        ],
        Sample(scatter_extreme, np.zeros(5), np.array([1.0, 1.0, 1.0, 0.0, 0.0, -1.0]), INDICES, True, smooth=False),
        Sample(scatter_extreme, distinct((3,)), distinct((7,), seed=3), np.array([1] * 7)),
        Sample(scatter_extreme, distinct((3,)), np.zeros(0), np.zeros(0, np.int64)),
        Sample(scatter_extreme, np.array([3, 1]), np.array([2, 5, 4]), np.array([0, 1, 1]), False),
    ],
}
