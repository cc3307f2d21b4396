"""The pool of large blocks gives none out that somebody can see."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from autograd_backends.numpy_backend import buffers
from autograd_backends.numpy_backend.buffers import empty

FLOAT32 = np.dtype(np.float32)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool of its own for each test, for which 64 bytes are large."""
    monkeypatch.setattr(buffers, "LARGE", 64)
    monkeypatch.setattr(buffers, "_pool", buffers._Pool())


def place(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_what_is_dropped_is_used_again() -> None:
    x = empty((4, 4), FLOAT32)
    where = place(x)
    del x
    y = empty((2, 8), FLOAT32)
    assert place(y) == where
    assert (y.shape, y.dtype) == ((2, 8), FLOAT32)
    assert place(empty((2, 4), np.dtype(np.float64))) != where


@pytest.mark.parametrize(
    "keep",
    [
        lambda x: x,
        lambda x: x[1:],
        lambda x: x.T[::2],
        lambda x: x.view(np.int32),
        memoryview,
        lambda x: x.flat,
        lambda x: x.ctypes,
        lambda x: np.lib.stride_tricks.as_strided(x, (2,), (4,)),
        lambda x: np.ndarray((4,), FLOAT32, x),
        lambda x: np.from_dlpack(x),
        lambda x: np.frombuffer(x, np.uint8),
    ],
)
def test_what_can_be_seen_is_not(keep: object) -> None:
    x = empty((4, 4), FLOAT32)
    where = place(x)
    kept = keep(x)  # type: ignore[operator]
    del x
    assert place(empty((4, 4), FLOAT32)) != where
    del kept
    assert place(empty((4, 4), FLOAT32)) == where


def test_small_arrays_are_numpys_own() -> None:
    assert empty((3, 5), FLOAT32).base is None
    assert empty((0, 5), FLOAT32).shape == (0, 5)


def test_the_pool_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "BUDGET", 256)
    held = [empty((16,), FLOAT32) for _ in range(6)]
    assert sum(n * len(blocks) for n, blocks in buffers._pool.blocks.items()) == 256
    assert len({place(x) for x in held}) == 6
    held.clear()
    x = empty((64,), FLOAT32)  # takes the place of all others
    assert {n: len(blocks) for n, blocks in buffers._pool.blocks.items()} == {64: 0, 256: 1}
    assert x.nbytes == 256


def test_each_thread_has_its_own() -> None:
    x = empty((16,), FLOAT32)
    where = place(x)
    del x
    found = []
    thread = threading.Thread(target=lambda: found.append(place(empty((16,), FLOAT32)) == where))
    thread.start()
    thread.join()
    assert found == [False]
