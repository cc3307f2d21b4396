"""Norms of vectors and of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import functions, ops
from ..dims import axes_of
from ..refusals import named
from ..tensor import Tensor

__all__ = ["matrix_norm", "norm", "vector_norm"]

Dims = int | Sequence[int] | None


def norm(A: Tensor, ord: Any = None, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of a vector or a matrix; its gradient at 0 is 0.

    Parameters
    ----------
    A
        Of any shape.
    ord
        None for the 2-norm of all elements over `dim`; else a norm of `vector_norm` where `dim` is an int or A a
        vector, or of `matrix_norm` where `dim` is a pair or A a matrix.
    dim
        The dimension of the vectors, or the two of the matrices; None for all.
    keepdim
        Whether the dimensions stay, with length 1.
    dtype
        What `A` is cast to first.

    Raises
    ------
    ValueError
        If there is no such norm, or `ord` is given for more than two dimensions.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.norm(ag.tensor([[3.0, 4.0], [0.0, 0.0]]), dim=1)
    tensor([5., 0.])
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    dims: Any = tuple(range(A.ndim)) if dim is None else dim
    if isinstance(dims, int) or len(dims) == 1:
        return vector_norm(A, ord, dims, keepdim, dtype=dtype)
    return matrix_norm(A, ord, dims, keepdim, dtype=dtype)


def vector_norm(x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of |x|^ord over `dim`, to the power 1 / ord; its gradient at 0 is 0.

    Parameters
    ----------
    x
        Of any shape.
    ord
        A number; infinity for the largest of |x|, minus infinity for the smallest, 0 for how many are not 0.
    dim
        One dimension or several; None for all.
    keepdim
        Whether the dimensions stay, with length 1.
    dtype
        What `x` is cast to first.

    Raises
    ------
    ValueError
        If `ord` is no number.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.vector_norm(ag.tensor([1.0, -2.0, 2.0]))
    tensor(3.)
    >>> ag.linalg.vector_norm(ag.tensor([1.0, -2.0, 2.0]), ord=float("inf"))
    tensor(2.)
    """
    if isinstance(ord, bool) or not isinstance(ord, (int, float)):
        raise ValueError(f"vector_norm: ord must be a number, not {ord!r}")
    return functions.norm(x, ord, dim, keepdim, dtype)


def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The norm of the matrices that two dimensions hold.

    Parameters
    ----------
    A
        Of at least two dimensions.
    ord
        ``"fro"`` for the root of the sum of squares; 1 and -1 for the largest and the smallest of the columns' sums of
        absolute values, infinity and minus infinity for those of the rows'; 2 and -2 for the largest and the smallest
        singular value, ``"nuc"`` for the sum of them.
    dim
        The dimensions of rows and columns.
    keepdim
        Whether they stay, with length 1.
    dtype
        What `A` is cast to first.

    Raises
    ------
    ValueError
        If `dim` is not two dimensions, or there is no such norm. Those of singular values are not supported.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.linalg.matrix_norm(ag.tensor([[1.0, -2.0], [3.0, 4.0]]), ord=1)
    tensor(6.)
    """
    dims = axes_of("matrix_norm", tuple(dim), A.ndim) if A.ndim else ()
    if dims is None or len(dims) != 2:
        raise ValueError(f"matrix_norm: a matrix has two dimensions, and dim={tuple(dim)} of shape {tuple(A.shape)}")
    if ord == "fro":
        return functions.norm(A, 2, dims, keepdim, dtype)
    if ord in (2, -2, "nuc"):
        return _of_singular_values(A if dtype is None else A.to(dtype), ord, dims, keepdim)
    infinity = float("inf")
    if ord not in (1, -1, infinity, -infinity):
        raise ValueError(f"matrix_norm: ord must be 'fro', 'nuc', 1, -1, 2, -2 or an infinity, not {ord!r}")
    rows, columns = dims
    added, compared = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = functions.norm(A, 1, added, True, dtype)
    extreme = functions.amax if ord > 0 else functions.amin
    out = extreme(sums, compared, True)
    return out if keepdim else out.squeeze(dims)


def _of_singular_values(A: Tensor, ord: Any, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    rest = tuple([i for i in range(A.ndim) if i not in dims])
    values = ops.svdvals(ops.permute(A, (*rest, *dims)))
    last = (values.ndim - 1,)
    if ord == "nuc" or not values.shape[-1]:
        out = ops.sum(values, last, False)
    else:
        out = ops.amax(values, last, False) if ord > 0 else ops.amin(values, last, False)
    if not keepdim:
        return out
    return ops.reshape(out, tuple([1 if i in dims else n for i, n in enumerate(A.shape)]))


named(__name__)
