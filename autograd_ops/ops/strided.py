"""Memory: windows on it by strides, and copies in its plain order."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels
from autograd_backends.diagonals import diagonal_slice

from ..registry import Array, op
from .indexing import add_rows, put_rows
from .shape import overwrite, place, reshape

__all__ = ["as_strided", "contiguous", "diagonal"]


def _put(base: Any, value: Any, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    return put_rows(base, reshape(value, (-1,)), _places(base, size, stride, offset))


@op(formula="dx = zeros with g added to the elements taken", view=_put)
def as_strided(x: Array, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Array:
    """The elements of x [n] at ``offset + i * stride[0] + j * stride[1] + ...``, for i, j, ... within `size`

    A view where the library has such. An element may be read more than once.

    Raises
    ------
    ValueError
        If the window leads out of x.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> ops.as_strided(ag.arange(5.0), (3, 2), (1, 2), 0)
    tensor([[0., 2.],
            [1., 3.],
            [2., 4.]])
    """
    ends = [(n - 1) * step for n, step in zip(size, stride, strict=True)]
    first, last = offset + sum(min(end, 0) for end in ends), offset + sum(max(end, 0) for end in ends)
    if 0 not in size and not (0 <= first <= last < x.shape[0]):
        raise ValueError(f"as_strided: the window goes from element {first} to {last} of memory that has {x.shape[0]}")
    return kernels(x).as_strided(x, size, stride, offset)


as_strided.backward(
    x=lambda g, x_shape, size, stride, offset: add_rows(x_shape, reshape(g, (-1,)), _places(g, size, stride, offset))
)


def _places(beside: Any, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    """Where the elements are in the flat memory [m], in the order of the result."""
    array = getattr(beside, "array", beside)
    return kernels(array).strided_places(array, size, stride, offset)


@op(formula="dx = g")
def contiguous(x: Array) -> Array:
    """A copy of x, laid out in memory in the order of its dimensions"""
    return kernels(x).contiguous(x)


contiguous.backward(x=lambda g: g)


# ---------------------------------------------------------------- diagonals


def _flat(shape: tuple[int, ...], offset: int) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """`shape` with its last two dimensions as one, and the key of the diagonal in that."""
    return (*shape[:-2], shape[-2] * shape[-1]), (..., diagonal_slice(shape[-2], shape[-1], offset))


def _put_diagonal(base: Any, value: Any, offset: int) -> Any:
    shape, key = _flat(tuple(base.shape), offset)
    return reshape(overwrite(reshape(base, shape), value, key), tuple(base.shape))


def _place_diagonal(g: Any, x_shape: tuple[int, ...], offset: int) -> Any:
    shape, key = _flat(x_shape, offset)
    return reshape(place(g, shape, key), x_shape)


@op(formula="dx = zeros with g on the diagonal", view=_put_diagonal)
def diagonal(x: Array, offset: int = 0) -> Array:
    """The elements of x [..., n, m] at (i, i + offset) of its last two dimensions -> [..., k]; a view if there is one

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> ops.diagonal(ag.arange(6.0).reshape(2, 3), 1)
    tensor([1., 5.])
    """
    return kernels(x).diagonal(x, offset)


diagonal.backward(x=_place_diagonal)
