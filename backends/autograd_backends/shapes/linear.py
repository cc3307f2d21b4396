"""Shapes of linear and embedding."""

from __future__ import annotations

from ..array_types import Array, Namespace, Shape
from ..errors import ShapeError

__all__ = ["embedding_output_shape", "linear_output_shape"]


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
        )
    if bias_shape is not None and bias_shape != (d_output,):
        raise ShapeError(f"linear: bias has shape {bias_shape} but weight {weight_shape} expects ({d_output},)")
    return (*x_shape[:-1], d_output)


def embedding_output_shape(weights_shape: Shape, indices: Array, xp: Namespace) -> Shape:
    """weights [n, d_model], integer indices [...] -> [..., d_model]

    Raises
    ------
    TypeError
        If `indices` are not integers.
    """
    if len(weights_shape) != 2:
        raise ShapeError(f"embedding: weights have shape {weights_shape}; it must be [n, d_model]")
    if not xp.isdtype(indices.dtype, "integral"):
        raise TypeError(f"embedding: indices have dtype {indices.dtype}; they must be integers")
    return (*indices.shape, weights_shape[1])
