"""Samples of the parts and conjugates of complex numbers."""

from __future__ import annotations

import numpy as np

from .base import Sample, distinct, distinct_complex, pairs

SHAPES: list[tuple[int, ...]] = [(2, 3), (4,), (), (0, 2)]
COMPLEX = [distinct_complex(shape, seed=i) for i, shape in enumerate(SHAPES)]
REAL = [distinct(shape, seed=i) for i, shape in enumerate(SHAPES)]


def joined(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x + i y"""
    return x + 1j * np.asarray(y)


SAMPLES: dict[str, list[Sample]] = {
    "complex": [Sample(joined, x, y, half=False) for x, y in pairs()]
    + [Sample(joined, REAL[0], 1.5, half=False), Sample(joined, -0.5, REAL[1], half=False)],
    "conj": [Sample(np.conj, x) for x in [*COMPLEX, *REAL, np.array([1, -2])]],
    "real": [Sample(np.real, x) for x in [*COMPLEX, *REAL, np.array([1, -2])]],
    "imag": [Sample(np.imag, x) for x in COMPLEX],
}
