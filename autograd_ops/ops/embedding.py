"""embedding: rows of a table by number."""

from __future__ import annotations

from autograd_backends import kernels, namespace
from autograd_backends.shapes import check_embedding_backward

from ..registry import Array, ShapeOf, op

__all__ = ["embedding", "embedding_backward"]


@op(formula="dweights = zeros with g added to the rows named", nondiff=("indices",))
def embedding(weights: Array, indices: Array) -> Array:
    """The rows of a table that indices name.

    Parameters
    ----------
    weights
        [n, d_model]
    indices
        Integers in ``[0, n)`` of any shape, [batch, seq] say.

    Returns
    -------
    Array
        [*indices.shape, d_model]

    Raises
    ------
    IndexError
        If an index is out of range, negative ones too; on an asynchronous device at the next wait for it.
    """
    return kernels(weights).embedding(weights, indices)


embedding.backward(weights=lambda g, weights_shape, indices: embedding_backward(weights_shape, g, indices))


@op(formula="doutput_grad = the rows of g named", nondiff=("indices",))
def embedding_backward(weights: ShapeOf, output_grad: Array, indices: Array) -> Array:
    """output_grad [*indices.shape, d_model] added up by row -> the gradient of weights [n, d_model]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    IndexError
        If an index is out of range, negative ones too; on an asynchronous device at the next wait for it.
    """
    check_embedding_backward(weights, output_grad.shape, indices, namespace(indices))
    kernels(indices).check_indices(indices, weights[0], "embedding_backward")
    return kernels(output_grad).embedding_backward(weights, output_grad, indices)


embedding_backward.backward(output_grad=lambda g, indices: embedding(g, indices))
