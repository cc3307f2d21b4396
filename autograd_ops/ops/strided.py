"""Memory: windows on it by strides, and copies in its plain order."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels

from ..registry import Array, op
from .indexing import add_rows, put_rows
from .shape import reshape

__all__ = ["as_strided", "contiguous"]


def _put(base: Any, value: Any, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    return put_rows(base, reshape(value, (-1,)), _places(base, size, stride, offset))


@op(formula="dx = zeros with g added to the elements taken", view=_put)
def as_strided(x: Array, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Array:
    """The elements of x [n] at ``offset + i * stride[0] + j * stride[1] + ...``, for i, j, ... within `size`

    A view where the library has such. What is read must lie in x; an element may be read more than once.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> ops.as_strided(ag.arange(5.0), (3, 2), (1, 2), 0)
    tensor([[0., 2.],
            [1., 3.],
            [2., 4.]])
    """
    return kernels(x).as_strided(x, size, stride, offset)


as_strided.backward(
    x=lambda g, x_shape, size, stride, offset: add_rows(
        x_shape, reshape(g, (-1,)), _places(g, size, stride, offset)
    )
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
