"""embedding: rows of a table, by index."""

from __future__ import annotations

from math import prod

from ..array_types import Array, Shape
from ..lookup import kernels, namespace
from ..shapes import embedding_output_shape
from .precision import cast, widened

__all__ = ["embedding", "embedding_backward"]


def embedding(weights: Array, indices: Array) -> Array:
    """weights [n, d_model], integer indices [...] in [0, n) -> [..., d_model]

    Raises
    ------
    IndexError
        If an index is out of range; on an asynchronous device, at the next wait.
    """
    xp = namespace(weights)
    shape = embedding_output_shape(weights.shape, indices, xp)
    kernels(weights).check_indices(indices, weights.shape[0], "embedding")
    return xp.reshape(xp.take(weights, xp.reshape(indices, (-1,)), axis=0), shape)


def embedding_backward(weights_shape: Shape, output_grad: Array, indices: Array) -> Array:
    """output_grad [..., d_model] added up in the rows that `indices` [...] name -> [n, d_model]"""
    xp = namespace(output_grad)
    grads = widened(xp, xp.reshape(output_grad, (prod(indices.shape), weights_shape[1])))
    zeros = xp.zeros(weights_shape, dtype=grads.dtype, device=grads.device)
    total = kernels(grads).scatter_add(zeros, xp.reshape(indices, (-1,)), grads)
    return cast(xp, total, output_grad.dtype)
