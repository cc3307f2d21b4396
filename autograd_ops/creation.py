"""Tensors from data, and of constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_backends import is_array, kernels, parse_device

from .arrays import (
    accepted,
    array_from,
    dtype_of_data,
    get_default_device,
    move,
    place,
    set_default_device,
    shape_from,
    transfer,
)
from .dtypes import as_dtype, int64
from .refusals import named
from .tensor import Tensor

__all__ = [
    "arange",
    "as_tensor",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "get_default_device",
    "linspace",
    "ones",
    "ones_like",
    "set_default_device",
    "tensor",
    "zeros",
    "zeros_like",
]


def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A Tensor with a copy of `data`.

    Parameters
    ----------
    data
        Nested lists of numbers, a number, an array, or Tensors.
    dtype
        By default that of an array; of Python floats the default dtype, of ints int64, of bools bool.
    device
        By default that of an array or Tensor, else the default device.
    requires_grad
        Whether it is a leaf that keeps its gradient.
    pin_memory
        Accepted for PyTorch's sake; does nothing.

    Raises
    ------
    TypeError
        If `data` holds something else than numbers.
    ValueError
        If nested lists are of unequal lengths.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.tensor([[1, 2], [3, 4]], dtype=ag.float64)
    tensor([[1., 2.],
            [3., 4.]], dtype=autograd_ops.float64)
    """
    if isinstance(data, Tensor):
        data = data.array
    if is_array(data):
        data = accepted(data, "tensor", reorder=True)
        backend = kernels(data)
        wanted = None if dtype is None else as_dtype(dtype)
        if device is None:
            device = get_default_device() if isinstance(data, (np.ndarray, np.generic)) else backend.device_of(data)
        array = transfer(data, backend, wanted, parse_device(device), copy=True)
    else:
        array = array_from(data, dtype, device)
    return Tensor(array, requires_grad=requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """A Tensor of `data`, without a copy where the array or Tensor is of that dtype and device already.

    Examples
    --------
    >>> import autograd_ops as ag, numpy as np
    >>> a = np.zeros(2)
    >>> t = ag.as_tensor(a)
    >>> a[0] = 1
    >>> t
    tensor([1., 0.], dtype=autograd_ops.float64)
    """
    if isinstance(data, Tensor):
        return data.to(*(x for x in (device, None if dtype is None else as_dtype(dtype)) if x is not None))
    if not is_array(data):
        return tensor(data, dtype=dtype, device=device)
    data = accepted(data, "as_tensor", reorder=True)
    return Tensor(move(data, None if dtype is None else as_dtype(dtype), device))


def from_numpy(array: Any) -> Tensor:
    """A Tensor whose memory is that of a NumPy array; a change to either is seen in both.

    An array that cannot be changed makes a Tensor that cannot be changed in place.

    Raises
    ------
    TypeError
        If `array` is no NumPy array, or its elements are no dtype here: objects, strings, dates.
    ValueError
        If its bytes are in the other order than this machine's.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy: expected a numpy array, got {type(array).__name__}; use tensor(...)")
    return Tensor(accepted(array, "from_numpy"))


# ---------------------------------------------------------------- constants
#
# `layout`, `memory_format` and `pin_memory` are accepted for PyTorch's sake, and do nothing.


def zeros(
    *size: Any,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Zeros of a shape, given as one tuple or as several ints."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.zeros(shape_from(size), dtype=native, device=where), requires_grad=requires_grad)


def ones(
    *size: Any,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Ones of a shape, given as one tuple or as several ints."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.ones(shape_from(size), dtype=native, device=where), requires_grad=requires_grad)


def empty(
    *size: Any,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A Tensor of a shape whose elements may be anything."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.empty(shape_from(size), dtype=native, device=where), requires_grad=requires_grad)


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A Tensor of shape `size` whose elements are all `fill_value`, and whose dtype is its by default."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    if not hasattr(value, "__complex__") and not isinstance(value, (int, float, complex)):
        raise TypeError(f"full: fill_value must be a number, not {type(value).__name__} {value!r}")
    chosen = dtype_of_data(np.asarray(value)) if dtype is None else as_dtype(dtype)
    if isinstance(value, complex) and chosen.kind not in ("complex", "bool"):
        raise TypeError(f"full: the complex number {value} does not fit into {chosen.name}")
    backend, native, where = place(device, chosen)
    shape = (size,) if isinstance(size, int) else size
    array = backend.xp.full(shape_from((shape,)), value, dtype=native, device=where)
    return Tensor(array, requires_grad=requires_grad)


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers from `start` in steps of `step`, up to but without `end`; ``arange(n)`` starts from 0.

    Raises
    ------
    ValueError
        If `step` is 0, or leads away from `end`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.arange(2, 8, 3)
    tensor([2, 5])
    """
    if end is None:
        start, end = 0, start
    if step == 0 or (end - start) * step < 0:
        raise ValueError(f"arange: no steps of {step} lead from {start} to {end}")
    ints = all(isinstance(x, int) for x in (start, end, step))
    backend, native, where = place(device, (int64 if ints else None) if dtype is None else dtype)
    return Tensor(backend.xp.arange(start, end, step, dtype=native, device=where), requires_grad=requires_grad)


def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, evenly spaced."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.linspace(start, end, steps, dtype=native, device=where), requires_grad=requires_grad)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A matrix [n, m] with ones on its diagonal; square by default."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.eye(n, m, dtype=native, device=where), requires_grad=requires_grad)


def placed_like(input: Tensor, dtype: Any, device: str | None) -> dict[str, Any]:
    """The dtype and device of what is made in the shape of `input`: its own, where none is given."""
    return {
        "dtype": input.dtype if dtype is None else dtype,
        "device": input.device if device is None else device,
    }


def zeros_like(
    input: Tensor,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Zeros of the shape, dtype and device of `input`."""
    return zeros(input.shape, **placed_like(input, dtype, device), requires_grad=requires_grad)


def ones_like(
    input: Tensor,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Ones of the shape, dtype and device of `input`."""
    return ones(input.shape, **placed_like(input, dtype, device), requires_grad=requires_grad)


def empty_like(
    input: Tensor,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A Tensor of the shape, dtype and device of `input` whose elements may be anything."""
    return empty(input.shape, **placed_like(input, dtype, device), requires_grad=requires_grad)


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A Tensor of the shape, dtype and device of `input` whose elements are all `fill_value`."""
    return full(input.shape, fill_value, **placed_like(input, dtype, device), requires_grad=requires_grad)


named(__name__)
