"""The loss of classes on NumPy: in few calls, in blocks of rows that stay in the processor's cache."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from ..array_types import Array
from ..base import Backend
from .blocks import blocks

__all__ = ["cross_entropy", "cross_entropy_backward"]

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
    top = np.maximum.reduce(x, 1, None, None, True)
    total = np.empty_like(top)
    loss = 0.0
    with np.errstate(invalid="ignore"):
        for part in blocks(rows, classes):
            powers = x[part] - top[part]
            picked = powers[_numbers(len(powers)), at[part]]
            np.exp(powers, out=powers)
            sums = np.add.reduce(powers, 1, None, total[part], True)
            losses = np.log(sums[:, 0])
            losses -= picked
            loss += np.add.reduce(losses)
    factor = _factor(rows if mean else 1, x.dtype)
    return np.asarray(loss / rows if mean else loss, x.dtype), at, factor, top, total


def cross_entropy_backward(x: Array, output_grad: Array, at: Array, factor: Array, top: Array, total: Array) -> Array:
    """As the default, in place."""
    if x.dtype == np.float16:
        return Backend.cross_entropy_backward(x, output_grad, at, factor, top, total)
    out = np.empty(x.shape, x.dtype)
    scale = output_grad * factor
    one = scale.size == 1
    with np.errstate(invalid="ignore"):
        for part in blocks(*x.shape):
            powers = np.subtract(x[part], top[part], out[part])
            np.exp(powers, powers)
            powers /= total[part]
            powers[_numbers(len(powers)), at[part]] -= 1
            powers *= scale if one else scale[part]
    return out


@lru_cache(maxsize=16)
def _numbers(count: int) -> Array:
    return np.arange(count)


@lru_cache(maxsize=16)
def _factor(count: int, dtype: Any) -> Array:
    return np.full((1, 1), 1.0 / count, dtype)
