"""Max pools turned round."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ... import ops
from ...creation import arange, zeros
from ...indexing import check_indices
from ...refusals import named
from ...tensor import Tensor
from .shapes import batched, per_dimension

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]

Sizes = int | Sequence[int]


def _max_unpool(rank: int) -> Any:
    name = f"max_unpool{rank}d"

    def max_unpool(
        input: Tensor,
        indices: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        output_size: Sequence[int] | None = None,
    ) -> Tensor:
        """What a max pool gave, back where it came from, among zeros.

        Parameters
        ----------
        input
            [N, C, ...] or [C, ...].
        indices
            Of the shape of `input`, from the pool; where one is there twice, one of its values is put.
        kernel_size, stride, padding
            Of the pool.
        output_size
            The size of the pool's input, which several sizes may have given the same; by default the smallest.

        Returns
        -------
        Tensor
            [N, C, ...]

        Raises
        ------
        ValueError
            If the shapes differ, or the pool cannot have had such an input.
        IndexError
            If an index is not in the planes of the output.
        """
        if tuple(indices.shape) != tuple(input.shape):
            raise ValueError(f"{name}: input has shape {tuple(input.shape)} but indices have {tuple(indices.shape)}")
        if input.ndim not in (rank + 1, rank + 2):
            raise ValueError(f"{name}: input has {input.ndim} dimensions; it needs {rank + 1} or {rank + 2}")
        kernel = per_dimension(name, "kernel_size", kernel_size, rank)
        step = kernel if stride is None else per_dimension(name, "stride", stride, rank)
        cut = per_dimension(name, "padding", padding, rank)
        least = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[-rank:], step, cut, kernel, strict=True)]
        plane = tuple(least if output_size is None else output_size[-rank:])
        if any(abs(n - wanted) >= s for n, wanted, s in zip(least, plane, step, strict=True)):
            raise ValueError(f"{name}: output_size {plane} is not within one step {step} of {tuple(least)}")
        check_indices(indices, prod(plane), f"{name}: indices")
        places = batched(indices, rank + 2, lambda at: _in_all_planes(at, prod(plane)))
        found = zeros(prod(input.shape[:-rank]) * prod(plane), dtype=input.dtype, device=input.device)
        put = ops.put_rows(found, ops.reshape(input, (-1,)), ops.reshape(places, (-1,)))
        return ops.reshape(put, (*input.shape[:-rank], *plane))

    max_unpool.__name__ = max_unpool.__qualname__ = name
    return max_unpool


def _in_all_planes(indices: Tensor, size: int) -> Tensor:
    """Indices [N, C, ...] into planes of `size` elements -> indices into all planes, one after the other."""
    batch, channels, *rest = indices.shape
    starts = size * arange(batch * channels, device=indices.device)
    return indices + ops.reshape(starts, (batch, channels, *(1 for _ in rest)))


max_unpool1d, max_unpool2d, max_unpool3d = map(_max_unpool, (1, 2, 3))


named(__name__)
