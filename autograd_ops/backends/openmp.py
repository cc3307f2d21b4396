"""Settings of OpenMP, which NumPy may or may not use."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether it is used by this library itself: False."""
    return False
