"""Samples of padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, adjoint, distinct


def source(place: int, size: int, mode: str, left: range) -> int | None:
    """Which cell of a row of `size` stands at `place` of that row, padded; None for a constant."""
    if 0 <= place < size:
        return place
    if mode == "edge":
        return 0 if place < 0 else size - 1
    if mode == "reflect":
        return abs(place) if place < size else 2 * (size - 1) - place
    if mode == "circular":
        return left[(place - left[0]) % len(left)]
    return None


def pad(x: np.ndarray, padding: Any, mode: str = "constant", value: float = 0.0) -> np.ndarray:
    """Cell by cell."""
    pairs = [(0, 0)] * (x.ndim - len(padding)) + [*padding]
    out = np.full([n + before + after for n, (before, after) in zip(x.shape, pairs, strict=True)], value, x.dtype)
    for at in np.ndindex(out.shape):
        met = [
            source(i - before, n, mode, range(n)[max(0, -before) : n + min(0, after)])
            for i, n, (before, after) in zip(at, x.shape, pairs, strict=True)
        ]
        if None not in met:
            out[at] = x[tuple(met)]
    return out


def pad_backward(x_shape: Any, g: np.ndarray, padding: Any, mode: str = "constant") -> np.ndarray:
    """The adjoint of pad."""
    return adjoint(lambda x: pad(x, padding, mode), x_shape, g)


#: Shape of x, padding, mode: on one side, on both, of some dimensions, with cells cut off, of single cells.
CASES: list[tuple[tuple[int, ...], tuple[tuple[int, int], ...], str]] = [
    ((2, 3), ((1, 2),), "constant"),
    ((2, 2, 2), ((1, 0), (0, 0), (0, 2)), "constant"),
    ((2, 3), (), "constant"),
    ((3, 4), ((-1, 1), (2, -2)), "constant"),
    ((4,), ((-1, -3),), "constant"),
    ((0, 2), ((1, 1), (0, 1)), "constant"),
    ((2, 4), ((3, 2),), "reflect"),
    ((3, 3), ((1, 2), (2, 0)), "reflect"),
    ((2, 2, 3), ((1, 1), (0, 1), (2, 1)), "reflect"),
    ((5,), ((-2, 3),), "reflect"),
    ((5,), ((3, -4),), "reflect"),
    ((4,), ((-4, 2),), "reflect"),
    ((0, 3), ((0, 0), (2, 2)), "reflect"),
    ((2, 3), ((3, 1), (0, 2)), "edge"),
    ((1, 1, 2), ((2, 2), (1, 0), (1, 2)), "edge"),
    ((4,), ((2, -3),), "edge"),
    ((4,), ((-4, 2),), "edge"),
    ((2, 3), ((1, 2), (3, 1)), "circular"),
    ((2, 1, 2), ((1, 0), (1, 1), (2, 2)), "circular"),
    ((5,), ((-2, 3),), "circular"),
    ((5,), ((1, -2),), "circular"),
]

SAMPLES: dict[str, list[Sample]] = {
    "pad": [
        *[Sample(pad, distinct(shape), padding, mode) for shape, padding, mode in CASES],
        Sample(pad, distinct((2, 2)), ((1, 1), (0, 1)), "constant", 1.5),
        Sample(pad, np.arange(4).reshape(2, 2), ((1, 1),), "constant", 3.0),
        Sample(pad, np.arange(4).reshape(2, 2), ((1, 1),), "reflect"),
        Sample(pad, np.array([True, False]), ((1, 1),), "constant", 1),
    ],
    "pad_backward": [
        Sample(pad_backward, shape, distinct(pad(np.zeros(shape), padding, mode).shape, seed=1), padding, mode)
        for shape, padding, mode in CASES
    ],
}
