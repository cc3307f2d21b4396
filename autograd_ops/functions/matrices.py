"""Linear algebra by the names that PyTorch has outside of ``torch.linalg``."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import linalg, ops
from ..creation import eye, zeros
from ..linalg import det, lu_solve, matrix_exp, matrix_power, slogdet
from ..refusals import named
from ..tensor import Tensor

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "inverse",
    "logdet",
    "lu_solve",
    "matrix_exp",
    "matrix_power",
    "orgqr",
    "pinverse",
    "qr",
    "slogdet",
    "svd",
    "triangular_solve",
]


def inverse(input: Tensor) -> Tensor:
    """``linalg.inv``: the inverse of square matrices."""
    return linalg.inv(input)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """``linalg.pinv``, in which singular values up to `rcond` times the largest count as 0."""
    return linalg.pinv(input, rtol=rcond)


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of square matrices: NaN where that is negative, minus infinity where it is 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.logdet(ag.ones(2).diag())
    tensor(0.)
    """
    sign, logarithm = linalg.slogdet(input)
    if sign.dtype.is_complex:
        return ops.log(sign) + logarithm
    return ops.where(sign < 0, math.nan, logarithm)


def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """``linalg.cholesky``: the triangular factor of Hermitian positive-definite matrices."""
    return linalg.cholesky(input, upper=upper)


def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """The X of A X = B, for A = L L^H, or L^H L with `upper`.

    Parameters
    ----------
    B
        [..., n, k].
    L
        The factor [..., n, n].

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.cholesky_solve(ag.tensor([[8.0]]), ag.tensor([[2.0]]))
    tensor([[2.]])
    """
    other = ops.conj(ops.matrix_transpose(L))
    lower, above = (other, L) if upper else (L, other)
    half = linalg.solve_triangular(lower, B, upper=False)
    return linalg.solve_triangular(above, half, upper=True)


def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A = L L^H, or L^H L with `upper`, by its factor [..., n, n]."""
    return cholesky_solve(eye(L.shape[-1], dtype=L.dtype, device=L.device), L, upper)


class TriangularSolve(NamedTuple):
    """The solution, and the matrix that was given."""

    solution: Tensor
    cloned_coefficient: Tensor


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> TriangularSolve:
    """``linalg.solve_triangular`` with the arguments the other way round, of A or its transpose."""
    matrix, side = (ops.matrix_transpose(A), not upper) if transpose else (A, upper)
    solution = linalg.solve_triangular(matrix, b, upper=side, unitriangular=unitriangular)
    return TriangularSolve(solution, ops.clone(A))


def qr(input: Tensor, some: bool = True) -> Any:
    """``linalg.qr``, reduced, or complete where not `some`."""
    return linalg.qr(input, "reduced" if some else "complete")


class SVD(NamedTuple):
    """Singular vectors as columns of U and of V, and singular values S in falling order."""

    U: Tensor
    S: Tensor
    V: Tensor


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> SVD:
    """The singular value decomposition input = U diag(S) V^H, as a named tuple: of V, where ``linalg.svd`` gives V^H.

    Parameters
    ----------
    some
        As many columns as singular values; else ``full_matrices=True``.
    compute_uv
        Without it, U and V are zeros.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.svd(ag.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    if not compute_uv:
        n, m = input.shape[-2:]
        sides = [zeros((*input.shape[:-2], k, k), dtype=input.dtype, device=input.device) for k in (n, m)]
        return SVD(sides[0], linalg.svdvals(input), sides[1])
    U, S, Vh = linalg.svd(input, full_matrices=not some)
    return SVD(U, S, ops.conj(ops.matrix_transpose(Vh)))


def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """``linalg.householder_product``"""
    return linalg.householder_product(input, input2)


named(__name__)
