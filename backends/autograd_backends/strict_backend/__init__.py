"""array-api-strict: devices ``"strict"``, ``"strict:device1"`` and ``"strict:device2"``.

It offers what the standard promises and refuses the rest, so that a fault which would only show on a GPU shows here:
a NumPy function applied to an array, a silent copy between devices, an implicit conversion. It is for tests.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..array_types import Array, Shape
from ..base import Backend
from ..device import Device, DeviceError

try:
    import array_api_strict
except ImportError as error:
    raise DeviceError("device 'strict' needs a package that is not installed: pip install array-api-strict") from error

__all__ = ["StrictBackend"]

#: The library's name of a device -> ours.
NAMES = {
    "CPU_DEVICE": Device("strict"),
    "device1": Device("strict:device1"),
    "device2": Device("strict:device2"),
}


class StrictBackend(Backend):
    """array-api-strict's arrays. Every module op is the default, as it stands."""

    name: ClassVar[str] = "strict"
    xp = array_api_strict
    array_types = (type(array_api_strict.zeros(0)),)

    def __init__(self) -> None:
        self._natives = {ours: array_api_strict.Device(theirs) for theirs, ours in NAMES.items()}
        self._devices = {native: ours for ours, native in self._natives.items()}
        self._cpu = array_api_strict.Device("CPU_DEVICE")
        self._names = {
            getattr(array_api_strict, name): name
            for name in (
                *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
                *("float32", "float64", "complex64", "complex128"),
            )
        }

    def devices(self) -> list[Device]:
        return list(self._natives)

    def device_of(self, array: Array) -> Device:
        return self._devices[array.device]

    def native_device(self, device: Device) -> Any:
        return self._natives[device]

    def dtype(self, name: str) -> Any:
        if name == "float16":
            raise TypeError("device 'strict' has no dtype float16: the array API standard has none")
        return super().dtype(name)

    def dtype_name(self, dtype: Any) -> str:
        return self._names[dtype]

    def asarray(self, data: Any, dtype: Any, device: Device) -> Array:
        return array_api_strict.asarray(data, dtype=dtype, device=self._natives[device], copy=True)

    def to_host(self, array: Array) -> Any:
        return np.from_dlpack(array.to_device(self._cpu)).copy()

    def shares_memory(self, view: Array, array: Array) -> bool:
        # It copies for most view ops, and offers no way to ask.
        return view is array

    def scatter(self, base: Array, indices: Array, values: Array) -> Array:
        out = self.to_host(base)
        out[self.to_host(indices)] = self.to_host(values)
        return self._back(out, base)

    def scatter_add(self, base: Array, indices: Array, values: Array) -> Array:
        out = self.to_host(base)
        np.add.at(out, self.to_host(indices), self.to_host(values))
        return self._back(out, base)

    def check_indices(self, indices: Array, size: int, name: str, low: int = 0) -> None:
        xp = self.xp
        bad = xp.logical_or(indices < low, indices >= size)
        if bool(xp.any(bad)):
            first = int(xp.reshape(indices, (-1,))[int(xp.argmax(xp.astype(xp.reshape(bad, (-1,)), xp.int8))), ...])
            raise IndexError(f"{name}: index {first} is out of range for size {size}")

    def make_rng(self, seed: int, device: Device) -> Any:
        return np.random.Generator(np.random.PCG64(seed))

    def uniform(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        return self.asarray(rng.random(shape, self._names[dtype]), dtype, device)

    def normal(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        return self.asarray(rng.standard_normal(shape, self._names[dtype]), dtype, device)

    def integers(self, rng: Any, low: int, high: int, shape: Shape, dtype: Any, device: Device) -> Array:
        return self.asarray(rng.integers(low, high, shape), dtype, device)

    def permutation(self, rng: Any, n: int, device: Device) -> Array:
        return self.asarray(rng.permutation(n), self.xp.int64, device)

    def _back(self, host: Any, beside: Array) -> Array:
        return array_api_strict.asarray(host, dtype=beside.dtype, device=beside.device)
