"""Products of matrices and of vectors."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from .. import ops
from ..creation import eye
from ..dims import axis_of, broadcast_shape
from ..functions import diagonal as _diagonal
from ..functions import matmul
from ..refusals import named
from ..tensor import Tensor

__all__ = ["cross", "diagonal", "matmul", "matrix_exp", "matrix_power", "multi_dot", "vander", "vecdot"]


def matrix_power(A: Tensor, n: int) -> Tensor:
    """The product of `n` times the square matrix A: by repeated squares; for a negative n, of its inverse.

    Parameters
    ----------
    A
        [..., k, k].

    Raises
    ------
    LinAlgError
        If n is negative and a matrix is singular.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.matrix_power(ag.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"matrix_power: n must be an int, not {n!r}")
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError(f"matrix_power: A must be a batch of square matrices, and has shape {tuple(A.shape)}")
    if n == 0:
        one = eye(A.shape[-1], dtype=A.dtype, device=A.device)
        return ops.clone(ops.broadcast_to(one, tuple(A.shape)))
    square = ops.inv(A) if n < 0 else A
    rest = abs(int(n))
    out: Tensor = A
    started = False
    while rest:
        if rest % 2:
            out, started = (matmul(out, square) if started else square), True
        rest //= 2
        if rest:
            square = matmul(square, square)
    return ops.clone(A) if out is A else out


def matrix_exp(A: Tensor) -> Tensor:
    """e^A, the sum of A^k / k!, of square matrices.

    Parameters
    ----------
    A
        [..., n, n].

    Notes
    -----
    By scaling and squaring (Higham, 2005); the gradient is a block of the exponential of a matrix twice as large
    (Mathias, "A chain rule for matrix functions and applications", 1996).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.matrix_exp(ag.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return ops.matrix_exp(A)


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of two or more matrices, in the order of multiplying that takes the fewest operations.

    Parameters
    ----------
    tensors
        Matrices; the first and the last may be vectors, a row and a column.

    Raises
    ------
    ValueError
        If there are fewer than two, or one has other dimensions, or two neighbours do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.multi_dot([ag.ones(2, 3), ag.ones(3, 4), ag.ones(4)])
    tensor([12., 12.])
    """
    given = list(tensors)
    if len(given) < 2:
        raise ValueError(f"multi_dot: expected two tensors or more, got {len(given)}")
    for i, x in enumerate(given):
        if x.ndim != 2 and not (x.ndim == 1 and i in (0, len(given) - 1)):
            raise ValueError(f"multi_dot: tensor {i} must be a matrix, and has shape {tuple(x.shape)}")
    row, column = given[0].ndim == 1, given[-1].ndim == 1
    if row:
        given[0] = ops.expand_dims(given[0], 0)
    if column:
        given[-1] = ops.expand_dims(given[-1], 1)
    for i, (x, y) in enumerate(itertools.pairwise(given)):
        if x.shape[1] != y.shape[0]:
            raise ValueError(f"multi_dot: tensors {i} and {i + 1} do not fit: {tuple(x.shape)} and {tuple(y.shape)}")
    out = _multiplied(given, _splits([*[x.shape[0] for x in given], given[-1].shape[1]]), 0, len(given) - 1)
    gone = (*((0,) if row else ()), *((1,) if column else ()))
    return ops.squeeze(out, gone) if gone else out


def _splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """For matrices first to last, after which one the product is best split (Cormen et al., matrix chains)."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    best = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            options = [
                (cost[first, k] + cost[k + 1, last] + sizes[first] * sizes[k + 1] * sizes[last + 1], k)
                for k in range(first, last)
            ]
            cost[first, last], best[first, last] = min(options)
    return best


def _multiplied(matrices: Sequence[Tensor], splits: dict[tuple[int, int], int], first: int, last: int) -> Tensor:
    if first == last:
        return matrices[first]
    middle = splits[first, last]
    left = _multiplied(matrices, splits, first, middle)
    return matmul(left, _multiplied(matrices, splits, middle + 1, last))


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of length 3 along `dim`; the two broadcast.

    Raises
    ------
    ValueError
        If the vectors are not of length 3, or the ranks differ.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.cross(ag.tensor([1.0, 0.0, 0.0]), ag.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if input.ndim != other.ndim:
        raise ValueError(f"cross: tensors of {input.ndim} and {other.ndim} dimensions; give both as many")
    shape = broadcast_shape("cross", (tuple(input.shape), tuple(other.shape)))
    axis = axis_of("cross", dim, len(shape))
    if not shape or input.shape[axis] != 3 or other.shape[axis] != 3:
        raise ValueError(f"cross: dimension {dim} of shape {shape} must have length 3")
    a, b = ops.broadcast_to(input, shape), ops.broadcast_to(other, shape)
    next_one = [ops.roll(x, (-1,), (axis,)) for x in (a, b)]
    # Component i is a_(i+1) b_(i+2) - a_(i+2) b_(i+1): rolled back, one product of neighbours less the other.
    return ops.roll(a * next_one[1] - next_one[0] * b, (-1,), (axis,))


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The sum of conj(x) * y along `dim`; the two broadcast.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.vecdot(ag.tensor([1.0, 2.0]), ag.tensor([3.0, 4.0]))
    tensor(11.)
    """
    product = ops.conj(x) * y
    return ops.sum(product, (axis_of("vecdot", dim, product.ndim),) if product.ndim else (), False)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of the last two dimensions, or of two others, as the last dimension.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.diagonal(ag.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    return _diagonal(A, offset, dim1, dim2)


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The powers 0 to N - 1 of each element, as a new last dimension (Vandermonde); as many as elements by default.

    Parameters
    ----------
    x
        [..., n].

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.vander(ag.tensor([2.0, 3.0]), N=3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    if x.ndim == 0:
        raise ValueError("vander: x must have a dimension")
    count = x.shape[-1] if N is None else N
    if count < (0 if N is None else 1):
        raise ValueError(f"vander: N must be at least 1, not {N}")
    columns: list[Any] = []
    for _ in range(count):
        columns.append(columns[-1] * x if columns else ops.ones_like(x))
    return ops.stack(columns, x.ndim) if columns else ops.reshape(x, (*x.shape, 0))


named(__name__)
