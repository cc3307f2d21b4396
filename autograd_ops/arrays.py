"""Arrays before they are Tensors: made from Python's numbers, moved between devices, and the default device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_backends import Backend, Device, get_backend, kernels, parse_device

from .dims import lengths
from .dtypes import DType, as_dtype, bool_, default_complex, dtype_of, get_default_dtype, int64, native_dtype

__all__ = [
    "accepted",
    "array_for",
    "array_from",
    "dtype_of_data",
    "get_default_device",
    "move",
    "place",
    "set_default_device",
    "shape_from",
    "transfer",
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
    return backend.for_dtype(native), native, backend.native_device(where)


def shape_from(size: Sequence[Any]) -> tuple[int, ...]:
    """``zeros(2, 3)`` and ``zeros((2, 3))`` are the same."""
    if len(size) == 1 and not isinstance(size[0], int) and hasattr(size[0], "__iter__"):
        size = tuple(size[0])
    shape = lengths(size)
    for n in shape:
        if n < 0:
            raise ValueError(f"a shape has no negative lengths, got {shape}")
    return shape


def move(array: Any, dtype: DType | None, device: str | None) -> Any:
    """`array` with another dtype, on another device; itself where it is there already."""
    backend = kernels(array)
    return transfer(array, backend, dtype, None if device is None else parse_device(device), copy=False)


def accepted(array: Any, called: str, *, reorder: bool = False) -> Any:
    """An array of somebody's, if a Tensor can be of its memory: without a subclass of NumPy's, such as a matrix.

    Raises
    ------
    TypeError
        If its elements are no dtype here: objects, strings, dates.
    ValueError
        If their bytes are in the other order, unless `reorder`: then it is a copy in this machine's.
    """
    backend = kernels(array)
    try:
        dtype_of(backend, array.dtype)
    except KeyError:
        raise TypeError(
            f"{called}: an array of {array.dtype} cannot be a Tensor; make it one of numbers first, as with "
            "array.astype('float32')"
        ) from None
    if isinstance(array, np.ndarray):
        if type(array) not in backend.array_types:
            array = np.asarray(array)
        if not array.dtype.isnative:
            if not reorder:
                raise ValueError(
                    f"{called}: the array's bytes are in the other order than this machine's, so its memory cannot be "
                    "shared; use tensor(array), which copies"
                )
            array = array.astype(array.dtype.newbyteorder("="))
    return backend.adopt(array)


def transfer(array: Any, backend: Backend, dtype: DType | None, device: Device | None, *, copy: bool) -> Any:
    """An array of `backend` with another dtype, on another device; ``copy``: never itself."""
    at = backend.device_of(array)
    array = backend.adopt(array)
    if device is not None and device != at:
        target = get_backend(device)
        name = backend.dtype_name(array.dtype) if dtype is None else dtype.name
        host = backend.to_host(array)
        if dtype is not None and host.dtype.kind == "c" and dtype.kind not in ("complex", "bool"):
            host = host.real
        return target.asarray(host, target.dtype(name), device)
    native = array.dtype if dtype is None else native_dtype(backend, dtype)
    if native != array.dtype:
        return backend.cast(array, native)
    return backend.xp.asarray(array, copy=True) if copy else array


def array_for(data: Any, size: tuple[int, ...]) -> Any:
    """What ``Tensor(data, *size)`` means: an array of nested lists or a number, or of a shape if all are ints."""
    if type(data) is not int and not size:
        return array_from(data, get_default_dtype(), None)
    sizes = (data, *size)
    for n in sizes:
        if type(n) is not int or n < 0:
            raise TypeError(f"Tensor: expected lists, an array or the ints of a shape, got {n!r}; use tensor(...)")
    backend, native, where = place(None, None)
    return backend.xp.empty(sizes, dtype=native, device=where)


def array_from(data: Any, dtype: Any, device: str | None) -> Any:
    """A new array of nested lists of numbers.

    Raises
    ------
    TypeError
        If there is something else than numbers among them, or complex ones and the dtype is real.
    ValueError
        If they are of unequal lengths.
    OverflowError
        If an integer is too large for the dtype; a negative one in an unsigned dtype wraps, as in PyTorch.
    """
    host = _host_array(data)
    backend, native, _ = place(device, dtype_of_data(host) if dtype is None else dtype)
    if host.dtype.kind == "c" and not backend.xp.isdtype(native, ("complex floating", "bool")):
        raise TypeError(f"tensor: complex numbers do not fit into {native}; give their .real parts")
    if host.size and host.dtype.kind in "iu" and backend.xp.isdtype(native, "integral"):
        limits, least, largest = backend.xp.iinfo(native), int(host.min()), int(host.max())
        if largest > limits.max or least < min(limits.min, -limits.max - 1):
            raise OverflowError(f"tensor: integers from {least} to {largest} do not fit into {native}")
    return backend.asarray(host, native, _default_device if device is None else parse_device(device))


def _host_array(data: Any) -> Any:
    try:
        host = np.array(_plain(data))
    except ValueError:
        raise ValueError(
            f"tensor: nested lists must be of equal lengths at each depth, and here {_uneven(data)}"
        ) from None
    if host.dtype.kind not in "biufc":
        raise TypeError(f"tensor: expected numbers, got {_first_odd(data)}")
    return host


def _uneven(data: Any) -> str:
    """Which of nested lists differ in length."""
    level = [("", data)]
    while level:
        sizes = {place: len(one) if isinstance(one, (list, tuple)) else None for place, one in level}
        if len(set(sizes.values())) > 1:
            (first, n), (other, m) = next((a, b) for a in sizes.items() for b in sizes.items() if a[1] != b[1])
            told = ["a number" if size is None else f"a list of {size}" for size in (n, m)]
            return f"data{first} is {told[0]} and data{other} {told[1]}"
        level = [
            (f"{place}[{i}]", x) for place, one in level if isinstance(one, (list, tuple)) for i, x in enumerate(one)
        ]
    return "they are not"


def _plain(data: Any) -> Any:
    """Nested lists of numbers, with what is a Tensor or an array among them made one too."""
    if isinstance(data, (list, tuple)):
        return (
            [_plain(x) for x in data]
            if any(isinstance(x, (list, tuple)) or hasattr(x, "tolist") for x in data)
            else data
        )
    return data.tolist() if hasattr(data, "tolist") else data


def _first_odd(data: Any) -> str:
    while isinstance(data, (list, tuple)) and data:
        data = next((x for x in data if not isinstance(x, (int, float, complex))), data[0])
    return f"{data!r} of type {type(data).__name__}"


def dtype_of_data(host: Any) -> DType:
    """What Python numbers become: NumPy says float64 and its own scalars keep their dtype; floats here the default."""
    kind = host.dtype.kind
    if kind == "f":
        return get_default_dtype()
    if kind == "c":
        return default_complex()
    return bool_ if kind == "b" else int64
