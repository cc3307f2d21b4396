"""The gradient of a table on NumPy: rows that belong together are brought together, and added up in one call."""

from __future__ import annotations

from math import prod

import numpy as np

from ..array_types import Array, Shape
from ..base import Backend
from .blocks import SMALL

__all__ = ["embedding_backward"]


def embedding_backward(weights_shape: Shape, output_grad: Array, indices: Array) -> Array:
    """As the default."""
    if output_grad.size < 2 * SMALL or output_grad.dtype == np.float16:
        return Backend.embedding_backward(weights_shape, output_grad, indices)
    named = indices.reshape(-1)
    rows = output_grad.reshape(prod(indices.shape), weights_shape[1])
    out = np.zeros(weights_shape, output_grad.dtype)
    order = np.argsort(named, kind="stable")
    named = named[order]
    first = np.flatnonzero(np.diff(named, prepend=-1))
    out[named[first]] = np.add.reduceat(rows[order], first, 0)
    return out
