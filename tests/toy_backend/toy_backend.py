"""A backend such as a third party might write: arrays of its own type, two devices, one op of its own."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from autograd_backends import Device
from autograd_backends.numpy_backend import NumpyBackend, namespace


class ToyArray(np.ndarray):
    """NumPy's array under another name."""


class ToyNamespace:
    """NumPy's functions; those that create arrays make them ToyArrays."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(namespace, name)
        if name not in ("zeros", "ones", "empty", "full", "arange", "asarray"):
            return function
        return lambda *args, **kwargs: function(*args, **kwargs).view(ToyArray)


class ToyBackend(NumpyBackend):
    name: ClassVar[str] = "toy"
    xp = ToyNamespace()
    array_types = (ToyArray,)
    scalar_types = ()
    calls: ClassVar[list[str]] = []

    def devices(self) -> list[Device]:
        return [Device("toy:0")]

    def device_of(self, array: Any) -> Device:
        return Device("toy:0")

    def asarray(self, data: Any, dtype: Any, device: Device) -> Any:
        return np.array(data, dtype=dtype).view(ToyArray)

    def to_host(self, array: Any) -> Any:
        return np.asarray(array)

    @staticmethod
    def linear(x: Any, weight: Any, bias: Any) -> Any:
        ToyBackend.calls.append("linear")
        return NumpyBackend.linear(x, weight, bias)
