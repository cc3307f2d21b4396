"""Rows by number: the ops behind advanced indexing, gather, scatter and embedding.

Every kind of advanced indexing comes down to taking rows: `autograd_ops.indexing` turns ``x[i, :, j]`` into a
permutation, a reshape and one `take_rows`.
"""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels, namespace

from ..registry import Array, ShapeOf, op
from .dtype import zeros_like
from .shape import getitem

__all__ = ["add_rows", "flat_along_axis", "put_along_axis", "put_rows", "take_along_axis", "take_rows"]


@op(formula="dx = zeros with g added to the places taken", nondiff=("indices",))
def take_rows(x: Array, indices: Array, axis: int = 0) -> Array:
    """x [n, ...] at `indices` [m] along its first dimension, or another one -> [m, ...]"""
    return namespace(x).take(x, indices, axis=axis)


take_rows.backward(x=lambda g, x_shape, indices, axis: add_rows(x_shape, g, indices, axis))


@op(formula="dvalues = g at indices", nondiff=("indices",))
def add_rows(shape: ShapeOf, values: Array, indices: Array, axis: int = 0) -> Array:
    """Zeros of `shape` [n, ...] with `values` [m, ...] added to the rows `indices` [m]; repeats add up"""
    xp = namespace(values)
    if axis:
        values = xp.moveaxis(values, axis, 0)
        shape = (shape[axis], *shape[:axis], *shape[axis + 1 :])
    zeros = xp.zeros(shape, dtype=values.dtype, device=values.device)
    added = kernels(values).scatter_add(zeros, indices, values)
    return xp.moveaxis(added, 0, axis) if axis else added


add_rows.backward(values=lambda g, indices, axis: take_rows(g, indices, axis))


@op(formula="dx = g with zeros in the rows put, dvalues = g at indices", nondiff=("indices",), promote=True)
def put_rows(x: Array, values: Array, indices: Array) -> Array:
    """x [n, ...] with rows `indices` [m] set to `values` [m, ...]; of repeats, one counts"""
    return kernels(x).scatter(x, indices, values)


put_rows.backward(
    x=lambda g, values_shape, indices: put_rows(g, zeros_like(take_rows(g, indices)), indices),
    values=lambda g, indices: take_rows(g, indices),
)


@op(formula="dx = zeros with g added at indices along axis", nondiff=("indices",))
def take_along_axis(x: Array, indices: Array, axis: int) -> Array:
    """x at `indices` along `axis`; `indices` has the shape of x but for that dimension"""
    return namespace(x).take_along_axis(x, indices, axis=axis)


take_along_axis.backward(x=lambda g, x_shape, indices, axis: put_along_axis(x_shape, g, indices, axis))


@op(formula="dvalues = g at indices along axis", nondiff=("indices",))
def put_along_axis(shape: ShapeOf, values: Array, indices: Array, axis: int) -> Array:
    """Zeros of `shape` with `values` added at `indices` along `axis`; repeats add up"""
    xp = namespace(values)
    size = 1
    for n in shape:
        size *= n
    flat = xp.reshape(flat_along_axis(indices, shape, axis), (-1,))
    zeros = xp.zeros((size,), dtype=values.dtype, device=values.device)
    return xp.reshape(kernels(values).scatter_add(zeros, flat, xp.reshape(values, (-1,))), shape)


def _put_along_axis_values(g: Any, indices: Any, axis: int) -> Any:
    # The values may be fewer than the places, along the other dimensions too.
    shape, along = tuple(g.shape), axis % len(g.shape)
    lengths = tuple([shape[i] if i == along else n for i, n in enumerate(tuple(indices.shape))])
    if lengths != shape:
        g = getitem(g, (*[slice(0, n) for n in lengths], ...))
    return take_along_axis(g, indices, axis)


put_along_axis.backward(values=_put_along_axis_values)


def flat_along_axis(indices: Any, shape: tuple[int, ...], axis: int) -> Any:
    """The place in a flattened array of `shape` of each of `indices` along `axis`."""
    xp = namespace(indices)
    indices = xp.astype(indices, xp.int64, copy=False)  # a place may be past what the dtype of an index holds
    rank = len(shape)
    axis = axis % rank
    flat = None
    stride = 1
    for i in range(rank - 1, -1, -1):
        along = [1] * rank
        along[i] = indices.shape[i]
        at = (
            indices
            if i == axis
            else xp.reshape(xp.arange(indices.shape[i], dtype=indices.dtype, device=indices.device), tuple(along))
        )
        flat = at * stride if flat is None else flat + at * stride
        stride *= shape[i]
    return flat
