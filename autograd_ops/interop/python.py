"""What Python's own functions ask of a Tensor: ``round``, ``divmod``, ``reversed``."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..functions import flip, round
from ..tensor import Tensor

__all__ = ["__divmod__", "__rdivmod__", "__reversed__", "__round__"]


def __round__(self: Tensor, ndigits: int | None = None) -> Tensor:
    """``round(x)``: every element to the nearest integer, or to `ndigits` decimals; the dtype stays."""
    return round(self, decimals=ndigits or 0)


def __divmod__(self: Tensor, other: Any) -> tuple[Tensor, Tensor]:
    """``divmod(x, y)``: ``(x // y, x % y)``."""
    return ops.floor_divide(self, other), ops.remainder(self, other)


def __rdivmod__(self: Tensor, other: Any) -> tuple[Tensor, Tensor]:
    """``divmod(y, x)`` of a number y."""
    return ops.floor_divide(other, self), ops.remainder(other, self)


def __reversed__(self: Tensor) -> Tensor:
    """``reversed(x)``: x with its first dimension the other way round, as a Tensor."""
    return flip(self, 0) if self.ndim else self
