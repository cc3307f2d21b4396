"""What happened when: events, each inside of another or not, thread by thread."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from autograd_backends import is_array, kernels

from ..dtypes import dtype_of
from ..pytree import flatten

__all__ = ["Clock", "Event", "Recorder", "array_bytes"]

#: Gives nanoseconds.
Clock = Callable[[], int]


@dataclass(slots=True)
class Event:
    """One call of an op or of a rule, or one region.

    Attributes
    ----------
    kind
        ``"forward"``, ``"backward"`` or ``"region"``.
    thread
        The number of the thread that it ran in.
    start, end
        Nanoseconds.
    inside
        Nanoseconds of the events within it, and of what the profiler did meanwhile.
    made
        Bytes of the arrays that it gave and that are no windows on what it was given.
    """

    name: str
    kind: str
    thread: int
    start: int = 0
    end: int = 0
    inside: int = 0
    made: int = 0

    @property
    def label(self) -> str:
        """The name, with what sets its kind apart."""
        return f"{self.name} backward" if self.kind == "backward" else self.name

    @property
    def total(self) -> int:
        """Nanoseconds from start to end."""
        return self.end - self.start

    @property
    def self_time(self) -> int:
        """Nanoseconds that were not spent in other events."""
        return self.end - self.start - self.inside


class _Stack(threading.local):
    """The events that a thread is in."""

    def __init__(self) -> None:
        self.events: list[Event] = []


class Recorder:
    """Collects events of all threads.

    Attributes
    ----------
    taken
        By thread, the nanoseconds of what the profiler itself did, which count in no event.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.events: list[Event] = []
        self.taken: defaultdict[int, int] = defaultdict(int)
        self._stack = _Stack()

    def begin(self, name: str, kind: str) -> Event:
        """An event that starts now."""
        event = Event(name, kind, threading.get_ident())
        self._stack.events.append(event)
        event.start = self.clock()
        return event

    def end(self, event: Event, given: Any = None, made: Any = None) -> None:
        """The event ends now; weighing what it `made` of what it was `given` is off the clock."""
        event.end = self.clock()
        stack = self._stack.events
        stack.pop()
        self.events.append(event)
        if stack:
            stack[-1].inside += event.total
        if made is not None:
            with self.off_the_clock(event.end):
                event.made = new_bytes(made, given)

    def run(self, name: str, kind: str, function: Callable[..., Any], *args: Any) -> Any:
        """``function(*args)`` as an event."""
        event = self.begin(name, kind)
        made = None
        try:
            made = function(*args)
        finally:
            self.end(event, args, made)
        return made

    @contextmanager
    def off_the_clock(self, since: int | None = None) -> Iterator[None]:
        """What is done in a ``with`` block, or from `since` on, is the profiler's own, and in no event."""
        since = self.clock() if since is None else since
        yield
        taken = self.clock() - since
        self.taken[threading.get_ident()] += taken
        if self._stack.events:
            self._stack.events[-1].inside += taken


def arrays_in(tree: Any) -> list[Any]:
    """The arrays in nested tuples, lists and Tensors."""
    return [x for x in (getattr(leaf, "array", leaf) for leaf in flatten(tree)[0]) if is_array(x)]


def array_bytes(array: Any) -> int:
    """Bytes of all elements of an array."""
    size = 1
    for length in array.shape:
        size *= length
    return size * dtype_of(kernels(array), array.dtype).itemsize


def new_bytes(made: Any, given: Any) -> int:
    """Bytes of the arrays in `made` that share no memory with one in `given`."""
    sources = arrays_in(given)
    total = 0
    for array in {id(array): array for array in arrays_in(made)}.values():
        shares = kernels(array).shares_memory
        if not any(type(source) is type(array) and shares(array, source) for source in sources):
            total += array_bytes(array)
    return total
