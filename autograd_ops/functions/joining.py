"""Several Tensors made one, and one made several, in the ways that few programs use."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from .. import ops
from ..creation import tensor, zeros
from ..dims import axis_of, tensors_of
from ..dtypes import int64
from ..indexing import narrow
from ..refusals import named
from ..tensor import Tensor
from .shapes import cat, chunk, hstack, meshgrid, split, vstack

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "cartesian_prod",
    "column_stack",
    "combinations",
    "dsplit",
    "dstack",
    "hsplit",
    "row_stack",
    "split_with_sizes",
    "tensor_split",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "vsplit",
]

# ---------------------------------------------------------------- at least so many dimensions


def _each(function: Any, tensors: tuple[Any, ...]) -> Any:
    """`function` of one Tensor, or of each of several, or of those in a sequence."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return function(tensors[0])
    several = tensors[0] if len(tensors) == 1 else tensors
    return tuple([function(x) for x in several])


def _first(x: Tensor) -> Tensor:
    return x if x.ndim else ops.reshape(x, (1,))


def _second(x: Tensor) -> Tensor:
    return x if x.ndim > 1 else ops.reshape(x, (1, x.numel()))


def _third(x: Tensor) -> Tensor:
    return x if x.ndim > 2 else ops.expand_dims(_second(x), 2)


def atleast_1d(*tensors: Any) -> Any:
    """A Tensor, or each of several, as a vector if it has no dimension."""
    return _each(_first, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """A Tensor, or each of several, as a matrix of one row if it has fewer than two dimensions."""
    return _each(_second, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """A Tensor, or each of several, with at least three dimensions: new ones are before a vector and after a matrix.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.atleast_3d(ag.zeros(2)).shape, ag.atleast_3d(ag.zeros(2, 3)).shape
    (Size([1, 2, 1]), Size([2, 3, 1]))
    """
    return _each(_third, tensors)


# ---------------------------------------------------------------- several into one

row_stack = vstack


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """One beside the other; vectors are columns."""
    tensors_of("column_stack", tensors)
    return hstack([x if x.ndim > 1 else ops.reshape(x, (x.numel(), 1)) for x in tensors])


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """One behind the other, along the third dimension."""
    tensors_of("dstack", tensors)
    return cat([_third(x) for x in tensors], 2)


def block_diag(*tensors: Tensor) -> Tensor:
    """The matrix that has the given ones along its diagonal, and else zeros; vectors are rows.

    Raises
    ------
    ValueError
        If one has more than two dimensions.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.block_diag(ag.tensor([[1, 2]]), ag.tensor([3]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    if not tensors:
        return zeros((1, 0))
    for i, x in enumerate(tensors):
        if x.ndim > 2:
            raise ValueError(f"block_diag: tensor {i} has {x.ndim} dimensions, more than 2")
    blocks = [_second(x) for x in tensors]
    dtype = cat([ops.reshape(x.detach(), (x.numel(),)) for x in blocks]).dtype
    width = sum(x.shape[1] for x in blocks)
    rows, start = [], 0
    for x in blocks:
        rows.append(ops.place(x, (x.shape[0], width), (slice(None), slice(start, start + x.shape[1]))))
        start += x.shape[1]
    return cat(rows).to(dtype)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every way to choose one element of each of n vectors, as rows [count, n]; of one vector itself.

    Raises
    ------
    ValueError
        If one is no vector.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.cartesian_prod(ag.tensor([1, 2]), ag.tensor([4, 5]))
    tensor([[1, 4],
            [1, 5],
            [2, 4],
            [2, 5]])
    """
    for i, x in enumerate(tensors):
        if x.ndim != 1:
            raise ValueError(f"cartesian_prod: tensor {i} must be a vector, not of shape {tuple(x.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return ops.stack([ops.reshape(x, (x.numel(),)) for x in meshgrid(*tensors)], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every way to choose r elements of a vector, in order, as rows [count, r].

    Raises
    ------
    ValueError
        If `input` is no vector, or r is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.combinations(ag.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    if input.ndim != 1:
        raise ValueError(f"combinations: expected a vector, got shape {tuple(input.shape)}")
    if r < 0:
        raise ValueError(f"combinations: r must not be negative, got {r}")
    if r == 0:
        return zeros((0,), dtype=input.dtype, device=input.device)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = [i for chosen in choose(range(input.numel()), r) for i in chosen]
    taken = ops.take_rows(input, tensor(places, dtype=int64, device=input.device))
    return ops.reshape(taken, (len(places) // r, r))


# ---------------------------------------------------------------- one into several


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views along `dim`: so many, of which the first may be one longer, or those between indices.

    Parameters
    ----------
    indices_or_sections
        An int, or where to cut: a sequence of ints, or a Tensor of them.

    Raises
    ------
    ValueError
        If there is no dimension, or the number of parts is not positive.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.tensor_split(ag.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    >>> ag.tensor_split(ag.arange(5), (1, 4))
    (tensor([0]), tensor([1, 2, 3]), tensor([4]))
    """
    if input.ndim == 0:
        raise ValueError("tensor_split: expected at least 1 dimension, got 0")
    axis = axis_of("tensor_split", dim, input.ndim)
    size = input.shape[axis]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count < 1:
            raise ValueError(f"tensor_split: the number of parts must be positive, not {count}")
        length, longer = divmod(size, count)
        return split(input, [length + (i < longer) for i in range(count)], axis)
    cuts = [0, *[slice(0, i).indices(size)[1] for i in indices_or_sections], size]
    return tuple([narrow(input, axis, a, max(b - a, 0)) for a, b in itertools.pairwise(cuts)])


def _even_split(name: str, input: Tensor, indices_or_sections: Any, axis: int) -> tuple[Tensor, ...]:
    if isinstance(indices_or_sections, int):
        size, count = input.shape[axis], indices_or_sections
        if count < 1 or size % count:
            raise ValueError(f"{name}: dimension {axis}, of length {size}, is not {count} equal parts")
    return tensor_split(input, indices_or_sections, axis)


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Equal parts, or those between indices, along the second dimension, or that of a vector.

    Raises
    ------
    ValueError
        If there is no such dimension, or no such number of equal parts.
    """
    if input.ndim < 1:
        raise ValueError("hsplit: expected at least 1 dimension, got 0")
    return _even_split("hsplit", input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Equal parts, or those between indices, along the first of at least two dimensions.

    Raises
    ------
    ValueError
        If there are fewer dimensions, or no such number of equal parts.
    """
    if input.ndim < 2:
        raise ValueError(f"vsplit: expected at least 2 dimensions, got {input.ndim}")
    return _even_split("vsplit", input, indices_or_sections, 0)


def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Equal parts, or those between indices, along the third dimension.

    Raises
    ------
    ValueError
        If there are fewer dimensions, or no such number of equal parts.
    """
    if input.ndim < 3:
        raise ValueError(f"dsplit: expected at least 3 dimensions, got {input.ndim}")
    return _even_split("dsplit", input, indices_or_sections, 2)


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views along `dim` of the lengths given."""
    return split(input, list(split_sizes), dim)


unsafe_split, unsafe_chunk, unsafe_split_with_sizes = split, chunk, split_with_sizes


named(__name__)
