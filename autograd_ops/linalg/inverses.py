"""Inverses, pseudoinverses, and systems of linear equations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from autograd_backends import namespace
from autograd_backends.module_ops.linalg import SINGULAR, refuse_marked

from .. import ops
from ..creation import empty, eye
from ..dims import axes_of
from ..ops.linalg.common import check
from ..refusals import named
from ..tensor import Tensor

__all__ = [
    "inv",
    "inv_ex",
    "lstsq",
    "pinv",
    "solve",
    "solve_ex",
    "solve_triangular",
    "tensorinv",
    "tensorsolve",
]

#: A number, or a Tensor that broadcasts with the batch.
Tolerance = float | Tensor | None


def refuse_info(name: str, A: Tensor, info: Tensor, said: str) -> None:
    """Refuse a batch of which `info` marks a matrix.

    Raises
    ------
    LinAlgError
        Naming the first.
    """
    refuse_marked(name, A.array, info.array, said)


# ---------------------------------------------------------------- inverses


def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices.

    Parameters
    ----------
    A
        [..., n, n].

    Raises
    ------
    LinAlgError
        If a matrix is singular, naming the first.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.inv(ag.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5 , 0.  ],
            [0.  , 0.25]])
    """
    return ops.inv(A)


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """`inv` as a named tuple of ``inverse`` and ``info``, int32 [...]: not 0 for a singular matrix, then NaN."""
    found = ops.inv_ex(A)
    if check_errors:
        refuse_info("inv_ex", A, found.info, SINGULAR)
    return found


def epsilon(name: str, A: Tensor) -> float:
    """The step from 1 to the next number of the precision of A."""
    check(name, A.array, "A")
    return float(namespace(A.array).finfo(A.array.dtype).eps)


def tolerances(name: str, A: Tensor, atol: Tolerance, rtol: Tolerance) -> tuple[Any, Any]:
    """Both, where one was not given: `rtol` is max(n, m) times the dtype's epsilon, unless there is an `atol`."""
    if rtol is None:
        rtol = epsilon(name, A) * max(A.shape[-2:]) if atol is None else 0.0
    return 0.0 if atol is None else atol, rtol


def pinv(A: Tensor, *, atol: Tolerance = None, rtol: Tolerance = None, hermitian: bool = False) -> Tensor:
    """The pseudoinverse of matrices (Moore and Penrose).

    Parameters
    ----------
    A
        [..., n, m].
    atol, rtol
        Singular values up to ``max(atol, rtol * largest)`` count as 0. By default `atol` is 0, and `rtol`, unless
        `atol` is given, max(n, m) times the dtype's epsilon.
    hermitian
        Whether A is Hermitian; then its lower triangle is read.

    Returns
    -------
    Tensor
        [..., m, n].

    Notes
    -----
    The gradient is that of Golub and Pereyra (1973), for matrices whose rank stays the same.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.pinv(ag.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5, 0. ],
            [0. , 0. ]])
    """
    atol, rtol = tolerances("pinv", A, atol, rtol)
    return ops.pinv(A, atol, rtol, hermitian)


# ---------------------------------------------------------------- systems


def _is_vector(A: Tensor, B: Tensor) -> bool:
    """Whether B is a batch of vectors: one of it, or of the shape of A's rows."""
    return B.ndim == 1 or (B.ndim == A.ndim - 1 and tuple(B.shape) == tuple(A.shape[:-1]))


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The X of A X = B, for square A.

    Parameters
    ----------
    A
        [..., n, n].
    B
        [..., n, k], or vectors: [n], or [..., n] with the batch of A. Batches broadcast.
    left
        Solve X A = B where it is False; B is [..., k, n] then.

    Raises
    ------
    LinAlgError
        If a matrix is singular, naming the first.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.solve(ag.tensor([[2.0, 0.0], [0.0, 4.0]]), ag.tensor([1.0, 2.0]))
    tensor([0.5, 0.5])
    """
    if _is_vector(A, B):
        if not left:
            raise ValueError("solve: left=False needs a matrix B, and this is a vector")
        return ops.squeeze(ops.solve(A, ops.expand_dims(B, -1)), (-1,))
    if not left:
        return ops.matrix_transpose(ops.solve(ops.matrix_transpose(A), ops.matrix_transpose(B)))
    return ops.solve(A, B)


class SolveInfo(NamedTuple):
    """The solution, NaN where there is none, and int32 [...]: not 0 for a singular matrix."""

    result: Tensor
    info: Tensor


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> SolveInfo:
    """`solve` as a named tuple of ``result`` and ``info``, int32 [...]: not 0 for a singular matrix, then NaN."""
    info = ops.inv_ex(A.detach()).info
    if check_errors:
        refuse_info("solve_ex", A, info, SINGULAR)
    vector = _is_vector(A, B)
    singular = ops.not_equal(info, 0)
    safe = ops.where(beside(singular, 2), eye(A.shape[-1], dtype=A.dtype, device=A.device), A)
    result = solve(safe, B, left=left)
    return SolveInfo(ops.where(beside(singular, 1 if vector else 2), math.nan, result), info)


def beside(x: Tensor, count: int) -> Tensor:
    """x with `count` dimensions of length 1 at its end."""
    return ops.reshape(x, (*x.shape, *(1,) * count))


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """The X of A X = B, for triangular A: without a check whether it is singular, where the result is infinite or NaN.

    Parameters
    ----------
    A
        [..., n, n], of which only the triangle that `upper` says is read.
    B
        [..., n, k], or [..., k, n] where not `left`. Batches broadcast.
    upper
        Which triangle.
    left
        Solve X A = B where it is False.
    unitriangular
        Take the diagonal of A as 1, and do not read it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.solve_triangular(ag.tensor([[2.0, 0.0], [1.0, 4.0]]), ag.tensor([[2.0], [5.0]]), upper=False)
    tensor([[1.],
            [1.]])
    """
    if left:
        return ops.solve_triangular(A, B, upper, unitriangular)
    turned = ops.solve_triangular(ops.matrix_transpose(A), ops.matrix_transpose(B), not upper, unitriangular)
    return ops.matrix_transpose(turned)


class LeastSquares(NamedTuple):
    """What `lstsq` gives; empty Tensors for what the driver or the shapes leave out."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


DRIVERS = ("gelsy", "gels", "gelsd", "gelss")


def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> LeastSquares:
    """The X for which A X is nearest to B, and of these the shortest.

    Parameters
    ----------
    A
        [..., n, m].
    B
        [..., n, k], or vectors [..., n] with the batch of A.
    rcond
        Singular values up to `rcond` times the largest count as 0; by default max(n, m) times the dtype's epsilon.
    driver
        LAPACK's: ``"gelsy"`` (the default), ``"gelsd"``, ``"gelss"`` or ``"gels"``, which takes the rank for full.
        They differ in what is given besides the solution, which is always that of the pseudoinverse.

    Returns
    -------
    solution
        [..., m, k], or [..., m].
    residuals
        [..., k], the squared lengths of A X - B, where n > m, each A has rank m, and the driver is not ``"gelsy"``;
        else empty.
    rank
        int64 [...]; empty for ``"gels"``.
    singular_values
        [..., min(n, m)] for ``"gelsd"`` and ``"gelss"``; else empty.

    Raises
    ------
    ValueError
        If there is no such driver.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> A, B = ag.tensor([[1.0], [1.0]]), ag.tensor([[1.0], [3.0]])
    >>> ag.linalg.lstsq(A, B).solution
    tensor([[2.]])
    """
    if driver is not None and driver not in DRIVERS:
        raise ValueError(f"lstsq: driver must be one of {', '.join(DRIVERS)}, not {driver!r}")
    relative = epsilon("lstsq", A) * max(A.shape[-2:]) if rcond is None else rcond
    vector = _is_vector(A, B)
    b = ops.expand_dims(B, -1) if vector else B
    solution = ops.matmul(ops.pinv(A, 0.0, 0.0 if driver == "gels" else relative), b)
    n, m = A.shape[-2:]
    values = ops.svdvals(A.detach())
    kept = values > ops.amax(values, (values.ndim - 1,), True) * relative if min(n, m) else values > 0
    rank = ops.sum(kept, (values.ndim - 1,), False)
    none = empty((0,), dtype=A.dtype, device=A.device)
    residuals = none
    if n > m and (driver == "gels" or (driver in ("gelsd", "gelss") and bool(ops.all(rank == m)))):
        missed = ops.matmul(A, solution) - b
        residuals = ops.square(ops.norm2(missed, (missed.ndim - 2,), False))
    return LeastSquares(
        ops.squeeze(solution, (solution.ndim - 1,)) if vector else solution,
        residuals,
        empty((0,), dtype="int64", device=A.device) if driver == "gels" else rank,
        values if driver in ("gelsd", "gelss") else empty((0,), dtype=values.dtype, device=A.device),
    )


# ---------------------------------------------------------------- of tensors


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of A as a map from tensors of its last dimensions to tensors of its first `ind`.

    Parameters
    ----------
    A
        Of a shape whose first `ind` lengths have the product of the others.

    Returns
    -------
    Tensor
        Of the last lengths and then the first.

    Raises
    ------
    LinAlgError
        If there is none.
    ValueError
        If `ind` is not positive, or the products differ.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.tensorinv(ag.ones(4).diag().reshape(2, 2, 4)).shape
    Size([4, 2, 2])
    """
    if ind <= 0:
        raise ValueError(f"tensorinv: ind must be positive, not {ind}")
    first, last = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if math.prod(first) != math.prod(last):
        raise ValueError(f"tensorinv: the lengths {first} and {last} must have one product")
    inverse = inv(ops.reshape(A, (math.prod(first), math.prod(last))))
    return ops.reshape(inverse, (*last, *first))


def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """The X whose product with A, summed over all dimensions of X, is B.

    Parameters
    ----------
    A
        Of the shape of B followed by that of X, once `dims` of it are moved to the end; the two have one product.
    B
        Of any shape.

    Raises
    ------
    LinAlgError
        If there is none.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.tensorsolve(ag.ones(4).diag().reshape(2, 2, 4), ag.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    if dims is not None:
        moved = axes_of("tensorsolve", tuple(dims), A.ndim) or ()
        A = ops.permute(A, (*[i for i in range(A.ndim) if i not in moved], *moved))
    shape = tuple(A.shape[B.ndim :])
    if math.prod(shape) != B.numel() or tuple(A.shape[: B.ndim]) != tuple(B.shape):
        raise ValueError(f"tensorsolve: A {tuple(A.shape)} is not of the shape of B {tuple(B.shape)} and one as large")
    solution = solve(ops.reshape(A, (B.numel(), B.numel())), ops.reshape(B, (B.numel(),)))
    return ops.reshape(solution, shape)


named(__name__)
