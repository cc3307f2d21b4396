"""Rearrangements that few programs use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ops
from ..dims import axes_of, axis_of, broadcast_shape, shape_of_sizes
from ..refusals import named
from ..tensor import Size, Tensor
from .shapes import movedim, transpose

__all__ = [
    "broadcast_shapes",
    "diag_embed",
    "diagflat",
    "fliplr",
    "flipud",
    "ravel",
    "rot90",
    "sum_to_size",
    "swapdims",
]


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that Tensors of `shapes` broadcast to; an int n is the shape (n,).

    Raises
    ------
    ValueError
        If they do not broadcast, or a length is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.broadcast_shapes((2, 1), (3,))
    Size([2, 3])
    """
    given = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    for shape in given:
        if any(n < 0 for n in shape):
            raise ValueError(f"broadcast_shapes: a shape has no negative lengths, got {shape}")
    return Size(broadcast_shape("broadcast_shapes", given))


def ravel(input: Tensor) -> Tensor:
    """The elements in one dimension: a view where memory allows."""
    return ops.reshape(input, (input.numel(),))


def fliplr(input: Tensor) -> Tensor:
    """The order along the second dimension reversed; a copy.

    Raises
    ------
    ValueError
        If there are fewer than two dimensions.
    """
    if input.ndim < 2:
        raise ValueError(f"fliplr: expected at least 2 dimensions, got {input.ndim}")
    return ops.flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """The order along the first dimension reversed; a copy.

    Raises
    ------
    ValueError
        If there is no dimension.
    """
    if input.ndim < 1:
        raise ValueError("flipud: expected at least 1 dimension, got 0")
    return ops.flip(input, (0,))


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turned by `k` right angles in the plane of two dimensions, from the first towards the second; a copy.

    Raises
    ------
    ValueError
        If `dims` does not name two different dimensions.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.rot90(ag.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    axes = axes_of("rot90", tuple(dims), input.ndim)
    if axes is None or len(axes) != 2 or input.ndim < 2:
        raise ValueError(f"rot90: dims must name two dimensions of at least two, got {dims} and {input.ndim}")
    first, second = axes
    order = list(range(input.ndim))
    order[first], order[second] = second, first
    turns = k % 4
    if turns == 0:
        return ops.clone(input)
    if turns == 2:
        return ops.flip(input, axes)
    if turns == 1:
        return ops.permute(ops.flip(input, (second,)), tuple(order))
    return ops.flip(ops.permute(input, tuple(order)), (second,))


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices, in two new dimensions, whose diagonals are the vectors along the last dimension of `input`.

    Parameters
    ----------
    input
        Of shape [..., n].
    offset
        Which diagonal: above the main one if positive, below it if negative. The matrices have n + |offset| rows.
    dim1, dim2
        Where the dimensions of rows and of columns are in the result.

    Raises
    ------
    IndexError
        If a dimension is out of range.
    ValueError
        If `dim1` and `dim2` are the same, or `input` has no dimension.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.diag_embed(ag.tensor([1, 2]), offset=1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    if input.ndim == 0:
        raise ValueError("diag_embed: expected at least 1 dimension, got 0")
    rank = input.ndim + 1
    rows, columns = axis_of("diag_embed", dim1, rank), axis_of("diag_embed", dim2, rank)
    if rows == columns:
        raise ValueError(f"diag_embed: dim1 and dim2 are both {rows}")
    *batch, length = input.array.shape
    n = length + abs(offset)
    # In the flattened matrix the diagonal is every (n + 1)-th element.
    start = offset if offset >= 0 else -offset * n
    key = (..., slice(start, start + length * (n + 1) - n if length else start, n + 1))
    matrices = ops.reshape(ops.place(input, (*batch, n * n), key), (*batch, n, n))
    return movedim(matrices, (-2, -1), (rows, columns))


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix whose diagonal is the flattened `input`."""
    return diag_embed(ravel(input), offset)


swapdims = transpose


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Summed over the dimensions along which a Tensor of `size` is stretched to the shape of `input`.

    Raises
    ------
    ValueError
        If it is not.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.ones(2, 3).sum_to_size(3)
    tensor([2., 2., 2.])
    """
    wanted = shape_of_sizes(size)
    if broadcast_shape("sum_to_size", (wanted, tuple(input.shape))) != tuple(input.shape):
        raise ValueError(f"sum_to_size: size {wanted} does not broadcast to {tuple(input.shape)}")
    return ops.sum_to(input, wanted)


named(__name__)
