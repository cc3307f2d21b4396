"""What the lines of a replay call, besides ops and rules."""

from __future__ import annotations

from typing import Any

from autograd_backends import namespace, scalar_to_array

__all__ = ["copied", "strides", "to_array"]


def to_array(value: Any) -> Any:
    """`value`, as an array if it is a scalar of an array library."""
    cls = type(value)
    return scalar_to_array[cls](value) if cls in scalar_to_array else value


def copied(array: Any) -> Any:
    """A copy of `array`."""
    return namespace(array).asarray(array, copy=True)


def strides(array: Any) -> Any:
    """How `array` lies in memory, if its library tells: in another order, sums round in another way."""
    return getattr(array, "strides", None)
