"""CuPy on NVIDIA GPUs: devices ``"cuda"``, which is ``"cuda:0"``, ``"cuda:1"`` and so on."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..array_types import Array, Shape
from ..base import Backend
from ..cuda import device_count
from ..device import Device, DeviceError

try:
    import cupy
    import cupyx.scipy.special

    from . import namespace
    from .pending import PendingChecks
except ImportError as error:
    state = "is not installed" if getattr(error, "name", None) == "cupy" else "is installed but fails to import"
    raise DeviceError(
        f"device 'cuda' needs CuPy, which {state}: pip install 'autograd-ops[cuda12]' for CUDA 12 "
        "or 'autograd-ops[cuda13]' for CUDA 13"
    ) from error

__all__ = ["CupyBackend"]


class CupyBackend(Backend):
    """CuPy's arrays. Every module op is the default, as it stands."""

    name: ClassVar[str] = "cuda"
    xp = namespace
    array_types = (cupy.ndarray,)

    def __init__(self) -> None:
        self._pending = PendingChecks()
        self._several = device_count() > 1

    # ---------------------------------------------------------------- devices

    def devices(self) -> list[Device]:
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise DeviceError(f"device 'cuda' needs an NVIDIA GPU with its driver: {error}") from error
        if not count:
            raise DeviceError("device 'cuda' needs an NVIDIA GPU, and none is visible")
        return [Device(f"cuda:{index}") for index in range(count)]

    @property
    def mixes_devices(self) -> bool:
        # CuPy reads the memory of another GPU through peer access, with a warning at the most.
        return self._several

    @property
    def reports_singular(self) -> bool:
        # It would have to wait for the GPU; it gives what is no number instead.
        return False

    def device_of(self, array: Array) -> Device:
        return Device(f"cuda:{array.device.id}")

    def native_device(self, device: Device) -> Any:
        return cupy.cuda.Device(device.index)

    def make_current(self, array: Array) -> None:
        # What CuPy makes is on the current device of the thread, whatever device the operands are on.
        if self._several:
            array.device.use()

    def synchronize(self, device: Device) -> None:
        native = self.native_device(device)
        sent = self._pending.send(native.id)
        native.synchronize()
        self._pending.raise_first(sent)

    # ---------------------------------------------------------------- dtypes

    def dtype(self, name: str) -> Any:
        return np.dtype(super().dtype(name))

    def dtype_name(self, dtype: Any) -> str:
        return str(dtype.name)

    # ---------------------------------------------------------------- primitives

    def asarray(self, data: Any, dtype: Any, device: Device) -> Array:
        with self.native_device(device):
            made = cupy.array(data, dtype=dtype)
        self.make_current(made)
        return made

    def to_host(self, array: Array) -> Any:
        sent = self._pending.send(array.device.id)
        host = cupy.asnumpy(array)
        self._pending.raise_first(sent)
        return host

    def shares_memory(self, view: Array, array: Array) -> bool:
        # One allocation is one object, which all views of it hold.
        return view.data.mem is array.data.mem

    def strides(self, array: Array) -> tuple[int, ...]:
        return tuple([step // array.itemsize for step in array.strides])

    def contiguous(self, array: Array) -> Array:
        self.make_current(array)
        return array.copy(order="C")

    def is_contiguous(self, array: Array) -> bool:
        return bool(array.flags.c_contiguous)

    def reinterpret(self, array: Array, dtype: Any) -> Array:
        return array.view(dtype)

    def data_ptr(self, array: Array) -> int:
        return int(array.data.ptr)

    def write(self, target: Array, value: Array) -> None:
        self.make_current(target)
        target[...] = value

    def zeros_beside(self, array: Array, shape: Shape) -> Array:
        with array.device:
            return cupy.zeros_like(array, shape=shape)

    def scatter(self, base: Array, indices: Array, values: Array) -> Array:
        with base.device:
            out = base.copy(order="C")
            out[indices] = values
            return out

    def scatter_add(self, base: Array, indices: Array, values: Array) -> Array:
        with base.device:
            return _scatter_add(base, indices, values)

    def erf(self, x: Array) -> Array:
        with x.device:
            return cupyx.scipy.special.erf(x).astype(x.dtype, copy=False)

    def check_indices(self, indices: Array, size: int, name: str, low: int = 0) -> None:
        if indices.size:
            with indices.device:
                self._pending.add(indices, size, name, low)

    def refuse_unless(self, good: Array, error: Exception) -> None:
        with good.device:
            self._pending.add_flag(good, error)

    # ---------------------------------------------------------------- random numbers

    def make_rng(self, seed: int, device: Device) -> Any:
        with self.native_device(device):
            return cupy.random.Generator(cupy.random.Philox4x3210(seed))

    def copy_rng(self, rng: Any, device: Device) -> Any:
        # The state is an array on the device, which has no public name.
        copied = self.make_rng(0, device)
        with self.native_device(device):
            copied.bit_generator._state[...] = rng.bit_generator._state
        return copied

    def uniform(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        with self.native_device(device):
            if dtype == np.float16:
                # Rounding to half precision would turn the numbers next to 1 into 1.
                return cupy.minimum(rng.random(shape, dtype=np.float32), 1 - 2**-11).astype(np.float16)
            return rng.random(shape, dtype=dtype)

    def normal(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        with self.native_device(device):
            drawn = rng.standard_normal(shape, dtype=np.float32 if dtype == np.float16 else dtype)
            return drawn.astype(dtype, copy=False)

    def integers(self, rng: Any, low: int, high: int, shape: Shape, dtype: Any, device: Device) -> Array:
        with self.native_device(device):
            return rng.integers(low, high, shape, dtype=np.int64).astype(dtype, copy=False)

    def permutation(self, rng: Any, n: int, device: Device) -> Array:
        # CuPy's Generator has no permutation. Two equal numbers of 53 random bits are not to be expected.
        with self.native_device(device):
            return cupy.argsort(rng.random((n,), dtype=np.float64)).astype(np.int64, copy=False)


#: What cupy.add.at adds up; everything else is added up in a type of this list.
ATOMIC = (np.float16, np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint64)


def _scatter_add(base: Array, indices: Array, values: Array) -> Array:
    if base.dtype.kind == "c":
        out = base.copy(order="C")
        cupy.add.at(out.real, indices, values.real)
        cupy.add.at(out.imag, indices, values.imag)
        return out
    if base.dtype not in ATOMIC:
        total = base.astype(np.int64, order="C")
        cupy.add.at(total, indices, values.astype(np.int64))
        return total.astype(base.dtype)
    out = base.copy(order="C")
    cupy.add.at(out, indices, values)
    return out
