"""What a Tensor's memory is like, windows on it by strides, and methods that let a Tensor show it differently.

Imported when the first of these methods is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_backends import kernels

from . import functions, ops
from .creation import empty, full, ones, tensor, zeros
from .dims import axis_of, shape_of_sizes
from .dtypes import as_dtype, native_dtype
from .formats import channels_last, channels_last_3d, strided
from .inplace import bump, change_shape, in_place, is_view, refuse_expanded, root_of
from .refusals import named
from .tape import Port, TapeError
from .tensor import Tensor

# ---------------------------------------------------------------- how it lies in memory


def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many elements lie in memory from one place along each dimension to the next; or along `dim` alone."""
    steps = kernels(self.array).strides(self.array)
    return steps if dim is None else steps[axis_of("stride", dim, self.ndim)]


def storage_offset(self: Tensor) -> int:
    """How many elements of the memory that it is a window on come before its first."""
    root = root_of(self)
    if root is self or not self.numel():
        return 0
    backend = kernels(self.array)
    return (backend.data_ptr(self.array) - backend.data_ptr(root.array)) // self.dtype.itemsize


def data_ptr(self: Tensor) -> int:
    """The address of its first element; 0 if it has none."""
    return kernels(self.array).data_ptr(self.array) if self.numel() else 0


_CHANNELS_LAST = {channels_last: (0, 2, 3, 1), channels_last_3d: (0, 2, 3, 4, 1)}


def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    """Whether it is laid out in memory in the order of its dimensions; or, if asked, with the channels last."""
    backend = kernels(self.array)
    order = _CHANNELS_LAST.get(memory_format)
    if order is None:
        return backend.is_contiguous(self.array)
    return len(order) == self.ndim and backend.is_contiguous(backend.xp.permute_dims(self.array, order))


def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """This Tensor laid out in memory in the order of its dimensions; itself where it is so already.

    Other formats are taken as the wish that they are, and give the same.
    """
    return self if kernels(self.array).is_contiguous(self.array) else ops.contiguous(self)


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both show the same memory in the same way."""
    return (
        data_ptr(self) == data_ptr(tensor)
        and tuple(self.shape) == tuple(tensor.shape)
        and stride(self) == stride(tensor)
        and self.dtype is tensor.dtype
    )


def share_memory_(self: Tensor) -> Tensor:
    """Itself: memory is not shared between processes here."""
    return self


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Itself: memory is not pinned here."""
    return self


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """False: memory is not pinned here."""
    return False


def is_shared(self: Tensor) -> bool:
    """False: memory is not shared between processes here."""
    return False


def get_device(self: Tensor) -> int:
    """The number of the GPU that it is on; -1 on the CPU."""
    index = self.device.index
    return index if isinstance(index, int) else -1


def ndimension(self: Tensor) -> int:
    """The number of its dimensions."""
    return self.ndim


def _always(value: Any, what: str) -> Any:
    return property(lambda self: value, doc=what)


nbytes = property(lambda self: self.numel() * self.dtype.itemsize, doc="Bytes of all its elements.")
itemsize = property(lambda self: self.dtype.itemsize, doc="Bytes an element.")
is_cuda = property(lambda self: self.device.type == "cuda", doc="Whether it is on a GPU.")
is_cpu = property(lambda self: self.device.type == "cpu", doc="Whether it is on the CPU.")
is_sparse = _always(False, "False: there are none here that keep only what is not 0.")
is_quantized = _always(False, "False: there are none here.")
is_meta = _always(False, "False: every Tensor here has memory.")
is_mps = _always(False, "False: there is no such device here.")
is_xpu = _always(False, "False: there is no such device here.")
name = _always(None, "None: Tensors have no names.")
names = property(lambda self: (None,) * self.ndim, doc="None for each dimension: they have no names.")
layout = _always(strided, "`strided`, as of all Tensors here.")
_version = property(lambda self: self.version[0], doc="How often its memory was changed in place.")
_base = property(lambda self: root_of(self) if is_view(self) else None, doc="What it is a view of, or None.")


def _output_nr(self: Tensor) -> int:
    """Which output it is of the op that made it."""
    node = self.place()
    return node.index if type(node) is Port else 0


output_nr = property(_output_nr)


def _is_view(self: Tensor) -> bool:
    """Whether it is a window on the memory of another Tensor."""
    return is_view(self)


# ---------------------------------------------------------------- windows by strides


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A window on the memory of `input` by steps: element (i, j) is ``storage_offset + i * stride[0] + j * stride[1]``.

    Parameters
    ----------
    size, stride
        The shape of the window, and how many elements to go on for one step along each dimension.
    storage_offset
        Where it begins; by default where `input` does.

    Returns
    -------
    Tensor
        A view of the whole memory that `input` is a view of; gradients go to that.

    Raises
    ------
    ValueError
        If the window leads out of the memory, or the memory has gaps.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.as_strided(ag.arange(6.0), (2, 3), (2, 1))
    tensor([[0., 1., 2.],
            [2., 3., 4.]])
    """
    lengths, steps = tuple(map(int, size)), tuple(map(int, stride))
    offset = _storage_offset(input) if storage_offset is None else int(storage_offset)
    if len(lengths) != len(steps):
        raise ValueError(f"as_strided: {len(lengths)} lengths but {len(steps)} strides")
    if min(steps, default=0) < 0 or min(lengths, default=0) < 0 or offset < 0:
        raise ValueError(f"as_strided: size {lengths}, stride {steps} and storage_offset {offset} may not be negative")
    return ops.as_strided(_flat_memory(root_of(input)), lengths, steps, offset)


_storage_offset = storage_offset  # an argument of the same name hides it


def _flat_memory(root: Tensor) -> Tensor:
    """The memory of `root` in one dimension, a view."""
    if kernels(root.array).is_contiguous(root.array):
        return ops.reshape(root, (-1,))
    steps = kernels(root.array).strides(root.array)
    ordered = ops.permute(root, tuple(sorted(range(root.ndim), key=lambda axis: -steps[axis])))
    if not kernels(ordered.array).is_contiguous(ordered.array):
        raise ValueError("as_strided: the memory of this tensor has gaps; use its contiguous()")
    return ops.reshape(ordered, (-1,))


def view_as_dtype(input: Tensor, dtype: Any) -> Tensor:
    """The same memory read as numbers of `dtype`, along the last dimension: a view without a gradient.

    Raises
    ------
    ValueError
        If the last dimension does not come out even.
    """
    dtype = as_dtype(dtype)
    backend = kernels(input.array)
    old, new = input.dtype.itemsize, dtype.itemsize
    if old != new and (not input.ndim or input.shape[-1] * old % new or stride(input, -1) != 1):
        raise ValueError(
            f"view: the last dimension of a {input.dtype.name} tensor of shape {tuple(input.shape)} "
            f"cannot be read as {dtype.name}"
        )
    viewed = Tensor(backend.reinterpret(input.array, native_dtype(backend, dtype)))
    viewed.version = input.version
    return viewed


# ---------------------------------------------------------------- itself, shaped differently


def _changing(function: Callable[..., Tensor], name: str) -> Any:
    def method(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        return change_shape(self, lambda x: function(x, *arguments, **options), name=name)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Become `{name[:-1]}` of itself, on the same memory; returns itself."
    return method


squeeze_ = _changing(functions.squeeze, "squeeze_")
unsqueeze_ = _changing(functions.unsqueeze, "unsqueeze_")
transpose_ = _changing(functions.transpose, "transpose_")
swapaxes_ = _changing(functions.transpose, "swapaxes_")
swapdims_ = _changing(functions.transpose, "swapdims_")
t_ = _changing(functions.t, "t_")
as_strided_ = _changing(as_strided, "as_strided_")


def detach_(self: Tensor) -> Tensor:
    """Take it off the tape; returns itself.

    Raises
    ------
    TapeError
        If it is a view, which gets its place on the tape from its base.
    """
    if is_view(self):
        raise TapeError("detach_: a view cannot be taken off the tape alone; use detach()")
    self.node = self.alias = None
    return self


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Take another shape: a part of its memory, or new memory if it needs more, that may hold anything; returns itself.

    Raises
    ------
    TapeError
        If it requires grad.
    """
    if self.requires_grad:
        raise TapeError("resize_: a tensor that requires grad cannot be resized; use its detach()")
    shape = shape_of_sizes(sizes)
    if shape == tuple(self.shape):
        return self
    xp = kernels(self.array).xp
    count = 1
    for n in shape:
        count *= n
    flat = xp.reshape(self.array, (-1,))
    if count > flat.shape[0]:
        more = xp.empty((count - flat.shape[0],), dtype=flat.dtype, device=flat.device)
        flat = xp.concat([flat, more])
        self.version, self.alias = [0], None
    self.array = xp.reshape(flat[:count], shape)
    bump(self, "resize_")
    self.alias = None
    return self


def resize_as_(self: Tensor, other: Tensor, memory_format: Any = None) -> Tensor:
    """`resize_` to the shape of `other`."""
    return resize_(self, tuple(other.shape))


def set_(
    self: Tensor, source: Tensor | None = None, storage_offset: int = 0, size: Any = None, stride: Any = ()
) -> Tensor:
    """Show the memory of `source` instead, or none at all; returns itself.

    Raises
    ------
    TapeError
        If it requires grad.
    """
    if self.requires_grad:
        raise TapeError("set_: a tensor that requires grad keeps its memory; set its data")
    if source is None:
        source = empty(0, dtype=self.dtype, device=self.device)
    shown = source if size is None else as_strided(source, size, stride, storage_offset)
    self.data, self.version = shown, shown.version
    return self


# ---------------------------------------------------------------- changes that have no form out of place


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the elements whose indices are all equal to `fill_value`; returns itself.

    Parameters
    ----------
    wrap
        In a matrix with more rows than columns, begin anew one row below the end of each diagonal.

    Raises
    ------
    ValueError
        If there is one dimension, or there are more than two of unequal lengths.
    """
    shape = tuple(self.shape)
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ValueError(f"fill_diagonal_: expected a matrix, or dimensions of one length, and not shape {shape}")
    xp = kernels(self.array).xp
    first, *others = [
        xp.reshape(
            xp.arange(n, dtype=xp.int64, device=self.array.device),
            tuple([n if i == j else 1 for j in range(len(shape))]),
        )
        for i, n in enumerate(shape)
    ]
    if wrap and len(shape) == 2:
        first = first % (shape[1] + 1)
    mask = xp.broadcast_to(first == others[0], shape)
    for other in others[1:]:
        mask = mask & (first == other)
    return in_place(self, lambda x: functions.where(Tensor(mask), fill_value, x), name="fill_diagonal_")


def _by_element(self: Tensor, called: str, function: Callable[..., Any], *others: Tensor) -> Tensor:
    if self.requires_grad:
        raise TapeError(f"{called}: a tensor that requires grad cannot be changed by a function of Python's numbers")
    refuse_expanded(self, called)
    for other in others:
        if tuple(other.shape) != tuple(self.shape):
            raise ValueError(f"{called}: shapes {tuple(self.shape)} and {tuple(other.shape)} differ")
    columns = [np.ravel(np.asarray(x.detach().cpu().array)).tolist() for x in (self, *others)]
    values = tensor(list(map(function, *columns)), dtype=self.dtype, device=self.device)
    return in_place(self, lambda x: ops.reshape(values, tuple(x.shape)), name=called)


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Set each element to what `callable` makes of it, as a number of Python's: slow; returns itself.

    Raises
    ------
    TapeError
        If it requires grad.
    """
    return _by_element(self, "apply_", callable)


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Set each element to ``callable(element, the one of tensor)``: slow; returns itself.

    Raises
    ------
    TapeError
        If it requires grad.
    ValueError
        If the shapes differ.
    """
    return _by_element(self, "map_", callable, tensor)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Set each element to ``callable(element, the one of x, the one of y)``: slow; returns itself.

    Raises
    ------
    TapeError
        If it requires grad.
    ValueError
        If the shapes differ.
    """
    return _by_element(self, "map2_", callable, x, y)


# ---------------------------------------------------------------- new ones like it


def _beside(self: Tensor, dtype: Any, device: Any) -> dict[str, Any]:
    return {"dtype": self.dtype if dtype is None else dtype, "device": self.device if device is None else device}


def _new(create: Callable[..., Tensor], what: str) -> Any:
    def method(
        self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **ignored: Any
    ) -> Tensor:
        if not size and "size" not in ignored:
            raise TypeError(f"{method.__name__}: give its size, as in {method.__name__}(2, 3)")
        shape = shape_of_sizes(size) if size else shape_of_sizes((ignored.pop("size"),))
        _refuse_options(method.__name__, ignored)
        return create(shape, **_beside(self, dtype, device), requires_grad=requires_grad)

    method.__name__ = method.__qualname__ = f"new_{create.__name__}"
    method.__doc__ = f"{what} of the dtype and device of this Tensor, unless others are given."
    return method


def _refuse_options(called: str, options: dict[str, Any]) -> None:
    for option in options:
        if option not in ("layout", "pin_memory"):  # PyTorch's, which mean nothing here
            raise TypeError(f"{called}: unexpected keyword argument {option!r}")


new_zeros = _new(zeros, "Zeros")
new_ones = _new(ones, "Ones")
new_empty = _new(empty, "Elements that may be anything,")


def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Elements that are all `fill_value`, of the dtype and device of this Tensor, unless others are given."""
    _refuse_options("new_full", ignored)
    return full(size, fill_value, **_beside(self, dtype, device), requires_grad=requires_grad)


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """A copy of `data`, of the dtype and device of this Tensor, unless others are given."""
    _refuse_options("new_tensor", ignored)
    return tensor(data, **_beside(self, dtype, device), requires_grad=requires_grad)


def new(self: Tensor, *arguments: Any) -> Tensor:
    """A Tensor of the dtype and device of this one: of a shape given as ints, or of data given as a list or Tensor."""
    if len(arguments) == 1 and not isinstance(arguments[0], int):
        return tensor(arguments[0], **_beside(self, None, None))
    return empty(*(arguments or (0,)), **_beside(self, None, None))


named(__name__)
