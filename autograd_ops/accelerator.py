"""Whatever device there is beside the CPU: CUDA's, or none."""

from __future__ import annotations

from typing import Any

from autograd_backends import Device, DeviceError

from . import cuda
from .cuda import device_count, is_available

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "empty_cache",
    "is_available",
    "set_device_index",
    "synchronize",
]


def current_accelerator(check_available: bool = False) -> Device | None:
    """The kind of device that is there, ``"cuda"``, or None."""
    return Device("cuda") if is_available() else None


def _required() -> None:
    if not is_available():
        raise DeviceError("accelerator: there is no device beside the CPU")


def current_device_index() -> int:
    """The number of the current device.

    Raises
    ------
    DeviceError
        If there is none.
    """
    _required()
    return cuda.current_device()


def set_device_index(device: Any) -> None:
    """Make a device the current one.

    Raises
    ------
    DeviceError
        If there is none of that number.
    """
    _required()
    cuda.set_device(device)


def synchronize(device: Any = None) -> None:
    """Wait until all work queued on a device is done.

    Raises
    ------
    DeviceError
        If there is none.
    """
    _required()
    cuda.synchronize(device)


def empty_cache() -> None:
    """Give memory that is kept and that no array takes back to the device."""
    cuda.empty_cache()
