"""Shapes of linear and embedding."""

from __future__ import annotations

from ..array_types import Array, Namespace, Shape
from ..errors import ShapeError
from ..lookup import dtype_name
from .common import check_argument
from .hints import features_hint

__all__ = [
    "check_embedding_backward",
    "check_linear_bias_backward",
    "check_linear_weight_backward",
    "check_linear_x_backward",
    "embedding_output_shape",
    "linear_output_shape",
]


def linear_output_shape(x_shape: Shape, weight_shape: Shape, bias_shape: Shape | None) -> Shape:
    """x [..., d_input], weight [d_input, d_output], bias [d_output] or None -> [..., d_output]"""
    if len(weight_shape) != 2:
        raise ShapeError(f"linear: weight has shape {weight_shape}; it must be [d_input, d_output]")
    if not x_shape:
        raise ShapeError("linear: x has shape (); it needs at least one dimension, of size d_input")
    d_input, d_output = weight_shape
    if x_shape[-1] != d_input:
        raise ShapeError(
            f"linear: x has {x_shape[-1]} features (last dimension of {x_shape}) "
            f"but weight {weight_shape}, [d_input, d_output], expects {d_input}"
            f"{features_hint('x', x_shape, d_input)}"
        )
    if bias_shape is not None and bias_shape != (d_output,):
        raise ShapeError(f"linear: bias has shape {bias_shape} but weight {weight_shape} expects ({d_output},)")
    return (*x_shape[:-1], d_output)


def check_linear_x_backward(weight_shape: Shape, output_grad_shape: Shape) -> None:
    """Refuse what is not weight [d_input, d_output] and output_grad [..., d_output]."""
    if len(weight_shape) != 2:
        raise ShapeError(f"linear_x_backward: weight has shape {weight_shape}; it must be [d_input, d_output]")
    if output_grad_shape[-1:] != weight_shape[1:]:
        raise ShapeError(
            f"linear_x_backward: output_grad has shape {output_grad_shape} but weight {weight_shape}, "
            f"[d_input, d_output], expects (..., {weight_shape[1]})"
        )


def check_linear_weight_backward(x_shape: Shape, output_grad_shape: Shape) -> None:
    """Refuse what is not x [..., d_input] and output_grad [..., d_output]."""
    if not x_shape or not output_grad_shape or x_shape[:-1] != output_grad_shape[:-1]:
        raise ShapeError(
            f"linear_weight_backward: x has shape {x_shape} and output_grad {output_grad_shape}; they must be "
            "[..., d_input] and [..., d_output], alike in all but the last dimension"
        )


def check_linear_bias_backward(output_grad_shape: Shape) -> None:
    if not output_grad_shape:
        raise ShapeError("linear_bias_backward: output_grad has shape (); it must be [..., d_output]")


def check_embedding_backward(weights_shape: Shape, output_grad_shape: Shape, indices: Array, xp: Namespace) -> None:
    """Refuse what is not weights [n, d_model], output_grad [..., d_model] and integer indices [...]."""
    name = "embedding_backward"
    expected = embedding_output_shape(weights_shape, indices, xp, name)
    check_argument(name, "output_grad", output_grad_shape, expected, f"indices {tuple(indices.shape)}")


def embedding_output_shape(weights_shape: Shape, indices: Array, xp: Namespace, op_name: str = "embedding") -> Shape:
    """weights [n, d_model], integer indices [...] -> [..., d_model]

    Raises
    ------
    TypeError
        If `indices` are not integers.
    """
    if len(weights_shape) != 2:
        raise ShapeError(f"{op_name}: weights have shape {weights_shape}; they must be [n, d_model]")
    if not xp.isdtype(indices.dtype, "integral"):
        raise TypeError(f"{op_name}: indices have dtype {dtype_name(indices)}; they must be integers")
    return (*indices.shape, weights_shape[1])
