"""Outputs in memory that is used again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends.numpy_backend.onednn import library as door

if door.why_not() is not None:
    pytest.skip(f"oneDNN: {door.why_not()}", allow_module_level=True)

from autograd_backends.numpy_backend.onednn import buffers
from autograd_backends.numpy_backend.onednn.room import here


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> dict[int, Any]:
    """Blocks of 100 elements are large, and of three such it is kept who uses them."""
    found: dict[int, Any] = {}
    monkeypatch.setattr(here(), "blocks", found)
    monkeypatch.setattr(buffers, "LARGE", 100)
    monkeypatch.setattr(buffers, "BUDGET", 300)
    return found


def test_small_outputs_are_new_arrays(blocks: dict[int, Any]) -> None:
    out = buffers.empty((3, 4))
    assert out.base is None
    assert (out.shape, out.dtype, blocks) == ((3, 4), np.float32, {})


def test_memory_is_used_again_when_nothing_refers_to_it() -> None:
    first = buffers.empty((10, 10))
    assert first.flags.c_contiguous
    place = first.ctypes.data
    second = buffers.empty((5, 20))
    assert second.ctypes.data != place
    view = first[1:]
    del first
    assert buffers.empty((100,)).ctypes.data not in (place, second.ctypes.data)
    del view
    assert buffers.empty((100,)).ctypes.data == place


def test_other_sizes_make_room(blocks: dict[int, Any]) -> None:
    kept = buffers.empty((100,))
    buffers.empty((101,))
    assert set(blocks) == {100, 101}
    buffers.empty((150,))
    assert {n: len(of_size) for n, of_size in blocks.items()} == {100: 1, 101: 0, 150: 1}
    assert blocks[100][0].ctypes.data == kept.ctypes.data


def test_what_is_beyond_the_budget_is_not_kept(blocks: dict[int, Any]) -> None:
    held = [buffers.empty((100,)) for _ in range(5)]
    assert len({out.ctypes.data for out in held}) == 5
    assert len(blocks[100]) == 3
    assert buffers.empty((400,)).shape == (400,)
    assert not blocks[400]
