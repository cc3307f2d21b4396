"""A batch norm in evaluation, taken into the affine map before it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ... import ops
from ...creation import ones_like, zeros_like
from ...refusals import named
from ...tensor import Tensor
from ..module import Module
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """One convolution that gives what `conv` and then `bn` give, both in evaluation mode.

    Parameters
    ----------
    conv
        A convolution; it is copied.
    bn
        A batch norm with running statistics.
    transpose
        Whether `conv` is transposed, so that its weight has the output's channels second.

    Raises
    ------
    ValueError
        If one is in training mode, or `bn` has no running statistics.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> conv, norm = ag.nn.Conv2d(1, 2, 3).eval(), ag.nn.BatchNorm2d(2).eval()
    >>> x = ag.ones(1, 1, 3, 3)
    >>> ag.allclose(ag.nn.utils.fusion.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-6)
    True
    """
    return _fused("fuse_conv_bn_eval", conv, bn, 1 if transpose else 0)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """One `Linear` that gives what `linear` and then `bn` give, both in evaluation mode; see `fuse_conv_bn_eval`.

    Raises
    ------
    ValueError
        As of `fuse_conv_bn_eval`, or if `bn` does not normalise the outputs of `linear`.
    """
    if bn.num_features not in (1, linear.out_features):
        raise ValueError(
            f"fuse_linear_bn_eval: the norm has {bn.num_features} features, and the map gives {linear.out_features}"
        )
    return _fused("fuse_linear_bn_eval", linear, bn, 0)


def _fused(name: str, layer: Any, bn: Any, axis: int) -> Any:
    if layer.training or bn.training:
        raise ValueError(f"{name}: both modules must be in evaluation mode: call eval() first")
    if bn.running_mean is None or bn.running_var is None:
        raise ValueError(f"{name}: the batch norm has no running statistics")
    fused: Module = deepcopy(layer)
    weight, bias = _weights(layer.weight, layer.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, axis)
    fused.weight, fused.bias = weight, bias
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of `fuse_conv_bn_eval`, of those of a convolution and of a batch norm and its statistics."""
    return _weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 1 if transpose else 0)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of `fuse_linear_bn_eval`, of those of the map and of a batch norm and its statistics."""
    return _weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _weights(
    weight: Tensor,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    eps: float,
    bn_weight: Tensor | None,
    bn_bias: Tensor | None,
    axis: int,
) -> tuple[Parameter, Parameter]:
    before = zeros_like(mean) if bias is None else bias.detach()
    scale = (ones_like(mean) if bn_weight is None else bn_weight.detach()) / ops.sqrt(variance + eps)
    shift = zeros_like(mean) if bn_bias is None else bn_bias.detach()
    shape = [1] * weight.ndim
    shape[axis] = -1
    learned = weight.requires_grad
    fused_weight = weight.detach() * scale.reshape(*shape)
    return Parameter(fused_weight, learned), Parameter((before - mean) * scale + shift, learned)


named(__name__)
