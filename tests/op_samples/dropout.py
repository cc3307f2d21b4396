"""Samples of dropout and of the bits that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct


def bits(keep: np.ndarray) -> np.ndarray:
    """Eight to the byte, the first in the highest bit, by Python's integers."""
    digits = "".join("01"[int(k)] for k in keep.reshape(-1))
    digits += "0" * (-len(digits) % 8)
    return np.array([int(digits[i : i + 8], 2) for i in range(0, len(digits), 8)], np.uint8)


def dropping(x: np.ndarray, keep: np.ndarray, scale: float, *value: float) -> Sample:
    """A sample of dropout for bools that broadcast to the shape of `x`."""

    def reference(x: Any, _bits: Any, _shape: Any, scale: float, value: float = 0.0) -> Any:
        return np.where(keep, x * scale, value)

    return Sample(reference, x, bits(keep), keep.shape, scale, *value)


KEEP = np.array([[True, False, True], [False, True, True]])
LONG = distinct((19,)) > 0.1

SAMPLES: dict[str, list[Sample]] = {
    "dropout": [
        dropping(distinct((2, 3)), KEEP, 2.0),
        dropping(distinct((2, 3)), KEEP, 1.5, -1.25),
        dropping(distinct((2, 3)), np.zeros((2, 3), bool), 1.25),
        dropping(distinct(()), np.array(True), 1.5),
        dropping(np.zeros((0, 3)), np.zeros((0, 3), bool), 2.0),
        dropping(distinct((2, 3)), KEEP[:, :1], 2.0),
        dropping(distinct((19,)), LONG, 2.0),
    ],
    "pack_bits": [Sample(bits, keep) for keep in (KEEP, LONG, LONG[:16], np.array(True), np.zeros((2, 0), bool))],
}
