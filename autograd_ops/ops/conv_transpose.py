"""Transposed convolution in one, two and three dimensions, and its gradients.

`_conv_transpose` makes the ops of one number of dimensions, as `conv._conv` does for the convolutions. What a
transposed convolution computes is the gradient of a convolution in x; it too is linear in x and in weight.
"""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels
from autograd_backends.options import ConvTransposeOptions

from ..registry import Array, ShapeOf, op
from .conv import _bias_backward

__all__ = [
    "conv_transpose1d",
    "conv_transpose1d_bias_backward",
    "conv_transpose1d_weight_backward",
    "conv_transpose1d_x_backward",
    "conv_transpose2d",
    "conv_transpose2d_bias_backward",
    "conv_transpose2d_weight_backward",
    "conv_transpose2d_x_backward",
    "conv_transpose3d",
    "conv_transpose3d_bias_backward",
    "conv_transpose3d_weight_backward",
    "conv_transpose3d_x_backward",
]


def _conv_transpose(rank: int) -> tuple[Any, ...]:
    name = f"conv_transpose{rank}d"
    bias_backward = _bias_backward(name)

    @op(name=name, formula="dx = w slid over g, dw = x slid over g, db = sum g", promote=True, fresh=True)
    def conv_transpose(x: Array, weight: Array, bias: Array | None, options: ConvTransposeOptions) -> Array:
        """The kernel, times each cell of x, laid over the output and added up.

        Parameters
        ----------
        x
            [N, C_in, ...] with as many spatial dimensions as the name says: conv_transpose2d takes [N, C_in, H, W].
        weight
            [C_in, C_out / groups, ...]
        bias
            [C_out] or None.
        options
            Those of the convolution whose gradient in x this is, and `padding_out`, how much longer the output is.

        Returns
        -------
        Array
            [N, C_out, ...]; a spatial dimension of length n becomes
            ``(n - 1) stride - 2 padding + dilation (k - 1) + 1 + padding_out`` long.

        Raises
        ------
        ShapeError
            Naming the argument, the shapes and the rule that they break.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> from autograd_ops import ops
        >>> x, weight = ag.tensor([[[1.0, 2.0]]]), ag.tensor([[[1.0, 10.0, 100.0]]])
        >>> ops.conv_transpose1d(x, weight, None, ops.ConvTransposeOptions(stride=2))
        tensor([[[  1.,  10., 102.,  20., 200.]]])
        """
        return getattr(kernels(x), name)(x, weight, bias, options)

    conv_transpose.backward(
        x=lambda g, weight, options: x_backward(weight, g, options),
        weight=lambda g, x, weight_shape, options: weight_backward(x, weight_shape, g, options),
        bias=lambda g, x_shape, bias_shape: bias_backward(x_shape, bias_shape, g),
    )

    @op(
        name=f"{name}_x_backward",
        formula="dweight = g slid over output_grad, doutput_grad = conv_transpose(g, weight)",
        promote=True,
    )
    def x_backward(weight: Array, output_grad: Array, options: ConvTransposeOptions) -> Array:
        """weight [C_in, C_out / groups, ...], output_grad [N, C_out, ...] -> the gradient of x [N, C_in, ...]"""
        return getattr(kernels(output_grad), f"{name}_x_backward")(weight, output_grad, options)

    x_backward.backward(
        weight=lambda g, weight_shape, output_grad, options: weight_backward(g, weight_shape, output_grad, options),
        output_grad=lambda g, weight, options: conv_transpose(g, weight, None, options),
    )

    @op(
        name=f"{name}_weight_backward",
        formula="dx = g slid over output_grad, doutput_grad = conv_transpose(x, g)",
        promote=True,
    )
    def weight_backward(x: Array, weight: ShapeOf, output_grad: Array, options: ConvTransposeOptions) -> Array:
        """The gradient of weight [C_in, C_out / groups, ...], of which only the shape is used"""
        return getattr(kernels(output_grad), f"{name}_weight_backward")(x, weight, output_grad, options)

    weight_backward.backward(
        x=lambda g, output_grad, options: x_backward(g, output_grad, options),
        output_grad=lambda g, x, options: conv_transpose(x, g, None, options),
    )

    return conv_transpose, x_backward, weight_backward, bias_backward


(
    conv_transpose1d,
    conv_transpose1d_x_backward,
    conv_transpose1d_weight_backward,
    conv_transpose1d_bias_backward,
) = _conv_transpose(1)
(
    conv_transpose2d,
    conv_transpose2d_x_backward,
    conv_transpose2d_weight_backward,
    conv_transpose2d_bias_backward,
) = _conv_transpose(2)
(
    conv_transpose3d,
    conv_transpose3d_x_backward,
    conv_transpose3d_weight_backward,
    conv_transpose3d_bias_backward,
) = _conv_transpose(3)
