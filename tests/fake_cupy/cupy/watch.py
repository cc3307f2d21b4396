"""What the stand-in saw: waits for the device, and values of NumPy's that were handed to it. No part of CuPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["DEVICES", "device_count", "later", "leaks", "reset", "wait", "waits"]

#: The number of devices of this machine, as the one element of a list.
DEVICES: list[Any] = [2]

#: One line for each time that the host had to wait for a device, with what made it wait.
waits: list[str] = []

#: One line for each NumPy scalar or array that was handed to a function or an operator.
leaks: list[str] = []


#: What the devices have been told to do to the memory of the host, and do before a wait is over.
later: list[Callable[[], Any]] = []


def wait(by: str) -> None:
    """Let the devices finish, and note what waited for them."""
    waits.append(by)
    while later:
        later.pop(0)()


def device_count() -> int:
    """The number of devices; an exception in its place is raised."""
    if isinstance(DEVICES[0], Exception):
        raise DEVICES[0]
    return int(DEVICES[0])


def reset() -> None:
    """Forget what was seen."""
    waits.clear()
    leaks.clear()
