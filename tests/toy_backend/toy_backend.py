"""A backend such as a third party might write: arrays of its own type, two devices, one op of its own."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from autograd_backends import Device
from autograd_backends.numpy_backend import NumpyBackend, namespace


class ToyArray(np.ndarray):
    """NumPy's array under another name, on one of two devices that mix without a word."""

    toy_device = Device("toy:0")

    def __array_finalize__(self, source: Any) -> None:
        self.toy_device = getattr(source, "toy_device", Device("toy:0"))


class ToyNamespace:
    """NumPy's functions, whose results are ToyArrays."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(namespace, name)
        if isinstance(found, type) or not callable(found):
            return found

        def function(*args: Any, **kwargs: Any) -> Any:
            result = found(*args, **kwargs)
            return result.view(ToyArray) if isinstance(result, np.ndarray) else result

        return function


class ToyBackend(NumpyBackend):
    name: ClassVar[str] = "toy"
    xp = ToyNamespace()
    array_types = (ToyArray,)
    scalar_types = ()
    calls: ClassVar[list[str]] = []

    def devices(self) -> list[Device]:
        return [Device("toy:0"), Device("toy:1")]

    @property
    def mixes_devices(self) -> bool:
        return True

    def device_of(self, array: Any) -> Device:
        return array.toy_device  # type: ignore[no-any-return]

    def asarray(self, data: Any, dtype: Any, device: Device) -> Any:
        array = np.array(data, dtype=dtype).view(ToyArray)
        array.toy_device = device
        return array

    def to_host(self, array: Any) -> Any:
        return np.asarray(array)

    @staticmethod
    def linear(x: Any, weight: Any, bias: Any) -> Any:
        ToyBackend.calls.append("linear")
        return NumpyBackend.linear(x, weight, bias)

    def has_ctc_loss_backward(self) -> bool:
        return False

    @staticmethod
    def ctc_loss_backward(*arguments: Any) -> Any:
        raise NotImplementedError
