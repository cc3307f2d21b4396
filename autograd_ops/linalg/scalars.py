"""Numbers that tell of a matrix: its determinant, rank and condition."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..ops.linalg.common import check, check_square
from ..refusals import named
from ..tensor import Tensor
from .inverses import Tolerance, beside, tolerances
from .norms import matrix_norm

__all__ = ["cond", "det", "matrix_rank", "slogdet"]


def det(A: Tensor) -> Tensor:
    """The determinant of square matrices.

    Parameters
    ----------
    A
        [..., n, n].

    Returns
    -------
    Tensor
        [...].

    Notes
    -----
    The gradient, the matrix of cofactors, and its own are right for singular matrices too; third derivatives need an
    inverse.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.det(ag.tensor([[2.0, 0.0], [1.0, 4.0]]))
    tensor(8.)
    """
    return ops.det(A)


def slogdet(A: Tensor) -> Any:
    """The sign and the logarithm of the absolute value of the determinant, as a named tuple.

    Parameters
    ----------
    A
        [..., n, n].

    Returns
    -------
    sign, logabsdet
        [...] each; of a singular matrix 0 and minus infinity, whose gradient is NaN.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.slogdet(ag.tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return ops.slogdet(A)


def matrix_rank(A: Tensor, *, atol: Tolerance = None, rtol: Tolerance = None, hermitian: bool = False) -> Tensor:
    """How many singular values are above ``max(atol, rtol * largest)``, int64.

    Parameters
    ----------
    A
        [..., n, m].
    atol, rtol
        By default `atol` is 0, and `rtol`, unless `atol` is given, max(n, m) times the dtype's epsilon.
    hermitian
        Whether A is Hermitian; then its lower triangle is read.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.matrix_rank(ag.ones(3, 3))
    tensor(1)
    """
    (check_square if hermitian else check)("matrix_rank", A.array, "A")
    atol, rtol = tolerances("matrix_rank", A, atol, rtol)
    A = A.detach()
    values = ops.abs(ops.eigvalsh(A)) if hermitian else ops.svdvals(A)
    last = (values.ndim - 1,)
    if not values.shape[-1]:
        return ops.sum(values > 0, last, False)
    relative = _last(rtol) * ops.amax(values, last, True)
    return ops.sum(values > ops.maximum(relative, _last(atol)), last, False)


def _last(tolerance: Any) -> Any:
    """A tolerance a matrix beside singular values."""
    return ops.expand_dims(tolerance, -1) if isinstance(tolerance, Tensor) else tolerance


def cond(A: Tensor, p: Any = None) -> Tensor:
    """The condition: the norm of a matrix times that of its inverse.

    Parameters
    ----------
    A
        [..., n, m]; square unless `p` is None, 2 or -2.
    p
        None or 2 for the largest singular value by the smallest, -2 for the opposite; else an `ord` of `matrix_norm`.

    Returns
    -------
    Tensor
        [...], infinite for a singular matrix.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.cond(ag.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(2.)
    """
    if p in (None, 2, -2):
        values = ops.svdvals(A)
        last = (values.ndim - 1,)
        if not values.shape[-1]:
            return ops.sum(values, last, False)
        largest, smallest = ops.amax(values, last, False), ops.amin(values, last, False)
        return smallest / largest if p == -2 else largest / smallest
    check_square("cond", A.array, "A")
    inverse, info = ops.inv_ex(A)
    singular = ops.not_equal(info, 0)
    safe = ops.where(beside(singular, 2), 1.0, inverse)
    return ops.where(singular, math.inf, matrix_norm(A, p) * matrix_norm(safe, p))


named(__name__)
