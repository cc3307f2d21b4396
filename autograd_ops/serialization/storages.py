"""The memory that a file of PyTorch's holds, and the Tensors that are windows on it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_backends import get_backend

from ..arrays import get_default_device, move
from ..dtypes import DType, bfloat16, bool_, native_dtype
from ..tensor import Tensor
from .errors import PlacementError, SerializationError
from .places import Place

__all__ = ["Storage", "little_endian", "widened"]


def little_endian(dtype: DType) -> Any:
    """NumPy's dtype for elements of `dtype` as files have them."""
    return np.dtype(dtype.name).newbyteorder("<")


def widened(halves: Any) -> Any:
    """The float32 numbers of which `halves`, uint16, are the upper halves: what bfloat16 numbers mean."""
    return (halves.astype(np.uint32) << 16).view(np.float32)


class Storage:
    """Some memory of a file: bytes, and where they were.

    Tensors with the same memory in the file share it here: windows on it where arrays are NumPy's, and on every device
    those that are the same window.

    Attributes
    ----------
    raw
        Its bytes, a NumPy array of uint8.
    location
        The device that it was on, as the file says it.
    """

    def __init__(self, raw: Any, location: str, place: Place) -> None:
        self.raw = raw
        self.location = location
        self._place = place
        self._elements: dict[tuple[DType, tuple[str, ...]], Any] = {}
        self._arrays: dict[tuple[Any, ...], Any] = {}

    def tensor(
        self, dtype: DType, offset: Any, size: Any, stride: Any, changes: tuple[str, ...] = (), *, requires_grad: bool
    ) -> Tensor:
        """A Tensor of its elements: from number `offset` on, of shape `size`, `stride` elements apart.

        `changes` is what is still to be done to the elements: ``"conj"``, ``"neg"``.
        """
        key = (dtype, _whole(offset), tuple([_whole(n) for n in size]), tuple([_whole(n) for n in stride]), changes)
        if key not in self._arrays:
            self._arrays[key] = self._window(*key)
        return Tensor(self._arrays[key], requires_grad=requires_grad)

    def _window(
        self, dtype: DType, offset: int, size: tuple[int, ...], stride: tuple[int, ...], changes: tuple[str, ...]
    ) -> Any:
        elements = self._read(dtype, changes)
        if len(size) != len(stride):
            raise SerializationError(f"a tensor of shape {size} in it has strides {stride}")
        if math.prod(size):
            last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
            if last >= elements.size:
                raise SerializationError(
                    f"a tensor of shape {size} with strides {stride} from {offset} on in it "
                    f"reaches beyond its memory of {elements.size} elements"
                )
            strides = tuple([step * elements.itemsize for step in stride])
            host = np.ndarray(size, elements.dtype, elements, offset * elements.itemsize, strides)
        else:
            host = np.empty(size, elements.dtype)
        try:
            return self._placed(host, dtype)
        except Exception as error:
            raise PlacementError(error) from None

    def _placed(self, host: Any, dtype: DType) -> Any:
        """The array on its device with the values of `host`; of its memory, if that device's arrays are NumPy's."""
        device = self._place(self.location, self._flat) or get_default_device()
        if dtype is bfloat16 and _has_bfloat16(device):
            return get_backend(device).asarray(host, native_dtype(get_backend(device), bfloat16), device)
        return move(host, None, device)

    def _read(self, dtype: DType, changes: tuple[str, ...]) -> Any:
        """All its elements, bfloat16 as float32."""
        found = self._elements.get((dtype, changes))
        if found is not None:
            return found
        if changes:
            elements = self._read(dtype, changes[:-1])
            elements = np.conj(elements) if changes[-1] == "conj" else np.negative(elements)
        elif self.raw.size % dtype.itemsize:
            raise SerializationError(f"{self.raw.size} bytes in it are no whole number of {dtype.name} elements")
        elif dtype is bfloat16:
            elements = widened(self.raw.view("<u2"))
        elif dtype is bool_:
            elements = self.raw != 0
        else:
            elements = self.raw.view(little_endian(dtype)).astype(dtype.name, copy=False)
        self._elements[dtype, changes] = elements
        return elements

    def _flat(self) -> Tensor:
        """Its bytes, for a user's ``map_location``."""
        return Tensor(self.raw)


def _whole(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise SerializationError(f"a size, stride or offset in it is {number!r}")
    return number


def _has_bfloat16(device: str) -> bool:
    try:
        native_dtype(get_backend(device), bfloat16)
    except TypeError:
        return False
    return True
