"""Settings of Metal devices, of which none can be used."""

from __future__ import annotations

__all__ = ["is_available", "is_built", "is_macos_or_newer"]


def is_available() -> bool:
    """Whether it is used by this library itself: False."""
    return False


def is_built() -> bool:
    """Whether this library has Metal kernels: False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Whether Metal could be used by the version of the system: False."""
    return False
