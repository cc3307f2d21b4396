"""Whether there is a CUDA device: a question that can be asked without CuPy."""

from __future__ import annotations

__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """How many CUDA devices can be used now: 0 without CuPy, a driver or a GPU. It never raises.

    Examples
    --------
    >>> device_count() >= 0
    True
    """
    try:
        import cupy

        return int(cupy.cuda.runtime.getDeviceCount())
    except Exception:
        # A missing package, a missing CUDA library and a driver that is too old each raise their own error.
        return 0


def is_available() -> bool:
    """Whether there is a CUDA device that can be used now. It never raises."""
    return device_count() > 0
