"""Random layouts of arrays, and how close sums in float32 must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["LAYOUTS", "close_as_sum"]


def _last_first(x: np.ndarray) -> np.ndarray:
    """The first dimension is the last in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0)


def _every_other(x: np.ndarray) -> np.ndarray:
    return np.repeat(x, 2, -1)[..., ::2]


def _inside(x: np.ndarray) -> np.ndarray:
    """A window on a larger array."""
    return np.pad(x, 1)[(slice(1, -1),) * x.ndim]


def _backwards(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x[::-1])[::-1]


#: What gives the same numbers in another layout.
LAYOUTS: list[Callable[[np.ndarray], np.ndarray]] = [
    *(np.ascontiguousarray, np.asfortranarray, _last_first),
    *(_every_other, _inside, _backwards),
]


def close_as_sum(got: Any, exact: np.ndarray, bound: np.ndarray, terms: int) -> None:
    """`got`, of float32, is `exact` up to rounding.

    A sum of n products, in whatever order, is off by at most about n epsilon times the sum of their magnitudes, `bound`
    (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
    """
    assert got is not None
    assert (got.dtype, got.shape) == (np.float32, exact.shape)
    error = np.abs(got - exact)
    assert (error <= (terms + 1) * np.finfo(np.float32).eps * bound + np.finfo(np.float32).tiny).all()
