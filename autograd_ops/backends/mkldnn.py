"""Settings of oneDNN, which is not used."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether it is used by this library itself: False."""
    return False


#: Can be set, and changes nothing.
enabled: bool = True
