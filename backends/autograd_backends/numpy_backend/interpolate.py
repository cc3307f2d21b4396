"""Resizing on NumPy: each dimension is a product with the matrix of its weights.

Most of the matrix is zeros, but up to some hundred cells BLAS multiplies by them faster than anything passes them over.
An infinity or a NaN meets the zeros too, and goes where it has no part. It would show at one end as at the other, so
one look at whichever array is smaller, what is resized or the result, tells whether to do all of it again without.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ..array_types import Array, Shape
from ..module_ops.interpolate import Along, Rows, by_taps, interpolate_backward_by, interpolate_by
from ..options import InterpolateOptions
from ..resampling import Resize, taps
from . import namespace as xp

__all__ = ["interpolate", "interpolate_backward", "is_tame"]

#: A matrix pays if there is one tap for at most this many cells.
CELLS_A_TAP = 64

#: How far below the largest number of a dtype any number is that sums of a few of its like do not overflow.
MARGIN = 2.0**20

#: dtypes that BLAS multiplies.
_BLAS = frozenset((np.dtype(np.float32), np.dtype(np.float64)))


def interpolate(x: Array, output_size: Shape, options: InterpolateOptions) -> Array:
    # Nearest cells are taken as they are: no product is faster.
    if options.mode.startswith("nearest"):
        return interpolate_by(_repeated, x, output_size, options)
    return _careful(x, lambda along: interpolate_by(along, x, output_size, options))


def interpolate_backward(x_shape: Shape, grad: Array, output_size: Shape, options: InterpolateOptions) -> Array:
    return _careful(grad, lambda along: interpolate_backward_by(along, x_shape, grad, output_size, options))


def _careful(x: Array, resized: Callable[[Along], Array]) -> Array:
    """What `resized` makes of `x` by products, or where that is not to be trusted by taps."""
    if x.dtype not in _BLAS:
        return resized(by_taps)
    with np.errstate(all="ignore"):
        out = resized(_along)
    return out if is_tame(min(x, out, key=np.size)) else resized(by_taps)


def is_tame(x: Array) -> bool:
    """Whether no element is infinite, NaN, or near to the largest number there is."""
    bound = np.finfo(x.dtype).max / MARGIN
    return not x.size or bool(np.minimum.reduce(x, None) > -bound and np.maximum.reduce(x, None) < bound)


def _along(x: Array, resize: Resize, rows: Rows, axis: int) -> Array:
    """Dimension `axis` of x made anew by a product, where that pays."""
    size = x.shape[axis]
    matrix = _matrix(resize, rows, size, x.dtype)
    if matrix is None:
        return by_taps(x, resize, rows, axis)
    shape = (*x.shape[:axis], len(matrix), *x.shape[axis + 1 :])
    after = prod(x.shape[axis + 1 :])
    if after == 1:
        return xp.matmul(x.reshape(prod(x.shape[:axis]), size), matrix.T).reshape(shape)
    return xp.matmul(matrix, x.reshape(prod(x.shape[:axis]), size, after)).reshape(shape)


def _repeated(x: Array, resize: Resize, rows: Rows, axis: int) -> Array:
    """Each cell several times, if it is always as often."""
    times, rest = divmod(resize.out, resize.size)
    if rest or resize.scale is not None or rows is not taps:
        return by_taps(x, resize, rows, axis)
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    out = np.empty((*before, resize.size, times, *after), x.dtype)
    for k in range(times):
        out[(slice(None),) * (axis + 1) + (k,)] = x
    return out.reshape(*before, resize.out, *after)


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
