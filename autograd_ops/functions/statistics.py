"""Order statistics and moments that few programs use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import ops
from ..creation import as_tensor, full, zeros
from ..dims import axes_of, axis_of, either
from ..dtypes import int64
from ..refusals import named
from ..tensor import Tensor
from .reductions import MinMax, argmax, argsort, mean, std, sum, var
from .shapes import movedim

__all__ = [
    "aminmax",
    "corrcoef",
    "count_nonzero",
    "cov",
    "kthvalue",
    "median",
    "mode",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "quantile",
    "std_mean",
    "var_mean",
]

Dims = int | Sequence[int] | None


def _isnan(x: Tensor) -> Tensor:
    return ops.isnan(x) if x.dtype.is_floating_point else ops.zeros_like(x).to(bool)


# ---------------------------------------------------------------- order


def _at_rank(input: Tensor, rank: Any, dim: int, keepdim: bool) -> MinMax:
    """The elements with as many before them in order as `rank` says, a number or indices with length 1 along `dim`."""
    order = argsort(input, dim)
    if not isinstance(rank, Tensor):
        rank = full([1 if i == dim else n for i, n in enumerate(input.shape)], rank, dtype=int64, device=input.device)
    indices = ops.take_along_axis(order, rank, dim)
    values = ops.take_along_axis(input, indices, dim)
    if keepdim:
        return MinMax(values, indices)
    return MinMax(ops.squeeze(values, (dim,)), ops.squeeze(indices, (dim,)))


def _refuse_empty(name: str, input: Tensor, axis: int) -> None:
    if input.shape[axis] == 0:
        raise IndexError(f"{name}: dimension {axis} of a tensor of shape {tuple(input.shape)} has no elements")


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> MinMax:
    """The k-th smallest element along `dim`, counted from 1, and where it is; NaN is larger than all.

    Raises
    ------
    IndexError
        If there are fewer than k elements, or k is not positive.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.kthvalue(ag.tensor([3.0, 1.0, 2.0]), 2).values
    tensor(2.)
    """
    axis = axis_of("kthvalue", dim, input.ndim)
    size = input.shape[axis] if input.ndim else 1
    if not 1 <= k <= size:
        raise IndexError(f"kthvalue: k = {k} is not between 1 and {size}, the length of dimension {dim}")
    if input.ndim == 0:
        return MinMax(input, zeros((), dtype=int64, device=input.device))
    return _at_rank(input, k - 1, axis, keepdim)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None) -> Any:
    """The middle element, of an even number the lower of the two; NaN if any is.

    Along `dim` a named tuple of ``values`` and ``indices``. Over all, elements equal to it share the gradient.

    Raises
    ------
    IndexError
        If `dim` has no elements.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.median(ag.tensor([3.0, 1.0, 2.0, 9.0]))
    tensor(2.)
    """
    dim, keepdim = either("median", dim, axis, keepdim, None)
    return _median("median", input, dim, keepdim, skip=False)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None) -> Any:
    """`median` of the elements that are not NaN; NaN if all are."""
    dim, keepdim = either("nanmedian", dim, axis, keepdim, None)
    return _median("nanmedian", input, dim, keepdim, skip=True)


def _median(name: str, input: Tensor, dim: int | None, keepdim: bool, skip: bool) -> Any:
    if dim is None:
        return _median_of_all(input, skip)
    at = axis_of(name, dim, input.ndim)
    if input.ndim == 0:
        return MinMax(input, zeros((), dtype=int64, device=input.device))
    _refuse_empty(name, input, at)
    return _at_rank(input, _middle(input, at, skip), at, keepdim)


def _middle(input: Tensor, dim: int, skip: bool) -> Tensor:
    """The rank of the median along `dim`: that of a NaN, which are the last in order, where one decides."""
    last = input.shape[dim] - 1
    nans = ops.sum(_isnan(input), (dim,), True)
    if skip:
        return ops.clamp(ops.floor_divide(last - nans, 2), 0, None)
    return ops.where(nans > 0, last + 1 - nans, ops.zeros_like(nans) + last // 2)


def _median_of_all(input: Tensor, skip: bool) -> Tensor:
    flat = ops.reshape(input, (input.numel(),))
    if not input.numel():
        return full((), math.nan if input.dtype.is_floating_point else 0, dtype=input.dtype, device=input.device)
    found = _at_rank(flat.detach(), _middle(flat.detach(), 0, skip), 0, False).values
    if input.node is None:
        return found
    # All that equal it are the largest of themselves, and amax lets them share.
    chosen = (flat == found) | (_isnan(flat) & _isnan(found))
    return ops.amax(ops.where(chosen, flat, -math.inf), None, False)


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> MinMax:
    """The most frequent element along `dim`, the smallest of several, and where it is last.

    Raises
    ------
    IndexError
        If `dim` has no elements.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.mode(ag.tensor([2, 1, 2, 1, 3]))
    MinMax(values=tensor(1), indices=tensor(3))
    """
    at = axis_of("mode", dim, input.ndim)
    if input.ndim == 0:
        return MinMax(input, zeros((), dtype=int64, device=input.device))
    _refuse_empty("mode", input, at)
    order = argsort(input, at)
    ordered = ops.take_along_axis(input.detach(), order, at)
    lead = (slice(None),) * at
    fresh = ops.not_equal(
        ops.getitem(ordered, (*lead, slice(1, None), ...)), ops.getitem(ordered, (*lead, slice(0, -1), ...))
    )
    first = ops.ones_like(ops.getitem(ordered, (*lead, slice(0, 1), ...))).to(bool)
    fresh = ops.concat([first, fresh], at)
    shape = tuple([n if i == at else 1 for i, n in enumerate(input.shape)])
    places = ops.reshape(as_tensor(list(range(input.shape[at])), device=input.device), shape)
    # How many of a run of equal elements have been passed; the longest run ends where it is largest.
    starts = ops.where(fresh, places, ops.zeros_like(places))
    starts = ops.take_along_axis(starts, ops.running_argmax(starts, at), at)
    end = argmax(places - starts, at, True)
    indices = ops.take_along_axis(order, end, at)
    values = ops.take_along_axis(input, indices, at)
    if keepdim:
        return MinMax(values, indices)
    return MinMax(ops.squeeze(values, (at,)), ops.squeeze(indices, (at,)))


def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The numbers below which the parts `q` of the elements along `dim`, or of all, are; NaN if any is.

    Parameters
    ----------
    q
        A number in [0, 1], or a vector of them, which is then the first dimension of the result.
    interpolation
        What is between two elements: ``"linear"``, ``"lower"``, ``"higher"``, ``"midpoint"`` or ``"nearest"``.

    Raises
    ------
    TypeError
        If `input` is not of floats, or `q` of another dtype.
    ValueError
        If `q` is not in [0, 1], has more than one dimension, there are no elements, or no such interpolation.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.quantile(ag.tensor([0.0, 1.0, 2.0, 3.0]), 0.4)
    tensor(1.2)
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, skip=False)


def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """`quantile` of the elements that are not NaN; NaN if all are."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, skip=True)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip: bool
) -> Tensor:
    if not input.dtype.is_floating_point:
        raise TypeError(f"{name}: expected floats, got {input.dtype.name}")
    if interpolation not in _INTERPOLATIONS:
        raise ValueError(f"{name}: interpolation must be one of {', '.join(_INTERPOLATIONS)}, not {interpolation!r}")
    if not isinstance(q, Tensor):
        q = full((), q, dtype=input.dtype, device=input.device)
    if q.dtype is not input.dtype:
        raise TypeError(f"{name}: q must be {input.dtype.name} as the input is, not {q.dtype.name}")
    if q.ndim > 1:
        raise ValueError(f"{name}: q must be a number or a vector, not of shape {tuple(q.shape)}")
    if not bool(ops.all((q >= 0) & (q <= 1))):
        raise ValueError(f"{name}: q must be in [0, 1]")
    if not input.numel():
        raise ValueError(f"{name}: the input has no elements")
    at = None if dim is None else axis_of(name, dim, input.ndim)
    if at is None or not input.ndim:
        rows, kept = ops.reshape(input, (input.numel(),)), (1,) * input.ndim
    else:
        rows, kept = movedim(input, at, -1), tuple([1 if i == at else n for i, n in enumerate(input.shape)])
    found = movedim(_at_parts(rows, q, interpolation, skip), -1, 0)
    if keepdim:
        found = ops.reshape(found, (q.numel(), *kept))
    return found if q.ndim else ops.reshape(found, tuple(found.shape[1:]))


def _at_parts(rows: Tensor, q: Tensor, interpolation: str, skip: bool) -> Tensor:
    """The quantiles `q` along the last dimension of `rows`."""
    axis = rows.ndim - 1
    last = rows.shape[axis] - 1
    ordered = ops.take_along_axis(rows, argsort(rows, axis), axis)
    nans = ops.sum(_isnan(rows), (axis,), True)
    q = ops.reshape(q, (*(1,) * axis, q.numel()))
    if skip:
        rank = q * ops.clamp(last - nans, 0, None).to(rows.dtype)
    else:
        rank = ops.where(nans > 0, float(last), q * float(last))
    if interpolation == "lower":
        rank = ops.floor(rank)
    elif interpolation == "higher":
        rank = ops.ceil(rank)
    elif interpolation == "nearest":
        rank = ops.round(rank)
    shape = (*rows.shape[:-1], q.numel())
    rank = ops.broadcast_to(rank, shape)
    below = ops.floor(rank)
    low = ops.take_along_axis(ordered, below.detach().to(int64), axis)
    if interpolation in ("lower", "higher", "nearest"):
        return low
    high = ops.take_along_axis(ordered, ops.ceil(rank).detach().to(int64), axis)
    share = ops.zeros_like(rank) + 0.5 if interpolation == "midpoint" else rank - below
    # From the nearer end, so that both are reached exactly.
    return ops.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1.0 - share))


# ---------------------------------------------------------------- sums and counts


class Extremes(NamedTuple):
    """What `aminmax` gives."""

    min: Tensor
    max: Tensor


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Extremes:
    """The smallest and the largest element along `dim`, or of all; equal ones share the gradient.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.aminmax(ag.tensor([3.0, 1.0, 2.0])).max
    tensor(3.)
    """
    axes = axes_of("aminmax", dim, input.ndim)
    return Extremes(ops.amin(input, axes, keepdim), ops.amax(input, axes, keepdim))


def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of the elements that are not NaN."""
    return sum(_without_nan(input), dim, keepdim, dtype=dtype)


def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of the elements that are not NaN; NaN where all are."""
    there = sum(~_isnan(input), dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / there


def _without_nan(input: Tensor) -> Tensor:
    return ops.where(ops.isnan(input), 0.0, input) if input.dtype.is_floating_point else input


def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements along `dim`, or of all, are not 0."""
    return sum(ops.not_equal(input, 0), dim)


def std_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """`std` and `mean`."""
    axes = None if isinstance(dim, bool) else dim
    return std(input, dim, unbiased, keepdim, correction=correction), mean(input, axes, keepdim)


def var_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """`var` and `mean`."""
    axes = None if isinstance(dim, bool) else dim
    return var(input, dim, unbiased, keepdim, correction=correction), mean(input, axes, keepdim)


# ---------------------------------------------------------------- covariance


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariances [n, n] of n variables, the rows of `input` [n, m]; of a vector its variance.

    Parameters
    ----------
    correction
        What is taken from the number of observations, by which sums of products are divided.
    fweights
        Integers [m]: how often each observation was made.
    aweights
        Floats [m]: how much each counts.

    Raises
    ------
    ValueError
        If `input` has more than two dimensions, or the weights do not fit or are negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.cov(ag.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise ValueError(f"cov: expected at most 2 dimensions, got {input.ndim}")
    rows = ops.reshape(input, (1, input.numel())) if input.ndim < 2 else input
    weights: Any = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if tuple(given.shape) != (rows.shape[1],):
            raise ValueError(f"cov: {name} must have shape {(rows.shape[1],)}, not {tuple(given.shape)}")
        if bool(ops.any(given < 0)):
            raise ValueError(f"cov: {name} must not be negative")
        weights = given if weights is None else weights * given
    if weights is None:
        total: Any = rows.shape[1]
        freedom: Any = max(total - correction, 0)
        centred = rows - mean(rows, 1, True)
        weighted = centred
    else:
        total = ops.sum(weights)
        centred = rows - ops.sum(rows * weights, (1,), True) / total
        weighted = centred * weights
        lost = correction if aweights is None else correction * ops.sum(weights * aweights) / total
        freedom = ops.clamp(total - lost, 0, None)
    products = ops.matmul(
        weighted, ops.matrix_transpose(centred if centred.dtype.kind != "complex" else ops.conj(centred))
    )
    products = products / freedom if isinstance(freedom, Tensor) or freedom else products * math.nan
    return products if input.ndim == 2 and input.shape[0] != 1 else ops.reshape(products, ())


def corrcoef(input: Tensor) -> Tensor:
    """The correlations [n, n] of n variables, the rows of `input` [n, m]; of a vector 1.

    Raises
    ------
    ValueError
        If `input` has more than two dimensions.
    """
    if input.ndim > 2:
        raise ValueError(f"corrcoef: expected at most 2 dimensions, got {input.ndim}")
    products = cov(input)
    if products.ndim == 0:
        return products / products
    n = products.shape[0]
    deviations = ops.sqrt(ops.getitem(ops.reshape(products, (n * n,)), (slice(None, None, n + 1), ...)))
    found = products / ops.expand_dims(deviations, 1) / deviations
    return ops.clamp(found, -1.0, 1.0) if found.dtype.is_floating_point else found


named(__name__)
