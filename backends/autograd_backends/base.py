"""Backend: what an array library must offer beside the array API, and the default of every module op."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, partial
from typing import Any, ClassVar

from . import module_ops
from .array_types import Array, Namespace, Shape
from .device import Device, DeviceError

__all__ = ["Backend"]


def _for_ranks(function: Callable[..., Any]) -> list[Any]:
    """`function`, whose first argument is the number of spatial dimensions, for one, two and three of them."""
    return [staticmethod(partial(function, rank)) for rank in (1, 2, 3)]


class Backend:
    """An array library: its namespace, its devices, the primitives and the module ops.

    There is one object a library, whatever its number of devices: an array knows its own device, and what
    an op creates it creates beside its input.

    A subclass sets `name`, `library`, `xp` and `array_types`, supplies the primitives, and overrides what
    module ops it does better. Module ops take and give arrays; nothing here knows what a Tensor is.

    Attributes
    ----------
    name
        The word of its device strings.
    xp
        The array API namespace that ops see.
    array_types
        The types by which its arrays are recognised.
    scalar_types
        Types that its operators and reductions give where an array is meant.
    workspace
        The most elements of the columns that a convolution makes at a time.
    """

    name: ClassVar[str]
    xp: Namespace
    array_types: tuple[type, ...]
    scalar_types: tuple[type, ...] = ()
    workspace: int = 2**25

    # ---------------------------------------------------------------- devices

    def devices(self) -> list[Device]:
        """Every device of this library that can be used now."""
        raise NotImplementedError

    @property
    def mixes_devices(self) -> bool:
        """Whether the library computes with arrays of two devices without a word; ops then look before they call."""
        return False

    def parse_index(self, index: str) -> Device:
        """The Device for what followed the colon in a device string; ``""`` is the default device."""
        devices = self.devices()
        wanted = f"{self.name}:{index}" if index else devices[0]
        for device in devices:
            if wanted in (device, f"{device}:0"):
                return device
        there = ", ".join(repr(str(device)) for device in devices)
        raise DeviceError(f"there is no device {str(wanted)!r}: this machine has {there}")

    def device_of(self, array: Array) -> Device:
        """The device that `array` is on."""
        raise NotImplementedError

    def native_device(self, device: Device) -> Any:
        """What this library takes as ``device=`` for `device`."""
        raise NotImplementedError

    def synchronize(self, device: Device) -> None:
        """Wait until all work queued on `device` is done. Nothing to do where calls return when done."""

    # ---------------------------------------------------------------- dtypes

    def dtype(self, name: str) -> Any:
        """This library's dtype called `name`, such as ``"float32"``.

        Raises
        ------
        TypeError
            If the library has no such dtype.
        """
        found = getattr(self.xp, name, None)
        if found is None:
            raise TypeError(f"device {self.name!r} has no dtype {name}")
        return found

    @cached_property
    def floating_dtypes(self) -> frozenset[Any]:
        """Its float and complex dtypes."""
        found = []
        for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
            with suppress(TypeError):
                found.append(self.dtype(name))
        return frozenset(found)

    def dtype_name(self, dtype: Any) -> str:
        """The name of one of this library's dtypes, such as ``"float32"``."""
        raise NotImplementedError

    @cache  # noqa: B019  # there is one Backend a library, for good
    def accumulator(self, dtype: Any) -> Any:
        """The dtype in which sums over an array of `dtype` are taken: float32 for half precision, else `dtype`."""
        return self.dtype("float32") if self.dtype_name(dtype) in ("float16", "bfloat16") else dtype

    # ---------------------------------------------------------------- primitives: what the standard lacks

    def asarray(self, data: Any, dtype: Any, device: Device) -> Array:
        """A new array with the values of `data` (nested lists, a number, or a NumPy array) on `device`."""
        raise NotImplementedError

    def to_host(self, array: Array) -> Any:
        """`array` as a NumPy array; shares memory where the library can."""
        raise NotImplementedError

    def scalar_to_array(self, scalar: Any) -> Array:
        """A 0-d array from one of `scalar_types`."""
        raise NotImplementedError

    def shares_memory(self, view: Array, array: Array) -> bool:
        """Whether `view`, made by a view op from `array`, is a window on the memory of `array`."""
        raise NotImplementedError

    def write(self, target: Array, value: Array) -> None:
        """Set every element of `target` to `value`, broadcast, in place."""
        target[...] = value

    def zeros_beside(self, array: Array, shape: Shape) -> Array:
        """Zeros of the dtype and device of `array`.

        Where a library lets the order of dimensions in memory vary, it should be that of `array`: then what an
        op adds up in these zeros runs through memory as `array` does.
        """
        zeros: Array = self.xp.zeros(shape, dtype=array.dtype, device=array.device)
        return zeros

    def scatter(self, base: Array, indices: Array, values: Array) -> Array:
        """A copy of `base` [n, ...] whose rows `indices` [m] are `values` [m, ...]; indices do not repeat."""
        raise NotImplementedError

    def scatter_add(self, base: Array, indices: Array, values: Array) -> Array:
        """A copy of `base` [n, ...] with `values` [m, ...] added to its rows `indices` [m]; repeats add up."""
        raise NotImplementedError

    def is_contiguous(self, array: Array) -> bool:
        """Whether `array` is laid out in memory in the order of its dimensions; True where that cannot be asked."""
        return True

    def check_indices(self, indices: Array, size: int, name: str, low: int = 0) -> None:
        """Refuse integer `indices` that are not in ``[low, size)``.

        Raises
        ------
        IndexError
            Naming `name`, the first such value and the limit. On an asynchronous device it is raised at the next wait.
        """
        raise NotImplementedError

    # ---------------------------------------------------------------- random numbers

    def make_rng(self, seed: int, device: Device) -> Any:
        """A source of random numbers on `device` that starts from `seed`."""
        raise NotImplementedError

    def uniform(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        """Numbers in [0, 1)."""
        raise NotImplementedError

    def normal(self, rng: Any, shape: Shape, dtype: Any, device: Device) -> Array:
        """Numbers of mean 0 and variance 1."""
        raise NotImplementedError

    def integers(self, rng: Any, low: int, high: int, shape: Shape, dtype: Any, device: Device) -> Array:
        """Integers in ``[low, high)``."""
        raise NotImplementedError

    def permutation(self, rng: Any, n: int, device: Device) -> Array:
        """The integers 0 to n - 1 in random order, int64."""
        raise NotImplementedError

    # ---------------------------------------------------------------- module ops: the defaults

    def has_op(self, name: str) -> bool:
        """Whether this backend overrides the default of module op `name`."""
        return getattr(type(self), name) is not getattr(Backend, name)

    # The spatial dimensions are counted in the names, but the functions are the same for one, two and three.

    linear = staticmethod(module_ops.linear)
    linear_x_backward = staticmethod(module_ops.linear_x_backward)
    linear_weight_backward = staticmethod(module_ops.linear_weight_backward)
    linear_bias_backward = staticmethod(module_ops.linear_bias_backward)

    embedding = staticmethod(module_ops.embedding)
    embedding_backward = staticmethod(module_ops.embedding_backward)

    conv1d, conv2d, conv3d = _for_ranks(module_ops.conv)
    conv1d_x_backward, conv2d_x_backward, conv3d_x_backward = _for_ranks(module_ops.conv_x_backward)
    conv1d_weight_backward, conv2d_weight_backward, conv3d_weight_backward = _for_ranks(module_ops.conv_weight_backward)
    conv1d_bias_backward = conv2d_bias_backward = conv3d_bias_backward = staticmethod(module_ops.conv_bias_backward)

    conv_transpose1d, conv_transpose2d, conv_transpose3d = _for_ranks(module_ops.conv_transpose)
    conv_transpose1d_x_backward, conv_transpose2d_x_backward, conv_transpose3d_x_backward = _for_ranks(
        module_ops.conv_transpose_x_backward
    )
    conv_transpose1d_weight_backward, conv_transpose2d_weight_backward, conv_transpose3d_weight_backward = _for_ranks(
        module_ops.conv_transpose_weight_backward
    )
    conv_transpose1d_bias_backward = conv_transpose2d_bias_backward = conv_transpose3d_bias_backward = staticmethod(
        module_ops.conv_bias_backward
    )

    deform_conv2d = staticmethod(module_ops.deform_conv2d)
    deform_conv2d_backward = staticmethod(module_ops.deform_conv2d_backward)

    max_pool1d_with_indices = max_pool2d_with_indices = max_pool3d_with_indices = staticmethod(
        module_ops.max_pool_with_indices
    )
    adaptive_max_pool1d_with_indices = adaptive_max_pool2d_with_indices = adaptive_max_pool3d_with_indices = (
        staticmethod(module_ops.adaptive_max_pool_with_indices)
    )
    gather_planes = staticmethod(module_ops.gather_planes)
    scatter_planes = staticmethod(module_ops.scatter_planes)
    avg_pool1d = avg_pool2d = avg_pool3d = staticmethod(module_ops.avg_pool)
    avg_pool1d_backward = avg_pool2d_backward = avg_pool3d_backward = staticmethod(module_ops.avg_pool_backward)
    adaptive_avg_pool1d = adaptive_avg_pool2d = adaptive_avg_pool3d = staticmethod(module_ops.adaptive_avg_pool)
    adaptive_avg_pool1d_backward = adaptive_avg_pool2d_backward = adaptive_avg_pool3d_backward = staticmethod(
        module_ops.adaptive_avg_pool_backward
    )

    pad = staticmethod(module_ops.pad)
    pad_backward = staticmethod(module_ops.pad_backward)

    unfold4d = staticmethod(module_ops.unfold4d)
    fold4d = staticmethod(module_ops.fold4d)
    unfold = staticmethod(module_ops.unfold)
    unfold_backward = staticmethod(module_ops.unfold_backward)

    batch_norm_train = staticmethod(module_ops.batch_norm_train)
    batch_norm_train_backward = staticmethod(module_ops.batch_norm_train_backward)
    layer_norm = staticmethod(module_ops.layer_norm)
    layer_norm_backward = staticmethod(module_ops.layer_norm_backward)
    group_norm = staticmethod(module_ops.group_norm)
    group_norm_backward = staticmethod(module_ops.group_norm_backward)
    rms_norm = staticmethod(module_ops.rms_norm)
    rms_norm_backward = staticmethod(module_ops.rms_norm_backward)

    interpolate = staticmethod(module_ops.interpolate)
    interpolate_backward = staticmethod(module_ops.interpolate_backward)
    grid_sample_2d = grid_sample_3d = staticmethod(module_ops.grid_sample)
    grid_sample_2d_backward = grid_sample_3d_backward = staticmethod(module_ops.grid_sample_backward)
    attention = staticmethod(module_ops.attention)
    attention_backward = staticmethod(module_ops.attention_backward)

    rnn = staticmethod(module_ops.rnn)
    rnn_backward = staticmethod(module_ops.rnn_backward)
    lstm = staticmethod(module_ops.lstm)
    lstm_backward = staticmethod(module_ops.lstm_backward)
    gru = staticmethod(module_ops.gru)
    gru_backward = staticmethod(module_ops.gru_backward)

    softmax = staticmethod(module_ops.softmax)
    softmax_backward = staticmethod(module_ops.softmax_backward)
    log_softmax = staticmethod(module_ops.log_softmax)
    log_softmax_backward = staticmethod(module_ops.log_softmax_backward)
    logsumexp = staticmethod(module_ops.logsumexp)

    ctc_loss = staticmethod(module_ops.ctc_loss)
    ctc_loss_backward = staticmethod(module_ops.ctc_loss_backward)

    def has_ctc_loss_backward(self) -> bool:
        """Whether `ctc_loss_backward` is to be used; without it the tape differentiates the loss step by step."""
        return True

    erf = staticmethod(module_ops.erf)

    pack_bits = staticmethod(module_ops.pack_bits)
    unpack_bits = staticmethod(module_ops.unpack_bits)
