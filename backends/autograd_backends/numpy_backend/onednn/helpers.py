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

    def result(self) -> Any:
        result, error = self._done.get()
        if error is not None:
            raise error
        return result

    def _work(self) -> None:
        while True:
            call = self._given.get()
            try:
                done = call(), None
            except BaseException as error:  # noqa: BLE001: it is raised in the thread that asked
                done = None, error
            del call
            self._done.put(done)
            del done


_free: list[_Helper] = []


def in_parallel(calls: Sequence[_Call]) -> list[Any]:
    """What each of `calls` returns: the first is done here, and each other one by a thread of its own.

    All are over when this returns, or raises what one of them raised.
    """
    helpers = []
    try:
        for call in calls[1:]:
            helpers.append(_taken())
            helpers[-1].give(call)
        found, failed = [calls[0]()], None
    except BaseException as error:  # noqa: BLE001: it is raised when the others are over
        found, failed = [], error
    for helper in helpers:
        try:
            found.append(helper.result())
        except BaseException as error:  # noqa: BLE001: it is raised when the others are over
            failed = failed or error
        _free.append(helper)
    if failed is not None:
        raise failed
    return found


def _taken() -> _Helper:
    try:
        return _free.pop()
    except IndexError:
        return _Helper()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free.clear)  # a child has none of its parent's threads
