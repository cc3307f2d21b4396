"""Metal devices: there are none."""

from __future__ import annotations

from .random import default_generator

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "synchronize"]


def is_available() -> bool:
    """Whether there is a device: False."""
    return False


def device_count() -> int:
    """How many devices there are: 0."""
    return 0


def empty_cache() -> None:
    """Does nothing."""


def synchronize() -> None:
    """Does nothing."""


def manual_seed(seed: int) -> None:
    """Start the default generator from `seed`."""
    default_generator.manual_seed(seed)
