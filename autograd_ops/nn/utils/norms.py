"""Norms of weights, as weight and spectral normalization need them."""

from __future__ import annotations

from ... import ops
from ...random import randn
from ...refusals import named
from ...tape import no_grad
from ...tensor import Tensor
from ..functional import normalize

__all__ = ["PowerIteration", "as_matrix", "norm_except_dim"]


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm of `v` over all dimensions but `dim`, which stay with length 1; over all of them for ``dim=-1``.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.utils.norms.norm_except_dim(ag.tensor([[3.0, 4.0], [6.0, 8.0]]))
    tensor([[ 5.],
            [10.]])
    """
    if dim == -1:
        return v.norm(pow)
    others = tuple(i for i in range(v.ndim) if i != dim % v.ndim)
    return v.norm(pow, dim=others, keepdim=True) if others else ops.abs(v)


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """`weight` as [length of `dim`, the rest]."""
    if dim != 0:
        weight = ops.permute(weight, (dim, *(i for i in range(weight.ndim) if i != dim)))
    rows = weight.shape[0]
    return ops.reshape(weight, (rows, weight.numel() // max(1, rows)))


class PowerIteration:
    """The way to the largest singular value of a matrix: each step brings u and v nearer to its vectors."""

    @staticmethod
    def start(matrix: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        """Unit vectors drawn at random: u as long as the rows are many, v as the columns."""
        u, v = (randn(length, dtype=matrix.dtype, device=matrix.device) for length in matrix.shape)
        return normalize(u, dim=0, eps=eps), normalize(v, dim=0, eps=eps)

    @staticmethod
    @no_grad
    def step(matrix: Tensor, u: Tensor, v: Tensor, times: int, eps: float, u_first: bool) -> None:
        """Change u and v in place, each to the product with the other, of length 1."""
        transposed = ops.matrix_transpose(matrix)
        for _ in range(times):
            if u_first:
                u.copy_(normalize(ops.matmul(matrix, v), dim=0, eps=eps))
                v.copy_(normalize(ops.matmul(transposed, u), dim=0, eps=eps))
            else:
                v.copy_(normalize(ops.matmul(transposed, u), dim=0, eps=eps))
                u.copy_(normalize(ops.matmul(matrix, v), dim=0, eps=eps))

    @staticmethod
    def value(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
        """u^T W v, about the largest singular value; u and v are constants."""
        return ops.sum(u.clone() * ops.matmul(matrix, v.clone()))


named(__name__)
