"""Devices."""

from __future__ import annotations

from types import SimpleNamespace

from .. import watch
from .device import CUDARuntimeError, Device, current_id

__all__ = ["Device", "is_available", "runtime"]

runtime = SimpleNamespace(getDeviceCount=watch.device_count, getDevice=current_id, CUDARuntimeError=CUDARuntimeError)


def is_available() -> bool:
    """Whether there is a device."""
    return watch.device_count() > 0
