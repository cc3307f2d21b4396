"""CUDA devices, by PyTorch's names."""

from __future__ import annotations

from typing import Any

from autograd_backends import get_backend, parse_device
from autograd_backends.cuda import device_count, is_available

__all__ = ["device_count", "is_available", "synchronize"]


def synchronize(device: str = "cuda") -> None:
    """Wait until all work queued on a CUDA device is done.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    get_backend("cuda").synchronize(parse_device(device))


def __getattr__(name: str) -> Any:
    """``FloatTensor`` and the other older constructors, of CUDA."""
    from .interop.typed import types_on

    if name in (found := types_on("cuda")):
        globals().update(found)
        return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
