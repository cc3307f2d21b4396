"""Which worker is being prepared: what `get_worker_info` gives within a loader's ``worker_init_fn``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import local
from typing import Any

__all__ = ["WorkerInfo", "get_worker_info", "working_as"]


@dataclass(frozen=True)
class WorkerInfo:
    """A worker of a loader.

    Attributes
    ----------
    id
        Its number, from 0.
    num_workers
        How many there are.
    seed
        A seed of its own.
    dataset
        The loader's data set, which all threads share.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_current = local()


def get_worker_info() -> WorkerInfo | None:
    """The worker that a loader is preparing, within its ``worker_init_fn``; elsewhere None.

    An `IterableDataset` is read by one thread, so where it asks there is nothing to be shared out.
    """
    return getattr(_current, "info", None)


@contextmanager
def working_as(info: WorkerInfo) -> Iterator[None]:
    """Let `get_worker_info` give `info` in this thread, for a ``with`` block."""
    _current.info = info
    try:
        yield
    finally:
        _current.info = None
