"""Windows along a dimension, without a copy."""

from __future__ import annotations

import numpy as np

from ..array_types import Array
from ..shapes.unfold import unfold_output_shape

__all__ = ["unfold"]


def unfold(x: Array, dim: int, size: int, step: int) -> Array:
    """The windows of `size` cells along dimension `dim` of x, `step` apart, as a new last dimension: a view."""
    shape = unfold_output_shape(x.shape, dim, size, step)
    axis = dim % x.ndim
    strides = (*x.strides[:axis], x.strides[axis] * step, *x.strides[axis + 1 :], x.strides[axis])
    return np.lib.stride_tricks.as_strided(x, shape, strides)
