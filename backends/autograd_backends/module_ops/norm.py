"""Batch, layer, group and RMS norm: statistics from centred values, in float32 for half precision.

With h = (x - mean) / sqrt(variance + epsilon), and d = gamma * output_grad, all have the gradient
``x_grad = (d - mean(d) - h * mean(d * h)) / sqrt(variance + epsilon)``, where the means go over what was
normalised (Ioffe and Szegedy, "Batch Normalization", 2015; Ba, Kiros and Hinton, "Layer Normalization",
2016). Group norm is layer norm of the groups as rows (Wu and He, "Group Normalization", 2018), and RMS norm
is layer norm with 0 in place of the mean, so that mean(d) falls away (Zhang and Sennrich, "Root Mean Square
Layer Normalization", 2019).
"""

from __future__ import annotations

from math import prod

from ..array_types import Array, Namespace
from ..lookup import kernels, namespace
from ..results import (
    BatchNormTrain,
    BatchNormTrainBackward,
    GroupNormBackward,
    LayerNorm,
    LayerNormBackward,
    RmsNorm,
    RmsNormBackward,
)
from ..shapes import check_batch_norm, check_group_norm, check_layer_norm
from .precision import cast, widened

__all__ = [
    "batch_norm_train",
    "batch_norm_train_backward",
    "group_norm",
    "group_norm_backward",
    "layer_norm",
    "layer_norm_backward",
    "rms_norm",
    "rms_norm_backward",
]

#: Which of x, gamma and beta needs a gradient.
Needs = tuple[bool, bool, bool]


# ---------------------------------------------------------------- what they share


def _centred(xp: Namespace, x: Array, axes: tuple[int, ...], count: int) -> tuple[Array, Array]:
    """`x` less its mean over `axes`, of `count` elements, and the mean.

    The sum of many large numbers is not exact, and no float near its mean need be: what the mean missed is seen in
    the mean of the differences.
    """
    mean = xp.sum(x, axis=axes, keepdims=True) / count
    centred = x - mean
    missed = xp.sum(centred, axis=axes, keepdims=True) / count
    return centred - missed, mean + missed


def _x_grad(grad: Array, grad_mean: Array | None, normal: Array, normal_mean: Array, scale: Array) -> Array:
    """The gradient of x, from that of the normalised x and its means alone and with the normalised x."""
    inner = grad if grad_mean is None else grad - grad_mean
    return (inner - normal * normal_mean) * scale


# ---------------------------------------------------------------- batch norm


def batch_norm_train(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> BatchNormTrain:
    """Normalise each channel of x [N, C, ...] by its own mean and variance over batch and positions.

    Parameters
    ----------
    x
        [N, C, ...]; an empty batch has mean and variance 0.
    gamma, beta
        [C], the scale and shift of each channel, or None for 1 and 0.
    epsilon
        Added to the variance.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or a channel has but one value.
    """
    xp = namespace(x)
    check_batch_norm(
        "batch_norm_train",
        x.shape,
        None if gamma is None else gamma.shape,
        None if beta is None else beta.shape,
        True,
    )
    axes, count = _channel_axes(x)
    wide = widened(xp, x)
    centred, mean = _centred(xp, wide, axes, count)
    variance = xp.sum(centred * centred, axis=axes, keepdims=True) / count
    scale = 1 / xp.sqrt(variance + epsilon)
    if gamma is not None:
        scale = scale * _per_channel(xp, cast(xp, gamma, wide.dtype), x.ndim)
    out = centred * scale
    if beta is not None:
        out += _per_channel(xp, cast(xp, beta, wide.dtype), x.ndim)
    channels = (x.shape[1],)
    return BatchNormTrain(cast(xp, out, x.dtype), xp.reshape(mean, channels), xp.reshape(variance, channels))


def batch_norm_train_backward(
    x: Array,
    gamma: Array | None,
    mean: Array,
    variance: Array,
    epsilon: float,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> BatchNormTrainBackward:
    """The gradients of ``batch_norm_train``, through the statistics too.

    Parameters
    ----------
    x, output_grad
        [N, C, ...]
    gamma
        [C] or None.
    mean, variance
        [C], as ``batch_norm_train`` gave them.
    epsilon
        Added to the variance.
    needs
        Which of x, gamma and beta needs a gradient.
    """
    xp = namespace(x)
    axes, count = _channel_axes(x)
    grad = widened(xp, output_grad)
    rstd = _per_channel(xp, 1 / xp.sqrt(variance + epsilon), x.ndim)
    normal = (widened(xp, x) - _per_channel(xp, mean, x.ndim)) * rstd
    grad_sum = xp.sum(grad, axis=axes, keepdims=True)
    normal_sum = xp.sum(grad * normal, axis=axes, keepdims=True)
    x_grad = None
    if needs[0]:
        scale = rstd if gamma is None else rstd * _per_channel(xp, widened(xp, gamma), x.ndim)
        x_grad = cast(xp, _x_grad(grad, grad_sum / count, normal, normal_sum / count, scale), x.dtype)
    dtype = x.dtype if gamma is None else gamma.dtype
    channels = (x.shape[1],)
    return BatchNormTrainBackward(
        x_grad,
        cast(xp, xp.reshape(normal_sum, channels), dtype) if needs[1] else None,
        cast(xp, xp.reshape(grad_sum, channels), dtype) if needs[2] else None,
    )


def _channel_axes(x: Array) -> tuple[tuple[int, ...], int]:
    """The axes that a channel's statistics go over, and how many values it has (1 where there is none)."""
    axes = (0, *range(2, x.ndim))
    return axes, max(1, prod(x.shape[axis] for axis in axes))


def _per_channel(xp: Namespace, values: Array, rank: int) -> Array:
    """[C] -> [C, 1, ...], beside the channels of an array of `rank` dimensions"""
    return xp.reshape(values, (-1,) + (1,) * (rank - 2))


# ---------------------------------------------------------------- layer norm


def layer_norm(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> LayerNorm:
    """Normalise the last dimension of x [..., d] by its mean and biased variance.

    Parameters
    ----------
    x
        [..., d]
    gamma, beta
        [d], scale and shift, or None for 1 and 0.
    epsilon
        Added to the variance, inside the root.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    xp = namespace(x)
    check_layer_norm(
        "layer_norm", x.shape, None if gamma is None else gamma.shape, None if beta is None else beta.shape
    )
    wide = widened(xp, x)
    count = max(1, x.shape[-1])
    centred, mean = _centred(xp, wide, (-1,), count)
    variance = xp.sum(centred * centred, axis=-1, keepdims=True) / count
    rstd = 1 / xp.sqrt(variance + epsilon)
    out = centred * rstd
    if gamma is not None:
        out *= cast(xp, gamma, wide.dtype)
    if beta is not None:
        out += cast(xp, beta, wide.dtype)
    return LayerNorm(cast(xp, out, x.dtype), mean, rstd)


def layer_norm_backward(
    x: Array,
    gamma: Array | None,
    mean: Array,
    rstd: Array,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> LayerNormBackward:
    """The gradients of ``layer_norm``, through the statistics too.

    Parameters
    ----------
    x, output_grad
        [..., d]
    gamma
        [d] or None.
    mean, rstd
        [..., 1], as ``layer_norm`` gave them.
    needs
        Which of x, gamma and beta needs a gradient.
    """
    xp = namespace(x)
    rows = tuple(range(x.ndim - 1))
    count = max(1, x.shape[-1])
    grad = widened(xp, output_grad)
    normal = (widened(xp, x) - mean) * rstd
    x_grad = None
    if needs[0]:
        scaled = grad if gamma is None else grad * widened(xp, gamma)
        grad_mean = xp.sum(scaled, axis=-1, keepdims=True) / count
        normal_mean = xp.sum(scaled * normal, axis=-1, keepdims=True) / count
        x_grad = cast(xp, _x_grad(scaled, grad_mean, normal, normal_mean, rstd), x.dtype)
    dtype = x.dtype if gamma is None else gamma.dtype
    return LayerNormBackward(
        x_grad,
        cast(xp, xp.sum(grad * normal, axis=rows), dtype) if needs[1] else None,
        cast(xp, xp.sum(grad, axis=rows), dtype) if needs[2] else None,
    )


# ---------------------------------------------------------------- group norm


def group_norm(x: Array, num_groups: int, gamma: Array | None, beta: Array | None, epsilon: float) -> LayerNorm:
    """Normalise each of `num_groups` groups of channels of each sample of x [N, C, ...] over channels and positions.

    Parameters
    ----------
    x
        [N, C, ...]
    num_groups
        Divides C.
    gamma, beta
        [C], the scale and shift of each channel, or None for 1 and 0.
    epsilon
        Added to the biased variance, inside the root.

    Returns
    -------
    LayerNorm
        The output [N, C, ...], and the mean and 1 / sqrt(variance + epsilon) of each group, both [N, num_groups, 1].

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    xp = namespace(x)
    check_group_norm(
        "group_norm", x.shape, num_groups, None if gamma is None else gamma.shape, None if beta is None else beta.shape
    )
    rows, mean, rstd = kernels(x).layer_norm(_groups(xp, widened(xp, x), num_groups), None, None, epsilon)
    out = xp.reshape(rows, x.shape)
    if gamma is not None:
        out *= _per_channel(xp, cast(xp, gamma, out.dtype), x.ndim)
    if beta is not None:
        out += _per_channel(xp, cast(xp, beta, out.dtype), x.ndim)
    return LayerNorm(cast(xp, out, x.dtype), mean, rstd)


def group_norm_backward(
    x: Array,
    num_groups: int,
    gamma: Array | None,
    mean: Array,
    rstd: Array,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> GroupNormBackward:
    """The gradients of ``group_norm``, through the statistics too.

    Parameters
    ----------
    x, output_grad
        [N, C, ...]
    num_groups
        Divides C.
    gamma
        [C] or None.
    mean, rstd
        [N, num_groups, 1], as ``group_norm`` gave them.
    needs
        Which of x, gamma and beta needs a gradient.
    """
    xp = namespace(x)
    axes, _ = _channel_axes(x)
    grad = widened(xp, output_grad)
    rows = _groups(xp, widened(xp, x), num_groups)
    x_grad = gamma_grad = beta_grad = None
    dtype = x.dtype if gamma is None else gamma.dtype
    if needs[0]:
        scaled = grad if gamma is None else grad * _per_channel(xp, widened(xp, gamma), x.ndim)
        only_x = (True, False, False)
        found = kernels(x).layer_norm_backward(rows, None, mean, rstd, _groups(xp, scaled, num_groups), only_x)
        x_grad = cast(xp, xp.reshape(found.x_grad, x.shape), x.dtype)
    if needs[1]:
        normal = xp.reshape((rows - mean) * rstd, x.shape)
        gamma_grad = cast(xp, xp.sum(grad * normal, axis=axes), dtype)
    if needs[2]:
        beta_grad = cast(xp, xp.sum(grad, axis=axes), dtype)
    return GroupNormBackward(x_grad, gamma_grad, beta_grad)


def _groups(xp: Namespace, x: Array, num_groups: int) -> Array:
    """x [N, C, ...] -> [N, num_groups, all else]"""
    batch, *rest = x.shape
    return xp.reshape(x, (batch, num_groups, prod(rest) // num_groups))


# ---------------------------------------------------------------- RMS norm


def rms_norm(x: Array, gamma: Array | None, epsilon: float) -> RmsNorm:
    """Divide each row along the last dimension of x [..., d] by the root of its mean square.

    Parameters
    ----------
    x
        [..., d]
    gamma
        [d], a scale, or None for 1.
    epsilon
        Added to the mean square, inside the root.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    xp = namespace(x)
    check_layer_norm("rms_norm", x.shape, None if gamma is None else gamma.shape, None)
    wide = widened(xp, x)
    square = xp.sum(wide * wide, axis=-1, keepdims=True) / max(1, x.shape[-1])
    rstd = 1 / xp.sqrt(square + epsilon)
    out = wide * rstd
    if gamma is not None:
        out *= cast(xp, gamma, wide.dtype)
    return RmsNorm(cast(xp, out, x.dtype), rstd)


def rms_norm_backward(
    x: Array, gamma: Array | None, rstd: Array, output_grad: Array, needs: tuple[bool, bool] = (True, True)
) -> RmsNormBackward:
    """The gradients of ``rms_norm``, through the mean square too.

    Parameters
    ----------
    x, output_grad
        [..., d]
    gamma
        [d] or None.
    rstd
        [..., 1], as ``rms_norm`` gave it.
    needs
        Which of x and gamma needs a gradient.
    """
    xp = namespace(x)
    grad = widened(xp, output_grad)
    normal = widened(xp, x) * rstd
    x_grad = gamma_grad = None
    if needs[0]:
        scaled = grad if gamma is None else grad * widened(xp, gamma)
        normal_mean = xp.sum(scaled * normal, axis=-1, keepdims=True) / max(1, x.shape[-1])
        x_grad = cast(xp, _x_grad(scaled, None, normal, normal_mean, rstd), x.dtype)
    if needs[1]:
        rows = tuple(range(x.ndim - 1))
        gamma_grad = cast(xp, xp.sum(grad * normal, axis=rows), x.dtype if gamma is None else gamma.dtype)
    return RmsNormBackward(x_grad, gamma_grad)
