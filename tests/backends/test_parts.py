"""`Backend.parts`: whatever they are, together they are the arrays."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_backends import get_backend


@pytest.mark.parametrize("shape", [(), (0,), (5,), (200_000,), (1, 200_000), (300, 1000), (70_000, 0), (3, 4, 40_000)])
def test_parts_cover_each_element_once(shape: tuple[int, ...]) -> None:
    counts, doubled = np.zeros(shape, np.float32), np.zeros(shape[::-1], np.float32).T
    for count, double in get_backend("cpu").parts(counts, doubled):
        count += 1
        double += 2 * count
    assert (counts == 1).all()
    assert (doubled == 2).all()


def test_large_arrays_have_parts() -> None:
    assert len(list(get_backend("cpu").parts(np.zeros((1000, 1000))))) > 1
