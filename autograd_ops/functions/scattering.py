"""Putting and taking by number and by mask, out of place, beyond what `autograd_ops.indexing` has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autograd_backends import kernels

from .. import indexing, ops
from ..creation import arange
from ..dims import axis_of, broadcast_shape
from ..dtypes import int64
from ..indexing import check_indices, narrow
from ..refusals import named
from ..tensor import Tensor
from .shapes import diagonal, movedim

__all__ = [
    "diagonal_scatter",
    "index_copy",
    "index_put",
    "index_reduce",
    "masked_scatter",
    "narrow_copy",
    "put",
    "scatter_reduce",
    "select_scatter",
    "slice_scatter",
    "take_along_dim",
    "tril_indices",
    "triu_indices",
    "unravel_index",
]

# ---------------------------------------------------------------- by number


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements at `indices` along `dim`, or of the flattened `input`; the other dimensions broadcast.

    Raises
    ------
    IndexError
        If an index is out of range.
    ValueError
        If the two have not as many dimensions.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([[3, 1], [2, 4]])
    >>> ag.take_along_dim(x, x.argsort(1), 1)
    tensor([[1, 3],
            [2, 4]])
    """
    if dim is None:
        return indexing.take(input, ops.reshape(indices, (indices.numel(),)))
    axis = axis_of("take_along_dim", dim, input.ndim)
    if input.ndim != indices.ndim:
        raise ValueError(
            f"take_along_dim: indices must have as many dimensions as the input, {input.ndim}, not {indices.ndim}"
        )
    indices = _from_front("take_along_dim", indices, input.shape[axis] if input.ndim else 1)
    others = [[n for i, n in enumerate(x.shape) if i != axis] for x in (input, indices)]
    shape = list(broadcast_shape("take_along_dim", map(tuple, others)))
    along = [(*shape[:axis], x.shape[axis], *shape[axis:]) for x in (input, indices)]
    return ops.take_along_axis(ops.broadcast_to(input, along[0]), ops.broadcast_to(indices, along[1]), axis)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with the elements of `source` at `index` of the flattened Tensor, or added there if `accumulate`.

    Raises
    ------
    IndexError
        If an index is out of range.
    ValueError
        If `source` has not as many elements as `index`.
    """
    if index.numel() != source.numel():
        raise ValueError(f"put: {source.numel()} elements for {index.numel()} indices")
    flat, places = ops.reshape(input, (input.numel(),)), ops.reshape(index, (index.numel(),))
    return ops.reshape(
        _put_rows("put", flat, places, ops.reshape(source, (source.numel(),)), accumulate), tuple(input.shape)
    )


def _put_rows(name: str, rows: Tensor, places: Tensor, values: Tensor, accumulate: bool) -> Tensor:
    """`rows` with `values` at, or added to, the rows `places`, which may count from the end."""
    places = _from_front(name, places, rows.shape[0])
    values = ops.astype(values, rows.dtype)
    if accumulate:
        return rows + ops.add_rows(tuple(rows.shape), values, places)
    return ops.put_rows(rows, values, places)


def _from_front(name: str, indices: Tensor, size: int) -> Tensor:
    """Indices in [-size, size), counted from the front.

    Raises
    ------
    IndexError
        If there are others.
    TypeError
        If they are not integers.
    """
    if indices.dtype.kind not in ("int", "uint"):
        raise TypeError(f"{name}: indices must be integers, not {indices.dtype.name}")
    wide = indices.to(int64)
    kernels(wide.array).check_indices(wide.array, size, name, -size)
    return ops.where(wide < 0, wide + size, wide)


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with the places of `source` along `dim` at `index` [m].

    Raises
    ------
    IndexError
        If an index is out of range.
    TypeError
        If `source` has another dtype.
    ValueError
        If `source` has not the shape of `input`, with m along `dim`.
    """
    axis = axis_of("index_copy", dim, input.ndim)
    if source.dtype is not input.dtype:
        raise TypeError(f"index_copy: the source must be {input.dtype.name} as the input is, not {source.dtype.name}")
    if input.ndim == 0:
        check_indices(index, 1, "index_copy")
        return ops.reshape(source, ())
    check_indices(index, input.shape[axis], "index_copy")
    wanted = (*input.shape[:axis], index.numel(), *input.shape[axis + 1 :])
    if tuple(source.shape) != wanted and (index.ndim or source.numel() != math.prod(wanted)):
        raise ValueError(f"index_copy: the source must have shape {wanted}, not {tuple(source.shape)}")
    rows = movedim(input, axis, 0)
    values = movedim(ops.reshape(source, wanted), axis, 0)
    return movedim(ops.put_rows(rows, values, ops.reshape(index, (index.numel(),))), 0, axis)


def index_put(input: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
    """``out[indices] = values``, out of place, or ``+=`` with what repeats added up if `accumulate`.

    Parameters
    ----------
    indices
        A tuple of Tensors of integers or bools, or None for all of a dimension.

    Raises
    ------
    IndexError
        If an index is out of range, or there are too many.
    TypeError
        If `values` has another dtype.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.index_put(ag.zeros(3), (ag.tensor([1, 1]),), ag.ones(2), accumulate=True)
    tensor([0., 2., 0.])
    """
    if values.dtype is not input.dtype:
        raise TypeError(f"index_put: the values must be {input.dtype.name} as the input is, not {values.dtype.name}")
    key = tuple([slice(None) if k is None else k for k in indices])
    return indexing.put(input, key, values, accumulate)


# ---------------------------------------------------------------- reductions of what comes to one place

_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`input` with ``src[i][j]`` reduced into ``[index[i][j]][j]`` for dim 0, and likewise for the others.

    Parameters
    ----------
    index
        Integers of the rank of `input`, along no other dimension than `dim` longer than it.
    reduce
        ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``; equal extremes share the gradient.
    include_self
        Whether what `input` has where something is put is reduced with it.

    Raises
    ------
    IndexError
        If an index is not in ``[0, input.shape[dim])``.
    TypeError
        If `src` has another dtype.
    ValueError
        If the shapes do not fit, or there is no such reduction.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.scatter_reduce(ag.ones(2), 0, ag.tensor([0, 0]), ag.tensor([4.0, 6.0]), "mean", include_self=False)
    tensor([5., 1.])
    """
    axis = axis_of("scatter_reduce", dim, input.ndim)
    _check_reduction("scatter_reduce", input, src, reduce, _REDUCTIONS)
    if input.ndim == 0:
        found = scatter_reduce(_vector(input), 0, _vector(index), _vector(src), reduce, include_self=include_self)
        return ops.reshape(found, ())
    check_indices(index, input.shape[axis], "scatter_reduce")
    indexing.cut("scatter_reduce", input, index, axis)
    shape = tuple(input.shape)
    places = ops.reshape(Tensor(ops.flat_along_axis(index.array, shape, axis)), (index.numel(),))
    values = ops.reshape(indexing.cut_to(src, index), (index.numel(),))
    flat = _reduced(ops.reshape(input, (input.numel(),)), places, values, reduce, include_self)
    return ops.reshape(flat, shape)


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`input` with the places of `source` along `dim` reduced into `index` [m].

    Parameters
    ----------
    reduce
        ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
    include_self
        Whether what `input` has there is reduced with them.

    Raises
    ------
    IndexError
        If an index is out of range.
    TypeError
        If `source` has another dtype.
    ValueError
        If `source` has not the shape of `input`, with m along `dim`, or there is no such reduction.
    """
    axis = axis_of("index_reduce", dim, input.ndim)
    _check_reduction("index_reduce", input, source, reduce, _REDUCTIONS[1:])
    if index.ndim > 1:
        raise ValueError(f"index_reduce: the index must have one dimension, not shape {tuple(index.shape)}")
    wanted = (*input.shape[:axis], index.numel(), *input.shape[axis + 1 :])
    if input.ndim and tuple(source.shape) != wanted:
        raise ValueError(f"index_reduce: the source must have shape {wanted}, not {tuple(source.shape)}")
    along = ops.reshape(index, tuple([-1 if i == axis else 1 for i in range(input.ndim)]))
    spread = ops.broadcast_to(along, tuple(source.shape))
    return scatter_reduce(input, dim, spread, source, reduce, include_self=include_self)


def _vector(x: Tensor) -> Tensor:
    return ops.reshape(x, (x.numel(),))


def _check_reduction(name: str, input: Tensor, source: Tensor, reduce: str, known: Sequence[str]) -> None:
    if reduce not in known:
        raise ValueError(f"{name}: reduce must be one of {', '.join(known)}, not {reduce!r}")
    if source.dtype is not input.dtype:
        raise TypeError(f"{name}: the source must be {input.dtype.name} as the input is, not {source.dtype.name}")


def _reduced(x: Tensor, places: Tensor, values: Tensor, reduce: str, include_self: bool) -> Tensor:
    """The vector x with `values` reduced into its elements `places`."""
    shape = tuple(x.shape)
    one = ops.ones_like(places)
    count = ops.add_rows(shape, one, places)
    start = x
    if not include_self:
        neutral = {"sum": 0, "mean": 0, "prod": 1}.get(reduce)
        if neutral is None:
            neutral = _least(x) if reduce == "amax" else _most(x)
        start = ops.where(count > 0, neutral, x)
    if reduce in ("amax", "amin"):
        return ops.scatter_extreme(start, values, places, reduce == "amax")
    if reduce == "prod":
        return _multiplied(start, values, places)
    total = start + ops.add_rows(shape, values, places)
    if reduce == "sum":
        return total
    divisor = count + 1 if include_self else ops.clamp(count, 1, None)
    return total / divisor if x.dtype.kind in ("float", "complex") else ops.floor_divide(total, divisor).to(x.dtype)


def _least(x: Tensor) -> Any:
    return -math.inf if x.dtype.is_floating_point else _limits(x).min


def _most(x: Tensor) -> Any:
    return math.inf if x.dtype.is_floating_point else _limits(x).max


def _limits(x: Tensor) -> Any:
    return kernels(x.array).xp.iinfo(x.array.dtype)


def _multiplied(x: Tensor, values: Tensor, places: Tensor) -> Tensor:
    """The vector x with `values` multiplied into its elements `places`, pair by pair; zeros do no harm."""
    order = ops.argsort(places, 0)
    places, values = ops.take_rows(places, order), ops.take_rows(values, order)
    while places.numel():
        n = places.shape[0]
        numbers = arange(n, device=places.device)
        first = ops.searchsorted(places, places)
        even = (numbers - first) % 2 == 0
        (kept,) = indexing.nonzero(even, as_tuple=True)
        if kept.shape[0] == n:
            return ops.put_rows(x, ops.take_rows(x, places) * values, places)
        partner = ops.clamp(kept + 1, None, n - 1)
        paired = (ops.take_rows(places, partner) == ops.take_rows(places, kept)) & (partner != kept)
        factor = ops.where(paired, ops.take_rows(values, partner), 1)
        places, values = ops.take_rows(places, kept), ops.take_rows(values, kept) * factor
    return x


# ---------------------------------------------------------------- by mask and by place


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source`, one after the other, where the bool `mask` holds; the two broadcast.

    Raises
    ------
    TypeError
        If the mask is not of bools, or `source` has another dtype.
    ValueError
        If `source` has too few elements.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.masked_scatter(ag.zeros(3), ag.tensor([True, False, True]), ag.tensor([5.0, 7.0]))
    tensor([5., 0., 7.])
    """
    if mask.dtype.kind != "bool":
        raise TypeError(f"masked_scatter: the mask must be of bools, not {mask.dtype.name}")
    if source.dtype is not input.dtype:
        raise TypeError(f"masked_scatter: source must be {input.dtype.name} as the input is, not {source.dtype.name}")
    shape = broadcast_shape("masked_scatter", (tuple(input.shape), tuple(mask.shape)))
    mask, input = ops.broadcast_to(mask, shape), ops.broadcast_to(input, shape)
    flat = ops.reshape(mask, (mask.numel(),))
    (places,) = indexing.nonzero(flat, as_tuple=True)
    count = places.shape[0]
    if count > source.numel():
        raise ValueError(f"masked_scatter: the mask holds for {count} elements, and source has {source.numel()}")
    values = narrow(ops.reshape(source, (source.numel(),)), 0, 0, count)
    return ops.reshape(ops.put_rows(ops.reshape(input, (input.numel(),)), values, places), shape)


def _overwritten(name: str, input: Tensor, src: Tensor, key: tuple[Any, ...]) -> Tensor:
    wanted = tuple(ops.getitem(input.detach(), key).shape)
    if tuple(src.shape) != wanted:
        raise ValueError(f"{name}: src must have shape {wanted}, not {tuple(src.shape)}")
    return ops.overwrite(input, ops.astype(src, input.dtype), key)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """`input` with `src` in the place `index` along `dim`.

    Raises
    ------
    IndexError
        If there is no such place.
    ValueError
        If `src` has not its shape.
    """
    axis = axis_of("select_scatter", dim, input.ndim)
    if input.ndim == 0 or not -input.shape[axis] <= index < input.shape[axis]:
        raise IndexError(f"select_scatter: index {index} is out of range for shape {tuple(input.shape)}")
    return _overwritten("select_scatter", input, src, (*(slice(None),) * axis, index, ...))


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """`input` with `src` in the places ``start:end:step`` along `dim`.

    Raises
    ------
    ValueError
        If `src` has not their shape, or the step is not positive.
    """
    axis = axis_of("slice_scatter", dim, input.ndim)
    if step < 1:
        raise ValueError(f"slice_scatter: step must be positive, got {step}")
    bounds = slice(start, end, step).indices(input.shape[axis])
    part = slice(bounds[0], max(bounds[0], bounds[1]), step)
    return _overwritten("slice_scatter", input, src, (*(slice(None),) * axis, part, ...))


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """`input` with `src` in the place of ``diagonal(input, offset, dim1, dim2)``.

    Raises
    ------
    ValueError
        If `src` has not its shape.
    """
    wanted = tuple(diagonal(input.detach(), offset, dim1, dim2).shape)
    if tuple(src.shape) != wanted:
        raise ValueError(f"diagonal_scatter: src must have shape {wanted}, not {tuple(src.shape)}")
    moved = movedim(input, (dim1, dim2), (-2, -1))
    n, m = moved.shape[-2:]
    flat = ops.reshape(moved, (*moved.shape[:-2], n * m))
    start = max(-offset, 0) * m + max(offset, 0)
    stop = start + src.shape[-1] * (m + 1) - m if src.shape[-1] else start
    put = ops.overwrite(flat, ops.astype(src, input.dtype), (..., slice(start, stop, m + 1)))
    return movedim(ops.reshape(put, tuple(moved.shape)), (-2, -1), (dim1, dim2))


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A copy of `length` elements along `dim`, from `start` on."""
    return ops.clone(narrow(input, dim, start, length))


# ---------------------------------------------------------------- indices


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The indices along each dimension of a Tensor of `shape`, of elements given by their place in it flattened.

    Raises
    ------
    IndexError
        If an index is out of range.
    TypeError
        If `indices` are not integers.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.unravel_index(ag.tensor([4, 5]), (2, 3))
    (tensor([1, 1]), tensor([1, 2]))
    """
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(n < 0 for n in lengths):
        raise ValueError(f"unravel_index: a shape has no negative lengths, got {lengths}")
    check_indices(indices, math.prod(lengths), "unravel_index")
    found, rest = [], indices
    for n in reversed(lengths):
        found.append(ops.remainder(rest, n))
        rest = ops.floor_divide(rest, n)
    return tuple(reversed(found))


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = int64, device: str | None = None) -> Tensor:
    """The rows and columns [2, count] of the elements of a matrix that are not above a diagonal, row by row.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", row, col, lambda i, j: j - i <= offset, dtype, device)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = int64, device: str | None = None) -> Tensor:
    """The rows and columns [2, count] of the elements of a matrix that are not below a diagonal, row by row."""
    return _triangle("triu_indices", row, col, lambda i, j: j - i >= offset, dtype, device)


def _triangle(name: str, row: int, col: int, inside: Any, dtype: Any, device: str | None) -> Tensor:
    if row < 0 or col < 0:
        raise ValueError(f"{name}: a matrix has no negative lengths, got {row} and {col}")
    i = ops.reshape(arange(row, device=device), (row, 1))
    j = ops.reshape(arange(col, device=device), (1, col))
    return ops.stack(list(indexing.nonzero(inside(i, j), as_tuple=True)), 0).to(dtype)


named(__name__)
