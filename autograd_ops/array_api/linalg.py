"""The extension for linear algebra: matrices are the last two axes of an array."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from .. import functions, linalg, ops
from ..tensor import Tensor
from .axes import Axes, axes_of
from .linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from .statistical import sum

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

Tolerance: TypeAlias = float | Tensor | None


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangle whose product with its conjugate transpose is the positive-definite x: the lower, or the upper."""
    return linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The cross products of vectors of three elements along `axis`, counted from the last; the other axes broadcast."""
    rank = max(x1.ndim, x2.ndim)
    a, b = [ops.reshape(x, (1,) * (rank - x.ndim) + tuple(x.array.shape)) for x in (x1, x2)]
    return linalg.cross(a, b, dim=axis)


def det(x: Tensor, /) -> Tensor:
    """The determinant."""
    return linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The elements of the diagonal, or of the one `offset` above it."""
    return linalg.diagonal(x, offset=offset)


def eig(x: Tensor, /) -> Any:
    """Eigenvalues, and eigenvectors as columns: a named tuple."""
    return linalg.eig(x)


def eigvals(x: Tensor, /) -> Tensor:
    """Eigenvalues."""
    return linalg.eigvals(x)


def eigh(x: Tensor, /) -> Any:
    """Eigenvalues in rising order and orthonormal eigenvectors, as columns, of a Hermitian x: a named tuple."""
    return linalg.eigh(x)


def eigvalsh(x: Tensor, /) -> Tensor:
    """The eigenvalues of a Hermitian x, in rising order."""
    return linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """The inverse.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    """
    return linalg.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The Frobenius norm, or one of the norms 1, 2, infinity, their negatives and ``"nuc"``."""
    return linalg.matrix_norm(x, ord, keepdim=keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """The product of `n` times x; of its inverse if `n` is negative."""
    return linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: Tolerance = None) -> Tensor:
    """How many singular values are larger than `rtol` times the largest."""
    return linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of each element of one vector with each of another."""
    return functions.outer(x1, x2)


def pinv(x: Tensor, /, *, rtol: Tolerance = None) -> Tensor:
    """The pseudoinverse, for which singular values up to `rtol` times the largest are 0."""
    return linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> Any:
    """x as the product of an orthonormal Q and an upper triangle R: a named tuple."""
    return linalg.qr(x, mode)


def slogdet(x: Tensor, /) -> Any:
    """The sign of the determinant and the logarithm of its size: a named tuple."""
    return linalg.slogdet(x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The x of ``x1 @ x = x2``; `x2` is one vector, or matrices.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    """
    if x2.ndim == 1:
        return ops.squeeze(ops.solve(x1, ops.expand_dims(x2, 1)), (x1.ndim - 1,))
    return ops.solve(x1, x2)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """x as the product of an orthonormal U, the diagonal S, given as a vector, and an orthonormal Vh: a named tuple."""
    return linalg.svd(x, full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    """The singular values, in falling order."""
    return linalg.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sum of the diagonal, or of the one `offset` above it; its dtype is that of `sum`."""
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """The sum of |x|^ord over `axis`, to the power 1 / ord; infinities give the largest and the smallest of |x|."""
    axes = axes_of("vector_norm", axis, x.ndim)
    return ops.abs(x) if axes == () else linalg.vector_norm(x, ord, axes, keepdims)
