"""Reductions with PyTorch's signatures: ``dim``/``keepdim``, or ``axis``/``keepdims``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import ops
from ..creation import zeros_like
from ..dims import axes_of, axis_of, either
from ..indexing import narrow
from ..refusals import named
from ..tensor import Tensor

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "softmax",
    "sort",
    "std",
    "sum",
    "topk",
    "var",
]

Dims = int | Sequence[int] | None


class MinMax(NamedTuple):
    """What `max`, `min`, `sort` and `topk` along a dimension give."""

    values: Tensor
    indices: Tensor


def _cast(input: Tensor, dtype: Any) -> Tensor:
    return input if dtype is None else input.to(dtype)


def sum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The sum over `dim`, one dimension or several, or over all. Integers and bools add up in int64.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.sum(ag.ones(2, 3), dim=1)
    tensor([3., 3.])
    """
    dim, keepdim = either("sum", dim, axis, keepdim, keepdims)
    return _cast(ops.sum(_cast(input, dtype), axes_of("sum", dim, input.ndim), keepdim), dtype)


def mean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The mean over `dim`, one dimension or several, or over all."""
    dim, keepdim = either("mean", dim, axis, keepdim, keepdims)
    return ops.mean(_cast(input, dtype), axes_of("mean", dim, input.ndim), keepdim)


def prod(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The product over `dim`, one dimension or several, or over all."""
    dim, keepdim = either("prod", dim, axis, keepdim, keepdims)
    return _cast(ops.prod(_cast(input, dtype), axes_of("prod", dim, input.ndim), keepdim), dtype)


def _spread_arguments(dim: Any, unbiased: bool) -> tuple[Dims, bool]:
    """``var(x, False)`` means ``unbiased=False``: a bool in the place of `dim` is not a dimension."""
    return (None, dim) if isinstance(dim, bool) else (dim, unbiased)


def _correction(unbiased: bool, correction: float | None) -> float:
    return float(unbiased) if correction is None else correction


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The variance over `dim`: divided by n - 1 unless `unbiased` is False, or by n - `correction`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.var(ag.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    dim, unbiased = _spread_arguments(dim, unbiased)
    dim, keepdim = either("var", dim, axis, keepdim, keepdims)
    return ops.var(input, axes_of("var", dim, input.ndim), _correction(unbiased, correction), keepdim)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The standard deviation over `dim`: the root of `var`. Where it is 0, so is its gradient."""
    dim, unbiased = _spread_arguments(dim, unbiased)
    dim, keepdim = either("std", dim, axis, keepdim, keepdims)
    return ops.std(input, axes_of("std", dim, input.ndim), _correction(unbiased, correction), keepdim)


def amax(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None
) -> Tensor:
    """The largest element over `dim`; equal ones share the gradient."""
    dim, keepdim = either("amax", dim, axis, keepdim, keepdims)
    return ops.amax(input, axes_of("amax", dim, input.ndim), keepdim)


def amin(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None
) -> Tensor:
    """The smallest element over `dim`; equal ones share the gradient."""
    dim, keepdim = either("amin", dim, axis, keepdim, keepdims)
    return ops.amin(input, axes_of("amin", dim, input.ndim), keepdim)


def argmax(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The index of the largest element along `dim`, or in the flattened Tensor; the first of equals."""
    dim, keepdim = either("argmax", dim, axis, keepdim, keepdims)
    return ops.argmax(input, None if dim is None else axis_of("argmax", dim, input.ndim), keepdim)


def argmin(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The index of the smallest element along `dim`, or in the flattened Tensor; the first of equals."""
    dim, keepdim = either("argmin", dim, axis, keepdim, keepdims)
    return ops.argmin(input, None if dim is None else axis_of("argmin", dim, input.ndim), keepdim)


def max(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool | None = None
) -> Any:
    """The largest element; with a Tensor as second argument, the larger of the two, element by element.

    Along one `dim` a named tuple of ``values`` and ``indices``; the first of equals gets the gradient. Over all, equal
    ones share it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.max(ag.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1).indices
    tensor([1, 0])
    """
    return _extreme("max", input, dim, keepdim, axis, keepdims, ops.amax, ops.argmax, ops.maximum)


def min(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool | None = None
) -> Any:
    """The smallest element; the rest as `max`."""
    return _extreme("min", input, dim, keepdim, axis, keepdims, ops.amin, ops.argmin, ops.minimum)


def _extreme(
    name: str,
    input: Tensor,
    dim: Any,
    keepdim: bool,
    axis: Any,
    keepdims: bool | None,
    over_all: Any,
    index_of: Any,
    of_two: Any,
) -> Any:
    if isinstance(dim, Tensor):
        return of_two(input, dim)
    dim, keepdim = either(name, dim, axis, keepdim, keepdims)
    if dim is None:
        return over_all(input, None, keepdim)
    at = axis_of(name, dim, input.ndim)
    if input.ndim == 0:
        return MinMax(input, index_of(input, None, False))
    indices = index_of(input, at, True)
    values = ops.take_along_axis(input, indices, at)
    if not keepdim:
        values, indices = ops.squeeze(values, (at,)), ops.squeeze(indices, (at,))
    return MinMax(values, indices)


def all(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None
) -> Tensor:
    """Whether all elements over `dim` are true, or not 0."""
    dim, keepdim = either("all", dim, axis, keepdim, keepdims)
    return ops.all(input, axes_of("all", dim, input.ndim), keepdim)


def any(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None
) -> Tensor:
    """Whether any element over `dim` is true, or not 0."""
    dim, keepdim = either("any", dim, axis, keepdim, keepdims)
    return ops.any(input, axes_of("any", dim, input.ndim), keepdim)


def logsumexp(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None
) -> Tensor:
    """log of the sum of e^x over `dim`, without overflow."""
    dim, keepdim = either("logsumexp", dim, axis, keepdim, keepdims)
    return ops.logsumexp(input, axes_of("logsumexp", dim, input.ndim), keepdim)


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None, *, axis: int | None = None) -> Tensor:
    """e^x over its sum along `dim`.

    Raises
    ------
    TypeError
        If no dimension is given.
    """
    at = _required("softmax", dim, axis, input.ndim)
    x = _cast(input, dtype)
    return ops.softmax(x, at) if x.ndim else ops.exp(x - x)


def log_softmax(input: Tensor, dim: int | None = None, dtype: Any = None, *, axis: int | None = None) -> Tensor:
    """The logarithm of `softmax`, without overflow.

    Raises
    ------
    TypeError
        If no dimension is given.
    """
    at = _required("log_softmax", dim, axis, input.ndim)
    x = _cast(input, dtype)
    return ops.log_softmax(x, at) if x.ndim else x - x


def cumsum(input: Tensor, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Running sums along `dim`."""
    at = _required("cumsum", dim, axis, input.ndim)
    return _cast(ops.cumsum(_cast(input, dtype), at), dtype) if input.ndim else _cast(input, dtype)


def cumprod(input: Tensor, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Running products along `dim`; the gradient is right where there are zeros too.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.cumprod(ag.tensor([2.0, 3.0, 4.0]), dim=0)
    tensor([ 2.,  6., 24.])
    """
    at = _required("cumprod", dim, axis, input.ndim)
    return _cast(ops.cumprod(_cast(input, dtype), at), dtype) if input.ndim else _cast(input, dtype)


def _required(name: str, dim: int | None, axis: int | None, rank: int) -> int:
    dim, _ = either(name, dim, axis, False, None)
    if dim is None:
        raise TypeError(f"{name}: give dim, the dimension along which it runs")
    return axis_of(name, dim, rank)


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> MinMax:
    """The elements in order along `dim`, and the index that each had; equal ones keep their order."""
    indices = argsort(input, dim, descending, stable=stable)
    at = axis_of("sort", dim, input.ndim)
    return MinMax(ops.take_along_axis(input, indices, at) if input.ndim else input, indices)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that put `input` in order along `dim`; equal ones keep their order."""
    at = axis_of("argsort", dim, input.ndim)
    return ops.argsort(input, at, descending) if input.ndim else zeros_like(input, dtype="int64")


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> MinMax:
    """The `k` largest (or smallest) elements along `dim`, in order, and the index of each.

    Raises
    ------
    ValueError
        If there are fewer than k.
    """
    at = axis_of("topk", dim, input.ndim)
    length = input.array.shape[at] if input.ndim else 1
    if not 0 <= k <= length:
        raise ValueError(f"topk: k = {k} is not between 0 and {length}, the length of dimension {dim}")
    values, indices = sort(input, at, descending=largest)
    if input.ndim == 0:
        return MinMax(values, indices)
    return MinMax(narrow(values, at, 0, k), narrow(indices, at, 0, k))


def norm(input: Tensor, p: Any = "fro", dim: Dims = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The p-norm over `dim`, or of the flattened Tensor; the gradient at a zero vector is 0.

    Raises
    ------
    ValueError
        If `p` is no number, ``"fro"``, or an infinity.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.norm(ag.tensor([3.0, -4.0]))
    tensor(5.)
    """
    axes = axes_of("norm", dim, input.ndim)
    x = _cast(input, dtype)
    if p in ("fro", None, 2):
        return ops.norm2(x, axes, keepdim)
    if not isinstance(p, (int, float)):
        raise ValueError(f"norm: p must be a number or 'fro', not {p!r}")
    size = ops.abs(x)
    if p == float("inf"):
        return ops.amax(size, axes, keepdim)
    if p == float("-inf"):
        return ops.amin(size, axes, keepdim)
    if p == 0:
        return ops.sum(ops.sign(size), axes, keepdim)
    if p == 1:
        return ops.sum(size, axes, keepdim)
    if p < 0:
        # A zero makes the norm 0, and nothing is to come of it or of its infinite power.
        none = ops.any(size == 0, axes, True)
        safe = ops.where(none, 1.0, size)
        norm = ops.sum(safe**p, axes, keepdim) ** (1.0 / p)
        return ops.where(none if keepdim else ops.reshape(none, tuple(norm.shape)), 0.0, norm)
    # The derivative of a power, or of the root, may be infinite at 0, where nothing is to come of it.
    total = ops.sum(_power_or_zero(size, p), axes, keepdim)
    return _power_or_zero(total, 1.0 / p)


def _power_or_zero(x: Tensor, p: float) -> Tensor:
    """x^p for x and p that are not negative, with the derivative 0 at 0"""
    zero = x == 0
    return ops.where(zero, 0.0, ops.where(zero, 1.0, x) ** p)


named(__name__)
