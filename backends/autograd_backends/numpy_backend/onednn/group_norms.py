"""Group norm, and with it instance norm, as batch norm: sums over planes, and one pass of oneDNN to the output."""

from __future__ import annotations

import numpy as np

from ...array_types import Array
from ...results import GroupNormBackward, LayerNorm
from ...shapes import check_group_norm
from ..buffers import empty
from .memory import FLOAT32
from .norms import Needs, are_near, scale_and_shift, sums, sums_of_products, through_channels
from .plan import run

__all__ = ["group_norm", "group_norm_backward"]

#: The least magnitude of a scale that is divided by.
LEAST = 1e-15


def group_norm(x: Array, num_groups: int, gamma: Array | None, beta: Array | None, epsilon: float) -> LayerNorm | None:
    """Groups of channels of each sample of x [N, C, ...] with mean 0 and variance 1, times gamma [C], plus beta [C]"""
    gamma_shape, beta_shape = (None if p is None else p.shape for p in (gamma, beta))
    check_group_norm("group_norm", x.shape, num_groups, gamma_shape, beta_shape)
    if x.ndim == 2 or not x.size or not x.flags.c_contiguous:
        return None
    n, channels = x.shape[:2]
    planes, count, by_group = x.reshape(n, channels, -1), x.size // (n * num_groups), (n, num_groups, -1)
    with np.errstate(all="ignore"):  # what is not finite NumPy's kernels do, and speak of
        mean = sums(planes).reshape(by_group).sum(2, keepdims=True) / count
        square = sums_of_products(planes, planes).reshape(by_group).sum(2, keepdims=True) / count
        rstd = 1 / np.sqrt(np.maximum(square - mean * mean, 0) + epsilon)
    if not are_near(mean, rstd):
        return None
    scale = np.broadcast_to(rstd, (n, num_groups, channels // num_groups))
    if gamma is not None:
        scale = scale * gamma.reshape(num_groups, -1)
    shift = -mean * scale
    if beta is not None:
        shift += beta.reshape(num_groups, -1)
    out = empty(x.shape, FLOAT32)
    if not run(scale_and_shift, None, *_rows(n * channels, out, x), *_values(scale, shift)):
        return None
    return LayerNorm(out, mean.astype(FLOAT32), rstd.astype(FLOAT32))


def group_norm_backward(
    x: Array,
    num_groups: int,
    gamma: Array | None,
    mean: Array,
    rstd: Array,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> GroupNormBackward | None:
    """The gradients of x [N, C, ...], gamma [C] and beta [C], from groups' mean and rstd [N, num_groups, 1]"""
    if x.ndim == 2 or not x.size or not x.flags.c_contiguous or output_grad.shape != x.shape:
        return None
    if not are_near(mean, rstd) or (gamma is not None and not np.min(np.abs(gamma)) > LEAST):
        return None
    n, channels = x.shape[:2]
    grad = np.ascontiguousarray(output_grad)
    planes, grads, by_group = x.reshape(n, channels, -1), grad.reshape(n, channels, -1), (n, num_groups, -1)
    mean, rstd = mean.astype(np.float64), rstd.astype(np.float64)
    grad_sum = sums(grads).reshape(by_group)
    normal_sum = (sums_of_products(planes, grads).reshape(by_group) - mean * grad_sum) * rstd
    x_grad = None
    if needs[0]:
        count = x.size // (n * num_groups)
        weight = np.ones((1, channels)) if gamma is None else gamma.astype(np.float64)
        weight = weight.reshape(num_groups, -1)
        of_normal = (normal_sum * weight).sum(2, keepdims=True) / count
        of_mean = (grad_sum * weight).sum(2, keepdims=True) / count
        # rstd (weight grad - of_mean - normal of_normal), all but a factor of each channel divided by that factor
        of_x = -rstd * of_normal / weight
        less = of_mean / weight + mean * of_x
        x_grad = empty(x.shape, FLOAT32)
        to, of, by = _rows(n * channels, x_grad, x, grad)
        of_x, less, scale = _values(of_x, less, rstd * weight)
        if not run(through_channels, None, to, of, of_x, by, less, scale):
            return None
    return GroupNormBackward(
        x_grad,
        normal_sum.reshape(n, channels).sum(0).astype(FLOAT32) if needs[1] else None,
        grad_sum.reshape(n, channels).sum(0).astype(FLOAT32) if needs[2] else None,
    )


def _rows(count: int, *arrays: Array) -> list[Array]:
    return [x.reshape(1, count, -1) for x in arrays]


def _values(*values: Array) -> list[Array]:
    """One for each plane."""
    return [v.astype(FLOAT32).reshape(1, -1, 1) for v in values]
