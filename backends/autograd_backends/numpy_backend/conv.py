"""The gradient of a convolution's bias on NumPy: a product with ones adds up short rows in a third of the time."""

from __future__ import annotations

from math import prod

import numpy as np

from ..array_types import Array
from ..base import Backend
from .linear import BLAS, MANY, ones

__all__ = ["conv_bias_backward"]

#: Up to this many numbers a product with ones adds up about as exactly as a reduction.
SHORT = 1024


def conv_bias_backward(output_grad: Array) -> Array:
    """output_grad [N, C, ...] summed over batch and positions -> the gradient of bias [C]"""
    n, channels, *sides = output_grad.shape
    cells = prod(sides)
    fits = 0 < cells <= SHORT and 0 < channels * cells < MANY
    if not fits or output_grad.dtype not in BLAS or not output_grad.flags.c_contiguous:
        return Backend.conv2d_bias_backward(output_grad)
    total, at_once = np.zeros(channels, output_grad.dtype), MANY // (channels * cells)
    for at in range(0, n, at_once):
        rows = output_grad[at : at + at_once].reshape(-1, cells)
        total += np.add.reduce(rows.dot(ones(cells, rows.dtype)).reshape(-1, channels), 0)
    return total
