"""Index checks that do not wait for the GPU."""

from __future__ import annotations

import cupy

from ..array_types import Array

__all__ = ["PendingChecks"]


class PendingChecks:
    """What index checks have found on the GPU, to be raised when the host waits for it anyway.

    A check leaves one index on the GPU: the first that is out of range, or, where none is, one that is in
    range. So the index itself is the flag, and checks of the same op and limit share one.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, str, int, int], Array] = {}

    def add(self, indices: Array, size: int, name: str, low: int = 0) -> None:
        """Check `indices`, which are not empty, against ``[low, size)`` on their own device."""
        flat = indices.reshape(-1)
        first = cupy.take(flat, cupy.argmax(_outside(flat, low, size))).astype(cupy.int64)
        key = (indices.device.id, name, low, size)
        earlier = self._found.get(key)
        if earlier is not None:
            first = cupy.where(_outside(earlier, low, size), earlier, first)
        self._found[key] = first

    def raise_first(self) -> None:
        """Raise what the first check found that found something; all are forgotten.

        Raises
        ------
        IndexError
            Naming the op, the index and the limit.
        """
        found, self._found = self._found, {}
        for (_, name, low, size), first in found.items():
            index = int(first)
            if not low <= index < size:
                raise IndexError(f"{name}: index {index} is out of range for size {size}")


def _outside(indices: Array, low: int, size: int) -> Array:
    return (indices < low) | (indices >= size)
