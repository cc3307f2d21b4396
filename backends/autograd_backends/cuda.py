"""CUDA devices as CuPy knows them. How many there are can be asked without CuPy; the rest needs a device."""

from __future__ import annotations

from typing import Any

__all__ = [
    "current_device",
    "device_count",
    "free_unused",
    "is_available",
    "memory_info",
    "memory_used",
    "properties",
    "set_device",
]


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


def current_device() -> int:
    """The number of the thread's current device."""
    import cupy

    return int(cupy.cuda.runtime.getDevice())


def set_device(index: int) -> None:
    """Make a device the thread's current one."""
    import cupy

    cupy.cuda.Device(index).use()


def properties(index: int) -> dict[str, Any]:
    """What the CUDA runtime says of a device, its name as a str."""
    import cupy

    found = dict(cupy.cuda.runtime.getDeviceProperties(index))
    name = found["name"]
    return {**found, "name": name.decode() if isinstance(name, bytes) else name}


def memory_info(index: int) -> tuple[int, int]:
    """The bytes that are free on a device, and those that it has."""
    import cupy

    with cupy.cuda.Device(index):
        free, total = cupy.cuda.runtime.memGetInfo()
    return int(free), int(total)


def memory_used(index: int, held: bool) -> int:
    """The bytes that arrays take on a device, or with `held` those that CuPy's pool has for them."""
    import cupy

    with cupy.cuda.Device(index):
        pool = cupy.get_default_memory_pool()
        return int(pool.total_bytes() if held else pool.used_bytes())


def free_unused() -> None:
    """Give what CuPy's pool has and no array takes back to the device."""
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()
