"""CUDA devices, by PyTorch's names."""

from __future__ import annotations

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
