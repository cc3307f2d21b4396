"""Tensors from data, and of constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_backends import Backend, Device, get_backend, is_array, kernels, parse_device

from .dtypes import (
    DType,
    as_dtype,
    bool_,
    complex64,
    complex128,
    float64,
    get_default_dtype,
    int64,
    native_dtype,
)
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

_default_device = Device("cpu")


def set_default_device(device: str) -> None:
    """Set the device of Tensors that are created without ``device=``: ``"cpu"`` at first.

    Raises
    ------
    DeviceError
        If there is no such device.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.set_default_device("cpu")
    >>> ag.zeros(2).device
    device('cpu')
    """
    global _default_device
    _default_device = parse_device(device)


def get_default_device() -> Device:
    """The device of Tensors that are created without ``device=``."""
    return _default_device


def place(device: str | None, dtype: Any) -> tuple[Backend, Any, Any]:
    """The backend for `device`, and its own words for the dtype and the device; ``None`` is the default."""
    where = _default_device if device is None else parse_device(device)
    backend = get_backend(where)
    native = native_dtype(backend, get_default_dtype() if dtype is None else as_dtype(dtype))
    return backend, native, backend.native_device(where)


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
        backend = kernels(data)
        wanted = None if dtype is None else as_dtype(dtype)
        target = (_default_device if isinstance(data, (np.ndarray, np.generic)) else None) if device is None else device
        if target is None:
            target = backend.device_of(data)
        array = _transfer(data, backend, wanted, parse_device(target), copy=True)
    else:
        host = _host_array(data)
        backend, native, _ = place(device, _dtype_of_data(host) if dtype is None else dtype)
        array = backend.asarray(host, native, _default_device if device is None else parse_device(device))
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
    return Tensor(move(data, None if dtype is None else as_dtype(dtype), device))


def from_numpy(array: Any) -> Tensor:
    """A Tensor whose memory is that of a NumPy array.

    Raises
    ------
    TypeError
        If `array` is no NumPy array.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy: expected a numpy array, got {type(array).__name__}; use tensor(...)")
    return Tensor(array)


def move(array: Any, dtype: DType | None, device: str | None) -> Any:
    """`array` with another dtype, on another device; itself where it is there already."""
    backend = kernels(array)
    return _transfer(array, backend, dtype, None if device is None else parse_device(device), copy=False)


def _transfer(array: Any, backend: Backend, dtype: DType | None, device: Device | None, *, copy: bool) -> Any:
    at = backend.device_of(array)
    if device is not None and device != at:
        target = get_backend(device)
        name = backend.dtype_name(array.dtype) if dtype is None else dtype.name
        return target.asarray(backend.to_host(array), target.dtype(name), device)
    native = array.dtype if dtype is None else native_dtype(backend, dtype)
    if native != array.dtype:
        return backend.xp.astype(array, native)
    return backend.xp.asarray(array, copy=True) if copy else array


def _host_array(data: Any) -> Any:
    try:
        host = np.array(_without_tensors(data))
    except ValueError as error:
        raise ValueError(f"tensor: nested lists must be of equal lengths at each depth ({error})") from None
    if host.dtype.kind not in "biufc":
        raise TypeError(f"tensor: expected numbers, got {_first_odd(data)}")
    return host


def _without_tensors(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data.tolist()
    if isinstance(data, (list, tuple)) and any(isinstance(x, (list, tuple, Tensor)) for x in data):
        return [_without_tensors(x) for x in data]
    return data


def _first_odd(data: Any) -> str:
    while isinstance(data, (list, tuple)) and data:
        data = next((x for x in data if not isinstance(x, (int, float, complex))), data[0])
    return f"{data!r} of type {type(data).__name__}"


def _dtype_of_data(host: Any) -> DType:
    """What Python numbers become: NumPy says float64 and its own scalars keep their dtype; floats here the default."""
    kind = host.dtype.kind
    if kind == "f":
        return get_default_dtype()
    if kind == "c":
        return complex128 if get_default_dtype() is float64 else complex64
    return bool_ if kind == "b" else int64


# ---------------------------------------------------------------- constants


def _shape(size: Sequence[Any]) -> tuple[int, ...]:
    """``zeros(2, 3)`` and ``zeros((2, 3))`` are the same."""
    if len(size) == 1 and not isinstance(size[0], int) and hasattr(size[0], "__iter__"):
        size = tuple(size[0])
    shape = tuple([int(n) for n in size])
    for n in shape:
        if n < 0:
            raise ValueError(f"a shape has no negative lengths, got {shape}")
    return shape


def zeros(*size: Any, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros of a shape, given as one tuple or as several ints."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.zeros(_shape(size), dtype=native, device=where), requires_grad=requires_grad)


def ones(*size: Any, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Ones of a shape, given as one tuple or as several ints."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.ones(_shape(size), dtype=native, device=where), requires_grad=requires_grad)


def empty(*size: Any, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """A Tensor of a shape whose elements may be anything."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.empty(_shape(size), dtype=native, device=where), requires_grad=requires_grad)


def full(
    size: Any, fill_value: Any, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False
) -> Tensor:
    """A Tensor of shape `size` whose elements are all `fill_value`, and whose dtype is its by default."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    chosen = _dtype_of_data(np.asarray(value)) if dtype is None else dtype
    backend, native, where = place(device, chosen)
    shape = (size,) if isinstance(size, int) else size
    array = backend.xp.full(_shape((shape,)), value, dtype=native, device=where)
    return Tensor(array, requires_grad=requires_grad)


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` in steps of `step`, up to but without `end`; ``arange(n)`` starts from 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.arange(2, 8, 3)
    tensor([2, 5])
    """
    if end is None:
        start, end = 0, start
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
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, evenly spaced."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.linspace(start, end, steps, dtype=native, device=where), requires_grad=requires_grad)


def eye(
    n: int, m: int | None = None, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False
) -> Tensor:
    """A matrix [n, m] with ones on its diagonal; square by default."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.eye(n, m, dtype=native, device=where), requires_grad=requires_grad)


def _like(input: Tensor, dtype: Any, device: str | None) -> dict[str, Any]:
    return {
        "dtype": input.dtype if dtype is None else dtype,
        "device": input.device if device is None else device,
    }


def zeros_like(input: Tensor, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape, dtype and device of `input`."""
    return zeros(input.shape, **_like(input, dtype, device), requires_grad=requires_grad)


def ones_like(input: Tensor, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Ones of the shape, dtype and device of `input`."""
    return ones(input.shape, **_like(input, dtype, device), requires_grad=requires_grad)


def empty_like(input: Tensor, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """A Tensor of the shape, dtype and device of `input` whose elements may be anything."""
    return empty(input.shape, **_like(input, dtype, device), requires_grad=requires_grad)


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A Tensor of the shape, dtype and device of `input` whose elements are all `fill_value`."""
    return full(input.shape, fill_value, **_like(input, dtype, device), requires_grad=requires_grad)
