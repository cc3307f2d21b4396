"""Matrices as products of triangular and orthogonal ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from autograd_backends import kernels, namespace
from autograd_backends.module_ops.linalg import order_of_rows, refuse_marked
from autograd_backends.results import LUResult, QRResult

from ...registry import Array, op
from ..complex import conj
from ..indexing import take_along_axis
from ..product import matmul
from ..shape import concat, matrix_transpose, tril, triu
from .common import adjoint, check, check_square, columns, diagonal_matrix, diagonal_of, rows
from .solve import solve_triangular

__all__ = ["cholesky", "cholesky_ex", "lu_factor", "qr", "row_order"]


class CholeskyInfo(NamedTuple):
    """Lower triangles [..., n, n], NaN where there is none, and int32 [...]: 1 for each of these, else 0."""

    L: Any
    info: Any


# ---------------------------------------------------------------- Cholesky


@op(formula="dx = l^-H (phi + phi^H) l^-1 / 2, phi = tril(l^H g) with half the diagonal")
def cholesky(x: Array) -> Array:
    """Lower triangular l with l l^H = x, for Hermitian positive-definite x [..., n, n]

    The lower triangle of x counts. The gradient is Hermitian as x is.
    """
    check_square("cholesky", x)
    out, info = kernels(x).cholesky_ex(x)
    refuse_marked("cholesky", x, info, "the matrix is not positive-definite")
    return out


def _cholesky_x(g: Any, factor: Any) -> Any:
    # Murray, "Differentiation of the Cholesky decomposition" (2016), 3.2.
    factor = conj(factor)
    upper = adjoint(factor)
    lower = tril(matmul(upper, g))
    phi = lower - diagonal_matrix(diagonal_of(lower)) * 0.5
    left = solve_triangular(upper, phi + adjoint(phi), True)
    return adjoint(solve_triangular(upper, adjoint(left), True)) * 0.5


cholesky.backward(x=lambda g, out: _cholesky_x(g, out))


@op(formula="dx as of cholesky", outputs=("L", "info"), carries=("L",))
def cholesky_ex(x: Array) -> CholeskyInfo:
    """The factor that `cholesky` gives, NaN where there is none, and 1 for each of these"""
    check_square("cholesky_ex", x)
    return CholeskyInfo(*kernels(x).cholesky_ex(x))


cholesky_ex.backward(x=lambda g, L: _cholesky_x(g, L))


# ---------------------------------------------------------------- QR


@op(
    formula="dx = (dq + q (m + m^H with half the diagonal)) r^-H, m = triu(dr r^H - q^H dq)",
    outputs=("Q", "R"),
)
def qr(x: Array, mode: str = "reduced") -> QRResult:
    """Q [..., n, k] with orthonormal columns and upper triangular R [..., k, m], Q R = x, k the smaller of n and m

    With mode ``"complete"``, k is n; then Q has a gradient for n <= m only.
    """
    check("qr", x)
    return kernels(x).qr(x, mode)


def _qr_x(g: Any, Q: Any, R: Any) -> Any:
    # Roberts and Roberts, "QR and LQ decomposition matrix backpropagation algorithms for square, wide, and deep
    # matrices and their software implementation" (2020).
    gq, gr = g
    q, r = conj(Q), conj(R)
    n, k, m = q.shape[-2], q.shape[-1], r.shape[-1]
    if k > m:
        raise ValueError(
            f"qr: with mode='complete' the last {k - m} of {n} columns of Q are any basis, so there is no gradient; "
            "use mode='reduced'"
        )
    if k == m:
        return _tall_qr_x(gq, gr, q, r)
    # A wide matrix is [x, y] = q [u, v]: the first columns make q, by which y is then turned.
    v, gv = columns(r, k), columns(gr, k)
    gq = gq + matmul(matmul(q, v), adjoint(gv))
    return concat([_tall_qr_x(gq, columns(gr, 0, k), q, columns(r, 0, k)), matmul(q, gv)], -1)


def _tall_qr_x(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    upper = triu(matmul(gr, adjoint(r)) - matmul(adjoint(q), gq))
    both = upper + adjoint(upper)
    total = gq + matmul(q, both - diagonal_matrix(diagonal_of(both)) * 0.5)
    return adjoint(solve_triangular(r, adjoint(total), True))


qr.backward(x=_qr_x)


# ---------------------------------------------------------------- LU


@op(
    formula="dx = p l^-T (tril(l^T dl, -1) + triu(du u^T)) u^-T",
    outputs=("LU", "pivots"),
    carries=("LU",),
)
def lu_factor(x: Array) -> LUResult:
    """Unit lower and upper triangles, packed in one [..., n, m], whose product is x with its rows exchanged

    And int32 pivots [..., min(n, m)]: row k was exchanged with row ``pivots[k] - 1``, for each k in turn.
    """
    check("lu_factor", x)
    return kernels(x).lu(x)


def _lu_factor_x(g: Any, LU: Any, pivots: Any) -> Any:
    # de Hoog, Anderssen and Lukas, "Differentiation of matrix functionals using triangular factorization" (2011).
    n, m = LU.shape[-2:]
    k = min(n, m)
    square, g_square = _corner(LU, k), _corner(g, k)
    lower = tril(square, -1)
    below = matmul(matrix_transpose(lower), tril(g_square, -1)) + tril(g_square, -1)
    above = matmul(triu(g_square), matrix_transpose(triu(square)))
    if m > k:
        below = below - matmul(columns(g, k), matrix_transpose(columns(LU, k)))
    if n > k:
        above = above - matmul(matrix_transpose(rows(LU, k)), rows(g, k))
    turned = _times_inverse(tril(below, -1) + triu(above), square)
    if m > k:
        turned = concat([turned, columns(g, k)], -1)
    gradient = solve_triangular(matrix_transpose(square), turned, True, True)
    if n > k:
        gradient = concat([gradient, _times_inverse(rows(g, k), square)], -2)
    return _unordered(gradient, pivots)


def _corner(x: Any, k: int) -> Any:
    return columns(rows(x, 0, k), 0, k)


def _times_inverse(x: Any, square: Any) -> Any:
    """x u^-T, for u the upper triangle of `square`"""
    return matrix_transpose(solve_triangular(square, matrix_transpose(x), True))


def _unordered(x: Any, pivots: Any) -> Any:
    """x with its rows where they were before they were exchanged."""
    array = getattr(pivots, "array", pivots)
    xp = namespace(array)
    back = xp.argsort(order_of_rows(array, x.shape[-2]), axis=-1)
    return take_along_axis(x, xp.broadcast_to(xp.expand_dims(back, axis=-1), tuple(x.shape)), -2)


lu_factor.backward(x=_lu_factor_x)


@op(nondiff=True)
def row_order(pivots: Array, n: int) -> Array:
    """Which of n rows is where, int64 [..., n], after the exchanges that `pivots` stands for"""
    return order_of_rows(pivots, n)
