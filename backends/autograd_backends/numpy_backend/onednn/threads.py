"""How many threads oneDNN may use: light, so that it can be set before anything is loaded."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["on_change", "set_threads", "wanted"]

_wanted: int | None = None

#: Called after each change.
on_change: list[Callable[[], None]] = []


def wanted() -> int | None:
    """The number that was set last; None if none was, and OpenMP's own choice holds."""
    return _wanted


def set_threads(number: int) -> None:
    """Let every thread's calls run on `number` threads from now on."""
    global _wanted
    _wanted = number
    for listener in on_change:
        listener()
