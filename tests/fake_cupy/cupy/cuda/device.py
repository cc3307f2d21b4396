"""The device that is current in this thread."""

from __future__ import annotations

import threading
from typing import Any

from .. import watch

__all__ = ["CUDARuntimeError", "Device", "current_id"]


class CUDARuntimeError(RuntimeError):
    """What a call of the CUDA runtime failed with."""


class _Current(threading.local):
    id = 0


_current = _Current()


def current_id() -> int:
    """The number of the current device."""
    return _current.id


class Device:
    """A device by number, the current one by default; ``with Device(1):`` makes it current for a block."""

    def __init__(self, device: Any = None) -> None:
        self.id = _current.id if device is None else int(device)
        self._before: list[int] = []

    def __int__(self) -> int:
        return self.id

    def __enter__(self) -> Device:
        self._before.append(_current.id)
        self.use()
        return self

    def __exit__(self, *exception: object) -> None:
        _current.id = self._before.pop()

    def use(self) -> Device:
        """Make it current."""
        if not 0 <= self.id < watch.device_count():
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        _current.id = self.id
        return self

    def synchronize(self) -> None:
        """Wait until it has nothing left to do."""
        watch.wait("Device.synchronize")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"
