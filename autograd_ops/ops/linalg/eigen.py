"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels
from autograd_backends.results import EigenResult

from ...registry import Array, op
from ..complex import conj, real
from ..product import matmul
from ..shape import expand_dims, matrix_transpose
from .common import absent, adjoint, check_square, diagonal_matrix, diagonal_of, is_complex, off_diagonal
from .solve import solve

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


def _differences(values: Any) -> Any:
    """values_j - values_i: [..., n, n]"""
    return expand_dims(values, -2) - expand_dims(values, -1)


# ---------------------------------------------------------------- of Hermitian matrices


@op(
    formula="dx = v (diag dl + v^H dv / (l_j - l_i)) v^H, its Hermitian part",
    outputs=("eigenvalues", "eigenvectors"),
)
def eigh(x: Array) -> EigenResult:
    """Real eigenvalues [..., n] in rising order, and eigenvectors as columns, of Hermitian x [..., n, n]

    The lower triangle counts. The gradient is Hermitian as x is.
    """
    check_square("eigh", x)
    return kernels(x).eigh("eigh", x)


def _eigh_x(g: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    # Giles, "An extended collection of matrix derivative results for forward and reverse mode AD" (2008), 3.1.
    g_values, g_vectors = g
    v = conj(eigenvectors)
    middle = diagonal_matrix(g_values)
    if not absent(g, 1):
        turned = matmul(adjoint(v), g_vectors)
        middle = middle + off_diagonal((turned - adjoint(turned)) * 0.5, _differences(eigenvalues))
    return matmul(v, matmul(middle, adjoint(v)))


eigh.backward(x=_eigh_x)


@op(formula="dx = v diag(g) v^H")
def eigvalsh(x: Array) -> Array:
    """The eigenvalues [..., n] of Hermitian x [..., n, n] in rising order; the lower triangle counts"""
    check_square("eigvalsh", x)
    return kernels(x).eigvalsh(x)


def _eigvalsh_x(g: Any, x: Any) -> Any:
    # The vectors are computed here, since without a gradient nobody needs them.
    v = conj(eigh(x).eigenvectors)
    return matmul(v * expand_dims(g, -2), adjoint(v))


eigvalsh.backward(x=_eigvalsh_x)


# ---------------------------------------------------------------- of any matrices


@op(
    formula="dx = v^-T (diag dl + (v^T dv - v^T conj(v) diag Re(v^T dv)) / (l_j - l_i)) v^T",
    outputs=("eigenvalues", "eigenvectors"),
)
def eig(x: Array) -> EigenResult:
    """Complex eigenvalues [..., n], and eigenvectors of length 1 as columns, of any x [..., n, n]"""
    check_square("eig", x)
    return kernels(x).eig(x)


def _eig_x(g: Any, x: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    # Boeddeker et al., "On the computation of complex-valued gradients with application to statistically optimum
    # beamforming" (2017), 4.77, for eigenvectors that are kept at length 1.
    g_values, g_vectors = g
    transposed = matrix_transpose(eigenvectors)
    middle = diagonal_matrix(g_values)
    if not absent(g, 1):
        turned = matmul(transposed, g_vectors)
        lengths = matmul(transposed, conj(eigenvectors)) * expand_dims(real(diagonal_of(turned)), -2)
        middle = middle + off_diagonal(turned - lengths, _differences(eigenvalues))
    gradient = solve(transposed, matmul(middle, transposed))
    return gradient if is_complex(x) else real(gradient)


eig.backward(x=_eig_x)


@op(formula="dx = v^-T diag(g) v^T")
def eigvals(x: Array) -> Array:
    """The complex eigenvalues [..., n] of any x [..., n, n]"""
    check_square("eigvals", x)
    return kernels(x).eigvals(x)


def _eigvals_x(g: Any, x: Any) -> Any:
    transposed = matrix_transpose(eig(x).eigenvectors)
    gradient = solve(transposed, expand_dims(g, -1) * transposed)
    return gradient if is_complex(x) else real(gradient)


eigvals.backward(x=_eigvals_x)
