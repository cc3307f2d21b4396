"""Tensor's operators and methods, attached from the functions of the same names.

An op is a plain function, so that as a method it costs nothing more. The functions come after Tensor in the order of
imports, since ops record on Tensors; hence they are attached here and not written in the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from autograd_backends import Device, is_array, parse_device

from . import functions, indexing, lazy, ops
from .autograd import backward
from .dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from .inplace import in_place
from .refusals import named_method
from .tape import Leaf, Node
from .tensor import Tensor

__all__: list[str] = []


def _attach(*functions: Any) -> None:
    """Make each function a method, by its name without the underscore."""
    for function in functions:
        name = function.__name__[1:]
        setattr(Tensor, name, named_method(function, name))


# ---------------------------------------------------------------- operators


def _reflected(op: Any) -> Any:
    return lambda self, other: op(other, self)


_OPERATORS = {
    "add": ops.add,
    "sub": ops.sub,
    "mul": ops.mul,
    "truediv": ops.div,
    "floordiv": ops.floor_divide,
    "mod": ops.remainder,
    "pow": ops.pow,
    "matmul": ops.matmul,
    "and": ops.bitwise_and,
    "or": ops.bitwise_or,
    "xor": ops.bitwise_xor,
    "lshift": ops.bitwise_left_shift,
    "rshift": ops.bitwise_right_shift,
}
for _name, _op in _OPERATORS.items():
    setattr(Tensor, f"__{_name}__", _op)
    setattr(Tensor, f"__r{_name}__", _reflected(_op))

for _name, _op in {
    "lt": ops.less,
    "le": ops.less_equal,
    "gt": ops.greater,
    "ge": ops.greater_equal,
    "neg": ops.neg,
    "abs": ops.abs,
}.items():
    setattr(Tensor, f"__{_name}__", _op)


def _invert(self: Tensor) -> Tensor:
    """~x: of bools their opposite, of integers each bit's."""
    return ops.bitwise_invert(self)


def _in_place_operator(op: Any, name: str) -> Any:
    return lambda self, other: in_place(self, op, other, name=name)


Tensor.__pos__ = lambda self: self  # type: ignore[method-assign]
Tensor.__invert__ = _invert  # type: ignore[method-assign]


def _compared(op: Any) -> Any:
    """Python asks ``==`` of anything: what is no array and no number is simply not equal."""

    def method(self: Tensor, other: Any) -> Any:
        if isinstance(other, (Tensor, int, float, complex)) or is_array(other):
            return op(self, other)
        return NotImplemented

    return method


Tensor.__eq__ = _compared(ops.equal)  # type: ignore[method-assign]
Tensor.__ne__ = _compared(ops.not_equal)  # type: ignore[method-assign]
Tensor.__getitem__ = indexing.getitem  # type: ignore[method-assign]
Tensor.__setitem__ = indexing.setitem  # type: ignore[method-assign]
for _name in _OPERATORS:
    setattr(Tensor, f"__i{_name}__", _in_place_operator(_OPERATORS[_name], f"{_name.removeprefix('true')}_"))

# ---------------------------------------------------------------- methods that are functions

#: Functions that take several Tensors, and so are no methods.
_NOT_METHODS = {
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "bartlett_window",
    "blackman_window",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "bucketize",
    "cartesian_prod",
    "cat",
    "cdist",
    "chain_matmul",
    "column_stack",
    "combinations",
    "complex",
    "concat",
    "concatenate",
    "cumulative_trapezoid",
    "detach",
    "dstack",
    "einsum",
    "empty_strided",
    "fill",
    "gradient",
    "hamming_window",
    "hann_window",
    "histogramdd",
    "hstack",
    "is_tensor",
    "isin",
    "kaiser_window",
    "logspace",
    "meshgrid",
    "numel",
    "pdist",
    "polar",
    "range",
    "row_stack",
    "rsub",
    "scalar_tensor",
    "searchsorted",
    "stack",
    "std_mean",
    "tensordot",
    "trapezoid",
    "trapz",
    "tril_indices",
    "triu_indices",
    "typename",
    "unravel_index",
    "vander",
    "var_mean",
    "view_as_complex",
    "view_as_real",
    "vstack",
}

for _module in (functions.arithmetic, functions.reductions, functions.shapes, functions.products, indexing):
    for _name in _module.__all__:
        if _name not in _NOT_METHODS and _name not in ("getitem", "setitem", "check_indices"):
            setattr(Tensor, _name, getattr(_module, _name))
for _place, _names in functions.LAZY.items():
    lazy.attach(Tensor, _place, *(_name for _name in _names if _name not in _NOT_METHODS))

lazy.attach(Tensor, "interop.python", "__divmod__", "__rdivmod__", "__reversed__", "__round__")
lazy.attach(Tensor, "interop.numpy_calls", "__array_function__", "__array_ufunc__")
lazy.attach(Tensor, "interop.dlpack", "__dlpack__", "__dlpack_device__")
lazy.attach(Tensor, "teach.tensor_display", "_repr_html_")

# ---------------------------------------------------------------- backward


def _backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add the gradient of this Tensor to the ``grad`` of each leaf that it was computed from.

    Parameters
    ----------
    gradient
        The gradient that arrives here, of this shape; may be left out for a single element, where it is 1.
    retain_graph
        Keep what the tape saved, so that backward can run again; by default as `create_graph`.
    create_graph
        Record the backward pass too, so that the gradients can be differentiated.
    inputs
        Only these get a gradient.

    Raises
    ------
    TapeError
        If nothing here requires grad, `gradient` is needed or has another shape, or the tape was freed.
    """
    backward(self, gradient, retain_graph, create_graph, inputs)


Tensor.backward = named_method(_backward, "backward")  # type: ignore[method-assign]

# ---------------------------------------------------------------- random numbers

lazy.attach(
    Tensor,
    "random.in_place",
    *("bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_", "uniform_"),
)
lazy.attach(Tensor, "random.drawing", "bernoulli", "multinomial")

# ---------------------------------------------------------------- to another dtype or device


def _to(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
    """This Tensor with another dtype or on another device; itself where it is there already.

    ``to(dtype)``, ``to(device)``, ``to(device, dtype)`` and ``to(other)`` are taken, each followed by `non_blocking`
    and `copy`, and all of them by name. `non_blocking` and `memory_format` are wishes that change nothing.

    Raises
    ------
    DeviceError
        If there is no such device.
    TypeError
        If it has no such dtype.
    """
    dtype, device, copy = options.pop("dtype", None), options.pop("device", None), options.pop("copy", False)
    options.pop("non_blocking", None)
    options.pop("memory_format", None)
    if options:
        raise TypeError(f"to: unexpected keyword argument {next(iter(options))!r}")
    flags = [argument for argument in arguments if isinstance(argument, bool)]
    copy = copy or flags[1:] == [True]
    for argument in arguments:
        if isinstance(argument, Tensor):
            dtype, device = argument.dtype, argument.device
        elif isinstance(argument, str) and not _names_dtype(argument):
            device = argument
        elif isinstance(argument, int) and not isinstance(argument, bool):
            device = f"cuda:{argument}"
        elif not isinstance(argument, bool):
            dtype = argument
    moved = self
    if device is not None:
        target = parse_device(device)
        if target != moved.device:
            moved = ops.to_device(moved, target)
    if dtype is not None and as_dtype(dtype) is not moved.dtype:
        moved = ops.astype(moved, as_dtype(dtype))
    return ops.clone(moved) if copy and moved is self else moved


def _names_dtype(word: str) -> bool:
    try:
        as_dtype(word)
    except TypeError:
        return False
    return True


def _cast(dtype: DType) -> Any:
    def method(self: Tensor) -> Tensor:
        return self if self.dtype is dtype else ops.astype(self, dtype)

    method.__doc__ = f"This Tensor as {dtype.name}; itself where it is that already."
    return method


def _type_as(self: Tensor, other: Tensor) -> Tensor:
    """This Tensor with the dtype of `other`."""
    return _to(self, other.dtype)


def _cpu(self: Tensor) -> Tensor:
    """This Tensor on the CPU."""
    return _to(self, Device("cpu"))


def _cuda(self: Tensor, device: int | str | None = None, non_blocking: bool = False) -> Tensor:
    """This Tensor on a CUDA device.

    Raises
    ------
    DeviceError
        If there is none.
    """
    return _to(self, "cuda" if device is None else f"cuda:{device}" if isinstance(device, int) else device)


for _name, _dtype in {
    "float": float32,
    "double": float64,
    "half": float16,
    "bfloat16": bfloat16,
    "long": int64,
    "int": int32,
    "short": int16,
    "char": int8,
    "byte": uint8,
    "bool": bool_,
    "cfloat": complex64,
    "cdouble": complex128,
}.items():
    setattr(Tensor, _name, _cast(_dtype))
_attach(_to, _type_as, _cpu, _cuda)
lazy.attach(Tensor, "interop.typed", "type")


# ---------------------------------------------------------------- the array API's array object

#: The versions of the standard whose code runs with `autograd_ops.array_api`: each added to the one before.
_STANDARDS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def _array_namespace(self: Tensor, *, api_version: str | None = None) -> ModuleType:
    """The array API standard's functions for Tensors: `autograd_ops.array_api`.

    Raises
    ------
    ValueError
        If `api_version` is of a version that is not supported.
    """
    if api_version is not None and api_version not in _STANDARDS:
        raise ValueError(f"__array_namespace__: version {api_version!r} is none of {', '.join(_STANDARDS)}")
    return import_module(".array_api", __package__)


def _to_device(self: Tensor, device: str, /, *, stream: Any = None) -> Tensor:
    """This Tensor on another device; itself where it is there already.

    Raises
    ------
    ValueError
        If a `stream` is given: copies wait for what was computed before them.
    """
    if stream is not None:
        raise ValueError("to_device: a stream cannot be chosen; leave stream out")
    return _to(self, device)


Tensor.__array_namespace__ = _array_namespace  # type: ignore[attr-defined]
_attach(_to_device)


def _transposed(self: Tensor) -> Tensor:
    """Its dimensions in reverse order: a view."""
    return ops.permute(self, tuple(reversed(range(self.ndim))))


def _nelement(self: Tensor) -> int:
    """The number of its elements."""
    return self.numel()


def _element_size(self: Tensor) -> int:
    """Bytes an element."""
    return self.dtype.itemsize


def _conjugate_transposed(self: Tensor) -> Tensor:
    """The conjugate of a matrix, transposed.

    Raises
    ------
    ValueError
        If it is no matrix.
    """
    if self.ndim != 2:
        raise ValueError(f"H: expected a matrix, got shape {tuple(self.shape)}; mH takes those in the last dimensions")
    return functions.adjoint(self)


def _adjoint(self: Tensor) -> Tensor:
    """The conjugates of the matrices in its last two dimensions, transposed."""
    return functions.adjoint(self)  # whose module is imported when it is needed


def _get_real(self: Tensor) -> Tensor:
    """The real part, a view where the array library has such; a real Tensor itself. Setting it changes it in place."""
    return ops.real(self) if self.dtype.is_complex else self


def _set_real(self: Tensor, value: Any) -> None:
    if not self.dtype.is_complex:
        self.copy_(value)
        return
    in_place(self, lambda x, part: ops.complex(part, ops.imag(x)), value, name="real")


def _get_imag(self: Tensor) -> Tensor:
    """The imaginary part, a view where the array library has such. Setting it changes it in place."""
    return ops.imag(self)


def _set_imag(self: Tensor, value: Any) -> None:
    if not self.dtype.is_complex:
        raise TypeError(f"imag: only a complex tensor has an imaginary part to set, and this one is {self.dtype.name}")
    in_place(self, lambda x, part: ops.complex(ops.real(x), part), value, name="imag")


for _name, _property in {
    "real": property(_get_real, _set_real),
    "imag": property(_get_imag, _set_imag),
    "H": property(_conjugate_transposed),
    "mH": property(_adjoint),
    "T": property(_transposed),
    "mT": property(ops.matrix_transpose),
}.items():
    setattr(Tensor, _name, _property)
_attach(_nelement, _element_size)


# ---------------------------------------------------------------- of nodes

lazy.attach(Node, "autograd.graph", "name", "next_functions", "register_hook", "register_prehook")
lazy.attach(Leaf, "autograd.graph", "variable")

# ---------------------------------------------------------------- what its memory is like, and more of the kind

lazy.attach(
    Tensor,
    "memory",
    *("apply_", "as_strided", "as_strided_", "contiguous", "data_ptr", "detach_", "fill_diagonal_", "get_device"),
    *("is_contiguous", "is_cpu", "is_cuda", "is_meta", "is_mps", "is_pinned"),
    *("is_quantized", "is_set_to", "is_shared", "is_sparse", "is_xpu", "itemsize", "layout", "map2_"),
    *("map_", "name", "names", "nbytes", "ndimension", "new", "new_empty", "new_full", "new_ones", "new_tensor"),
    *("new_zeros", "output_nr", "pin_memory", "resize_", "resize_as_", "set_", "share_memory_", "squeeze_"),
    *("storage_offset", "stride", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_", "view_as_dtype"),
    *("_base", "_is_view", "_version"),
)
