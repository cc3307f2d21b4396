"""What convolutions and pools share: one number for all dimensions or one for each, and single images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


def batched(input: Tensor, rank: int, function: Callable[[Tensor], Any]) -> Any:
    """``function(input)``, a Tensor or a plain tuple; an `input` of a dimension less is a batch of one on the way."""
    if input.ndim != rank - 1:
        result = function(input)
        return tuple(result) if isinstance(result, tuple) else result
    result = function(ops.expand_dims(input, 0))
    if isinstance(result, tuple):
        return tuple([ops.squeeze(out, (0,)) for out in result])
    return ops.squeeze(result, (0,))
