"""Each primitive alone, on every backend."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from .conftest import Lane, batch_last


@pytest.mark.parametrize("trailing", [(), (3,), (2, 2), (0,)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_scatter_add(trailing: Any, dtype: str, lane: Lane, rng: Any) -> None:
    base, values = rng.integers(-9, 9, (5, *trailing)), rng.integers(-9, 9, (8, *trailing))
    indices = rng.integers(0, 5, 8)
    want = base.copy()
    for i, value in zip(indices, values, strict=True):
        want[i] += value
    before = lane.array(base, dtype)
    got = lane.host(lane.backend.scatter_add(before, lane.array(indices), lane.array(values, dtype)))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(lane.host(before), base)


def test_scatter_add_into_any_order_of_memory() -> None:
    backend = Lane("cpu", "cpu").backend
    base, values = np.asfortranarray(np.ones((4, 3))), np.ones((2, 6))[:, ::2]
    got = backend.scatter_add(base, np.array([1, 1]), values)
    assert got.tolist() == [[1.0] * 3, [3.0] * 3, [1.0] * 3, [1.0] * 3]


@pytest.mark.parametrize("trailing", [(), (3,), (2, 2)])
def test_scatter(trailing: Any, lane: Lane, rng: Any) -> None:
    base, values, indices = (
        rng.normal(size=(5, *trailing)),
        rng.normal(size=(3, *trailing)),
        np.array([4, 0, 2]),
    )
    want = base.copy()
    want[indices] = values
    before = lane.array(base)
    got = lane.backend.scatter(before, lane.array(indices), lane.array(values))
    np.testing.assert_array_equal(lane.host(got), want)
    np.testing.assert_array_equal(lane.host(before), base)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 2e-15), ("float32", 4e-7)])
def test_erf(dtype: str, tolerance: float, lane: Lane) -> None:
    x = np.concatenate([np.linspace(-7, 7, 2001), np.logspace(-30, 0, 61), [math.inf, -math.inf]]).astype(dtype)
    want = np.array([math.erf(float(v)) for v in x])
    got = lane.host(lane.ops.erf(lane.array(x)) if lane.name == "default" else lane.backend.erf(lane.array(x)))
    assert got.dtype == dtype
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=0)
    assert np.isnan(lane.host(lane.backend.erf(lane.array([math.nan], dtype)))).all()


def test_erf_of_half_precision(numpy_lane: Lane) -> None:
    x = np.linspace(-4, 4, 101).astype(np.float16)
    got = numpy_lane.ops.erf(x)
    assert got.dtype == np.float16
    np.testing.assert_array_equal(got, np.array([math.erf(float(v)) for v in x]).astype(np.float16))


def test_check_indices(lane: Lane) -> None:
    check = lane.backend.check_indices
    check(lane.array(np.array([[0, 4], [2, 3]])), 5, "op")
    check(lane.array(np.zeros(0, np.int64)), 0, "op")
    with pytest.raises(IndexError, match="op: index 5 is out of range for size 5"):
        check(lane.array(np.array([[0, 5], [-1, 3]])), 5, "op")
    with pytest.raises(IndexError, match="op: index -1 is out of range for size 5"):
        check(lane.array(np.array([0, -1])), 5, "op")


def test_zeros_beside(lane: Lane) -> None:
    got = lane.backend.zeros_beside(lane.array(np.ones((2, 3)), "float32"), (2, 5))
    host = lane.host(got)
    assert host.dtype == np.float32
    assert host.tolist() == [[0.0] * 5] * 2


def test_zeros_beside_keep_the_order_of_memory() -> None:
    x = batch_last(np.ones((4, 3, 2)))
    got = Lane("cpu", "cpu").backend.zeros_beside(x, (4, 3, 5))
    assert np.argsort(got.strides).tolist() == np.argsort(x.strides).tolist()


def test_random_numbers(lane: Lane) -> None:
    backend, device = lane.backend, lane.device
    f32, i64 = backend.dtype("float32"), backend.dtype("int64")
    for draw in (
        lambda rng: backend.uniform(rng, (500,), f32, device),
        lambda rng: backend.normal(rng, (500,), f32, device),
        lambda rng: backend.integers(rng, -2, 3, (500,), i64, device),
        lambda rng: backend.permutation(rng, 500, device),
    ):
        once, again, other = (lane.host(draw(backend.make_rng(seed, device))) for seed in (1, 1, 2))
        np.testing.assert_array_equal(once, again)
        assert (once != other).any()
    uniform = lane.host(backend.uniform(backend.make_rng(0, device), (2000,), f32, device))
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert uniform.mean() == pytest.approx(0.5, abs=0.03)
    normal = lane.host(backend.normal(backend.make_rng(0, device), (2000,), f32, device))
    assert normal.std() == pytest.approx(1, abs=0.06)
    integers = lane.host(backend.integers(backend.make_rng(0, device), -2, 3, (500,), i64, device))
    assert set(integers.tolist()) == {-2, -1, 0, 1, 2}
    permutation = lane.host(backend.permutation(backend.make_rng(0, device), 50, device))
    assert sorted(permutation.tolist()) == list(range(50))


def test_a_copied_source_of_random_numbers_goes_on_alike(lane: Lane) -> None:
    backend, device = lane.backend, lane.device
    rng = backend.make_rng(0, device)
    backend.uniform(rng, (3,), backend.dtype("float32"), device)
    copied = backend.copy_rng(rng, device)
    first, second, third = (
        lane.host(backend.uniform(r, (50,), backend.dtype("float32"), device)) for r in (rng, copied, copied)
    )
    np.testing.assert_array_equal(first, second)
    assert (second != third).any()


def test_memory_and_the_window_on_it(lane: Lane) -> None:
    array = lane.array(np.arange(6.0).reshape(2, 3))
    for view in (array, array[1:, ...], array.T):
        owner, where = lane.backend.memory(view)
        again = lane.backend.window(lane.backend.xp.asarray(owner, copy=True), where)
        np.testing.assert_array_equal(lane.host(again), lane.host(view))


def test_arrays_that_share_memory_have_one_owner() -> None:
    backend = Lane("cpu", "cpu").backend
    for array in (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)).view("i8")):
        for view in (array.T, array[:, ::2], array[1], array[::-1], array[:0], np.broadcast_to(array, (2, 2, 3))):
            owner, where = backend.memory(view)
            assert owner is backend.memory(array[...])[0]
            again = backend.window(owner, where)
            assert np.shares_memory(again, view) or not view.size
            np.testing.assert_array_equal(again, view)
            assert again.strides == view.strides
    gaps = np.ones(9)[::2]
    owner, where = backend.memory(gaps)
    np.testing.assert_array_equal(backend.window(owner, where), gaps)


def test_dlpack(lane: Lane) -> None:
    array = lane.array(np.arange(3.0))
    kind, index = lane.backend.dlpack_device(array)
    assert (kind, index) == (1, 0)
    assert lane.backend.to_dlpack(lane.array(np.arange(3.0)), None, (1, 0), None, None) is not None


def test_read_only_memory_is_not_written_to() -> None:
    backend = Lane("cpu", "cpu").backend
    with pytest.raises(ValueError, match="cannot be written to"):
        backend.write(np.frombuffer(b"ab", np.uint8), np.zeros(2))
