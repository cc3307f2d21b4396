"""Streams and events: all work goes to one stream of a device, so they have little to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from . import init, is_available, synchronize

__all__ = ["Event", "Stream", "current_stream", "default_stream", "stream"]


class Stream:
    """The one stream of a device.

    Raises
    ------
    DeviceError
        If there is no CUDA device.
    """

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        init()
        self.device = device

    def synchronize(self) -> None:
        """Wait until all work in it is done."""
        synchronize(self.device)

    def query(self) -> bool:
        """Whether all work in it is done: it is waited for."""
        self.synchronize()
        return True

    def wait_stream(self, stream: Stream) -> None:
        """Does nothing: there is one stream."""

    def wait_event(self, event: Event) -> None:
        """Does nothing: there is one stream."""

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, a new one by default."""
        event = Event() if event is None else event
        event.record()
        return event


class Event:
    """A moment in a stream; to record one waits for the device.

    Raises
    ------
    DeviceError
        If there is no CUDA device.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        init()
        self._at: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Let it be now."""
        synchronize()
        self._at = perf_counter()

    def synchronize(self) -> None:
        """Does nothing: it was waited for."""

    def wait(self, stream: Stream | None = None) -> None:
        """Does nothing: it was waited for."""

    def query(self) -> bool:
        """Whether it has come: it was waited for."""
        return True

    def elapsed_time(self, end_event: Event) -> float:
        """The milliseconds from here to `end_event`.

        Raises
        ------
        RuntimeError
            If one of them was not recorded.
        """
        if self._at is None or end_event._at is None:
            raise RuntimeError("Event.elapsed_time: both events must be recorded before")
        return (end_event._at - self._at) * 1000.0


def current_stream(device: Any = None) -> Stream:
    """The one stream of a device."""
    return Stream(device)


default_stream = current_stream


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Does nothing: there is one stream."""
    if stream is not None and is_available():
        init()
    yield
