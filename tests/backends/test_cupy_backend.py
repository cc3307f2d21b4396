"""What can be tried of the CuPy backend without a GPU: its errors, and its deferred index checks."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograd_backends import DeviceError, cuda, parse_device

ABSENT = "autograd_backends.cupy_backend"


class CUDARuntimeError(RuntimeError):
    pass


class FakeArray(np.ndarray):
    """NumPy's array with the device attribute of CuPy's."""

    device = SimpleNamespace(id=0)  # type: ignore[assignment]


def fake_cupy(count: Any) -> dict[str, ModuleType]:
    """The modules that the backend imports, on a machine with `count` devices; an exception is raised."""

    def device_count() -> int:
        if isinstance(count, Exception):
            raise count
        return count  # type: ignore[no-any-return]

    modules = {
        name: ModuleType(name)
        for name in ("cupy", "cupyx", "cupyx.scipy", "cupyx.scipy.special", "array_api_compat.cupy")
    }
    cupy: Any = modules["cupy"]
    cupy.ndarray = FakeArray
    cupy.cuda = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=device_count, CUDARuntimeError=CUDARuntimeError))
    cupy.argmax, cupy.take, cupy.where, cupy.int64 = np.argmax, np.take, np.where, np.int64
    return modules


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put modules in place of CuPy, with the backend not imported yet."""

    def put(modules: dict[str, Any]) -> None:
        import array_api_compat

        for name in (ABSENT, f"{ABSENT}.pending"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
        compat = modules.get("array_api_compat.cupy")
        monkeypatch.setattr(array_api_compat, "cupy", compat, raising=False)
        monkeypatch.setattr("autograd_backends.lookup._loaded", {})

    return put


def test_not_installed(install: Any) -> None:
    install({"cupy": None})
    with pytest.raises(DeviceError, match=r"device 'cuda' needs CuPy.*autograd-ops\[cuda12\].*\[cuda13\]") as caught:
        parse_device("cuda")
    assert "\n" not in str(caught.value)
    assert cuda.device_count() == 0
    assert not cuda.is_available()


def test_no_gpu(install: Any) -> None:
    install(fake_cupy(0))
    with pytest.raises(DeviceError, match="device 'cuda' needs an NVIDIA GPU, and none is visible"):
        parse_device("cuda")
    assert not cuda.is_available()


def test_no_driver(install: Any) -> None:
    install(fake_cupy(CUDARuntimeError("cudaErrorInsufficientDriver: no driver")))
    with pytest.raises(DeviceError, match=r"needs an NVIDIA GPU with its driver: cudaErrorInsufficientDriver"):
        parse_device("cuda:0")
    assert cuda.device_count() == 0


def test_devices_by_index(install: Any) -> None:
    install(fake_cupy(2))
    assert parse_device("cuda") == parse_device("cuda:0") == "cuda:0"
    assert parse_device("cuda:1") == "cuda:1"
    with pytest.raises(DeviceError, match="no device 'cuda:2': this machine has 'cuda:0', 'cuda:1'"):
        parse_device("cuda:2")
    assert cuda.device_count() == 2


def test_index_checks_are_raised_at_the_next_wait(install: Any) -> None:
    install(fake_cupy(1))
    from autograd_backends.cupy_backend.pending import PendingChecks

    def indices(*values: int) -> Any:
        return np.array(values).view(FakeArray)

    pending = PendingChecks()
    pending.add(indices(0, 4), 5, "embedding")
    pending.raise_first()
    pending.add(indices(0, 4), 5, "embedding")
    pending.add(indices(1, 7, -1), 5, "embedding")
    pending.add(indices(2, 3), 5, "embedding")
    pending.add(indices(2, 3), 4, "gather")
    with pytest.raises(IndexError, match="embedding: index 7 is out of range for size 5"):
        pending.raise_first()
    pending.raise_first()
