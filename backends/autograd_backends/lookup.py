"""Which backend: by device string, and by the type of an array.

Every op asks ``namespace(x)`` or ``kernels(x)`` first, so both are one dictionary look-up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .array_types import Array, Namespace
from .device import Device, DeviceError
from .suggest import did_you_mean

if TYPE_CHECKING:
    from .base import Backend

__all__ = [
    "device_of",
    "dtype_name",
    "get_backend",
    "is_array",
    "kernels",
    "loaded_backends",
    "namespace",
    "parse_device",
    "register",
    "scalar_to_array",
]

ENTRY_POINTS = "autograd_ops.backends"

#: Device word -> where its Backend class is. Loaded when the word, or an array of the library, is first seen.
BUILT_IN = {
    "cpu": "autograd_backends.numpy_backend:NumpyBackend",
    "cuda": "autograd_backends.cupy_backend:CupyBackend",
    "strict": "autograd_backends.strict_backend:StrictBackend",
}
WORD_OF_LIBRARY = {"numpy": "cpu", "cupy": "cuda", "array_api_strict": "strict"}

_loaded: dict[str, Backend] = {}

#: Called with each backend when it has been loaded.
on_load: list[Callable[[Backend], None]] = []


class _ByType(dict[type, Any]):
    """Type of an array -> what its backend offers. A type seen for the first time finds its backend."""

    def __init__(self, pick: str | None) -> None:
        super().__init__()
        self._pick = pick

    def __missing__(self, cls: type) -> Any:
        backend = _backend_of_type(cls)
        self[cls] = value = backend if self._pick is None else getattr(backend, self._pick)
        return value


_kernels = _ByType(None)
_namespaces = _ByType("xp")

#: NumPy's reductions and operators give scalars where an array is meant; type of scalar -> how to make it one.
scalar_to_array: dict[type, Any] = {}

#: Type of an array -> the float and complex dtypes of its library. A set for each: dtypes of two do not compare.
floating_dtypes = _ByType("floating_dtypes")

#: Type of an array -> the complex dtypes of its library.
complex_dtypes = _ByType("complex_dtypes")


def namespace(array: Array) -> Namespace:
    """The array API namespace for `array`, fast on small arrays.

    Raises
    ------
    TypeError
        If `array` is no array of a known library: a list, say.
    """
    return _namespaces[type(array)]


def kernels(array: Array) -> Backend:
    """The backend of `array`: its module ops and primitives."""
    return _kernels[type(array)]


def device_of(array: Array) -> Device:
    """The device that `array` is on."""
    return _kernels[type(array)].device_of(array)


def dtype_name(array: Array) -> str:
    """What the dtype of `array` is called, on every backend alike: ``"float32"``."""
    return _kernels[type(array)].dtype_name(array.dtype)


def is_array(value: object) -> bool:
    """Whether `value` is an array of a backend that is loaded or can be."""
    cls = type(value)
    if cls in _kernels:
        return True
    try:
        return _kernels[cls] is not None
    except TypeError:
        return False


def get_backend(device: str) -> Backend:
    """The backend that a device string names, loaded on first use.

    Raises
    ------
    DeviceError
        If no backend has that name, or its library is not installed.

    Examples
    --------
    >>> get_backend("cpu").name
    'cpu'
    """
    word = str(device).partition(":")[0]
    backend = _loaded.get(word)
    return backend if backend is not None else _load(word)


def loaded_backends() -> list[Backend]:
    """The backends that have been used so far."""
    return list(_loaded.values())


def parse_device(device: str) -> Device:
    """The full form of a device string, after a check that the device exists.

    Raises
    ------
    DeviceError
        Naming the package to install, or the devices there are.

    Examples
    --------
    >>> parse_device("cpu:0")
    device('cpu')
    """
    if not isinstance(device, str):
        raise TypeError(f"a device is a string such as 'cpu' or 'cuda:0', not {type(device).__name__}")
    word, colon, index = device.partition(":")
    if colon and not index:
        raise DeviceError(f"device {device!r} ends in a colon; write {word!r} or give an index")
    return get_backend(word).parse_index(index)


def _load(word: str) -> Backend:
    # Imported here: most programs never look beyond the built-in three, and it takes longer than NumPy's core.
    if word in BUILT_IN:
        module, _, name = BUILT_IN[word].partition(":")
        cls = getattr(import_module(module), name)
    else:
        from importlib.metadata import entry_points

        found = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
        if word not in found:
            names = [*BUILT_IN, *sorted(found)]
            # What a GPU is called elsewhere is near to no name here.
            hint = "; did you mean 'cuda'?" if word.lower() == "gpu" else did_you_mean(word, names)
            raise DeviceError(
                f"unknown device {word!r}: the devices known here are {', '.join(map(repr, names))}{hint}"
            )
        cls = found[word].load()
    _loaded[word] = backend = cls()
    register(backend)
    return backend


def register(backend: Backend) -> None:
    """Let arrays and scalars of the types of `backend` find it."""
    for array_type in backend.array_types:
        _kernels[array_type] = backend
        _namespaces[array_type] = backend.xp
        floating_dtypes[array_type] = backend.floating_dtypes
    for scalar_type in backend.scalar_types:
        _kernels[scalar_type] = backend
        _namespaces[scalar_type] = backend.xp
        floating_dtypes[scalar_type] = backend.floating_dtypes
        scalar_to_array[scalar_type] = backend.scalar_to_array
    for listener in on_load:
        listener(backend)


def _backend_of_type(cls: type) -> Backend:
    for base in cls.__mro__:
        if base in _kernels:
            return dict.__getitem__(_kernels, base)
    library = cls.__module__.partition(".")[0]
    word = WORD_OF_LIBRARY.get(library)
    if word is not None and word not in _loaded and library in sys.modules:
        _load(word)
        return _backend_of_type(cls)
    raise TypeError(f"expected a Tensor or an array, got {cls.__name__}")
