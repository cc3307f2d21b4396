"""NumPy on the CPU: device ``"cpu"``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from ..array_types import Array, Shape
from ..base import Backend
from ..device import Device
from . import activation as activations
from . import attention as attentions
from . import bits, namespace, updates
from . import conv as convs
from . import correlate as correlations
from . import cross_entropy as class_losses
from . import ctc as alignments
from . import embedding as tables
from . import interpolate as resizing
from . import linear as linears
from . import norm as norms
from . import pool as pools
from . import recurrent as recurrents
from . import softmax as softmaxes
from .buffers import keep_freed_memory
from .onednn.gate import open_gates
from .unfold import unfold

__all__ = ["NumpyBackend"]

CPU = Device("cpu")

keep_freed_memory()


def _bfloat16() -> Any:
    """The room of bfloat16, opened when somebody asks for that dtype: most programs never do.

    Raises
    ------
    TypeError
        If the package that knows it is not installed.
    """
    try:
        return import_module(".bfloat16", __name__)
    except ModuleNotFoundError:
        raise TypeError("NumPy has no bfloat16 by itself: pip install autograd-ops[bfloat16]") from None


def _is_free_threaded() -> bool:
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


class NumpyBackend(Backend):
    """NumPy's arrays, and kernels that are faster than the defaults on them."""

    name: ClassVar[str] = "cpu"
    xp = namespace
    # Blocks of columns that stay in the processor's cache: some 15 % faster than one large one.
    workspace = 2**20
    on_host: ClassVar[bool] = True
    # PyPy and builds without the lock count in other ways, or not at all.
    views_hold_owners: ClassVar[bool] = sys.implementation.name == "cpython" and not _is_free_threaded()
    array_types: tuple[type, ...] = (np.ndarray,)
    scalar_types: tuple[type, ...] = (
        *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.float16, np.float32, np.float64, np.complex64, np.complex128),
    )

    def lines(self, name: str) -> Any:
        from .lines import LINES  # imported when something is replayed

        return LINES.get(name)

    def devices(self) -> list[Device]:
        return [CPU]

    def device_of(self, array: Array) -> Device:
        return CPU

    def native_device(self, device: Device) -> str:
        return "cpu"

    def set_threads(self, number: int) -> None:
        import_module(".threads", __name__).set_threads(number)

    def config(self) -> str:
        library = import_module(".onednn.library", __name__)
        reason = library.why_not()
        if reason is not None:
            return f"{super().config()}; oneDNN is not used: {reason}"
        found = library.library()
        number = import_module(".onednn.threads", __name__).wanted() or found.threads()
        return f"{super().config()}, oneDNN {found.version} ({found.path}), threads: {number}"

    def uses_onednn(self) -> bool:
        return import_module(".onednn.library", __name__).why_not() is None

    def dtype(self, name: str) -> Any:
        return _bfloat16().BFLOAT16 if name == "bfloat16" else np.dtype(super().dtype(name))

    def dtype_name(self, dtype: Any) -> str:
        return str(dtype.name)

    @cached_property
    def floating_dtypes(self) -> frozenset[Any]:
        # Arrays of bfloat16 have a backend of their own.
        return frozenset(map(np.dtype, ("float16", "float32", "float64", "complex64", "complex128")))

    def for_dtype(self, dtype: Any) -> Backend:
        return _bfloat16().backend if dtype.kind == "V" else self

    def adopt(self, array: Array) -> Array:
        return _bfloat16().recognised(array) if array.dtype.name == "bfloat16" else array

    def asarray(self, data: Any, dtype: Any, device: Device) -> Array:
        return self.adopt(np.array(data, dtype=dtype))

    def to_host(self, array: Array) -> Any:
        return array

    def scalar_to_array(self, scalar: Any) -> Array:
        return np.asarray(scalar)

    def shares_memory(self, view: Array, array: Array) -> bool:
        # A view's base is what it was made from, or more often the array that owns the memory; windows have odd ones.
        base = view.base
        return view is array or (
            base is not None and (base is array or base is array.base or np.may_share_memory(view, array))
        )

    def memory(self, array: Array) -> tuple[Array, Any]:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if owner is array or not owner.flags.forc or type(array) not in self.array_types:
            return array, None
        offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        return owner, (array.dtype, array.shape, offset, array.strides)

    def window(self, owner: Array, where: Any) -> Array:
        if where is None:
            return owner
        dtype, shape, offset, strides = where
        flat = owner.reshape(-1, order="A")  # no copy: its memory is in one piece
        return self.adopt(np.ndarray(shape, dtype, flat.view(np.uint8), offset, strides))

    def write(self, target: Array, value: Array) -> None:
        if not target.flags.writeable:
            raise ValueError("this tensor's memory cannot be written to, as its owner's cannot; change a clone() of it")
        target[...] = value

    def zeros_beside(self, array: Array, shape: Shape) -> Array:
        return np.zeros_like(array, shape=shape)

    def complex(self, real: Array | float, imag: Array | float) -> Array:
        dtype = self.complex_dtype((real if hasattr(real, "dtype") else imag).dtype)
        out = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), dtype)
        out.real, out.imag = real, imag
        return out

    def view_as_real(self, array: Array) -> Array:
        return array[..., None].view(array.real.dtype)

    def view_as_complex(self, array: Array) -> Array:
        if array.strides[-1] != array.itemsize:
            return super().view_as_complex(array)
        return array.view(self.complex_dtype(array.dtype))[..., 0]

    def scatter(self, base: Array, indices: Array, values: Array) -> Array:
        out = base.copy()
        out[indices] = values
        return out

    def scatter_add(self, base: Array, indices: Array, values: Array) -> Array:
        out = base.copy(order="C")
        if out.ndim == 1:
            np.add.at(out, indices, values)
        elif out.size:
            # np.add.at has a fast path for one dimension alone.
            row = out[0].size
            places = indices[:, None] * row + np.arange(row)
            np.add.at(out.reshape(-1), places.reshape(-1), values.reshape(-1))
        return out

    def is_contiguous(self, array: Array) -> bool:
        return bool(array.flags.c_contiguous)

    def contiguous(self, array: Array) -> Array:
        return array.copy(order="C")

    def is_writable(self, array: Array) -> bool:
        return bool(array.flags.writeable)

    def rejoin(self, arrays: Sequence[Array], axis: int) -> Array:
        first = arrays[0]
        whole, strides = first.base, first.strides
        if type(whole) is np.ndarray and whole.flags.c_contiguous:
            at = start = whole.__array_interface__["data"][0]
            length = size = 0
            for part in arrays:
                place = part.__array_interface__["data"][0]
                if part.base is not whole or place != at or part.strides != strides or part.dtype is not first.dtype:
                    break
                length += part.shape[axis]
                size += part.nbytes
                at = start + length * strides[axis]
            else:
                if size == whole.nbytes:
                    shape = (*first.shape[:axis], length, *first.shape[axis + 1 :])
                    return np.ndarray(shape, first.dtype, whole, 0, strides)
        return super().rejoin(arrays, axis)

    def strides(self, array: Array) -> tuple[int, ...]:
        size = array.itemsize
        return tuple([step // size for step in array.strides])

    def as_strided(self, array: Array, size: Shape, stride: Shape, offset: int) -> Array:
        step = array.strides[0]
        return np.lib.stride_tricks.as_strided(array[offset:], size, [n * step for n in stride])

    def diagonal(self, array: Array, offset: int) -> Array:
        found = array.diagonal(offset, -2, -1)
        found.flags.writeable = array.flags.writeable
        return found

    def reinterpret(self, array: Array, dtype: Any) -> Array:
        return array.view(dtype)

    def data_ptr(self, array: Array) -> int:
        return int(array.__array_interface__["data"][0])

    def check_indices(self, indices: Array, size: int, name: str, low: int = 0) -> None:
        if indices.size and (indices.min() < low or indices.max() >= size):
            bad = indices[(indices < low) | (indices >= size)]
            raise IndexError(f"{name}: index {bad.flat[0]} is out of range for size {size}")

    def make_rng(self, seed: int, device: Device) -> Any:
        return np.random.Generator(np.random.PCG64(seed))

    def uniform(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        if dtype == np.float16:
            # Rounding to half precision would turn the numbers next to 1 into 1.
            return np.minimum(rng.random(shape, np.float32), np.float32(1 - 2**-11)).astype(np.float16)
        return np.asarray(rng.random(shape, dtype))

    def normal(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        drawn = rng.standard_normal(shape, np.float32 if dtype == np.float16 else dtype)
        return np.asarray(drawn, dtype=dtype)

    def integers(self, rng: Any, low: int, high: int, shape: Shape, dtype: Any, device: Device) -> Array:
        return np.asarray(rng.integers(low, high, shape), dtype=dtype)

    def permutation(self, rng: Any, n: int, device: Device) -> Array:
        return rng.permutation(n).astype(np.int64)

    def gcd(self, x: Array, y: Array) -> Array:
        return np.gcd(x, y)

    def running_max(self, x: Array, axis: int) -> Array:
        return np.maximum.accumulate(x, axis)

    def running_min(self, x: Array, axis: int) -> Array:
        return np.minimum.accumulate(x, axis)

    # ---------------------------------------------------------------- module ops faster than the default

    unfold = staticmethod(unfold)
    descend = staticmethod(updates.descend)
    adam_step = staticmethod(updates.adam_step)
    linear = staticmethod(linears.linear)
    linear_x_backward = staticmethod(linears.linear_x_backward)
    linear_weight_backward = staticmethod(linears.linear_weight_backward)
    linear_bias_backward = staticmethod(linears.linear_bias_backward)

    def linear_backward(
        self, x: Array, weight: Array, output_grad: Array, transposed: bool, needs: tuple[bool, bool, bool]
    ) -> tuple[Array | None, Array | None, Array | None]:
        small = linears.small_linear_backward(x, weight, output_grad, transposed, needs)
        return super().linear_backward(x, weight, output_grad, transposed, needs) if small is None else small

    conv1d_bias_backward = conv2d_bias_backward = conv3d_bias_backward = staticmethod(convs.conv_bias_backward)
    conv_transpose1d_bias_backward = conv_transpose2d_bias_backward = staticmethod(convs.conv_bias_backward)
    conv_transpose3d_bias_backward = staticmethod(convs.conv_bias_backward)

    correlate = staticmethod(correlations.correlate)
    correlate_x_backward = staticmethod(correlations.correlate_x_backward)
    correlate_weight_backward = staticmethod(correlations.correlate_weight_backward)

    max_pool1d_with_indices = max_pool2d_with_indices = max_pool3d_with_indices = staticmethod(
        pools.max_pool_with_indices
    )
    max_pool1d = max_pool2d = max_pool3d = staticmethod(pools.max_pool)
    scatter_cells = staticmethod(pools.scatter_cells)
    scatter_planes = staticmethod(pools.scatter_planes)

    batch_norm_train = staticmethod(norms.batch_norm_train)
    batch_norm_train_backward = staticmethod(norms.batch_norm_train_backward)
    layer_norm = staticmethod(norms.layer_norm)
    layer_norm_backward = staticmethod(norms.layer_norm_backward)
    group_norm_backward = staticmethod(norms.group_norm_backward)

    interpolate = staticmethod(resizing.interpolate)
    interpolate_backward = staticmethod(resizing.interpolate_backward)
    attention = staticmethod(attentions.attention)
    attention_backward = staticmethod(attentions.attention_backward)
    embedding_backward = staticmethod(tables.embedding_backward)
    rnn = staticmethod(recurrents.rnn)
    rnn_backward = staticmethod(recurrents.rnn_backward)
    lstm = staticmethod(recurrents.lstm)
    lstm_backward = staticmethod(recurrents.lstm_backward)
    gru = staticmethod(recurrents.gru)
    gru_backward = staticmethod(recurrents.gru_backward)

    relu = staticmethod(activations.relu)
    relu_backward = staticmethod(activations.relu_backward)
    sigmoid = staticmethod(activations.sigmoid)
    sigmoid_backward = staticmethod(activations.sigmoid_backward)
    silu = staticmethod(activations.silu)
    silu_backward = staticmethod(activations.silu_backward)
    gelu = staticmethod(activations.gelu)
    gelu_backward = staticmethod(activations.gelu_backward)
    erf = staticmethod(activations.erf)
    softmax = staticmethod(softmaxes.softmax)
    softmax_backward = staticmethod(softmaxes.softmax_backward)
    log_softmax = staticmethod(softmaxes.log_softmax)
    log_softmax_backward = staticmethod(softmaxes.log_softmax_backward)
    cross_entropy = staticmethod(class_losses.cross_entropy)
    cross_entropy_backward = staticmethod(class_losses.cross_entropy_backward)

    ctc_loss = staticmethod(alignments.ctc_loss)
    ctc_loss_backward = staticmethod(alignments.ctc_loss_backward)
    ctc_loss_posterior = staticmethod(alignments.ctc_loss_posterior)

    pack_bits = staticmethod(bits.pack_bits)
    unpack_bits = staticmethod(bits.unpack_bits)


open_gates(NumpyBackend)
