"""linear: a matrix product and a bias."""

from __future__ import annotations

from math import prod

from ..array_types import Array
from ..lookup import namespace
from ..shapes import linear_output_shape

__all__ = ["linear", "linear_bias_backward", "linear_weight_backward", "linear_x_backward"]


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    """x [..., d_input] @ weight [d_input, d_output] + bias [d_output] -> [..., d_output]"""
    linear_output_shape(x.shape, weight.shape, None if bias is None else bias.shape)
    out = namespace(x).matmul(x, weight)
    if bias is not None:
        out += bias
    return out


def linear_x_backward(weight: Array, output_grad: Array) -> Array:
    """output_grad [..., d_output] @ weight.T -> the gradient of x [..., d_input]"""
    xp = namespace(output_grad)
    return xp.matmul(output_grad, xp.matrix_transpose(weight))


def linear_weight_backward(x: Array, output_grad: Array) -> Array:
    """x.T @ output_grad, summed over all leading dimensions -> the gradient of weight [d_input, d_output]"""
    xp = namespace(output_grad)
    return xp.matmul(xp.matrix_transpose(_rows(x)), _rows(output_grad))


def linear_bias_backward(output_grad: Array) -> Array:
    """output_grad [..., d_output] summed over all leading dimensions -> the gradient of bias [d_output]"""
    return namespace(output_grad).sum(_rows(output_grad), axis=0)


def _rows(x: Array) -> Array:
    """[..., d] as a matrix; d may be 0."""
    return namespace(x).reshape(x, (prod(x.shape[:-1]), x.shape[-1]))
