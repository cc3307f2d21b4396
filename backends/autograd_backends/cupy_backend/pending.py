"""Checks of indices and other values that do not wait for the GPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import cupyx

from ..array_types import Array

__all__ = ["PendingChecks"]


class Check(NamedTuple):
    """A check of integers in ``[low, size)`` on the device of number `device`.

    `error` and `said` are the type and the message of what is to be raised; ``{}`` in it is the integer.
    """

    device: int
    error: type[Exception]
    said: str
    low: int
    size: int


class PendingChecks:
    """What checks have found on the GPU, to be raised when the host waits for it anyway.

    A check leaves one index on the GPU: the first that is out of range, or, where none is, one that is in
    range. So the index itself is the flag, and checks of the same op and limit share one.
    """

    def __init__(self) -> None:
        self._found: dict[Check, Array] = {}

    def add(self, indices: Array, size: int, name: str, low: int = 0) -> None:
        """Check `indices`, which are not empty, against ``[low, size)`` on their own device."""
        flat = indices.reshape(-1)
        first = cupy.take(flat, cupy.argmax(_outside(flat, low, size))).astype(cupy.int64)
        said = f"{name}: index {{}} is out of range for size {size}"
        self._keep(Check(indices.device.id, IndexError, said, low, size), first)

    def add_flag(self, good: Array, error: Exception) -> None:
        """Check that the 0-d bool `good` holds: that it is 1."""
        said = str(error).replace("{", "{{").replace("}", "}}")
        self._keep(Check(good.device.id, type(error), said, 1, 2), good.astype(cupy.int64))

    def _keep(self, check: Check, first: Array) -> None:
        earlier = self._found.get(check)
        if earlier is not None:
            first = cupy.where(_outside(earlier, check.low, check.size), earlier, first)
        self._found[check] = first

    def send(self, device: int) -> tuple[list[Check], Any]:
        """Start to copy what was found on `device` to the host; it is there after the next wait for the device.

        Returns
        -------
        tuple
            What `raise_first` takes.
        """
        checks = [check for check in self._found if check.device == device]
        if not checks:
            return checks, None
        with cupy.cuda.Device(device):
            found = cupy.stack([self._found.pop(check) for check in checks])
            # From memory that is not pinned the copy would wait.
            host = cupyx.empty_pinned(found.shape, found.dtype)
            found.get(out=host, blocking=False)
        return checks, host

    @staticmethod
    def raise_first(sent: tuple[list[Check], Any]) -> None:
        """Raise what the first check found that found something; to be called after a wait.

        Raises
        ------
        IndexError
            Naming the op, the index and the limit; or whatever else a check was to raise.
        """
        checks, found = sent
        for check, index in zip(checks, () if found is None else found.tolist(), strict=True):
            if not check.low <= index < check.size:
                raise check.error(check.said.format(index))


def _outside(indices: Array, low: int, size: int) -> Array:
    return (indices < low) | (indices >= size)
