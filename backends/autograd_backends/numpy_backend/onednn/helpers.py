"""Threads of our own, for work that falls into parts from beginning to end.

OpenMP's threads meet after every product. Where a kernel is hundreds of little ones after one another, and the work of
one thread needs nothing of another's, each does better on its own: it is woken once, and waits for nobody.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

__all__ = ["in_parallel"]

_Call = Callable[[], Any]


class _Helper:
    """A thread that does one call after another; it ends with the process."""

    def __init__(self) -> None:
        self._given: SimpleQueue[_Call] = SimpleQueue()
        self._done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        threading.Thread(target=self._work, name="autograd_ops helper", daemon=True).start()

    def give(self, call: _Call) -> None:
        self._given.put(call)

    def wait(self) -> tuple[Any, BaseException | None]:
        """What the call returned, and what it raised."""
        return self._done.get()

    def _work(self) -> None:
        while True:
            self._done.put(_outcome(self._given.get()))


def _outcome(call: _Call) -> tuple[Any, BaseException | None]:
    try:
        return call(), None
    except BaseException as error:
        return None, error


#: Those that have nothing to do. One whose work somebody stopped waiting for does not come back.
_free: list[_Helper] = []


def in_parallel(calls: Sequence[_Call]) -> list[Any]:
    """What each of `calls` returns: the first is done here, and each other one by a thread of its own.

    All are over when this returns, or raises what one of them raised.
    """
    helpers = [_taken() for _ in calls[1:]]
    for helper, call in zip(helpers, calls[1:], strict=True):
        helper.give(call)
    outcomes = [_outcome(calls[0])]
    for helper in helpers:
        outcomes.append(helper.wait())
        _free.append(helper)
    for _, error in outcomes:
        if error is not None:
            raise error
    return [result for result, _ in outcomes]


def _taken() -> _Helper:
    try:
        return _free.pop()
    except IndexError:
        return _Helper()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free.clear)  # a child has none of its parent's threads
