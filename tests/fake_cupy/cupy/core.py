"""ndarray: NumPy's elements behind CuPy's face."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import watch
from .cuda.device import Device, current_id

__all__ = ["PerformanceWarning", "add_at", "calling", "host_of", "ndarray", "ufunc", "viewing", "wrapped"]


class PerformanceWarning(RuntimeWarning):
    """An operand was read from another device."""


class ndarray:
    """An array on a device. Its elements are in `host`, which only this package looks at."""

    __slots__ = ("device", "host")

    def __init__(self, host: np.ndarray, device: Device | None = None) -> None:
        self.host = host
        self.device = Device() if device is None else device

    # ---------------------------------------------------------------- what it is, which the host knows

    shape = property(lambda self: self.host.shape)
    dtype = property(lambda self: self.host.dtype)
    ndim = property(lambda self: self.host.ndim)
    size = property(lambda self: self.host.size)
    nbytes = property(lambda self: self.host.nbytes)
    itemsize = property(lambda self: self.host.itemsize)
    strides = property(lambda self: self.host.strides)
    flags = property(lambda self: self.host.flags)
    T = property(lambda self: ndarray(self.host.T, self.device))
    real = property(lambda self: ndarray(self.host.real, self.device))
    imag = property(lambda self: ndarray(self.host.imag, self.device))

    @property
    def data(self) -> Any:
        """A pointer; `mem` is one object for all views of an allocation."""
        root = self.host
        while isinstance(root.base, np.ndarray):
            root = root.base
        return SimpleNamespace(mem=root, ptr=self.host.__array_interface__["data"][0])

    def __len__(self) -> int:
        return len(self.host)

    # ---------------------------------------------------------------- to the host: each waits

    def _wait(self, by: str) -> np.ndarray:
        watch.wait(by)
        return self.host

    def get(
        self, stream: None = None, order: str = "C", out: np.ndarray | None = None, blocking: bool = True
    ) -> np.ndarray:
        target = np.empty_like(self.host) if out is None else out
        if blocking:
            self._wait("get")
            target[...] = self.host
        else:
            source = self.host.copy()
            watch.later.append(lambda: np.copyto(target, source))
        return target

    def item(self) -> Any:
        return self._wait("item").item()

    def tolist(self) -> Any:
        return self._wait("tolist").tolist()

    def __float__(self) -> float:
        return float(self._wait("float"))

    def __int__(self) -> int:
        return int(self._wait("int"))

    def __complex__(self) -> complex:
        return complex(self._wait("complex"))

    def __bool__(self) -> bool:
        return bool(self._wait("bool"))

    def __index__(self) -> int:
        return operator.index(self._wait("index"))

    def __repr__(self) -> str:
        return repr(self._wait("repr"))

    def __str__(self) -> str:
        return str(self._wait("str"))

    def __format__(self, spec: str) -> str:
        return format(self._wait("format"), spec)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    # ---------------------------------------------------------------- copies and views

    def astype(
        self, dtype: Any, order: str = "K", casting: Any = None, subok: Any = None, copy: bool = True
    ) -> ndarray:
        if not copy and self.dtype == np.dtype(dtype):
            return self
        with np.errstate(invalid="ignore", over="ignore"):
            return ndarray(np.array(host_of("astype", self), dtype=dtype, order=order))  # type: ignore[call-overload]

    def copy(self, order: str = "C") -> ndarray:
        return ndarray(self.host.copy(order), None)  # type: ignore[arg-type]

    def view(self) -> ndarray:
        return ndarray(self.host.view(), self.device)

    def fill(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        self.host.fill(value.host if isinstance(value, ndarray) else noted("fill", value))

    # ---------------------------------------------------------------- indexing

    def __iter__(self) -> Any:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> ndarray:
        key, kind = host_key(self.host, key)
        if kind == "mask":
            watch.wait("x[mask]")
        return ndarray(np.asarray(self.host[key]), self.device if kind == "basic" else None)

    def __setitem__(self, key: Any, value: Any) -> None:
        key, kind = host_key(self.host, key)
        if kind == "mask":
            watch.wait("x[mask] = y")
        if kind == "basic" and isinstance(value, (list, tuple, np.ndarray)):
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")  # as ndarray.fill says
        value = host_of("setitem", value)
        with np.errstate(invalid="ignore", over="ignore"):
            self.host[key] = value
            if kind == "indices":
                poison(self.host, key, value)


def poison(host: np.ndarray, key: Any, value: Any) -> None:
    """Spoil what `key` names more than once with values that differ: CuPy may have stored any of them."""
    stored = host[key]
    given = np.broadcast_to(np.asarray(value).astype(host.dtype), stored.shape)
    lost = ~((stored == given) | ((stored != stored) & (given != given)))
    spoilt = np.zeros(host.shape, bool)
    np.logical_or.at(spoilt, key, lost)
    if host.dtype.kind in "fc":
        host[spoilt] = np.nan
    elif host.dtype.kind in "iu":
        host[spoilt] = np.iinfo(host.dtype).min if host.dtype.kind == "i" else np.iinfo(host.dtype).max
    else:
        host[spoilt] = ~host[spoilt]


def host_key(host: np.ndarray, key: Any) -> tuple[Any, str]:
    """The key for NumPy, with wrapped indices, and what it is: ``"basic"``, ``"indices"`` or ``"mask"``."""
    parts = list(key) if isinstance(key, tuple) else [key]
    parts = [np.asarray(part) if isinstance(part, list) else host_of("index", part) for part in parts]
    taken = sum(p.ndim if is_mask(p) else 1 for p in parts if p is not None and p is not ...)
    kind, axis = "basic", 0
    for i, part in enumerate(parts):
        if part is ...:
            axis += host.ndim - taken
        elif is_mask(part):
            kind, axis = "mask", axis + part.ndim
        elif part is not None:
            if isinstance(part, np.ndarray):
                kind = "indices" if kind == "basic" else kind
                parts[i] = wrapped(part, host.shape[axis])
            axis += 1
    return tuple(parts), kind


def is_mask(part: Any) -> bool:
    """Whether a part of a key is an array of bools."""
    return isinstance(part, np.ndarray) and part.dtype == bool


def wrapped(indices: np.ndarray, size: int) -> np.ndarray:
    """Indices out of range counted round and round."""
    return indices % size if size else indices


# ---------------------------------------------------------------- calling NumPy


def noted(by: str, value: Any) -> Any:
    """`value`, with a line in the list of leaks if it is a NumPy scalar."""
    if isinstance(value, np.generic):
        watch.leaks.append(f"{by}: {type(value).__name__}")
    return value


def host_of(by: str, value: Any) -> Any:
    """What NumPy is to be given for an operand of `by`; from another device only with a warning.

    Raises
    ------
    TypeError
        Of NumPy's arrays, as CuPy's functions raise it.
    """
    if isinstance(value, ndarray):
        if value.device.id != current_id():
            warnings.warn(
                f"The device where the array resides ({value.device.id}) is different from the current device "
                f"({current_id()}). Peer access has been activated automatically.",
                PerformanceWarning,
                stacklevel=3,
            )
        return value.host
    if isinstance(value, np.ndarray):
        watch.leaks.append(f"{by}: numpy.ndarray")
        raise TypeError(f"Unsupported type {type(value)}")
    return noted(by, value)


def wrap(result: Any) -> Any:
    """What NumPy gave, as CuPy gives it: arrays on the current device, 0-d ones for scalars."""
    if isinstance(result, (np.ndarray, np.generic)):
        return ndarray(np.asarray(result))
    if isinstance(result, (tuple, list)):
        parts = [wrap(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def calling(name: str, function: Callable[..., Any], lists: bool = False) -> Callable[..., Any]:
    """`function` of NumPy on arrays of this package; lists of arrays only where it takes `lists`."""

    def host(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            if not lists and any(isinstance(v, (ndarray, np.ndarray)) for v in value):
                raise TypeError(f"Unsupported type {type(value)}")
            return type(value)(map(host, value))
        return host_of(name, value)

    def call(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        # The GPU says nothing of overflows and the like.
        with np.errstate(all="ignore"):
            result = function(*map(host, args), **{key: host(value) for key, value in kwargs.items()})
        return out if out is not None else wrap(result)

    call.__name__ = call.__qualname__ = name
    return call


def viewing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of NumPy whose result may be a view of its first argument, or looks at its shape alone."""
    copying = calling(name, function)

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(x, ndarray):
            result = function(x.host, *args, **kwargs)
            if name.endswith("_like"):
                return wrap(result)
            if np.may_share_memory(result, x.host):
                return ndarray(result, x.device)
        return copying(x, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def ufunc(name: str) -> Callable[..., Any]:
    """A ufunc: its operands are arrays and scalars, so no list is one."""
    function = calling(name, getattr(np, name))

    def call(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if not isinstance(arg, (ndarray, np.ndarray, np.generic, bool, int, float, complex)):
                raise TypeError(f"Unsupported type {type(arg)}")
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def add_at(array: ndarray, indices: Any, values: Any = None) -> None:
    """``x[indices] += values``, where repeats add up; of dtypes that CUDA adds atomically."""
    if array.dtype.name not in ("int32", "int64", "float16", "float32", "float64", "uint32", "uint64"):
        raise TypeError(
            "cupy.add.at only supports int32, int64, float16, float32, float64, uint32, uint64 as data type"
        )
    key, _ = host_key(array.host, indices)
    np.add.at(array.host, key, np.asarray(host_of("add.at", values)).astype(array.dtype))


# ---------------------------------------------------------------- operators

BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
COMPARISONS = ("less", "less_equal", "equal", "not_equal", "greater", "greater_equal")


def gives_way(other: Any) -> bool:
    """Whether the other operand's reflected operator is to be asked: it says so by ``__array_ufunc__ = None``."""
    return getattr(other, "__array_ufunc__", ...) is None


def _define_operators() -> None:
    for name, of_numpy in BINARY.items():
        function = ufunc(of_numpy)

        def forward(self: ndarray, other: Any, function: Any = function) -> Any:
            return NotImplemented if gives_way(other) else function(self, other)

        def reflected(self: ndarray, other: Any, function: Any = function) -> Any:
            return NotImplemented if gives_way(other) else function(other, self)

        def in_place(self: ndarray, other: Any, function: Any = function) -> Any:
            return function(self, other, out=self)

        setattr(ndarray, f"__{name}__", forward)
        setattr(ndarray, f"__r{name}__", reflected)
        setattr(ndarray, f"__i{name}__", in_place)
    for name, short in zip(COMPARISONS, ("lt", "le", "eq", "ne", "gt", "ge"), strict=True):
        function = ufunc(name)

        def compare(self: ndarray, other: Any, function: Any = function) -> Any:
            return NotImplemented if gives_way(other) else function(self, other)

        setattr(ndarray, f"__{short}__", compare)
    for name, of_numpy in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
        setattr(ndarray, f"__{name}__", ufunc(of_numpy))
    ndarray.__hash__ = None  # type: ignore[assignment]
    for name in (
        *("sum", "prod", "mean", "var", "std", "max", "min", "argmax", "argmin", "all", "any", "cumsum", "cumprod"),
        *("repeat", "trace"),
    ):
        setattr(ndarray, name, calling(name, getattr(np, name)))
    for name in ("ravel", "squeeze", "swapaxes", "diagonal"):
        setattr(ndarray, name, viewing(name, getattr(np, name)))

    def reshape(self: ndarray, *shape: Any, order: str = "C") -> ndarray:
        return viewing("reshape", np.reshape)(self, shape[0] if isinstance(shape[0], tuple) else shape, order=order)

    ndarray.reshape = reshape  # type: ignore[attr-defined]

    def transpose(self: ndarray, *axes: Any) -> ndarray:
        return ndarray(self.host.transpose(*axes), self.device)

    ndarray.transpose = transpose  # type: ignore[attr-defined]


_define_operators()
