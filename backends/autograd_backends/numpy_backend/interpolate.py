"""Resizing on NumPy: each dimension is a product with the matrix of its weights.

Most of the matrix is zeros, but up to some hundred cells BLAS multiplies by them faster than anything passes them over.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ..array_types import Array, Shape
from ..module_ops.interpolate import Rows, by_taps, interpolate_backward_by, interpolate_by
from ..options import InterpolateOptions
from ..resampling import Resize
from . import namespace as xp

__all__ = ["interpolate", "interpolate_backward"]

#: A matrix pays if there is one tap for at most this many cells.
CELLS_A_TAP = 64

#: dtypes that BLAS multiplies.
_BLAS = frozenset((np.dtype(np.float32), np.dtype(np.float64)))


def interpolate(x: Array, output_size: Shape, options: InterpolateOptions) -> Array:
    # Nearest cells are taken as they are: no product is faster.
    along = by_taps if options.mode.startswith("nearest") else _along
    return interpolate_by(along, x, output_size, options)


def interpolate_backward(x_shape: Shape, grad: Array, output_size: Shape, options: InterpolateOptions) -> Array:
    return interpolate_backward_by(_along, x_shape, grad, output_size, options)


def _along(x: Array, resize: Resize, rows: Rows, axis: int) -> Array:
    size = x.shape[axis]
    matrix = _matrix(resize, rows, size, x.dtype) if x.dtype in _BLAS else None
    if matrix is None:
        return by_taps(x, resize, rows, axis)
    shape = (*x.shape[:axis], len(matrix), *x.shape[axis + 1 :])
    after = prod(x.shape[axis + 1 :])
    with np.errstate(all="ignore"):
        if after == 1:
            made = xp.matmul(x.reshape(prod(x.shape[:axis]), size), matrix.T)
        else:
            made = matrix @ x.reshape(prod(x.shape[:axis]), size, after)
    # An infinity or a NaN has met the zeros, and has gone where it has no part.
    return made.reshape(shape) if np.isfinite(made).all() else by_taps(x, resize, rows, axis)


@lru_cache(maxsize=256)
def _matrix(resize: Resize, rows: Rows, size: int, dtype: Any) -> Array | None:
    """The weights [out, size] of one way of a dimension, or None where a product does not pay."""
    found = rows(resize)
    if size * len(found) > CELLS_A_TAP * sum(map(len, found)):
        return None
    matrix = np.zeros((len(found), size), dtype)
    for o, row in enumerate(found):
        for cell, weight in row:
            matrix[o, cell] = weight
    return matrix
