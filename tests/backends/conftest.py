"""The lanes in which every array function is tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends import Backend, Device, get_backend, parse_device


class Lane:
    """A device, and the functions to try on it: a backend's own, or the defaults on NumPy's arrays."""

    def __init__(self, name: str, device: str, defaults: bool = False) -> None:
        self.name = name
        self.device: Device = parse_device(device)
        self.backend = get_backend(device)
        self.ops: Any = Backend if defaults else self.backend

    def __repr__(self) -> str:
        return self.name

    def array(self, data: Any, dtype: str | None = None) -> Any:
        data = np.asarray(data)
        return self.backend.asarray(data, self.backend.dtype(dtype or data.dtype.name), self.device)

    def host(self, array: Any) -> np.ndarray:
        assert self.backend.device_of(array) == self.device
        host = self.backend.to_host(array)
        assert isinstance(host, np.ndarray)
        return host


LANES = [Lane("default", "cpu", defaults=True), Lane("cpu", "cpu"), Lane("strict", "strict:device1")]


@pytest.fixture(params=LANES, ids=repr)
def lane(request: pytest.FixtureRequest) -> Lane:
    return request.param


@pytest.fixture(params=LANES[:2], ids=repr)
def numpy_lane(request: pytest.FixtureRequest) -> Lane:
    """Lanes on NumPy's arrays, which have float16 and memory to look at."""
    return request.param


@pytest.fixture(params=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


#: Relative and absolute tolerance by dtype: what summation order may change.
TOLERANCES = {"float64": 1e-11, "float32": 2e-5, "float16": 2e-3}


def close(got: np.ndarray, want: Any, dtype: str, scale: float = 1.0) -> None:
    """Check the dtype of `got`, and its values against `want`, whose typical size is `scale`."""
    assert got.dtype.name == dtype
    assert got.shape == np.shape(want)
    tolerance = TOLERANCES[dtype]
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * scale)


def batch_last(x: np.ndarray) -> np.ndarray:
    """`x` with the order in memory that convolutions leave: [C, ..., N]."""
    last = np.ascontiguousarray(np.moveaxis(x, 0, -1))
    return np.moveaxis(last, -1, 0)
