"""Inverses, and what is solved with them."""

from __future__ import annotations

from typing import Any, NamedTuple

from autograd_backends import ShapeError, kernels
from autograd_backends.module_ops.linalg import SINGULAR, refuse_marked

from ...registry import Array, op
from ..complex import conj
from ..product import matmul
from ..shape import matrix_transpose, sum_to, tril, triu
from .common import adjoint, check, check_square

__all__ = ["inv", "inv_ex", "pinv", "solve", "solve_triangular"]


class InverseInfo(NamedTuple):
    """Inverses [..., n, n], NaN for a singular matrix, and int32 [...]: 1 for each of these, else 0."""

    inverse: Any
    info: Any


# ---------------------------------------------------------------- inverses


@op(formula="dx = -out^T g out^T")
def inv(x: Array) -> Array:
    """The inverse of square matrices x [..., n, n]"""
    check_square("inv", x)
    inverse, info = kernels(x).inv_ex(x)
    refuse_marked("inv", x, info, SINGULAR)
    return inverse


def _inverse_x(g: Any, inverse: Any) -> Any:
    """By d(x^-1) = -x^-1 dx x^-1."""
    transposed = matrix_transpose(inverse)
    return -matmul(transposed, matmul(g, transposed))


inv.backward(x=lambda g, out: _inverse_x(g, out))


@op(formula="dx = -inverse^T g inverse^T", outputs=("inverse", "info"), carries=("inverse",))
def inv_ex(x: Array) -> InverseInfo:
    """The inverse of square matrices x [..., n, n], NaN where there is none, and 1 for each of these"""
    check_square("inv_ex", x)
    return InverseInfo(*kernels(x).inv_ex(x))


inv_ex.backward(x=lambda g, inverse: _inverse_x(g, inverse))


@op(formula="dx as of the projection of g (Golub and Pereyra 1973)", nondiff=("absolute", "relative"))
def pinv(x: Array, absolute: Array, relative: Array, hermitian: bool = False) -> Array:
    """The pseudoinverse of matrices x [..., n, m]: singular values up to a tolerance count as 0

    The tolerance is the larger of `absolute` and `relative` times the largest singular value; both are numbers, or
    broadcast with [...].
    """
    (check_square if hermitian else check)("pinv", x)
    return kernels(x).pinv(x, absolute, relative, hermitian)


def _pinv_x(g: Any, x: Any, out: Any) -> Any:
    # Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
    # separate" (1973): dP = -P dX P + P P^H dX^H (1 - X P) + (1 - P X) dX^H P^H P, for matrices of one rank.
    x, p = conj(x), conj(out)
    ph, gh = adjoint(p), adjoint(g)
    gp, pg = matmul(gh, p), matmul(p, gh)
    left = matmul(gp, ph)
    right = matmul(ph, pg)
    through = -adjoint(matmul(p, gp))
    return through + (left - matmul(x, matmul(p, left))) + (right - matmul(matmul(right, p), x))


pinv.backward(x=_pinv_x)


# ---------------------------------------------------------------- systems


def _check_system(name: str, a: Any, b: Any) -> None:
    check_square(name, a, "a")
    check(name, b, "b")
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            f"{name}: b must have as many rows as a, and their shapes are {tuple(a.shape)} and {tuple(b.shape)}"
        )


@op(formula="db = a^-T g, da = -db out^T", promote=True)
def solve(a: Array, b: Array) -> Array:
    """The x of a x = b, for square a [..., n, n] and b [..., n, k]; batches broadcast"""
    _check_system("solve", a, b)
    return kernels(a).solve(a, b)


solve.backward(
    a=lambda g, a, a_shape, out: _matrix_gradient(solve(matrix_transpose(a), g), out, a_shape),
    b=lambda g, a, b_shape: _summed(solve(matrix_transpose(a), g), b_shape),
)


def _summed(x: Any, shape: tuple[int, ...]) -> Any:
    return x if tuple(x.shape) == tuple(shape) else sum_to(x, tuple(shape))


def _matrix_gradient(right_gradient: Any, out: Any, shape: tuple[int, ...]) -> Any:
    """By a dx = db - da x."""
    return _summed(-matmul(right_gradient, matrix_transpose(out)), shape)


@op(formula="db = a^-T g, da = -db out^T, of the triangle", promote=True)
def solve_triangular(a: Array, b: Array, upper: bool, unitriangular: bool = False) -> Array:
    """The x of a x = b, for a [..., n, n] of which a triangle counts, or it with a diagonal of 1, and b [..., n, k]"""
    _check_system("solve_triangular", a, b)
    return kernels(a).solve_triangular(a, b, upper, unitriangular)


def _triangular_b(g: Any, a: Any, upper: bool, unitriangular: bool) -> Any:
    return solve_triangular(matrix_transpose(a), g, not upper, unitriangular)


def _triangular_a(g: Any, a: Any, a_shape: Any, out: Any, upper: bool, unitriangular: bool) -> Any:
    whole = _matrix_gradient(_triangular_b(g, a, upper, unitriangular), out, a_shape)
    return triu(whole, int(unitriangular)) if upper else tril(whole, -int(unitriangular))


solve_triangular.backward(
    a=_triangular_a,
    b=lambda g, a, b_shape, upper, unitriangular: _summed(_triangular_b(g, a, upper, unitriangular), b_shape),
)
