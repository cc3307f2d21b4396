"""What happened when: events, each inside of another or not, thread by thread."""

from __future__ import annotations

import threading
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
        Nanoseconds of the events within it.
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


class _Here(threading.local):
    """What a thread is in, and for how long the profiler itself has kept it busy."""

    def __init__(self) -> None:
        self.open: list[Event] = []
        self.taken = 0


class Recorder:
    """Collects events of all threads, by a clock that stands still while the profiler itself is at work."""

    def __init__(self, clock: Clock) -> None:
        self.events: list[Event] = []
        self._clock = clock
        self._here = _Here()

    def now(self) -> int:
        """Nanoseconds of this thread, without what the profiler has taken."""
        return self._clock() - self._here.taken

    @contextmanager
    def off_the_clock(self) -> Iterator[None]:
        """What is done in a ``with`` block is the profiler's own, and counts nowhere."""
        since = self._clock()
        yield
        self._here.taken += self._clock() - since

    def begin(self, name: str, kind: str) -> Event:
        """An event that starts now."""
        event = Event(name, kind, threading.get_ident())
        self._here.open.append(event)
        event.start = self.now()
        return event

    def end(self, event: Event, given: Any = None, made: Any = None) -> None:
        """The event ends now, having made arrays out of those that it was given."""
        event.end = self.now()
        around = self._here.open
        around.pop()
        if around:
            around[-1].inside += event.total
        self.events.append(event)
        if made is not None:
            with self.off_the_clock():
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
