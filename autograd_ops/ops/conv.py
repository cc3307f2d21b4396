"""Convolution and its gradients.

A convolution is linear in x and in weight, so the three functions here are closed under differentiation: the gradient
of each is another one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from autograd_backends import ConvOptions, kernels

from ..registry import Array, ShapeOf, op
from .shape import broadcast_to, reshape

__all__ = [
    "Conv2dBackward",
    "conv2d",
    "conv2d_backward",
    "conv2d_bias_backward",
    "conv2d_weight_backward",
    "conv2d_x_backward",
]


@op(formula="dx = w turned round, slid over g; dw = g slid over x; db = sum g", promote=True, fresh=True)
def conv2d(x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
    """Cross-correlation in two dimensions, which the field calls convolution.

    Parameters
    ----------
    x
        [N, C_in, H, W]
    weight
        [C_out, C_in / groups, kH, kW]
    bias
        [C_out] or None.
    options
        Stride, padding (zeros), dilation and groups; a `PaddedConvOptions` pads the two sides differently.

    Returns
    -------
    Array
        [N, C_out, H', W'] with ``H' = floor((H + padding - dilation (kH - 1) - 1) / stride) + 1``, padding on
        both sides counted, and W' likewise.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule that they break.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> x = ag.ones(1, 1, 3, 3)
    >>> weight = ag.ones(1, 1, 2, 2, requires_grad=True)
    >>> y = ops.conv2d(x, weight, None, ops.ConvOptions())
    >>> y.sum().backward()
    >>> weight.grad.reshape(2, 2)
    tensor([[4., 4.],
            [4., 4.]])
    """
    return kernels(x).conv2d(x, weight, bias, options)


conv2d.backward(
    x=lambda g, x_shape, weight, options: conv2d_x_backward(x_shape, weight, g, options),
    weight=lambda g, x, weight_shape, options: conv2d_weight_backward(x, weight_shape, g, options),
    bias=lambda g, x_shape, bias_shape: conv2d_bias_backward(x_shape, bias_shape, g),
)


@op(formula="dweight = output_grad slid over g, doutput_grad = conv2d(g, weight)", promote=True)
def conv2d_x_backward(x: ShapeOf, weight: Array, output_grad: Array, options: ConvOptions) -> Array:
    """The gradient of x [N, C_in, H, W], of which only the shape is used"""
    return kernels(output_grad).conv2d_x_backward(x, weight, output_grad, options)


conv2d_x_backward.backward(
    weight=lambda g, weight_shape, output_grad, options: conv2d_weight_backward(g, weight_shape, output_grad, options),
    output_grad=lambda g, weight, options: conv2d(g, weight, None, options),
)


@op(formula="dx = g turned round, slid over output_grad; doutput_grad = conv2d(x, g)", promote=True)
def conv2d_weight_backward(x: Array, weight: ShapeOf, output_grad: Array, options: ConvOptions) -> Array:
    """The gradient of weight [C_out, C_in / groups, kH, kW], of which only the shape is used"""
    return kernels(output_grad).conv2d_weight_backward(x, weight, output_grad, options)


conv2d_weight_backward.backward(
    x=lambda g, x_shape, output_grad, options: conv2d_x_backward(x_shape, g, output_grad, options),
    output_grad=lambda g, x, options: conv2d(x, g, None, options),
)


@op(formula="doutput_grad = g, stretched")
def conv2d_bias_backward(x: ShapeOf, bias: ShapeOf, output_grad: Array) -> Array:
    """The gradient of bias [C_out]: output_grad [N, C_out, H', W'], summed over all but the channels"""
    return kernels(output_grad).conv2d_bias_backward(output_grad)


conv2d_bias_backward.backward(
    output_grad=lambda g, output_grad_shape: broadcast_to(reshape(g, (1, -1, 1, 1)), output_grad_shape)
)


class Conv2dBackward(NamedTuple):
    """All gradients of `conv2d` at once; `bias_grad` is None without a bias."""

    x_grad: Any
    weights_grad: Any
    bias_grad: Any


def conv2d_backward(
    x: Array, weight: Array, bias: Array | None, output_grad: Array, options: ConvOptions
) -> Conv2dBackward:
    """The gradients of x, weight and bias from that of the output."""
    return Conv2dBackward(
        conv2d_x_backward(x, weight, output_grad, options),
        conv2d_weight_backward(x, weight, output_grad, options),
        None if bias is None else conv2d_bias_backward(x, bias, output_grad),
    )
