"""Group norm, and instance norm: that of as many groups as channels. Their formula is that of layer norm."""

from __future__ import annotations

import math
from typing import Any

from autograd_backends import kernels
from autograd_backends.results import GroupNormBackward
from autograd_backends.shapes import check_group_norm, check_group_norm_backward

from ..registry import Array, op
from .norm import Needs, beside, channels, layer_norm, layer_norm_backward
from .reduce import sum
from .shape import reshape

__all__ = ["GroupNormBackward", "group_norm", "group_norm_backward", "instance_norm"]


@op(
    formula="with h the normalised x, d = gamma g: dx = r (d - mean d - h mean(d h)) of each group, dgamma = sum g h, "
    "dbeta = sum g",
    saves=("mean", "rstd"),
    promote="gradients",
    floating=True,
    fresh=True,
    real=True,
)
def group_norm(x: Array, num_groups: int, gamma: Array | None, beta: Array | None, epsilon: float) -> Array:
    """Each group of channels of each sample, normalised by its own mean and variance (Wu and He, 2018).

    Parameters
    ----------
    x
        [N, C, ...]
    num_groups
        How many groups the channels are cut into; divides C.
    gamma, beta
        [C], scale and shift, or None for 1 and 0.
    epsilon
        Added to the biased variance, inside the root.

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
    >>> ag.ops.group_norm(ag.tensor([[1.0, 3.0, 10.0, 30.0]]), 2, None, None, 0.0)
    tensor([[-1.,  1., -1.,  1.]])
    """
    return kernels(x).group_norm(x, num_groups, gamma, beta, epsilon)


group_norm.joint(
    lambda g, x, num_groups, gamma, mean, rstd, epsilon, needs: group_norm_backward(
        x, num_groups, gamma, mean, rstd, epsilon, g, needs
    )
)


@op(
    formula="as group_norm, of one channel a group",
    saves=("mean", "rstd"),
    promote="gradients",
    floating=True,
    fresh=True,
    real=True,
)
def instance_norm(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> Array:
    """Each channel of each sample, normalised by its own mean and variance (Ulyanov and others, 2016).

    Parameters
    ----------
    x
        [N, C, ...]
    gamma, beta
        [C], scale and shift, or None for 1 and 0.
    epsilon
        Added to the biased variance, inside the root.

    Returns
    -------
    Array
        Of the shape and dtype of x.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    gamma_shape, beta_shape = (None if a is None else a.shape for a in (gamma, beta))
    check_group_norm("instance_norm", x.shape, None, gamma_shape, beta_shape)
    return kernels(x).group_norm(x, max(1, x.shape[1]), gamma, beta, epsilon)


instance_norm.joint(
    lambda g, x, gamma, mean, rstd, epsilon, needs: group_norm_backward(
        x, max(1, x.shape[1]), gamma, mean, rstd, epsilon, g, needs
    )
)


def _check_backward(x: Any, num_groups: int, gamma: Any, mean: Any, rstd: Any, output_grad: Any) -> None:
    gamma_shape = None if gamma is None else gamma.shape
    check_group_norm_backward(
        "group_norm_backward", x.shape, num_groups, gamma_shape, mean.shape, rstd.shape, output_grad.shape
    )


def _group_norm_backward_recorded(
    x: Any,
    num_groups: int,
    gamma: Any,
    mean: Any,
    rstd: Any,
    epsilon: float,
    output_grad: Any,
    needs: Needs = (True,) * 3,
) -> GroupNormBackward:
    _check_backward(x, num_groups, gamma, mean, rstd, output_grad)
    shape, axes = tuple(x.shape), channels(x)
    grouped = (shape[0], num_groups, math.prod(shape[1:]) // num_groups)
    rows = reshape(x, grouped)
    x_grad = gamma_grad = None
    if needs[0]:
        d = output_grad if gamma is None else output_grad * beside(x, gamma)
        only_x = (True, False, False)
        found = layer_norm_backward(rows, None, mean, rstd, epsilon, reshape(d, grouped), only_x)
        x_grad = reshape(found.x_grad, shape)
    if needs[1]:
        gamma_grad = sum(output_grad * reshape(layer_norm(rows, None, None, epsilon), shape), axes)
    return GroupNormBackward(x_grad, gamma_grad, sum(output_grad, axes) if needs[2] else None)


@op(
    formula="that of the formula of group_norm",
    outputs=("x_grad", "gamma_grad", "beta_grad"),
    nondiff=("mean", "rstd"),
    recorded=_group_norm_backward_recorded,
)
def group_norm_backward(
    x: Array,
    num_groups: int,
    gamma: Array | None,
    mean: Array,
    rstd: Array,
    epsilon: float,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> GroupNormBackward:
    """The gradients of `group_norm`, from each group's mean and 1 / sqrt(variance + epsilon), [N, num_groups, 1]"""
    _check_backward(x, num_groups, gamma, mean, rstd, output_grad)
    return kernels(x).group_norm_backward(x, num_groups, gamma, mean, rstd, output_grad, needs)
