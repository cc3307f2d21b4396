"""Products of arrays, of which the extension `linalg` has more."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import ops
from ..dims import axis_of, broadcast_shape
from ..ops import matmul, matrix_transpose
from ..tensor import Tensor

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Products summed over axes of both: the last `axes` of `x1` and the first of `x2`, or the pairs that it lists.

    Raises
    ------
    ValueError
        If the axes do not pair up, or differ in length.
    """
    if isinstance(axes, int):
        axes = (tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes)))
    first, second = (tuple([axis_of("tensordot", a, x.ndim) for a in s]) for x, s in zip((x1, x2), axes, strict=True))
    lengths = [tuple([x.array.shape[a] for a in s]) for x, s in ((x1, first), (x2, second))]
    if lengths[0] != lengths[1]:
        raise ValueError(f"tensordot: axes {first} have lengths {lengths[0]}, and axes {second} {lengths[1]}")
    rows = [a for a in range(x1.ndim) if a not in first]
    columns = [a for a in range(x2.ndim) if a not in second]
    summed = math.prod(lengths[0])
    shape = (*[x1.array.shape[a] for a in rows], *[x2.array.shape[a] for a in columns])
    left = ops.reshape(ops.permute(x1, (*rows, *first)), (math.prod([x1.array.shape[a] for a in rows]), summed))
    right = ops.reshape(ops.permute(x2, (*second, *columns)), (summed, math.prod([x2.array.shape[a] for a in columns])))
    return ops.reshape(matmul(left, right), shape)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The dot products of vectors along `axis`, counted from the last; that of `x1` is conjugated.

    Raises
    ------
    ValueError
        If the vectors differ in length, or the other axes do not broadcast.
    """
    a, b = [x if axis == -1 else ops.permute(x, _with_last(axis, x.ndim)) for x in (x1, x2)]
    if a.array.shape[-1] != b.array.shape[-1]:
        raise ValueError(f"vecdot: vectors of length {a.array.shape[-1]} and of {b.array.shape[-1]}")
    shape = broadcast_shape("vecdot", (a.array.shape[:-1], b.array.shape[:-1]))
    row = ops.expand_dims(ops.conj(a), a.ndim - 1)
    return ops.reshape(matmul(row, ops.expand_dims(b, b.ndim)), shape)


def _with_last(axis: int, rank: int) -> tuple[int, ...]:
    """The order of `rank` axes that puts `axis` last."""
    at = axis_of("vecdot", axis, rank)
    return (*[i for i in range(rank) if i != at], at)
