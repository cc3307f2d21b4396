"""How far vectors are apart, by length or by angle, and forms of two vectors."""

from __future__ import annotations

import math

from ... import ops
from ...dims import axis_of, broadcast_shape
from ...functions.distances import pdist
from ...refusals import named
from ...tensor import Tensor

__all__ = ["bilinear", "cosine_similarity", "pairwise_distance", "pdist"]


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` along the last dimension.

    Parameters
    ----------
    x1, x2
        [..., D]; they broadcast.
    p
        Which norm; ``inf`` is the largest absolute value.
    eps
        Keeps the gradient finite where the two are equal.
    keepdim
        Whether the last dimension stays, with length 1.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.pairwise_distance(ag.tensor([[3.0, 4.0]]), ag.zeros(1, 2))
    tensor([5.])
    """
    return (x1 - x2 + eps).norm(p, dim=-1, keepdim=keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """``x1 · x2 / (max(|x1|, eps) max(|x2|, eps))`` along `dim`.

    Parameters
    ----------
    x1, x2
        They broadcast.
    dim
        The dimension of the vectors, in the shape that both broadcast to.
    eps
        The least length that is divided by.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.cosine_similarity(ag.tensor([[1.0, 0.0]]), ag.tensor([[3.0, 4.0]]))
    tensor([0.6])
    """
    shape = broadcast_shape("cosine_similarity", [tuple(x1.shape), tuple(x2.shape)])
    axis = axis_of("cosine_similarity", dim, len(shape))
    x1, x2 = (x if tuple(x.shape) == shape else ops.broadcast_to(x, shape) for x in (x1, x2))
    # Each is brought to length 1 first, so that the product of two lengths does not overflow.
    return ops.sum(_unit(x1, axis, eps) * _unit(x2, axis, eps), (axis,))


def _unit(x: Tensor, axis: int, eps: float) -> Tensor:
    return x / ops.clamp(x.norm(2, dim=axis, keepdim=True), eps, None)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T W_k x2 + b_k, for each k.

    Parameters
    ----------
    input1, input2
        [..., in1] and [..., in2], with the same leading dimensions.
    weight
        [out, in1, in2]
    bias
        [out] or None.

    Returns
    -------
    Tensor
        [..., out]

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.bilinear(ag.tensor([[1.0, 2.0]]), ag.tensor([[3.0]]), ag.ones(1, 2, 1))
    tensor([[9.]])
    """
    out, in1, in2 = weight.shape
    if input1.shape[:-1] != input2.shape[:-1] or input1.shape[-1] != in1 or input2.shape[-1] != in2:
        raise ValueError(
            f"bilinear: a weight of shape {tuple(weight.shape)} takes [..., {in1}] and [..., {in2}], "
            f"not {tuple(input1.shape)} and {tuple(input2.shape)}"
        )
    lead = tuple(input1.shape[:-1])
    rows = ops.reshape(input1, (math.prod(lead), in1))
    # [N, in1] @ [in1, out in2]: the larger of the two products is one matrix product.
    halfway = ops.matmul(rows, ops.reshape(ops.permute(weight, (1, 0, 2)), (in1, out * in2)))
    halfway = ops.reshape(halfway, (*lead, out, in2))
    formed = ops.reshape(ops.matmul(halfway, ops.expand_dims(input2, len(lead) + 1)), (*lead, out))
    return formed if bias is None else formed + bias


named(__name__)
