"""Batch norm, layer norm and RMS norm. Group and instance norm are in `group_norm`.

The backward of a norm is fused, and not linear in what it takes; so each ``*_backward`` has a second form, written in
ops, that is run where it is to be differentiated itself.
"""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels, namespace
from autograd_backends.results import BatchNormTrain, BatchNormTrainBackward, LayerNormBackward, RmsNormBackward
from autograd_backends.shapes import (
    check_batch_norm,
    check_batch_norm_train_backward,
    check_channel_statistics,
    check_layer_norm_backward,
)

from ..registry import Array, op
from .elementwise import rsqrt
from .reduce import mean as mean_over
from .reduce import sum
from .shape import reshape

__all__ = [
    "BatchNormTrain",
    "BatchNormTrainBackward",
    "LayerNormBackward",
    "RmsNormBackward",
    "batch_norm",
    "batch_norm_train",
    "batch_norm_train_backward",
    "layer_norm",
    "layer_norm_backward",
    "rms_norm",
    "rms_norm_backward",
]

Needs = tuple[bool, bool, bool]


def _normal(centred: Any, axes: tuple[int, ...], epsilon: float) -> tuple[Any, Any]:
    """`centred` over the root of its mean square over `axes`, and 1 over that root."""
    r = rsqrt(mean_over(centred * centred, axes, True) + epsilon)
    return centred * r, r


def _through_normal(d: Any, h: Any, r: Any, axes: tuple[int, ...]) -> Any:
    """The gradient of what `_normal` took, from that of h, which is d."""
    return (d - h * mean_over(d * h, axes, True)) * r


def channels(x: Any) -> tuple[int, ...]:
    """The dimensions of x [N, C, ...] that the statistics of a channel are taken over."""
    return (0, *range(2, x.ndim))


def beside(x: Any, per_channel: Any) -> Any:
    """[C] in a shape that broadcasts with x [N, C, ...]."""
    return reshape(per_channel, (1, -1) + (1,) * (x.ndim - 2))


# ---------------------------------------------------------------- batch norm, statistics given


@op(
    formula="with r = (variance + epsilon)^-1/2, h = (x - mean) r, s = gamma r: dx = g s, dgamma = sum g h, "
    "dbeta = sum g, dmean = -s sum g, dvariance = -s r sum(g h) / 2",
    promote="gradients",
    floating=True,
    real=True,
)
def batch_norm(
    x: Array, gamma: Array | None, beta: Array | None, mean: Array, variance: Array, epsilon: float
) -> Array:
    """x [N, C, ...], normalised by given statistics.

    Parameters
    ----------
    gamma, beta
        [C], scale and shift, or None for 1 and 0.
    mean, variance
        [C]
    epsilon
        Added to the variance.

    Returns
    -------
    Array
        ``gamma (x - mean) / sqrt(variance + epsilon) + beta``, of the shape and dtype of x.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    gamma_shape, beta_shape = (None if a is None else a.shape for a in (gamma, beta))
    check_batch_norm("batch_norm", x.shape, gamma_shape, beta_shape, False)
    check_channel_statistics("batch_norm", x.shape, mean=mean.shape, variance=variance.shape)
    xp = namespace(x)
    accumulator = kernels(x).accumulator(x.dtype)

    def wide(per_channel: Any) -> Any:
        return xp.reshape(xp.astype(per_channel, accumulator, copy=False), (-1,) + (1,) * (x.ndim - 2))

    scale = 1.0 / xp.sqrt(wide(variance) + epsilon)
    if gamma is not None:
        scale = scale * wide(gamma)
    out = (x - wide(mean)) * scale
    if beta is not None:
        out = out + wide(beta)
    return xp.astype(out, x.dtype, copy=False)


def _batch_norm_gradients(
    g: Any, x: Any, gamma: Any, mean: Any, variance: Any, epsilon: float, needs: tuple[bool, ...]
) -> tuple[Any, ...]:
    axes = channels(x)
    r = rsqrt(variance + epsilon)
    s = r if gamma is None else gamma * r
    g_sum = sum(g, axes) if any(needs[2:4]) else None
    gh_sum = sum(g * ((x - beside(x, mean)) * beside(x, r)), axes) if needs[1] or needs[4] else None
    return (
        g * beside(x, s) if needs[0] else None,
        gh_sum if needs[1] else None,
        g_sum if needs[2] else None,
        -(g_sum * s) if needs[3] else None,
        gh_sum * (s * r) * -0.5 if needs[4] else None,
    )


batch_norm.joint(_batch_norm_gradients)


# ---------------------------------------------------------------- batch norm, statistics of the batch


@op(
    formula="with h the normalised x: dx = gamma r (g - mean g - h mean(g h)), dgamma = sum g h, dbeta = sum g",
    outputs=("output", "mean", "variance"),
    carries=("output",),
    promote="gradients",
    floating=True,
    real=True,
)
def batch_norm_train(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> BatchNormTrain:
    """x [N, C, ...], each channel normalised by its own mean and variance.

    Parameters
    ----------
    gamma, beta
        [C], scale and shift, or None for 1 and 0.
    epsilon
        Added to the variance.

    Returns
    -------
    BatchNormTrain
        The output, of the shape and dtype of x, and each channel's mean and biased variance [C] (of float32 for half
        precision), which carry no gradient.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or a channel has one value.
    """
    return kernels(x).batch_norm_train(x, gamma, beta, epsilon)


batch_norm_train.joint(
    lambda g, x, gamma, mean, variance, epsilon, needs: batch_norm_train_backward(
        x, gamma, mean, variance, epsilon, g, needs
    )
)


def _check_batch_norm_train_backward(x: Any, gamma: Any, mean: Any, variance: Any, output_grad: Any) -> None:
    gamma_shape = None if gamma is None else gamma.shape
    check_batch_norm_train_backward(
        "batch_norm_train_backward", x.shape, gamma_shape, mean.shape, variance.shape, output_grad.shape
    )


def _batch_norm_train_backward_recorded(
    x: Any, gamma: Any, mean: Any, variance: Any, epsilon: float, output_grad: Any, needs: Needs = (True,) * 3
) -> BatchNormTrainBackward:
    _check_batch_norm_train_backward(x, gamma, mean, variance, output_grad)
    axes = channels(x)
    # The statistics again, from x: those given are constants to the tape.
    h, r = _normal(x - mean_over(x, axes, True), axes, epsilon)
    d = output_grad if gamma is None else output_grad * beside(x, gamma)
    return BatchNormTrainBackward(
        _through_normal(d - mean_over(d, axes, True), h, r, axes) if needs[0] else None,
        sum(output_grad * h, axes) if needs[1] else None,
        sum(output_grad, axes) if needs[2] else None,
    )


@op(
    formula="that of the formula of batch_norm_train",
    outputs=("x_grad", "gamma_grad", "beta_grad"),
    nondiff=("mean", "variance"),
    recorded=_batch_norm_train_backward_recorded,
)
def batch_norm_train_backward(
    x: Array,
    gamma: Array | None,
    mean: Array,
    variance: Array,
    epsilon: float,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> BatchNormTrainBackward:
    """The gradients of `batch_norm_train`, from its mean and variance; None for what `needs` does not ask for"""
    _check_batch_norm_train_backward(x, gamma, mean, variance, output_grad)
    return kernels(x).batch_norm_train_backward(x, gamma, mean, variance, epsilon, output_grad, needs)


# ---------------------------------------------------------------- layer norm


@op(
    formula="with h the normalised x, d = gamma g: dx = r (d - mean d - h mean(d h)), dgamma = sum g h, dbeta = sum g",
    saves=("mean", "rstd"),
    promote="gradients",
    floating=True,
    real=True,
)
def layer_norm(tensor: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> Array:
    """Each row along the last dimension, normalised by its own mean and variance.

    Parameters
    ----------
    tensor
        [..., d]
    gamma, beta
        [d], scale and shift, or None for 1 and 0.
    epsilon
        Added to the biased variance, inside the root.

    Returns
    -------
    Array
        Of the shape and dtype of `tensor`.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    return kernels(tensor).layer_norm(tensor, gamma, beta, epsilon)


layer_norm.joint(
    lambda g, tensor, gamma, mean, rstd, epsilon, needs: layer_norm_backward(
        tensor, gamma, mean, rstd, epsilon, g, needs
    )
)


def _check_rows(name: str, x: Any, gamma: Any, output_grad: Any, **statistics: Any) -> None:
    shapes = {statistic: array.shape for statistic, array in statistics.items()}
    check_layer_norm_backward(name, x.shape, None if gamma is None else gamma.shape, output_grad.shape, **shapes)


def _layer_norm_backward_recorded(
    tensor: Any,
    gamma: Any,
    mean: Any,
    rstd: Any,
    epsilon: float,
    output_grad: Any,
    needs: Needs = (True,) * 3,
) -> LayerNormBackward:
    _check_rows("layer_norm_backward", tensor, gamma, output_grad, mean=mean, rstd=rstd)
    last = (tensor.ndim - 1,)
    rows = tuple(range(tensor.ndim - 1))
    h, r = _normal(tensor - mean_over(tensor, last, True), last, epsilon)
    d = output_grad if gamma is None else output_grad * gamma
    return LayerNormBackward(
        _through_normal(d - mean_over(d, last, True), h, r, last) if needs[0] else None,
        sum(output_grad * h, rows) if needs[1] else None,
        sum(output_grad, rows) if needs[2] else None,
    )


@op(
    formula="that of the formula of layer_norm",
    outputs=("x_grad", "gamma_grad", "beta_grad"),
    nondiff=("mean", "rstd"),
    recorded=_layer_norm_backward_recorded,
)
def layer_norm_backward(
    tensor: Array,
    gamma: Array | None,
    mean: Array,
    rstd: Array,
    epsilon: float,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> LayerNormBackward:
    """The gradients of `layer_norm`, from each row's mean and 1 / sqrt(variance + epsilon), both [..., 1]"""
    _check_rows("layer_norm_backward", tensor, gamma, output_grad, mean=mean, rstd=rstd)
    return kernels(tensor).layer_norm_backward(tensor, gamma, mean, rstd, output_grad, needs)


# ---------------------------------------------------------------- RMS norm


@op(
    formula="with r = (mean x^2 + epsilon)^-1/2, h = x r, d = gamma g: dx = r (d - h mean(d h)), dgamma = sum g h",
    saves=("rstd",),
    promote="gradients",
    floating=True,
    fresh=True,
    real=True,
)
def rms_norm(x: Array, gamma: Array | None, epsilon: float) -> Array:
    """Each row along the last dimension over the root of its mean square (Zhang and Sennrich, 2019).

    Parameters
    ----------
    x
        [..., d]
    gamma
        [d], a scale, or None for 1.
    epsilon
        Added to the mean square, inside the root.

    Returns
    -------
    Array
        Of the shape and dtype of x.

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.ops.rms_norm(ag.tensor([1.0, 7.0]), None, 0.0)  # the root of (1 + 49) / 2 is 5
    tensor([0.2, 1.4])
    """
    return kernels(x).rms_norm(x, gamma, epsilon)


rms_norm.joint(lambda g, x, gamma, rstd, epsilon, needs: rms_norm_backward(x, gamma, rstd, epsilon, g, needs))


def _rms_norm_backward_recorded(
    x: Any, gamma: Any, rstd: Any, epsilon: float, output_grad: Any, needs: tuple[bool, bool] = (True, True)
) -> RmsNormBackward:
    _check_rows("rms_norm_backward", x, gamma, output_grad, rstd=rstd)
    last = (x.ndim - 1,)
    h, r = _normal(x, last, epsilon)
    d = output_grad if gamma is None else output_grad * gamma
    return RmsNormBackward(
        _through_normal(d, h, r, last) if needs[0] else None,
        sum(output_grad * h, tuple(range(x.ndim - 1))) if needs[1] else None,
    )


@op(
    formula="that of the formula of rms_norm",
    outputs=("x_grad", "gamma_grad"),
    nondiff=("rstd",),
    recorded=_rms_norm_backward_recorded,
)
def rms_norm_backward(
    x: Array,
    gamma: Array | None,
    rstd: Array,
    epsilon: float,
    output_grad: Array,
    needs: tuple[bool, bool] = (True, True),
) -> RmsNormBackward:
    """The gradients of `rms_norm`, from each row's 1 / sqrt(mean(x^2) + epsilon) [..., 1]"""
    _check_rows("rms_norm_backward", x, gamma, output_grad, rstd=rstd)
    return kernels(x).rms_norm_backward(x, gamma, rstd, output_grad, needs)
