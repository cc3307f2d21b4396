"""The gradient of a table on NumPy: rows that belong together are brought together, and added up in one call."""

from __future__ import annotations

from math import prod

import numpy as np

from ..array_types import Array, Shape
from ..base import Backend
from ..lookup import kernels
from .blocks import SMALL
from .linear import BLAS

__all__ = ["embedding_backward"]

#: Up to this many rows of a table, a product with a matrix of ones and zeros is faster than to sort the indices.
FEW = 128


def embedding_backward(weights_shape: Shape, output_grad: Array, indices: Array) -> Array:
    """As the default."""
    if output_grad.dtype == np.float16:
        return Backend.embedding_backward(weights_shape, output_grad, indices)
    named = indices.reshape(-1).astype(np.int64, copy=False)
    rows = output_grad.reshape(prod(indices.shape), weights_shape[1])
    out = np.zeros(weights_shape, output_grad.dtype)
    if 0 < named.size <= weights_shape[0] and np.bincount(named).max() == 1:
        out[named] = rows
        return out
    if output_grad.size < 2 * SMALL:
        return Backend.embedding_backward(weights_shape, output_grad, indices)
    if weights_shape[0] <= FEW and output_grad.dtype in BLAS:
        chosen = np.zeros((named.size, weights_shape[0]), output_grad.dtype)
        chosen[np.arange(named.size), named] = 1
        with np.errstate(invalid="ignore"):
            total: Array = kernels(chosen).linear_weight_backward(chosen, rows)
        if np.isfinite(total).all():  # else an infinity was multiplied by 0
            return total
    order = np.argsort(named, kind="stable")
    named = named[order]
    first = np.flatnonzero(np.diff(named, prepend=-1))
    out[named[first]] = np.add.reduceat(rows[order], first, 0)
    return out
