"""Several processes: there is one."""

from __future__ import annotations

from typing import Any

__all__ = [
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
]


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


def init_process_group(*args: Any, **kwargs: Any) -> None:
    """Refused: programs import it also where they run as one process, and then do not call it.

    Raises
    ------
    RuntimeError
        Always.
    """
    raise RuntimeError("init_process_group: there is one process only; run the program without its distributed mode")


def destroy_process_group(group: Any = None) -> None:
    """Nothing, as there is no group."""
