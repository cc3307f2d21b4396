"""Matrices as products of simpler ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..creation import empty, eye
from ..refusals import named
from ..tensor import Tensor
from .inverses import refuse_info, solve_triangular

__all__ = [
    "cholesky",
    "cholesky_ex",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "lu",
    "lu_factor",
    "lu_solve",
    "qr",
    "svd",
    "svdvals",
]


def adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose of matrices."""
    return ops.conj(ops.matrix_transpose(x))


# ---------------------------------------------------------------- Cholesky


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangular L with L L^H = A, of Hermitian positive-definite matrices.

    Parameters
    ----------
    A
        [..., n, n], of which the lower triangle is read (the upper one with `upper`). Its gradient is Hermitian too:
        that of Murray, "Differentiation of the Cholesky decomposition" (2016).
    upper
        Give the upper triangular U with U^H U = A.

    Raises
    ------
    LinAlgError
        If a matrix is not positive-definite, naming the first.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.cholesky(ag.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return adjoint(ops.cholesky(adjoint(A))) if upper else ops.cholesky(A)


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """`cholesky` as a named tuple of ``L`` and ``info``, int32 [...]: not 0 for a matrix that has none, then NaN."""
    found = ops.cholesky_ex(adjoint(A) if upper else A)
    if check_errors:
        refuse_info("cholesky_ex", A, found.info, "the matrix is not positive-definite")
    return found._replace(L=adjoint(found.L)) if upper else found


# ---------------------------------------------------------------- QR


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Q with orthonormal columns and upper triangular R, Q R = A, as a named tuple.

    Parameters
    ----------
    A
        [..., n, m]; k is the smaller of n and m.
    mode
        ``"reduced"``: Q [..., n, k] and R [..., k, m]. ``"complete"``: Q [..., n, n] and R [..., n, m], without a
        gradient where n > m. ``"r"``: R as of ``"reduced"``, and an empty Q.

    Raises
    ------
    ValueError
        For another mode; and from backward, where there is no gradient.

    Notes
    -----
    The gradient is that of Roberts and Roberts, "QR and LQ decomposition matrix backpropagation algorithms for square,
    wide, and deep matrices" (2020); the first k columns of A must be linearly independent.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> Q, R = ag.linalg.qr(ag.tensor([[3.0, 0.0], [4.0, 5.0]]))
    >>> ag.round(Q @ R)
    tensor([[3., 0.],
            [4., 5.]])
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr: mode must be 'reduced', 'complete' or 'r', not {mode!r}")
    if mode == "r":
        found = ops.qr(A, "reduced")
        return found._replace(Q=empty((0,), dtype=A.dtype, device=A.device))
    return ops.qr(A, mode)


# ---------------------------------------------------------------- eigenvalues


def _triangle(name: str, A: Tensor, UPLO: str) -> Tensor:
    """A, or its adjoint where the upper triangle counts: what reads the lower one then reads that."""
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError(f"{name}: UPLO must be 'L' or 'U', not {UPLO!r}")
    return adjoint(A) if UPLO in "Uu" else A


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of Hermitian matrices, as a named tuple.

    Parameters
    ----------
    A
        [..., n, n], of which the lower triangle is read, or with ``UPLO="U"`` the upper.

    Returns
    -------
    eigenvalues, eigenvectors
        Real [..., n] in rising order, and [..., n, n] as columns of length 1.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN.

    Notes
    -----
    Eigenvectors are given up to a sign, or a phase: only what does not depend on that has a gradient. Where
    eigenvalues repeat, that of the vectors is infinite or NaN; that of the eigenvalues is not. It is Hermitian as A is
    (Giles, "An extended collection of matrix derivative results", 2008).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.eigh(ag.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return ops.eigh(_triangle("eigh", A, UPLO))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues [..., n] of Hermitian matrices in rising order, as `eigh` gives them."""
    return ops.eigvalsh(_triangle("eigvalsh", A, UPLO))


def eig(A: Tensor) -> Any:
    """Complex eigenvalues [..., n] and eigenvectors [..., n, n] of any square matrices, as a named tuple.

    Notes
    -----
    Eigenvectors are columns of length 1, up to a phase. The gradient is that of Boeddeker et al., "On the computation
    of complex-valued gradients with application to statistically optimum beamforming" (2017).

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.eig(ag.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
    [(2+0j), (1+0j)]
    """
    return ops.eig(A)


def eigvals(A: Tensor) -> Tensor:
    """The complex eigenvalues [..., n] of any square matrices, as `eig` gives them."""
    return ops.eigvals(A)


# ---------------------------------------------------------------- singular values


def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """The singular value decomposition A = U diag(S) Vh, as a named tuple.

    Parameters
    ----------
    A
        [..., n, m]; k is the smaller of n and m.
    full_matrices
        U is [..., n, n] and Vh [..., m, m], without a gradient unless n is m; else [..., n, k] and [..., k, m].
    driver
        Taken and not used.

    Returns
    -------
    U, S, Vh
        S [..., k] in falling order.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN.
    ValueError
        From backward, if U or Vh has no gradient.

    Notes
    -----
    Singular vectors are given up to a sign, or a phase. Where singular values repeat, or one is 0, their gradient is
    infinite or NaN; that of the singular values is not (Townsend, "Differentiating the singular value decomposition",
    2016).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.svd(ag.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    return ops.svd(A, full_matrices)


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values [..., k] in falling order, as `svd` gives them."""
    return ops.svdvals(A)


# ---------------------------------------------------------------- LU


class LU(NamedTuple):
    """A permutation, a unit lower and an upper triangle, whose product is the matrix."""

    P: Tensor
    L: Tensor
    U: Tensor


def _refuse_no_pivot(name: str, pivot: bool) -> None:
    if not pivot:
        raise ValueError(f"{name}: pivot=False, which divides by what may be 0, is not supported")


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """The two triangles of `lu` in one, LU [..., n, m], and int32 pivots [..., min(n, m)], as a named tuple.

    Row k was exchanged with row ``pivots[k] - 1``, for each k in turn.
    """
    _refuse_no_pivot("lu_factor", pivot)
    return ops.lu_factor(A)


def lu(A: Tensor, *, pivot: bool = True) -> LU:
    """The decomposition A = P L U with partial pivoting.

    Parameters
    ----------
    A
        [..., n, m]; k is the smaller of n and m.

    Returns
    -------
    P, L, U
        A permutation [..., n, n], a lower triangle [..., n, k] with ones on its diagonal, an upper one [..., k, m].

    Examples
    --------
    >>> import autograd_ops as ag
    >>> P, L, U = ag.linalg.lu(ag.tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> U
    tensor([[2., 2.],
            [0., 1.]])
    """
    _refuse_no_pivot("lu", pivot)
    packed, pivots = ops.lu_factor(A)
    n, m = A.shape[-2:]
    k = min(n, m)
    lower = ops.tril(packed[..., :, :k], -1) + eye(n, k, dtype=A.dtype, device=A.device)
    return LU(ops.matrix_transpose(_permutation(A, pivots)), lower, ops.triu(packed[..., :k, :]))


def _permutation(A: Tensor, pivots: Tensor) -> Tensor:
    """The matrices that exchange the rows of A as `pivots` say."""
    n = A.shape[-2]
    order = ops.row_order(pivots, n)
    rows = eye(n, dtype=A.dtype, device=A.device)
    flat = ops.take_rows(rows, ops.reshape(order, (order.numel(),)))
    return ops.reshape(flat, (*order.shape, n))


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The X of A X = B, for what `lu_factor` made of square A.

    Parameters
    ----------
    LU, pivots
        [..., n, n] and [..., n].
    B
        [..., n, k], or [..., k, n] where not `left`.
    left
        Solve X A = B where it is False.
    adjoint
        Solve with A^H in the place of A.
    """
    if not left:
        return _adjoint_of(lu_solve(LU, pivots, _adjoint_of(B), adjoint=not adjoint))
    exchange = _permutation(LU, pivots)
    if adjoint:
        half = solve_triangular(_adjoint_of(LU), B, upper=False)
        inner = solve_triangular(_adjoint_of(LU), half, upper=True, unitriangular=True)
        return ops.matmul(ops.matrix_transpose(exchange), inner)
    half = solve_triangular(LU, ops.matmul(exchange, B), upper=False, unitriangular=True)
    return solve_triangular(LU, half, upper=True)


_adjoint_of = adjoint


# ---------------------------------------------------------------- reflections


def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """The first m columns of the product of k reflections 1 - tau_i v_i v_i^H.

    Parameters
    ----------
    A
        [..., n, m], n >= m: below the diagonal of its column i is v_i, after a one there.
    tau
        [..., k], k <= m.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.householder_product(ag.zeros(2, 2), ag.tensor([2.0]))
    tensor([[-1.,  0.],
            [ 0.,  1.]])
    """
    n, m = A.shape[-2:]
    if n < m or tau.shape[-1] > m:
        raise ValueError(
            f"householder_product: needs at least as many rows as columns as reflections, got A {tuple(A.shape)} and "
            f"tau {tuple(tau.shape)}"
        )
    unit = eye(n, m, dtype=A.dtype, device=A.device)
    vectors = ops.tril(A, -1) + unit
    out = ops.broadcast_to(unit, tuple(A.shape))
    for i in reversed(range(tau.shape[-1])):
        v = vectors[..., :, i : i + 1]
        out = out - ops.matmul(v * tau[..., None, i : i + 1], ops.matmul(adjoint(v), out))
    return out


named(__name__)
