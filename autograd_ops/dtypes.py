"""Dtypes: one object each, whatever the backend, and the default one."""

from __future__ import annotations

from functools import cache
from typing import Any

from autograd_backends import Backend
from autograd_backends.suggest import did_you_mean

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool_",
    "complex64",
    "complex128",
    "default_complex",
    "dtype_of",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "int8",
    "int16",
    "int32",
    "int64",
    "native_dtype",
    "set_default_dtype",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class DType:
    """The type of a Tensor's elements: ``autograd_ops.float32`` and its like. There is one object of each.

    Attributes
    ----------
    name
        Its name, the array API's: ``"float32"``.
    kind
        ``"bool"``, ``"int"``, ``"uint"``, ``"float"`` or ``"complex"``.
    itemsize
        Bytes an element.
    """

    __slots__ = ("itemsize", "kind", "name")

    def __init__(self, name: str, kind: str, itemsize: int) -> None:
        self.name = name
        self.kind = kind
        self.itemsize = itemsize

    @property
    def is_floating_point(self) -> bool:
        """Whether it is of real numbers that are no integers."""
        return self.kind == "float"

    @property
    def is_complex(self) -> bool:
        """Whether it is of complex numbers."""
        return self.kind == "complex"

    def to_complex(self) -> DType:
        """The complex dtype of numbers of this float dtype; of half precision complex64."""
        return _BY_NAME["complex128" if self.name in ("float64", "complex128") else "complex64"]

    def to_real(self) -> DType:
        """The dtype of the parts of this complex dtype; of another dtype itself."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def __repr__(self) -> str:
        return f"autograd_ops.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __eq__(self, other: object) -> bool:
        return self is other or (other is not None and self is _find(other))

    def __hash__(self) -> int:
        return hash(self.name)


float16 = DType("float16", "float", 2)
bfloat16 = DType("bfloat16", "float", 2)
float32 = DType("float32", "float", 4)
float64 = DType("float64", "float", 8)
complex64 = DType("complex64", "complex", 8)
complex128 = DType("complex128", "complex", 16)
int8 = DType("int8", "int", 1)
int16 = DType("int16", "int", 2)
int32 = DType("int32", "int", 4)
int64 = DType("int64", "int", 8)
uint8 = DType("uint8", "uint", 1)
uint16 = DType("uint16", "uint", 2)
uint32 = DType("uint32", "uint", 4)
uint64 = DType("uint64", "uint", 8)
bool_ = DType("bool", "bool", 1)

_BY_NAME = {
    dtype.name: dtype
    for dtype in (
        *(float16, bfloat16, float32, float64, complex64, complex128),
        *(int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool_),
    )
}
_BY_PYTHON_TYPE: dict[object, DType] = {float: float32, int: int64, bool: bool_, complex: complex64}

_default = float32


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype of floats whose dtype nobody gave: ``float32`` at first.

    Raises
    ------
    TypeError
        If `dtype` is not a float dtype.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.set_default_dtype(ag.float64)
    >>> ag.tensor(1.0).dtype
    autograd_ops.float64
    >>> ag.set_default_dtype(ag.float32)
    """
    global _default
    dtype = as_dtype(dtype)
    if not dtype.is_floating_point:
        raise TypeError(f"the default dtype must be a float dtype, not {dtype.name}")
    _default = dtype


def get_default_dtype() -> DType:
    """The dtype of floats whose dtype nobody gave."""
    return _default


def default_complex() -> DType:
    """The dtype of complex numbers whose dtype nobody gave: two of the default float dtype."""
    return complex128 if _default is float64 else complex64


def as_dtype(dtype: Any) -> DType:
    """The DType that a name, a Python type, a NumPy dtype or another library's dtype means.

    Raises
    ------
    TypeError
        If it means none.

    Examples
    --------
    >>> as_dtype("float64"), as_dtype(int)
    (autograd_ops.float64, autograd_ops.int64)
    """
    found = _find(dtype)
    if found is None:
        given = repr(dtype) if isinstance(dtype, (str, type)) else f"a {type(dtype).__name__}"
        raise TypeError(f"not a dtype: {given}; the dtypes are {', '.join(_BY_NAME)}{did_you_mean(dtype, _BY_NAME)}")
    return _default if dtype is float else default_complex() if dtype is complex else found


def _find(dtype: Any) -> DType | None:
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, type):
        return _BY_PYTHON_TYPE.get(dtype) or _BY_NAME.get(dtype.__name__.rstrip("_"))
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or str(dtype)
    return _BY_NAME.get(name.rpartition(".")[2])


@cache
def native_dtype(backend: Backend, dtype: DType) -> Any:
    """What `backend` calls `dtype`.

    Raises
    ------
    TypeError
        If it has none.
    """
    return backend.dtype(dtype.name)


@cache
def dtype_of(backend: Backend, native: Any) -> DType:
    """The DType of a backend's own dtype."""
    return _BY_NAME[backend.dtype_name(native)]
