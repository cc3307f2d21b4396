"""What each thread has of its own: a stream, the plans it made, memory to work in, and a number of threads.

A plan's memory objects are pointed at one call's arrays, so no two threads share one. A thread's room is made when it
first computes with oneDNN. A change of the number of threads, and a fork, leave all rooms behind, and each thread makes
a new one.

Imported when the library has been found.
"""

from __future__ import annotations

import os
import threading
from ctypes import byref, c_void_p
from typing import Any

import numpy as np

from ...array_types import Array
from . import threads
from .library import library
from .memory import address

__all__ = ["KEPT", "Room", "here", "making", "memory"]

#: The most plans that a thread keeps.
PLANS = 1024

#: The most bytes that an arena keeps between calls. A plan that needs more has memory of its own during each.
KEPT = 2**28

#: Held while a plan is made, and while the process forks: no child is born with one of oneDNN's locks taken.
making = threading.RLock()


class Room:
    """One thread's room.

    Attributes
    ----------
    plans
        What `plan.prepare` made, by what it was made for; None for what oneDNN refused.
    arena, base
        Where what plans keep for themselves during a call lies, and the first address there that 64 divides. It grows,
        and is replaced when it does.
    busy
        Whether a plan runs. What runs in the midst of it, a finalizer or a signal's handler, must not use this room.
    blocks
        The large outputs that `buffers.empty` gave out, by their size.
    """

    __slots__ = ("arena", "base", "blocks", "busy", "lib", "plans", "stream")

    def __init__(self) -> None:
        self.lib = lib = library()
        number = threads.wanted()
        if number is not None:
            lib.set_threads(number)
        self.plans: dict[Any, Any] = {}
        self.arena = np.empty(0, np.uint8)
        self.base = 0
        self.busy = False
        self.stream = c_void_p()
        if lib.stream_create(byref(self.stream), lib.engine, 1):
            raise MemoryError("oneDNN has no memory for a stream")

    def grow(self, size: int) -> None:
        """Let the arena hold at least `size` bytes, but for plans that need more than is kept."""
        if self.arena.nbytes < size + 64 and size <= KEPT:
            self.arena, self.base = memory(size)

    def keep(self, key: Any, plan: Any) -> None:
        """Remember `plan`, and forget the oldest if there are too many."""
        if len(self.plans) >= PLANS:
            del self.plans[next(iter(self.plans))]
        self.plans[key] = plan


def memory(size: int) -> tuple[Array, int]:
    """Memory for `size` bytes, and the first address in it that 64 divides."""
    block = np.empty(size + 64, np.uint8)
    return block, -(-(address(block).value or 0) // 64) * 64


class _Rooms(threading.local):
    """The room of each thread, made when the thread first asks."""

    def __init__(self) -> None:
        self.room = Room()


_rooms = _Rooms()
_of_the_parent: list[_Rooms] = []


def here() -> Room:
    """The room of this thread."""
    return _rooms.room


def _leave() -> None:
    global _rooms
    _rooms = _Rooms()


def _in_child() -> None:
    """A child has none of its parent's OpenMP threads, and one that waited for them would hang: it computes alone."""
    _of_the_parent.append(_rooms)  # not destroyed here: the parent's other threads may have been using it
    making.release()
    threads.set_threads(1)


threads.on_change.append(_leave)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=making.acquire, after_in_parent=making.release, after_in_child=_in_child)
