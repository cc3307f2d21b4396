"""linear and its gradients. It is bilinear, so each gradient's gradients are the same three functions again."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels
from autograd_backends.shapes import (
    check_linear_bias_backward,
    check_linear_weight_backward,
    check_linear_x_backward,
)

from ..registry import Array, op
from .shape import broadcast_to

__all__ = ["linear", "linear_bias_backward", "linear_weight_backward", "linear_x_backward"]


@op(formula="dx = g w^T, dw = x^T g, db = sum g", promote=True, fresh=True)
def linear(x: Array, weight: Array, bias: Array | None = None, transposed: bool = False) -> Array:
    """A matrix product and a bias.

    Parameters
    ----------
    x
        [..., d_input]
    weight
        [d_input, d_output]; with `transposed`, [d_output, d_input] as ``nn.Linear`` keeps it.
    bias
        [d_output] or None.

    Returns
    -------
    Array
        [..., d_output]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    return kernels(x).linear(x, weight.T if transposed and weight.ndim == 2 else weight, bias)


def _linear_x(g: Any, weight: Any, transposed: bool) -> Any:
    return linear(g, weight) if transposed else linear_x_backward(weight, g)


def _linear_weight(g: Any, x: Any, transposed: bool) -> Any:
    # The transposed weight's gradient is g^T x: the same product with its factors exchanged.
    return linear_weight_backward(g, x) if transposed else linear_weight_backward(x, g)


linear.backward(x=_linear_x, weight=_linear_weight, bias=lambda g: linear_bias_backward(g))


def _linear_at_once(g: Any, x: Any, weight: Any, transposed: bool, needs: tuple[bool, bool, bool]) -> Any:
    return kernels(g).linear_backward(x, weight, g, transposed, needs)


linear.at_once(_linear_at_once)


@op(formula="dw = g^T output_grad, doutput_grad = g w", promote=True)
def linear_x_backward(weight: Array, output_grad: Array) -> Array:
    """weight [d_input, d_output], output_grad [..., d_output] -> the gradient of x [..., d_input]"""
    check_linear_x_backward(weight.shape, output_grad.shape)
    return kernels(output_grad).linear_x_backward(weight, output_grad)


linear_x_backward.backward(
    weight=lambda g, output_grad: linear_weight_backward(g, output_grad),
    output_grad=lambda g, weight: linear(g, weight),
)


@op(formula="dx = output_grad g^T, doutput_grad = x g", promote=True)
def linear_weight_backward(x: Array, output_grad: Array) -> Array:
    """x [..., d_input], output_grad [..., d_output] -> the gradient of weight [d_input, d_output]"""
    check_linear_weight_backward(x.shape, output_grad.shape)
    return kernels(output_grad).linear_weight_backward(x, output_grad)


linear_weight_backward.backward(
    x=lambda g, output_grad: linear_x_backward(g, output_grad),
    output_grad=lambda g, x: linear(x, g),
)


@op(formula="doutput_grad = g, stretched")
def linear_bias_backward(output_grad: Array) -> Array:
    """output_grad [..., d_output] summed over all but the last dimension -> the gradient of bias [d_output]"""
    check_linear_bias_backward(output_grad.shape)
    return kernels(output_grad).linear_bias_backward(output_grad)


linear_bias_backward.backward(output_grad=lambda g, output_grad_shape: broadcast_to(g, output_grad_shape))
