"""CUDA devices, by PyTorch's names. Nothing here raises where there is none, but for `synchronize`."""

from __future__ import annotations

from autograd_backends import DeviceError, get_backend, parse_device

__all__ = ["device_count", "is_available", "synchronize"]


def device_count() -> int:
    """How many CUDA devices can be used: 0 without CuPy or without a driver."""
    try:
        return len(get_backend("cuda").devices())
    except DeviceError:
        return 0


def is_available() -> bool:
    """Whether there is a CUDA device that can be used.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> device = "cuda" if ag.cuda.is_available() else "cpu"
    """
    return device_count() > 0


def synchronize(device: str = "cuda") -> None:
    """Wait until all work queued on a CUDA device is done."""
    get_backend("cuda").synchronize(parse_device(device))
