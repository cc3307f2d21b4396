"""Searches, and Tensors as sets of their elements."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..creation import arange, as_tensor, zeros
from ..dims import axis_of
from ..dtypes import int32, int64
from ..indexing import nonzero
from ..refusals import named
from ..tensor import Tensor
from .reductions import argsort, cumsum, sort

__all__ = [
    "argwhere",
    "bucketize",
    "isin",
    "msort",
    "searchsorted",
    "unique",
    "unique_consecutive",
]


def msort(input: Tensor) -> Tensor:
    """The elements in order along the first dimension."""
    return sort(input, 0).values


def argwhere(input: Tensor) -> Tensor:
    """Where `input` is not 0: indices [count, ndim]."""
    return nonzero(input)


def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where each of `input` would go in a sequence so that this stays in order.

    Parameters
    ----------
    sorted_sequence
        In order along its last dimension: a vector, or of the shape of `input` but for that dimension.
    input
        A Tensor, or a number where `sorted_sequence` is a vector.
    out_int32
        Whether the result is int32, and not int64.
    right
        Whether it goes after the elements equal to it.
    side
        ``"left"`` or ``"right"``, the same in words.
    sorter
        The indices that put `sorted_sequence` in order, if it is not.

    Raises
    ------
    ValueError
        If the shapes do not fit, or `side` is neither word or contradicts `right`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.searchsorted(ag.tensor([1, 3, 5]), ag.tensor([3, 6]))
    tensor([1, 3])
    """
    if side not in (None, "left", "right"):
        raise ValueError(f"searchsorted: side must be 'left' or 'right', not {side!r}")
    if side == "left" and right:
        raise ValueError("searchsorted: side='left' contradicts right=True; give one of them")
    if not isinstance(input, Tensor):
        input = as_tensor(
            input, dtype=sorted_sequence.dtype if not isinstance(input, float) else None, device=sorted_sequence.device
        )
    if sorter is not None:
        if tuple(sorter.shape) != tuple(sorted_sequence.shape):
            raise ValueError(
                f"searchsorted: sorter has shape {tuple(sorter.shape)}, and the sequence {tuple(sorted_sequence.shape)}"
            )
        sorted_sequence = ops.take_along_axis(sorted_sequence, sorter, sorted_sequence.ndim - 1)
    batch = tuple(sorted_sequence.shape[:-1])
    if sorted_sequence.ndim == 0 or (batch and tuple(input.shape[:-1]) != batch):
        raise ValueError(
            f"searchsorted: the sequence must be a vector, or have the shape of input {tuple(input.shape)} but for the "
            f"last dimension, and has {tuple(sorted_sequence.shape)}"
        )
    after = right or side == "right"
    if not batch:
        found = ops.searchsorted(sorted_sequence, input, after)
    else:
        count = math.prod(batch)
        rows = ops.reshape(sorted_sequence, (count, sorted_sequence.shape[-1]))
        wanted = ops.reshape(input, (count, input.shape[-1]))
        each = [ops.searchsorted(rows[i], wanted[i], after) for i in range(count)]
        found = ops.reshape(ops.stack(each, 0), tuple(input.shape)) if each else zeros(input.shape, dtype=int64)
    return found.to(int32) if out_int32 else found


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The number of the part that each of `input` is in, of those that a vector of `boundaries` makes.

    Raises
    ------
    ValueError
        If `boundaries` is no vector.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.bucketize(ag.tensor([3.0, 6.0, 9.0]), ag.tensor([1.0, 3.0, 7.0]))
    tensor([1, 2, 3])
    """
    if boundaries.ndim != 1:
        raise ValueError(f"bucketize: boundaries must be a vector, not of shape {tuple(boundaries.shape)}")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Where `elements` are among `test_elements`, or are not if `invert`; either may be a number.

    `assume_unique` is PyTorch's promise that no element repeats; nothing depends on it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.isin(ag.tensor([1, 2, 3]), ag.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    return ops.isin(elements, test_elements, invert)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements, or the different parts along `dim`, in order; every NaN is different. No gradient.

    Parameters
    ----------
    sorted
        They are in order in any case.
    return_inverse
        Whether to give, too, which of them each element, or part, is.
    return_counts
        Whether to give, too, how often each occurs.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.unique(ag.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    parts, at = _parts("unique", input, dim)
    order = _lexicographic(parts)
    values, group, counts = _runs(ops.take_rows(parts, order))
    inverse = ops.put_rows(ops.zeros_like(group), group, order)
    return _set(input, at, values, inverse, counts, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements, or parts along `dim`, without those that equal the one before them. No gradient.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.unique_consecutive(ag.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    parts, at = _parts("unique_consecutive", input, dim)
    values, group, counts = _runs(parts)
    return _set(input, at, values, group, counts, return_inverse, return_counts)


def _parts(name: str, input: Tensor, dim: int | None) -> tuple[Tensor, int | None]:
    """The elements, or the parts along `dim` flattened, as rows of a matrix; and that dimension."""
    input = input.detach()
    if dim is None:
        return ops.reshape(input, (input.numel(), 1)), None
    at = axis_of(name, dim, input.ndim)
    if input.ndim == 0:
        return ops.reshape(input, (1, 1)), None
    moved = ops.permute(input, (at, *[i for i in range(input.ndim) if i != at]))
    n = input.shape[at]
    return ops.reshape(moved, (n, math.prod(moved.shape[1:]))), at


def _lexicographic(rows: Tensor) -> Tensor:
    """The indices that put the rows of a matrix in order: a stable sort by each column, from the last to the first."""
    order = arange(rows.shape[0], device=rows.device)
    for column in reversed(range(rows.shape[1])):
        key = ops.take_rows(ops.getitem(rows, (slice(None), column, ...)), order)
        order = ops.take_rows(order, argsort(key, 0))
    return order


def _runs(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The first row of each run of equal ones, the number of the run that each row is in, and the runs' lengths."""
    n = rows.shape[0]
    if n == 0:
        none = zeros((0,), dtype=int64, device=rows.device)
        return rows, none, none
    later, earlier = ops.getitem(rows, (slice(1, None), ...)), ops.getitem(rows, (slice(0, n - 1), ...))
    fresh = ops.any(ops.not_equal(later, earlier), (1,), False)
    first = zeros((1,), dtype=bool, device=rows.device)
    group = cumsum(ops.concat([first, fresh], 0), 0)
    (starts,) = nonzero(ops.concat([ops.logical_not(first), fresh], 0), as_tuple=True)
    counts = ops.add_rows((starts.shape[0],), ops.ones_like(group), group)
    return ops.take_rows(rows, starts), group, counts


def _set(
    input: Tensor,
    at: int | None,
    rows: Tensor,
    inverse: Tensor,
    counts: Tensor,
    return_inverse: bool,
    return_counts: bool,
) -> Any:
    """`rows` in the shape of parts of `input`, alone or with what else was asked for."""
    if at is None:
        values = ops.reshape(rows, (rows.shape[0],))
        inverse = ops.reshape(inverse, tuple(input.shape))
    else:
        rest = [n for i, n in enumerate(input.shape) if i != at]
        order = list(range(1, input.ndim))
        order.insert(at, 0)
        values = ops.permute(ops.reshape(rows, (rows.shape[0], *rest)), tuple(order))
    given = [values, *([inverse] if return_inverse else []), *([counts] if return_counts else [])]
    return given[0] if len(given) == 1 else tuple(given)


named(__name__)
