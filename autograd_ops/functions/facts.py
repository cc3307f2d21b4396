"""What a Tensor is, as Python values."""

from __future__ import annotations

from typing import Any

from ..refusals import named
from ..tensor import Tensor

__all__ = ["is_nonzero", "is_same_size", "is_signed", "typename"]


def is_nonzero(input: Tensor) -> bool:
    """Whether its one element is not 0.

    Raises
    ------
    ValueError
        If it has not exactly one element.
    """
    return bool(input.item() != 0)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two Tensors have the same shape."""
    return tuple(input.shape) == tuple(other.shape)


def is_signed(input: Tensor) -> bool:
    """Whether its elements can be negative."""
    return input.dtype.kind in ("int", "float", "complex")


def typename(obj: Any) -> str:
    """The name of the type of `obj`, with its module."""
    if isinstance(obj, Tensor):
        return "autograd_ops.Tensor"
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


named(__name__)
