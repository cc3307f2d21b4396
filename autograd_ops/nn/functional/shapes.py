"""What convolutions and pools share: one number for all dimensions or one for each, and single images."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ... import ops
from ...tensor import Tensor

__all__ = ["batched", "per_dimension"]


def per_dimension(name: str, what: str, sizes: int | Sequence[int], rank: int) -> tuple[int, ...]:
    """`sizes` as one int for each of `rank` spatial dimensions.

    Raises
    ------
    ValueError
        If it is another number of ints.
    """
    if isinstance(sizes, int):
        return (sizes,) * rank
    if len(sizes) == 1:
        return (sizes[0],) * rank
    if len(sizes) != rank:
        raise ValueError(f"{name}: {what} has one int or {rank}, got {tuple(sizes)}")
    return tuple(sizes)


def batched(input: Tensor, rank: int, function: Callable[[Tensor], Tensor]) -> Tensor:
    """``function(input)``; an `input` of one dimension less than `rank` is a batch of one on the way."""
    if input.ndim != rank - 1:
        return function(input)
    return ops.squeeze(function(ops.expand_dims(input, 0)), (0,))
