"""Samples of functions of whole numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .base import Sample

X, Y = np.array([[12, -8, 0], [7, 36, 1]]), np.array([18, 12, 0])


def each(function: Any) -> Any:
    """A function of two ints, element by element."""
    return np.vectorize(lambda x, y: function(int(x), int(y)), otypes=[np.int64])


def samples(function: Any) -> list[Sample]:
    """Two arrays, and an array beside a number."""
    reference = each(function)
    return [
        Sample(reference, X, Y),
        Sample(reference, X[0], X[1]),
        Sample(reference, X, 9),
        Sample(reference, 6, Y),
        Sample(lambda x, y: x, np.zeros((0, 3), np.int64), Y),
    ]


SAMPLES: dict[str, list[Sample]] = {"gcd": samples(math.gcd), "lcm": samples(math.lcm)}
