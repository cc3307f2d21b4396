"""Bools, eight to the byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .conftest import Lane


@pytest.mark.parametrize("shape", [(), (1,), (8,), (19,), (3, 5), (2, 0), (4, 4, 4)])
def test_bits_are_packed_and_unpacked(shape: Any, lane: Lane, rng: Any) -> None:
    x = rng.random(shape) > 0.5
    bits = lane.ops.pack_bits(lane.array(x))
    assert lane.host(bits).dtype == np.uint8
    assert lane.host(bits).shape == (-(-x.size // 8),)
    back = lane.host(lane.ops.unpack_bits(bits, shape))
    assert back.dtype == np.bool_
    np.testing.assert_array_equal(back, x)


def test_the_first_is_the_highest_bit(lane: Lane) -> None:
    x = np.zeros((10,), bool)
    x[[0, 2, 9]] = True
    assert lane.host(lane.ops.pack_bits(lane.array(x))).tolist() == [0b10100000, 0b01000000]


def test_the_order_in_memory_does_not_matter(numpy_lane: Lane, rng: Any) -> None:
    x = rng.random((3, 5)) > 0.5
    for other in (np.asfortranarray(x), np.repeat(x, 2, -1)[:, ::2]):
        np.testing.assert_array_equal(numpy_lane.ops.pack_bits(other), numpy_lane.ops.pack_bits(x))
