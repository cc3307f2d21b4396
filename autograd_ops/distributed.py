"""Several processes: there is one."""

from __future__ import annotations

from typing import Any

__all__ = ["get_rank", "get_world_size", "is_available", "is_initialized"]


def is_available() -> bool:
    """Whether processes can work together: False."""
    return False


def is_initialized() -> bool:
    """Whether they do: False."""
    return False


def get_rank(group: Any = None) -> int:
    """The number of this process: 0."""
    return 0


def get_world_size(group: Any = None) -> int:
    """How many processes there are: 1."""
    return 1
