"""What convolutions and pools share: one number for all dimensions or one for each, and single images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd_backends.options import as_ints

from ... import ops
from ...tensor import Tensor

__all__ = ["batched", "per_dimension"]


def per_dimension(name: str, what: str, sizes: int | Sequence[int], rank: int) -> tuple[int, ...]:
    """`sizes` as one int for each of `rank` spatial dimensions.

    Raises
    ------
    ValueError
        If it is another number of ints.
    TypeError
        If it is neither an int nor a sequence of ints.
    """
    if isinstance(sizes, int):
        return (sizes,) * rank
    numbers = as_ints(f"{name}: {what}", sizes)
    if isinstance(numbers, int) or len(numbers) == 1:
        return (numbers if isinstance(numbers, int) else numbers[0],) * rank
    if len(numbers) != rank:
        raise ValueError(f"{name}: {what} has one int or {rank}, got {numbers}")
    return numbers


def batched(input: Tensor, rank: int, function: Callable[[Tensor], Any]) -> Any:
    """``function(input)``, a Tensor or a plain tuple; an `input` of a dimension less is a batch of one on the way."""
    if input.ndim != rank - 1:
        result = function(input)
        return tuple(result) if isinstance(result, tuple) else result
    result = function(ops.expand_dims(input, 0))
    if isinstance(result, tuple):
        return tuple([ops.squeeze(out, (0,)) for out in result])
    return ops.squeeze(result, (0,))
