"""Where loaded tensors go: what ``map_location`` means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from autograd_backends import Device, parse_device

from ..tensor import Tensor

__all__ = ["MapLocation", "Place", "place_for"]

#: What `load` takes as ``map_location``.
MapLocation: TypeAlias = str | Mapping[str, str] | Callable[[Tensor, str], Any] | None

#: From the location that a file gives for some memory, and that memory as a Tensor, to a device; ``None``: the default.
Place: TypeAlias = Callable[[str, Callable[[], Tensor]], Device | None]


def place_for(map_location: MapLocation) -> Place:
    """The function that says where memory goes.

    Raises
    ------
    DeviceError
        If `map_location` names a device that does not exist.
    TypeError
        If it is no device, dict or function.
    """
    if map_location is None:
        return lambda location, memory: None
    if isinstance(map_location, str):
        device = parse_device(map_location)
        return lambda location, memory: device
    if isinstance(map_location, Mapping):
        devices = {str(key): parse_device(value) for key, value in map_location.items()}
        return lambda location, memory: devices.get(location)
    if callable(map_location):
        return lambda location, memory: _device_of(map_location(memory(), location))
    raise TypeError(
        f"load: map_location is a device string, a dict of them, a function or None, not {type(map_location).__name__}"
    )


def _device_of(chosen: Any) -> Device | None:
    if chosen is None:
        return None
    if isinstance(chosen, Tensor):
        return chosen.device
    if isinstance(chosen, str):
        return parse_device(chosen)
    raise TypeError(
        "load: map_location returns the tensor that it was given, moved or not, a device or None, "
        f"and this one returned {type(chosen).__name__}"
    )
