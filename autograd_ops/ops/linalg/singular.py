"""Singular values and vectors."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels
from autograd_backends.results import SVDResult

from ...registry import Array, op
from ..complex import conj
from ..product import matmul
from ..shape import expand_dims
from .common import (
    absent,
    adjoint,
    check,
    columns,
    diagonal_matrix,
    diagonal_of,
    is_any,
    is_complex,
    off_diagonal,
    rows,
)

__all__ = ["svd", "svdvals"]


@op(
    formula="dx = u (diag ds + (skew(u^H du) s + s skew(v^H dv)) / (s_j^2 - s_i^2)) v^H and what is outside of u and v",
    outputs=("U", "S", "Vh"),
)
def svd(x: Array, full_matrices: bool = False) -> SVDResult:
    """U [..., n, k], S [..., k] in falling order and Vh [..., k, m] with U diag(S) Vh = x, k the smaller of n and m

    With `full_matrices`, U is [..., n, n] and Vh [..., m, m].
    """
    check("svd", x)
    return kernels(x).svd("svd", x, full_matrices)


def _svd_x(g: Any, U: Any, S: Any, Vh: Any) -> Any:
    # Townsend, "Differentiating the singular value decomposition" (2016); the phases of complex vectors as in Wan and
    # Zhang, "Automatic differentiation for complex valued SVD" (2019).
    gu, gs, gvh = g
    no_u, no_v = absent(g, 0), absent(g, 2)
    u, vh = conj(U), conj(Vh)
    k = S.shape[-1]
    if u.shape[-1] != k or vh.shape[-2] != k:
        if is_any(columns(gu, k)) or is_any(rows(gvh, k)):
            raise ValueError(
                "svd: the vectors that full_matrices=True gives beyond the singular values are any basis, and have no "
                "gradient; use full_matrices=False"
            )
        u, gu = columns(u, 0, k), columns(gu, 0, k)
        vh, gvh = rows(vh, 0, k), rows(gvh, 0, k)
    middle = diagonal_matrix(gs)
    row, column = expand_dims(S, -2), expand_dims(S, -1)
    # s_j^2 - s_i^2, without the rounding of the squares
    gaps = (row - column) * (row + column)
    left = None if no_u else _skew(matmul(adjoint(u), gu))
    right = None if no_v else _skew(matmul(vh, adjoint(gvh)))
    if left is not None:
        middle = middle + off_diagonal(left * row, gaps)
    if right is not None:
        middle = middle + off_diagonal(right * column, gaps)
    if left is not None and right is not None and is_complex(u):
        middle = middle + diagonal_matrix(diagonal_of(left) / (S * 2.0))
    gradient = matmul(u, matmul(middle, vh))
    if left is not None and u.shape[-2] > k:
        scaled = gu / row
        gradient = gradient + matmul(scaled - matmul(u, matmul(adjoint(u), scaled)), vh)
    if right is not None and vh.shape[-1] > k:
        scaled = gvh / column
        gradient = gradient + matmul(u, scaled - matmul(matmul(scaled, adjoint(vh)), vh))
    return gradient


def _skew(x: Any) -> Any:
    return x - adjoint(x)


svd.backward(x=_svd_x)


@op(formula="dx = u diag(g) v^H")
def svdvals(x: Array) -> Array:
    """The singular values [..., k] of x [..., n, m] in falling order, k the smaller of n and m"""
    check("svdvals", x)
    return kernels(x).svdvals(x)


def _svdvals_x(g: Any, x: Any) -> Any:
    # The vectors are computed here, since without a gradient nobody needs them.
    U, _, Vh = svd(x, False)
    return matmul(conj(U) * expand_dims(g, -2), conj(Vh))


svdvals.backward(x=_svdvals_x)
