"""Backend: what an array library must offer beside the array API, and the default of every module op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import cache, cached_property, partial
from importlib import import_module
from typing import Any, ClassVar

from .array_types import Array, Namespace, Shape
from .device import Device, DeviceError
from .diagonals import diagonal_slice

__all__ = ["Backend", "module_ops"]


class _Default:
    """The default of a module op: found in `module_ops` when it is first used, since most programs use few."""

    def __init__(self, place: str, *bound: int) -> None:
        self._place = place
        self._bound = bound

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, backend: Backend | None, owner: type) -> Callable[..., Any]:
        family, _, function = self._place.partition(".")
        found = getattr(import_module(f".module_ops.{family}", __package__), function)
        if self._bound:
            found = partial(found, *self._bound)
        setattr(Backend, self._name, staticmethod(found))
        return found


def _default(place: str) -> Any:
    """The function at a place in `module_ops` such as ``"linear.linear_x_backward"``."""
    return _Default(place)


def _for_ranks(place: str) -> Any:
    """The function there, whose first argument is the number of spatial dimensions, for one, two and three of them."""
    return [_Default(place, rank) for rank in (1, 2, 3)]


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
    on_host
        Whether `to_host` gives the memory of an array itself, rather than a copy.
    views_hold_owners
        Whether every view of an array refers to the one that owns the memory, so that ``sys.getrefcount`` tells whether
        somebody has a view.
    """

    name: ClassVar[str]
    xp: Namespace
    array_types: tuple[type, ...]
    scalar_types: tuple[type, ...] = ()
    workspace: int = 2**25
    on_host: ClassVar[bool] = False
    views_hold_owners: ClassVar[bool] = False

    def lines(self, name: str) -> Any:
        """How a replay says an op, or the rule ``"op.input"``, in place of calling it; ``None`` if it has to call it.

        See `numpy_backend.lines`, which has some.
        """
        return None

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

    def make_current(self, array: Array) -> None:
        """Let operators work where `array` is from now on, where the library does not see to that by itself.

        Called before arrays are computed with, by ops for their operands and by whoever computes outside of ops.
        """

    def synchronize(self, device: Device) -> None:
        """Wait until all work queued on `device` is done. Nothing to do where calls return when done."""

    # ---------------------------------------------------------------- what it runs on

    def set_threads(self, number: int) -> None:
        """Let its arithmetic run on `number` threads of the processor, where it runs there and that can be set."""

    def config(self) -> str:
        """What computes, in words: the library and its version."""
        library = self.array_types[0].__module__.partition(".")[0]
        return f"{library} {getattr(import_module(library), '__version__', '')}".strip()

    def uses_onednn(self) -> bool:
        """Whether oneDNN does its large products and convolutions."""
        return False

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

    def for_dtype(self, dtype: Any) -> Backend:
        """The backend that makes arrays of `dtype`: itself, but where a dtype has kernels of its own."""
        return self

    def adopt(self, array: Array) -> Array:
        """An array that came from elsewhere, of the type that arrays of its dtype have here."""
        return array

    @cached_property
    def floating_dtypes(self) -> frozenset[Any]:
        """Its float and complex dtypes."""
        return self._dtypes("float16", "bfloat16", "float32", "float64") | self.complex_dtypes

    @cached_property
    def complex_dtypes(self) -> frozenset[Any]:
        """Its complex dtypes."""
        return self._dtypes("complex64", "complex128")

    def _dtypes(self, *names: str) -> frozenset[Any]:
        found = []
        for name in names:
            with suppress(TypeError):
                found.append(self.dtype(name))
        return frozenset(found)

    def dtype_name(self, dtype: Any) -> str:
        """The name of one of this library's dtypes, such as ``"float32"``."""
        raise NotImplementedError

    @cache  # noqa: B019  # there is one Backend a library, for good
    def complex_dtype(self, dtype: Any) -> Any:
        """The complex dtype that holds numbers of a float `dtype`, or of a complex one."""
        return self.dtype("complex128" if self.dtype_name(dtype) in ("float64", "complex128") else "complex64")

    @cache  # noqa: B019  # there is one Backend a library, for good
    def accumulator(self, dtype: Any) -> Any:
        """The dtype in which sums over an array of `dtype` are taken: float32 for half precision, else `dtype`."""
        return self.dtype("float32") if self.dtype_name(dtype) in ("float16", "bfloat16") else dtype

    def cast(self, array: Array, dtype: Any, copy: bool = True) -> Array:
        """`array` with elements of `dtype`: of complex numbers the real parts, if `dtype` is real."""
        xp = self.xp
        if array.dtype in self.complex_dtypes and dtype not in self.complex_dtypes and dtype != xp.bool:
            array = xp.real(array)  # libraries warn of this cast, or refuse it
        out: Array = xp.astype(array, dtype, copy=copy)
        return out

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

    def complex(self, real: Array | float, imag: Array | float) -> Array:
        """``real + i imag``, broadcast, of float32 or float64 arrays; one of the two may be a number.

        The default is arithmetic, in which an infinite imaginary part leaves no number as the real one.
        """
        dtype = self.complex_dtype((real if hasattr(real, "dtype") else imag).dtype)
        out: Array = self._as(real, dtype) + self._as(imag, dtype) * 1j
        return out

    def view_as_real(self, array: Array) -> Array:
        """The parts of complex numbers side by side, [..., 2]: the same memory where the library can, else a copy."""
        parts: Array = self.xp.stack([self.xp.real(array), self.xp.imag(array)], axis=-1)
        return parts

    def view_as_complex(self, array: Array) -> Array:
        """The inverse of `view_as_real`: in the same memory where the library can and it is laid out so."""
        return self.complex(array[..., 0], array[..., 1])

    def _as(self, value: Any, dtype: Any) -> Any:
        return self.xp.astype(value, dtype) if hasattr(value, "dtype") else value

    def scatter(self, base: Array, indices: Array, values: Array) -> Array:
        """A copy of `base` [n, ...] whose rows `indices` [m] are `values` [m, ...]; indices do not repeat."""
        raise NotImplementedError

    def scatter_add(self, base: Array, indices: Array, values: Array) -> Array:
        """A copy of `base` [n, ...] with `values` [m, ...] added to its rows `indices` [m]; repeats add up."""
        raise NotImplementedError

    def is_contiguous(self, array: Array) -> bool:
        """Whether `array` is laid out in memory in the order of its dimensions; True where that cannot be asked."""
        return True

    def is_writable(self, array: Array) -> bool:
        """Whether `array` may be changed."""
        return True

    def contiguous(self, array: Array) -> Array:
        """A copy of `array` laid out in memory in the order of its dimensions."""
        return self.xp.asarray(array, copy=True)

    def rejoin(self, arrays: Sequence[Array], axis: int) -> Array:
        """The arrays one after the other along `axis`: new, or the one that they are parts of."""
        return self.xp.concat(arrays, axis=axis)

    def strides(self, array: Array) -> tuple[int, ...]:
        """How many elements lie in memory from one place along each dimension to the next.

        Those of an array laid out in order, where the library does not say.
        """
        steps, step = [], 1
        for n in reversed(array.shape):
            steps.append(step)
            step *= max(n, 1)
        return tuple(reversed(steps))

    def as_strided(self, array: Array, size: Shape, stride: Shape, offset: int) -> Array:
        """The elements of `array` [n] at ``offset + i * stride[0] + j * stride[1] + ...``; a view if there is one."""
        taken = self.xp.take(array, self.strided_places(array, size, stride, offset), axis=0)
        return self.xp.reshape(taken, size)

    def strided_places(self, beside: Array, size: Shape, stride: Shape, offset: int) -> Array:
        """The places that `as_strided` takes, [m], in the order of its result; on the device of `beside`."""
        xp = self.xp
        places = xp.full((), offset, dtype=xp.int64, device=beside.device)
        for n, step in zip(size, stride, strict=True):
            along = xp.arange(n, dtype=xp.int64, device=beside.device) * step
            places = xp.expand_dims(places, axis=-1) + along
        return xp.reshape(places, (-1,))

    def diagonal(self, array: Array, offset: int) -> Array:
        """The elements at (i, i + offset) of the last two dimensions of `array`; a view where there is one."""
        *lead, n, m = array.shape
        return self.xp.reshape(array, (*lead, n * m))[(..., diagonal_slice(n, m, offset))]

    def reinterpret(self, array: Array, dtype: Any) -> Array:
        """The memory of `array` read as numbers of `dtype`, along its last dimension; a view where there is one."""
        return self.asarray(self.to_host(array).view(self.dtype_name(dtype)), dtype, self.device_of(array))

    def data_ptr(self, array: Array) -> int:
        """The address of the first element; where the library does not say, a number that no other array has."""
        return id(array)

    def check_indices(self, indices: Array, size: int, name: str, low: int = 0) -> None:
        """Refuse integer `indices` that are not in ``[low, size)``.

        Raises
        ------
        IndexError
            Naming `name`, the first such value and the limit. On an asynchronous device it is raised at the next wait.
        """
        raise NotImplementedError

    # ---------------------------------------------------------------- memory that is shared

    def memory(self, array: Array) -> tuple[Array, Any]:
        """What `array` is a window on: the array that owns the memory, and where in it, for `window`.

        Two arrays that share memory have the same owner, the same object, where the library can tell.
        """
        return array, None

    def window(self, owner: Array, where: Any) -> Array:
        """The window on `owner`, or on a copy of it, that `memory` said where it is."""
        return owner

    def from_dlpack(self, x: Any) -> Array:
        """An array of the memory of `x`, another library's, which is on a device of this one."""
        array: Array = self.xp.from_dlpack(x)
        return array

    def to_dlpack(self, array: Array, stream: Any, max_version: Any, dl_device: Any, copy: Any) -> Any:
        """A DLPack capsule of the memory of `array`."""
        return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def dlpack_device(self, array: Array) -> tuple[int, int]:
        """DLPack's number of the kind of device that `array` is on, and which of them."""
        kind, index = array.__dlpack_device__()
        return int(kind), int(index)

    # ---------------------------------------------------------------- random numbers

    def make_rng(self, seed: int, device: Device) -> Any:
        """A source of random numbers on `device` that starts from `seed`."""
        raise NotImplementedError

    def copy_rng(self, rng: Any, device: Device) -> Any:
        """Another generator, which gives the numbers that `rng` will give."""
        return deepcopy(rng)

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

    # ---------------------------------------------------------------- refusals

    def refuse_unless(self, good: Array, error: Exception) -> None:
        """Raise `error` unless the 0-d bool `good` holds; on an asynchronous device at the next wait."""
        if not bool(good):
            raise error

    # ---------------------------------------------------------------- module ops: the defaults

    def has_op(self, name: str) -> bool:
        """Whether this backend overrides the default of module op `name`."""
        return getattr(type(self), name) is not getattr(Backend, name)

    # The spatial dimensions are counted in the names, but the functions are the same for one, two and three.

    descend = _default("updates.descend")
    adam_step = _default("updates.adam_step")

    linear = _default("linear.linear")
    linear_x_backward = _default("linear.linear_x_backward")
    linear_weight_backward = _default("linear.linear_weight_backward")
    linear_bias_backward = _default("linear.linear_bias_backward")

    def linear_backward(
        self, x: Array, weight: Array, output_grad: Array, transposed: bool, needs: tuple[bool, bool, bool]
    ) -> tuple[Array | None, Array | None, Array | None]:
        """The gradients of x, weight and bias of `linear`, those that `needs` names; of arrays that fit.

        Parameters
        ----------
        x
            [..., d_input], or ``None`` where the gradient of weight is not needed.
        weight
            [d_input, d_output], or with `transposed` [d_output, d_input], as its gradient is then; or ``None`` where
            the gradient of x is not needed.
        output_grad
            [..., d_output]
        """
        of_x, of_weight, of_bias = needs
        x_grad = weight_grad = bias_grad = None
        if of_x:
            x_grad = (
                self.linear(output_grad, weight, None) if transposed else self.linear_x_backward(weight, output_grad)
            )
        if of_weight:
            left, right = (output_grad, x) if transposed else (x, output_grad)
            weight_grad = self.linear_weight_backward(left, right)
        if of_bias:
            bias_grad = self.linear_bias_backward(output_grad)
        return x_grad, weight_grad, bias_grad

    embedding = _default("embedding.embedding")
    embedding_backward = _default("embedding.embedding_backward")
    conv1d, conv2d, conv3d = _for_ranks("conv.conv")
    conv1d_x_backward, conv2d_x_backward, conv3d_x_backward = _for_ranks("conv.conv_x_backward")
    conv1d_weight_backward, conv2d_weight_backward, conv3d_weight_backward = _for_ranks("conv.conv_weight_backward")
    conv1d_bias_backward = _default("conv.conv_bias_backward")
    conv2d_bias_backward = _default("conv.conv_bias_backward")
    conv3d_bias_backward = _default("conv.conv_bias_backward")
    conv_transpose1d, conv_transpose2d, conv_transpose3d = _for_ranks("conv.conv_transpose")
    conv_transpose1d_x_backward, conv_transpose2d_x_backward, conv_transpose3d_x_backward = _for_ranks(
        "conv.conv_transpose_x_backward"
    )
    conv_transpose1d_weight_backward, conv_transpose2d_weight_backward, conv_transpose3d_weight_backward = _for_ranks(
        "conv.conv_transpose_weight_backward"
    )
    conv_transpose1d_bias_backward = _default("conv.conv_bias_backward")
    conv_transpose2d_bias_backward = _default("conv.conv_bias_backward")
    conv_transpose3d_bias_backward = _default("conv.conv_bias_backward")
    # What all convolutions are made of, in any number of dimensions.
    correlate = _default("correlate.correlate")
    correlate_x_backward = _default("correlate.correlate_x_backward")
    correlate_weight_backward = _default("correlate.correlate_weight_backward")
    deform_conv2d = _default("deform_conv.deform_conv2d")
    deform_conv2d_backward = _default("deform_conv.deform_conv2d_backward")
    max_pool1d_with_indices = _default("pool.max_pool_with_indices")
    max_pool2d_with_indices = _default("pool.max_pool_with_indices")
    max_pool3d_with_indices = _default("pool.max_pool_with_indices")
    adaptive_max_pool1d_with_indices = _default("pool.adaptive_max_pool_with_indices")
    adaptive_max_pool2d_with_indices = _default("pool.adaptive_max_pool_with_indices")
    adaptive_max_pool3d_with_indices = _default("pool.adaptive_max_pool_with_indices")
    max_pool1d = max_pool2d = max_pool3d = _default("pool.max_pool")
    gather_cells = _default("pool.gather_cells")
    scatter_cells = _default("pool.scatter_cells")
    gather_planes = _default("pool.gather_planes")
    scatter_planes = _default("pool.scatter_planes")
    avg_pool1d = _default("pool.avg_pool")
    avg_pool2d = _default("pool.avg_pool")
    avg_pool3d = _default("pool.avg_pool")
    avg_pool1d_backward = _default("pool.avg_pool_backward")
    avg_pool2d_backward = _default("pool.avg_pool_backward")
    avg_pool3d_backward = _default("pool.avg_pool_backward")
    adaptive_avg_pool1d = _default("pool.adaptive_avg_pool")
    adaptive_avg_pool2d = _default("pool.adaptive_avg_pool")
    adaptive_avg_pool3d = _default("pool.adaptive_avg_pool")
    adaptive_avg_pool1d_backward = _default("pool.adaptive_avg_pool_backward")
    adaptive_avg_pool2d_backward = _default("pool.adaptive_avg_pool_backward")
    adaptive_avg_pool3d_backward = _default("pool.adaptive_avg_pool_backward")
    pad = _default("pad.pad")
    pad_backward = _default("pad.pad_backward")
    unfold4d = _default("unfold.unfold4d")
    fold4d = _default("unfold.fold4d")
    unfold = _default("unfold.unfold")
    unfold_backward = _default("unfold.unfold_backward")
    batch_norm_train = _default("norm.batch_norm_train")
    batch_norm_train_backward = _default("norm.batch_norm_train_backward")
    layer_norm = _default("norm.layer_norm")
    layer_norm_backward = _default("norm.layer_norm_backward")
    group_norm = _default("norm.group_norm")
    group_norm_backward = _default("norm.group_norm_backward")
    rms_norm = _default("norm.rms_norm")
    rms_norm_backward = _default("norm.rms_norm_backward")
    interpolate = _default("interpolate.interpolate")
    interpolate_backward = _default("interpolate.interpolate_backward")
    grid_sample_2d = _default("grid_sample.grid_sample")
    grid_sample_3d = _default("grid_sample.grid_sample")
    grid_sample_2d_backward = _default("grid_sample.grid_sample_backward")
    grid_sample_3d_backward = _default("grid_sample.grid_sample_backward")
    attention = _default("attention.attention")
    attention_backward = _default("attention.attention_backward")
    rnn = _default("recurrent.rnn")
    rnn_backward = _default("recurrent.rnn_backward")
    lstm = _default("recurrent.lstm")
    lstm_backward = _default("recurrent.lstm_backward")
    gru = _default("recurrent.gru")
    gru_backward = _default("recurrent.gru_backward")
    relu = _default("activation.relu")
    relu_backward = _default("activation.relu_backward")
    sigmoid = _default("activation.sigmoid")
    sigmoid_backward = _default("activation.sigmoid_backward")
    silu = _default("activation.silu")
    silu_backward = _default("activation.silu_backward")
    gelu = _default("activation.gelu")
    gelu_backward = _default("activation.gelu_backward")
    softmax = _default("softmax.softmax")
    softmax_backward = _default("softmax.softmax_backward")
    log_softmax = _default("softmax.log_softmax")
    log_softmax_backward = _default("softmax.log_softmax_backward")
    cross_entropy = _default("cross_entropy.cross_entropy")
    cross_entropy_backward = _default("cross_entropy.cross_entropy_backward")
    logsumexp = _default("softmax.logsumexp")
    ctc_loss = _default("ctc.ctc_loss")
    ctc_loss_backward = _default("ctc.ctc_loss_backward")
    ctc_loss_posterior = _default("ctc.ctc_loss_posterior")
    cholesky_ex = _default("linalg.cholesky_ex")
    inv_ex = _default("linalg.inv_ex")
    solve = _default("linalg.solve")
    solve_triangular = _default("linalg.solve_triangular")
    qr = _default("linalg.qr")
    lu = _default("linalg.lu")
    eig = _default("linalg.eig")
    eigvals = _default("linalg.eigvals")
    eigh = _default("linalg.eigh")
    eigvalsh = _default("linalg.eigvalsh")
    svd = _default("linalg.svd")
    svdvals = _default("linalg.svdvals")
    pinv = _default("linalg.pinv")
    matrix_exp = _default("linalg.matrix_exp")
    det = _default("determinant.det")
    slogdet = _default("determinant.slogdet")
    cofactor = _default("determinant.cofactor")
    cofactor_backward = _default("determinant.cofactor_backward")

    @property
    def reports_singular(self) -> bool:
        """Whether the library raises where a matrix has no decomposition; else what it gives is looked at."""
        return True

    def has_ctc_loss_backward(self) -> bool:
        """Whether `ctc_loss_backward` and `ctc_loss_posterior` are used; if not, the tape differentiates each step."""
        return True

    erf = _default("special.erf")
    erfc = _default("special.erfc")
    erfcx = _default("special.erfcx")
    erfinv = _default("special.erfinv")
    ndtri = _default("special.ndtri")
    lgamma = _default("gamma.lgamma")
    digamma = _default("gamma.digamma")
    zeta = _default("gamma.zeta")
    i0 = _default("bessel.i0")
    i0e = _default("bessel.i0e")
    i1 = _default("bessel.i1")
    i1e = _default("bessel.i1e")
    gcd = _default("integers.gcd")
    running_max = _default("scan.running_max")
    running_min = _default("scan.running_min")
    pack_bits = _default("bits.pack_bits")
    unpack_bits = _default("bits.unpack_bits")


def module_ops(backend: type[Backend]) -> list[str]:
    """The names of the module ops: what takes and gives arrays, and knows nothing of the backend it is called on."""
    members = {name: member for cls in reversed(backend.__mro__) for name, member in vars(cls).items()}
    return [name for name, member in members.items() if isinstance(member, (_Default, staticmethod))]
