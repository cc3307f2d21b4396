"""The CuPy backend's errors where CuPy or a GPU is missing, its namespace, and its deferred index checks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autograd_backends import DeviceError, cuda, get_backend, lookup, namespace, parse_device

from ..cuda_stand_in import stand_in


@pytest.fixture
def cupy() -> Iterator[Any]:
    with stand_in() as cupy:
        cupy.watch.reset()
        yield cupy


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    with stand_in():
        for name in [name for name in sys.modules if name.partition(".")[0] == "cupy"]:
            del sys.modules[name]
        monkeypatch.setitem(sys.modules, "cupy", None)
        with pytest.raises(
            DeviceError, match=r"'cuda' needs CuPy.*not installed.*autograd-ops\[cuda12\].*\[cuda13\]"
        ) as e:
            parse_device("cuda")
        assert "\n" not in str(e.value)
        assert cuda.device_count() == 0
        assert not cuda.is_available()
        assert "cuda" not in lookup._loaded


def test_no_gpu(cupy: Any) -> None:
    cupy.watch.DEVICES[0] = 0
    with pytest.raises(DeviceError, match="device 'cuda' needs an NVIDIA GPU, and none is visible"):
        parse_device("cuda")
    assert not cuda.is_available()


def test_no_driver(cupy: Any) -> None:
    cupy.watch.DEVICES[0] = cupy.cuda.runtime.CUDARuntimeError("cudaErrorInsufficientDriver: no driver")
    with pytest.raises(DeviceError, match=r"needs an NVIDIA GPU with its driver: cudaErrorInsufficientDriver"):
        parse_device("cuda:0")
    assert cuda.device_count() == 0


def test_devices_by_index(cupy: Any) -> None:
    assert parse_device("cuda") == parse_device("cuda:0") == "cuda:0"
    assert parse_device("cuda:1") == "cuda:1"
    with pytest.raises(DeviceError, match="no device 'cuda:2': this machine has 'cuda:0', 'cuda:1'"):
        parse_device("cuda:2")
    assert cuda.device_count() == 2


def test_index_checks_are_raised_at_the_next_wait_for_their_device(cupy: Any) -> None:
    backend = get_backend("cuda")
    one, two = (backend.asarray([0, 4], np.dtype("int64"), parse_device(f"cuda:{i}")) for i in (0, 1))
    bad = backend.asarray([1, 7, -1], np.dtype("int64"), parse_device("cuda:0"))
    backend.check_indices(one, 5, "embedding")
    backend.to_host(one)
    backend.check_indices(one, 5, "embedding")
    backend.check_indices(bad, 5, "embedding")
    backend.check_indices(one, 5, "embedding")
    backend.check_indices(two, 4, "gather")
    backend.check_indices(two, 5, "gather", low=-5)
    assert cupy.watch.waits == ["get"]
    with pytest.raises(IndexError, match="embedding: index 7 is out of range for size 5"):
        backend.to_host(one)
    backend.to_host(one)
    with pytest.raises(IndexError, match="gather: index 4 is out of range for size 4"):
        backend.synchronize(parse_device("cuda:1"))
    backend.to_host(two)
    assert cupy.watch.waits == ["get", "get", "get", "Device.synchronize", "get"]


VALUES = {
    "float64": [-2.5, -0.0, 0.0, 0.5, np.nan, np.inf, -np.inf],
    "int32": [-3, 0, 2, 7],
    "uint8": [0, 1, 200],
}


@pytest.mark.parametrize("dtype", VALUES)
def test_sign_and_clip_do_not_wait(cupy: Any, dtype: str) -> None:
    x = np.array(VALUES[dtype], dtype)
    given = get_backend("cuda").asarray(x, x.dtype, parse_device("cuda"))
    xp = namespace(given)
    got = [xp.sign(given), xp.clip(given), xp.clip(given, 0), xp.clip(given, None, 2), xp.clip(given, 1, given)]
    assert cupy.watch.waits == []
    want = [np.sign(x), x, np.maximum(x, 0), np.minimum(x, 2), np.minimum(np.maximum(x, 1), x)]
    for a, b in zip(got, want, strict=True):
        assert a.dtype == x.dtype
        assert a is not given
        np.testing.assert_array_equal(a.get(), b)


def test_the_sign_of_a_complex_number_has_size_1(cupy: Any) -> None:
    given = get_backend("cuda").asarray([3 + 4j, 0, -2j], np.dtype("complex128"), parse_device("cuda"))
    np.testing.assert_allclose(namespace(given).sign(given).get(), [0.6 + 0.8j, 0, -1j])


def test_what_is_created_is_on_the_device_that_was_asked_for(cupy: Any) -> None:
    backend = get_backend("cuda")
    device = backend.native_device(parse_device("cuda:1"))
    x = backend.xp.zeros((2, 3), device=device)
    made = [x, backend.xp.arange(3, device=device), backend.xp.full((2,), 1.5, device=device), backend.xp.ones_like(x)]
    assert {backend.device_of(a) for a in made} == {"cuda:1"}
    assert backend.device_of(backend.xp.zeros_like(x, device=cupy.cuda.Device(0))) == "cuda:0"
