"""softmax and its logarithm along the last axis, in cache-sized blocks and in place."""

from __future__ import annotations

import numpy as np

from ..array_types import Array
from ..base import Backend
from .blocks import SMALL, blocks

__all__ = ["log_softmax", "log_softmax_backward", "softmax", "softmax_backward"]


def softmax(x: Array, axis: int) -> Array:
    if not _in_blocks(x, axis):
        with np.errstate(invalid="ignore"):
            return Backend.softmax(x, axis)
    out, rows = _rows(x)
    with np.errstate(invalid="ignore"):
        for part in blocks(*rows.shape):
            powers = _shifted(rows[part])
            np.exp(powers, out=powers)
            powers /= np.add.reduce(powers, 1, keepdims=True)
            out[part] = powers
    return out.reshape(x.shape)


def log_softmax(x: Array, axis: int) -> Array:
    if not _in_blocks(x, axis):
        with np.errstate(invalid="ignore"):
            return Backend.log_softmax(x, axis)
    out, rows = _rows(x)
    with np.errstate(invalid="ignore"):
        for part in blocks(*rows.shape):
            shifted = _shifted(rows[part])
            shifted -= np.log(np.add.reduce(np.exp(shifted), 1, keepdims=True))
            out[part] = shifted
    return out.reshape(x.shape)


def softmax_backward(output: Array, output_grad: Array, axis: int) -> Array:
    if not _in_blocks(output, axis) or output.dtype == np.float16:
        return Backend.softmax_backward(output, output_grad, axis)
    x_grad, rows = _rows(output)
    grads = output_grad.reshape(rows.shape)
    for part in blocks(*rows.shape):
        x_grad[part] = grads[part] - np.vecdot(grads[part], rows[part])[:, None]
        x_grad[part] *= rows[part]
    return x_grad.reshape(output.shape)


def log_softmax_backward(output: Array, output_grad: Array, axis: int) -> Array:
    if not _in_blocks(output, axis) or output.dtype == np.float16:
        return Backend.log_softmax_backward(output, output_grad, axis)
    x_grad, rows = _rows(output)
    grads = output_grad.reshape(rows.shape)
    for part in blocks(*rows.shape):
        powers = np.exp(rows[part])
        powers *= np.add.reduce(grads[part], 1, keepdims=True)
        np.subtract(grads[part], powers, out=x_grad[part])
    return x_grad.reshape(output.shape)


def _in_blocks(x: Array, axis: int) -> bool:
    """Whether `x` is large, and `axis` its last, along which it can be cut into blocks of rows."""
    return x.size >= SMALL and axis in (-1, x.ndim - 1)


def _rows(x: Array) -> tuple[Array, Array]:
    """An empty result and `x`, both as rows."""
    rows = x.reshape(-1, x.shape[-1])
    return np.empty(rows.shape, x.dtype), rows


def _shifted(block: Array) -> Array:
    wide = block.astype(np.float32) if block.dtype == np.float16 else block
    shifted: Array = wide - np.maximum.reduce(wide, 1, keepdims=True)
    return shifted
