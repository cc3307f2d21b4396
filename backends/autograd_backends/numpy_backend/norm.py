"""Batch, layer and group norm in cache-sized blocks and without temporaries.

As in the defaults, what the mean missed is seen in the mean of the differences.
"""

from __future__ import annotations

import numpy as np

from ..array_types import Array
from ..base import Backend
from ..module_ops.norm import (
    BatchNormTrain,
    BatchNormTrainBackward,
    GroupNormBackward,
    LayerNorm,
    LayerNormBackward,
    Needs,
)
from ..shapes import check_batch_norm, check_layer_norm
from .blocks import SMALL, blocks

__all__ = [
    "batch_norm_train",
    "batch_norm_train_backward",
    "group_norm_backward",
    "layer_norm",
    "layer_norm_backward",
]


def batch_norm_train(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> BatchNormTrain:
    if x.ndim == 2 or x.size < SMALL:
        return Backend.batch_norm_train(x, gamma, beta, epsilon)
    check_batch_norm(
        "batch_norm_train",
        x.shape,
        None if gamma is None else gamma.shape,
        None if beta is None else beta.shape,
        True,
    )
    planes = _planes(x)
    count = planes.shape[0] * planes.shape[2]
    channels = planes.shape[1]
    dtype = _accumulator(x)
    out = np.empty(planes.shape, x.dtype)
    same = x.dtype == dtype  # then the result is worked on where it belongs
    mean, variance = np.empty(channels, dtype), np.empty(channels, dtype)
    for part in blocks(channels, count):
        block = planes[:, part].astype(dtype, copy=False)
        mean[part] = np.add.reduce(np.add.reduce(block, 2), 0) / count
        target = out[:, part]
        centred = np.subtract(block, mean[part, None], out=target if same else None)
        missed = np.add.reduce(np.add.reduce(centred, 2), 0) / count
        square = np.add.reduce(np.vecdot(centred, centred), 0) / count
        mean[part] += missed
        variance[part] = np.maximum(square - missed * missed, 0)
        scale = 1 / np.sqrt(variance[part] + epsilon)
        if gamma is not None:
            scale *= gamma[part]
        shift = -missed * scale if beta is None else beta[part] - missed * scale
        centred *= scale[:, None]
        np.add(centred, shift[:, None], out=target, casting="same_kind")
    return BatchNormTrain(_unplanes(out, x), mean, variance)


def batch_norm_train_backward(
    x: Array,
    gamma: Array | None,
    mean: Array,
    variance: Array,
    epsilon: float,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> BatchNormTrainBackward:
    if x.ndim == 2 or x.size < SMALL:
        return Backend.batch_norm_train_backward(x, gamma, mean, variance, epsilon, output_grad, needs)
    planes = _planes(x)
    grads = _planes_like(output_grad, x)
    count = planes.shape[0] * planes.shape[2]
    channels = planes.shape[1]
    dtype = _accumulator(x)
    x_grad = np.empty(planes.shape, x.dtype) if needs[0] else None
    grad_sum, normal_sum = np.empty(channels, dtype), np.empty(channels, dtype)
    rstd = 1 / np.sqrt(variance + epsilon)
    scale = rstd if gamma is None else rstd * gamma
    for part in blocks(channels, count):
        grad = grads[:, part].astype(dtype, copy=False)
        centred = planes[:, part] - mean[part, None]
        grad_sum[part] = np.add.reduce(np.add.reduce(grad, 2), 0)
        normal_sum[part] = np.add.reduce(np.vecdot(grad, centred), 0) * rstd[part]
        if x_grad is not None:
            centred *= (-rstd[part] * normal_sum[part] / count)[:, None]
            centred += grad
            centred -= (grad_sum[part] / count)[:, None]
            np.multiply(centred, scale[part, None], out=x_grad[:, part], casting="same_kind")
    gamma_dtype = x.dtype if gamma is None else gamma.dtype
    return BatchNormTrainBackward(
        None if x_grad is None else _unplanes(x_grad, x),
        normal_sum.astype(gamma_dtype, copy=False) if needs[1] else None,
        grad_sum.astype(gamma_dtype, copy=False) if needs[2] else None,
    )


def layer_norm(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> LayerNorm:
    if x.size < SMALL:
        return Backend.layer_norm(x, gamma, beta, epsilon)
    check_layer_norm(
        "layer_norm", x.shape, None if gamma is None else gamma.shape, None if beta is None else beta.shape
    )
    width = x.shape[-1]
    rows = x.reshape(_row_count(x), width)
    dtype = _accumulator(x)
    out = np.empty(rows.shape, x.dtype)
    ones = np.ones(width, dtype)  # a product with which adds up faster than a reduction
    precision = np.finfo(dtype).eps
    same = x.dtype == dtype  # then the result is worked on where it belongs
    mean, rstd = np.empty((len(rows), 1), dtype), np.empty((len(rows), 1), dtype)
    for part in blocks(len(rows), width):
        block = rows[part].astype(dtype, copy=False)
        mean[part, 0] = (block @ ones) / width
        centred = np.subtract(block, mean[part], out=out[part] if same else None)
        missed = (centred @ ones) / width
        mean[part, 0] += missed
        variance = np.maximum(np.vecdot(centred, centred) / width - missed * missed, 0)
        if (np.abs(missed) > precision * np.sqrt(variance)).any():  # else no digit of the result changes
            centred -= missed[:, None]
            variance = np.vecdot(centred, centred) / width
        rstd[part, 0] = 1 / np.sqrt(variance + epsilon)
        centred *= rstd[part]
        if gamma is not None:
            centred *= gamma
        if beta is not None:
            centred += beta
        if not same:
            out[part] = centred
    lead = (*x.shape[:-1], 1)
    return LayerNorm(out.reshape(x.shape), mean.reshape(lead), rstd.reshape(lead))


def layer_norm_backward(
    x: Array,
    gamma: Array | None,
    mean: Array,
    rstd: Array,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> LayerNormBackward:
    if x.size < SMALL:
        return Backend.layer_norm_backward(x, gamma, mean, rstd, output_grad, needs)
    width = x.shape[-1]
    count = _row_count(x)
    rows, grads = x.reshape(count, width), output_grad.reshape(count, width)
    means, rstds = mean.reshape(count, 1), rstd.reshape(count, 1)
    dtype = _accumulator(x)
    x_grad = np.empty(rows.shape, x.dtype) if needs[0] else None
    gamma_grad = np.zeros(width, dtype) if needs[1] else None
    beta_grad = np.zeros(width, dtype) if needs[2] else None
    ones, across = np.ones(count, dtype), np.ones(width, dtype)  # products with which add up faster than reductions
    for part in blocks(count, width):
        grad = grads[part].astype(dtype, copy=False)
        normal = rows[part] - means[part]
        normal *= rstds[part]
        if gamma_grad is not None:
            gamma_grad += np.einsum("rd,rd->d", grad, normal)
        if beta_grad is not None:
            beta_grad += ones[: len(grad)] @ grad
        if x_grad is not None:
            scaled = grad * (1 if gamma is None else gamma)
            normal *= (np.vecdot(scaled, normal) / width)[:, None]
            scaled -= (scaled @ across / width)[:, None]
            scaled -= normal
            np.multiply(scaled, rstds[part], out=x_grad[part], casting="same_kind")
    gamma_dtype = x.dtype if gamma is None else gamma.dtype
    return LayerNormBackward(
        None if x_grad is None else x_grad.reshape(x.shape),
        None if gamma_grad is None else gamma_grad.astype(gamma_dtype, copy=False),
        None if beta_grad is None else beta_grad.astype(gamma_dtype, copy=False),
    )


def group_norm_backward(
    x: Array,
    num_groups: int,
    gamma: Array | None,
    mean: Array,
    rstd: Array,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> GroupNormBackward:
    if x.ndim == 2 or x.size < SMALL:
        return Backend.group_norm_backward(x, num_groups, gamma, mean, rstd, output_grad, needs)
    n, channels = x.shape[:2]
    count, size = n * num_groups, channels // num_groups
    groups, grads = x.reshape(count, size, -1), output_grad.reshape(count, size, -1)
    means, rstds = mean.reshape(count, 1, 1), rstd.reshape(count, 1, 1)
    dtype = _accumulator(x)
    scales = np.broadcast_to(
        dtype.type(1) if gamma is None else gamma.reshape(1, num_groups, size), (n, num_groups, size)
    )
    scales = scales.reshape(count, size, 1).astype(dtype, copy=False)
    width = size * groups.shape[2]
    x_grad = np.empty(groups.shape, x.dtype) if needs[0] else None
    grad_sums, normal_sums = np.empty((count, size), dtype), np.empty((count, size), dtype)
    for part in blocks(count, width):
        grad = grads[part].astype(dtype, copy=False)
        normal = groups[part] - means[part]
        normal *= rstds[part]
        grad_sums[part] = np.add.reduce(grad, 2)
        normal_sums[part] = np.vecdot(grad, normal)
        if x_grad is not None:
            scale = scales[part]
            normal *= np.add.reduce(normal_sums[part, :, None] * scale, 1, keepdims=True) / width
            normal += np.add.reduce(grad_sums[part, :, None] * scale, 1, keepdims=True) / width
            scaled = grad * scale
            scaled -= normal
            scaled *= rstds[part]
            x_grad[part] = scaled
    gamma_dtype = x.dtype if gamma is None else gamma.dtype
    return GroupNormBackward(
        None if x_grad is None else x_grad.reshape(x.shape),
        np.add.reduce(normal_sums.reshape(n, channels), 0).astype(gamma_dtype, copy=False) if needs[1] else None,
        np.add.reduce(grad_sums.reshape(n, channels), 0).astype(gamma_dtype, copy=False) if needs[2] else None,
    )


def _accumulator(x: Array) -> np.dtype[np.floating]:
    return np.dtype(np.float32) if x.dtype == np.float16 else x.dtype


def _row_count(x: Array) -> int:
    return int(np.prod(x.shape[:-1]))


def _batch_last(x: Array) -> bool:
    """Whether the memory of x [N, C, ...] is ordered [C, ..., N], as convolutions leave it."""
    return not x.flags.c_contiguous and x.transpose(*range(1, x.ndim), 0).flags.c_contiguous


def _planes(x: Array) -> Array:
    """x [N, C, ...] -> [N, C, positions], or [1, C, positions * N] where that is the order in memory."""
    return _planes_like(x, x)


def _planes_like(x: Array, model: Array) -> Array:
    """`x` in the order that `_planes` gives `model`, which has the same shape."""
    n, c = x.shape[:2]
    positions = int(np.prod(x.shape[2:]))
    if _batch_last(model):
        return x.transpose(*range(1, x.ndim), 0).reshape(1, c, positions * n)
    return x.reshape(n, c, positions)


def _unplanes(planes: Array, model: Array) -> Array:
    """The inverse of `_planes_like`."""
    shape = model.shape
    if _batch_last(model):
        return planes.reshape(*shape[1:], shape[0]).transpose(len(shape) - 1, *range(len(shape) - 1))
    return planes.reshape(shape)
