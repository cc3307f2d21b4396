"""Products of Tensors that few programs use, and sums with them."""

from __future__ import annotations

import math
from typing import Any

from .. import linalg, ops
from ..dims import axes_of, broadcast_shape
from ..refusals import named
from ..tensor import Tensor
from .products import bmm, mv, outer, plus_product
from .shapes import cat

__all__ = [
    "addbmm",
    "addmv",
    "addr",
    "baddbmm",
    "chain_matmul",
    "cross",
    "ger",
    "kron",
    "tensordot",
    "vander",
]


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat @ vec"""
    return plus_product(input, mv(mat, vec), beta, alpha)


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha outer(vec1, vec2)"""
    return plus_product(input, outer(vec1, vec2), beta, alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha batch1 @ batch2, of batches of matrices"""
    return plus_product(input, bmm(batch1, batch2), beta, alpha)


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha times the sum of the products of two batches of matrices"""
    return plus_product(input, ops.sum(bmm(batch1, batch2), (0,), False), beta, alpha)


ger = outer


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The products of two Tensors summed over dimensions of both.

    Parameters
    ----------
    dims
        How many: the last of `a` and the first of `b`; or two lists, the dimensions of `a` and those of `b`.

    Raises
    ------
    ValueError
        If there are not so many, or their lengths differ.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.tensordot(ag.ones(2, 3), ag.ones(3, 4), dims=1).shape
    Size([2, 4])
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if not 0 <= dims <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: {dims} dimensions of tensors of {a.ndim} and {b.ndim}")
        dims = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    given = [[d] if isinstance(d, int) else list(d) for d in dims]
    of_a, of_b = [axes_of("tensordot", d, x.ndim) or () for d, x in zip(given, (a, b), strict=True)]
    if len(of_a) != len(of_b):
        raise ValueError(f"tensordot: {len(of_a)} dimensions of the first and {len(of_b)} of the second")
    for i, j in zip(of_a, of_b, strict=True):
        if a.shape[i] != b.shape[j]:
            # A dimension of length 1 stands for any length.
            if 1 not in (a.shape[i], b.shape[j]):
                raise ValueError(f"tensordot: dimensions {i} and {j} have lengths {a.shape[i]} and {b.shape[j]}")
            if a.shape[i] == 1:
                b = ops.sum(b, (j,), True)
            else:
                a = ops.sum(a, (i,), True)
    rest_a, rest_b = [i for i in range(a.ndim) if i not in of_a], [i for i in range(b.ndim) if i not in of_b]
    inner = math.prod(a.shape[i] for i in of_a)
    shape_a, shape_b = [a.shape[i] for i in rest_a], [b.shape[i] for i in rest_b]
    left = ops.reshape(ops.permute(a, (*rest_a, *of_a)), (math.prod(shape_a), inner))
    right = ops.reshape(ops.permute(b, (*of_b, *rest_b)), (inner, math.prod(shape_b)))
    return ops.reshape(ops.matmul(left, right), (*shape_a, *shape_b))


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Kronecker's product: `other` times each element of `input`, in its place.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.kron(ag.tensor([1, 2]), ag.tensor([[1, 1]]))
    tensor([[1, 1, 2, 2]])
    """
    rank = max(input.ndim, other.ndim)
    a = ops.reshape(input, ((1,) * (rank - input.ndim)) + tuple(input.shape))
    b = ops.reshape(other, ((1,) * (rank - other.ndim)) + tuple(other.shape))
    spread = ops.reshape(a, tuple([n for m in a.shape for n in (m, 1)]))
    inside = ops.reshape(b, tuple([n for m in b.shape for n in (1, m)]))
    return ops.reshape(spread * inside, tuple([n * m for n, m in zip(a.shape, b.shape, strict=True)]))


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three elements along `dim`, by default the first dimension of that length.

    Raises
    ------
    ValueError
        If there is no such dimension, or that named has another length.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.cross(ag.tensor([1.0, 0.0, 0.0]), ag.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if dim is None:
        shape = broadcast_shape("cross", (tuple(input.shape), tuple(other.shape)))
        if 3 not in shape:
            raise ValueError(f"cross: no dimension of shape {shape} has length 3")
        dim = shape.index(3) - len(shape)
    return linalg.cross(input, other, dim=dim)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements as rows [n, N]: from N - 1 down to 0, or up if `increasing`; N is n by default.

    Raises
    ------
    ValueError
        If x is no vector, or N is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.vander(ag.tensor([1, 2]), 3)
    tensor([[1, 1, 1],
            [4, 2, 1]])
    """
    if x.ndim != 1:
        raise ValueError(f"vander: expected a vector, got shape {tuple(x.shape)}")
    count = x.numel() if N is None else N
    if count < 0:
        raise ValueError(f"vander: N must not be negative, got {N}")
    column = ops.expand_dims(x, 1)
    columns = [ops.ones_like(column)]
    for _ in range(count - 1):
        columns.append(columns[-1] * column)
    columns = columns[:count]
    if not columns:
        return ops.getitem(column, (slice(None), slice(0, 0), ...))
    return cat(columns if increasing else columns[::-1], 1)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of matrices, in the order that takes the fewest multiplications.

    Raises
    ------
    ValueError
        If there is none, or one is no matrix.
    """
    if not matrices:
        raise ValueError("chain_matmul: expected at least one matrix")
    return matrices[0] if len(matrices) == 1 else linalg.multi_dot(matrices)


named(__name__)
