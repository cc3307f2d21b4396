"""The loss of classes on NumPy: in few calls, in blocks of rows that stay in the processor's cache."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from ..array_types import Array
from ..base import Backend
from .blocks import SMALL, blocks

__all__ = ["cross_entropy", "cross_entropy_backward"]

#: Up to this many classes a product with ones adds up faster than a reduction, and as exactly.
FEW = 256

#: Rows of up to this many elements are turned round, to be compared with each other.
SHORT = 32

#: NumPy's type stubs know only some of the ways to call its functions.
np: Any = numpy


def cross_entropy(x: Array, target: Array, ignore_index: int, mean: bool) -> tuple[Array, Array, Array, Array, Array]:
    """As the default, where every row counts; that is seen in the same look that sees whether all are classes."""
    rows, classes = x.shape
    at = target.astype(np.int64, copy=False)
    # A negative number is a very large one without its sign.
    if x.dtype == np.float16 or 0 <= ignore_index < classes or np.maximum.reduce(at.view(np.uint64), None) >= classes:
        with np.errstate(invalid="ignore"):
            return Backend.cross_entropy(x, target, ignore_index, mean)
    with np.errstate(invalid="ignore"):
        top = _tops(x)
        if x.size < SMALL:
            loss, total = _rows(x, top, at)
        else:
            total = np.empty_like(top)
            loss = 0.0
            for part in blocks(rows, classes):
                found, total[part] = _rows(x[part], top[part], at[part])
                loss += found
    return np.asarray(loss / rows if mean else loss, x.dtype), at, _factor(rows if mean else 1, x.dtype), top, total


def _tops(x: Array) -> Array:
    """The largest element of each row of `x`, as a column. NumPy compares whole rows at once, but not along them."""
    if 0 < x.shape[1] <= SHORT:
        return np.maximum.reduce(np.ascontiguousarray(x.T), 0)[:, None]
    return np.maximum.reduce(x, 1, None, None, True)


def _rows(x: Array, top: Array, at: Array) -> tuple[Any, Array]:
    """The sum of the losses of the rows of `x`, and of each row the sum of the exponentials."""
    rows, classes = x.shape
    powers = x - top
    picked = powers.take(_starts(rows, classes) + at)
    np.exp(powers, powers)
    total = powers.dot(_ones(classes, x.dtype)) if classes <= FEW else np.add.reduce(powers, 1)
    losses = np.log(total)
    losses -= picked
    return np.add.reduce(losses), total[:, None]


def cross_entropy_backward(x: Array, output_grad: Array, at: Array, factor: Array, top: Array, total: Array) -> Array:
    """As the default, in place."""
    if x.dtype == np.float16:
        return Backend.cross_entropy_backward(x, output_grad, at, factor, top, total)
    scale = output_grad * factor
    out = np.empty(x.shape, x.dtype)
    with np.errstate(invalid="ignore"):
        if x.size < SMALL:
            _gradient(x, at, top, total, scale, out)
        else:
            for part in blocks(*x.shape):
                share = scale if scale.size == 1 else scale[part]
                _gradient(x[part], at[part], top[part], total[part], share, out[part])
    if factor.size > 1 or not factor[0, 0]:
        out[factor[:, 0] == 0] = 0  # what is ignored stops NaN too
    return out


def _gradient(x: Array, at: Array, top: Array, total: Array, scale: Array, out: Array) -> None:
    """Write the gradient of rows to `out`, which is contiguous."""
    powers = np.subtract(x, top, out)
    np.exp(powers, powers)
    powers *= scale / total
    powers.reshape(-1)[_starts(*x.shape) + at] -= scale[:, 0]


@lru_cache(maxsize=16)
def _starts(rows: int, classes: int) -> Array:
    return np.arange(0, rows * classes, classes)


@lru_cache(maxsize=16)
def _ones(count: int, dtype: Any) -> Array:
    return np.ones(count, dtype)


@lru_cache(maxsize=16)
def _factor(count: int, dtype: Any) -> Array:
    return np.full((1, 1), 1.0 / count, dtype)
