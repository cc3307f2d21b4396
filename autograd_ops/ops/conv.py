"""Convolution in one, two and three dimensions, and its gradients.

`_conv` makes the ops of one number of dimensions. In it stand, one below the other and each with its rules, conv2d,
conv2d_x_backward, conv2d_weight_backward, conv2d_bias_backward, and conv2d_backward, which gives all three gradients.
A convolution is linear in x and in weight, so the ops are closed under differentiation: the gradient of each is
another one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from autograd_backends import kernels
from autograd_backends.options import ConvOptions
from autograd_backends.shapes import check_bias_backward

from ..registry import Array, ShapeOf, op
from .shape import broadcast_to, reshape

__all__ = [
    "Conv1dBackward",
    "Conv2dBackward",
    "Conv3dBackward",
    "conv1d",
    "conv1d_backward",
    "conv1d_bias_backward",
    "conv1d_weight_backward",
    "conv1d_x_backward",
    "conv2d",
    "conv2d_backward",
    "conv2d_bias_backward",
    "conv2d_weight_backward",
    "conv2d_x_backward",
    "conv3d",
    "conv3d_backward",
    "conv3d_bias_backward",
    "conv3d_weight_backward",
    "conv3d_x_backward",
]


class Conv1dBackward(NamedTuple):
    """All gradients of `conv1d`; `bias_grad` is None without a bias."""

    x_grad: Any
    weights_grad: Any
    bias_grad: Any


class Conv2dBackward(NamedTuple):
    """All gradients of `conv2d`; `bias_grad` is None without a bias."""

    x_grad: Any
    weights_grad: Any
    bias_grad: Any


class Conv3dBackward(NamedTuple):
    """All gradients of `conv3d`; `bias_grad` is None without a bias."""

    x_grad: Any
    weights_grad: Any
    bias_grad: Any


def _conv(rank: int, result: type) -> tuple[Any, ...]:
    name = f"conv{rank}d"
    bias_backward = _bias_backward(name)

    @op(name=name, formula="dx = w turned round, slid over g; dw = g slid over x; db = sum g", promote=True, fresh=True)
    def conv(x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
        """Cross-correlation, which the field calls convolution.

        Parameters
        ----------
        x
            [N, C_in, ...] with as many spatial dimensions as the name says: conv2d takes [N, C_in, H, W].
        weight
            [C_out, C_in / groups, ...]
        bias
            [C_out] or None.
        options
            Stride, padding (zeros), dilation and groups; a `PaddedConvOptions` pads the two sides differently.

        Returns
        -------
        Array
            [N, C_out, ...]; a spatial dimension of length n becomes
            ``floor((n + padding - dilation (k - 1) - 1) / stride) + 1`` long, padding on both sides counted.

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
        return getattr(kernels(x), name)(x, weight, bias, options)

    conv.backward(
        x=lambda g, x_shape, weight, options: x_backward(x_shape, weight, g, options),
        weight=lambda g, x, weight_shape, options: weight_backward(x, weight_shape, g, options),
        bias=lambda g, x_shape, bias_shape: bias_backward(x_shape, bias_shape, g),
    )

    def at_once(
        g: Any, x: Any, weight: Any, x_shape: Any, weight_shape: Any, options: ConvOptions, needs: tuple[bool, ...]
    ) -> Any:
        return getattr(kernels(g), f"{name}_backward")(x, weight, x_shape, weight_shape, g, options, needs)

    conv.at_once(at_once)

    @op(
        name=f"{name}_x_backward",
        formula="dweight = output_grad slid over g, doutput_grad = conv(g, weight)",
        promote=True,
    )
    def x_backward(x: ShapeOf, weight: Array, output_grad: Array, options: ConvOptions) -> Array:
        """The gradient of x [N, C_in, ...], of which only the shape is used"""
        return getattr(kernels(output_grad), f"{name}_x_backward")(x, weight, output_grad, options)

    x_backward.backward(
        weight=lambda g, weight_shape, output_grad, options: weight_backward(g, weight_shape, output_grad, options),
        output_grad=lambda g, weight, options: conv(g, weight, None, options),
    )

    @op(
        name=f"{name}_weight_backward",
        formula="dx = g turned round, slid over output_grad; doutput_grad = conv(x, g)",
        promote=True,
    )
    def weight_backward(x: Array, weight: ShapeOf, output_grad: Array, options: ConvOptions) -> Array:
        """The gradient of weight [C_out, C_in / groups, ...], of which only the shape is used"""
        return getattr(kernels(output_grad), f"{name}_weight_backward")(x, weight, output_grad, options)

    weight_backward.backward(
        x=lambda g, x_shape, output_grad, options: x_backward(x_shape, g, output_grad, options),
        output_grad=lambda g, x, options: conv(x, g, None, options),
    )

    def backward(x: Array, weight: Array, bias: Array | None, output_grad: Array, options: ConvOptions) -> Any:
        """The gradients of x, weight and bias from that of the output, all at once."""
        return result(
            x_backward(x, weight, output_grad, options),
            weight_backward(x, weight, output_grad, options),
            None if bias is None else bias_backward(x, bias, output_grad),
        )

    backward.__name__ = backward.__qualname__ = f"{name}_backward"
    return conv, x_backward, weight_backward, bias_backward, backward


def _bias_backward(of: str) -> Any:
    """The gradient of the bias of the op `of`, as an op."""
    name = f"{of}_bias_backward"

    @op(name=name, formula="doutput_grad = g, stretched")
    def bias_backward(x: ShapeOf, bias: ShapeOf, output_grad: Array) -> Array:
        """The gradient of bias [C_out]: output_grad [N, C_out, ...], summed over all but the channels"""
        check_bias_backward(name, x, bias, output_grad.shape)
        return getattr(kernels(output_grad), name)(output_grad)

    bias_backward.backward(
        output_grad=lambda g, output_grad_shape: broadcast_to(
            reshape(g, (1, -1) + (1,) * (len(output_grad_shape) - 2)), output_grad_shape
        )
    )
    return bias_backward


conv1d, conv1d_x_backward, conv1d_weight_backward, conv1d_bias_backward, conv1d_backward = _conv(1, Conv1dBackward)
conv2d, conv2d_x_backward, conv2d_weight_backward, conv2d_bias_backward, conv2d_backward = _conv(2, Conv2dBackward)
conv3d, conv3d_x_backward, conv3d_weight_backward, conv3d_bias_backward, conv3d_backward = _conv(3, Conv3dBackward)
