"""Gradients of parts: the whole itself where they lie side by side in one array, else a new one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends import get_backend

CPU: Any = get_backend("cpu")


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("cuts", [[1, 3], [2], [1, 1, 2]])
def test_parts_of_one_array_are_not_copied(axis: int, cuts: list[int]) -> None:
    whole = np.arange(64.0).reshape(4, 4, 4)
    parts = np.split(whole, np.cumsum(cuts)[:-1] if sum(cuts) == 4 else cuts, axis)
    out = CPU.rejoin(parts, axis)
    assert np.shares_memory(out, whole)
    np.testing.assert_array_equal(out, whole)


def test_others_are() -> None:
    whole = np.arange(24.0).reshape(4, 6)
    a, b, c = np.split(whole, 3, 1)
    elsewhere = a.copy()
    zeros = np.broadcast_to(np.zeros(()), a.shape)
    for parts in ([b, a, c], [a, c], [a, b], [a, b, elsewhere], [a, b, zeros], [zeros, b, c], [elsewhere, b, c]):
        out = CPU.rejoin(parts, 1)
        assert not np.shares_memory(out, whole)
        np.testing.assert_array_equal(out, np.concatenate(parts, 1))
    part = whole[:2]
    np.testing.assert_array_equal(CPU.rejoin([part, part.astype(np.float32)], 0), np.concatenate([part, part]))
