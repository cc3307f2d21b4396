"""Creation functions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from autograd_backends import is_array

from .. import creation, functions, ops
from ..arrays import dtype_of_data, place
from ..dtypes import default_complex
from ..interop import dlpack
from ..tensor import Tensor

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

Shape = int | tuple[int, ...]


def _tuple(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def asarray(obj: Any, /, *, dtype: Any = None, device: str | None = None, copy: bool | None = None) -> Tensor:
    """`obj` as a Tensor: a Tensor, an array, a number or nested sequences of them.

    Parameters
    ----------
    dtype, device
        By default those of an array; of Python floats the default dtype, of ints int64.
    copy
        True for memory of its own, False for that of `obj`, None for that where it can be.

    Raises
    ------
    ValueError
        If `copy` is False and a copy is needed.

    Examples
    --------
    >>> import autograd_ops.array_api as xp
    >>> xp.asarray([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if _holds_gradients(obj):
        made = ops.stack([asarray(item, dtype=dtype, device=device) for item in obj], 0)
    elif isinstance(obj, Tensor) or is_array(obj):
        made = creation.as_tensor(obj, dtype, device)
        source = obj if not isinstance(obj, Tensor) else obj.array
        if made is obj or made.array is source:
            return ops.clone(made) if copy else made
    else:
        made = creation.tensor(obj, dtype=dtype, device=device)
    if copy is False:
        raise ValueError("asarray: this needs a copy, which copy=False forbids")
    return made


def _holds_gradients(obj: Any) -> bool:
    """Whether `obj` is a sequence with a Tensor on the tape somewhere in it."""
    return isinstance(obj, (list, tuple)) and any(
        item.requires_grad if isinstance(item, Tensor) else _holds_gradients(item) for item in obj
    )


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Tensor:
    """A Tensor of the memory of another library's array.

    Raises
    ------
    BufferError
        If its owner does not give it: a Tensor that requires grad, say.
    ValueError
        If `copy` is False and a copy is needed.
    """
    return dlpack.from_dlpack(x, device=device, copy=copy)


# ---------------------------------------------------------------- constants


def zeros(shape: Shape, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Zeros of a shape."""
    return creation.zeros(_tuple(shape), dtype=dtype, device=device)


def ones(shape: Shape, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Ones of a shape."""
    return creation.ones(_tuple(shape), dtype=dtype, device=device)


def empty(shape: Shape, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """An array of a shape whose elements may be anything."""
    return creation.empty(_tuple(shape), dtype=dtype, device=device)


def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """An array of a shape whose elements are all `fill_value`, and whose dtype is its by default."""
    if isinstance(fill_value, Tensor):
        value = asarray(fill_value, dtype=dtype, device=device)
        return ops.clone(ops.broadcast_to(value, _tuple(shape)))
    return creation.full(_tuple(shape), fill_value, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Zeros of the shape, dtype and device of x."""
    return creation.zeros_like(x, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Ones of the shape, dtype and device of x."""
    return creation.ones_like(x, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """An array of the shape, dtype and device of x whose elements may be anything."""
    return creation.empty_like(x, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """An array of the shape, dtype and device of x whose elements are all `fill_value`."""
    return full(
        tuple(x.shape),
        fill_value,
        dtype=x.dtype if dtype is None else dtype,
        device=x.device if device is None else device,
    )


# ---------------------------------------------------------------- progressions


def _dtype_of(*numbers: Any) -> Any:
    """What Python numbers become beside each other."""
    return dtype_of_data(np.asarray(sum(numbers)))


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: str | None = None,
) -> Tensor:
    """Numbers from `start` in steps of `step`, up to but without `stop`; ``arange(n)`` starts from 0.

    Raises
    ------
    ValueError
        If `step` is 0.
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: no steps of 0 lead anywhere")
    backend, native, where = place(device, _dtype_of(start, stop, step) if dtype is None else dtype)
    if (stop - start) * step <= 0:
        return Tensor(backend.xp.empty((0,), dtype=native, device=where))
    return Tensor(backend.xp.arange(start, stop, step, dtype=native, device=where))


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: str | None = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` numbers from `start` to `stop`, evenly spaced; `stop` is the last of them if `endpoint`."""
    if dtype is None and (isinstance(start, complex) or isinstance(stop, complex)):
        dtype = default_complex()
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.linspace(start, stop, num, dtype=native, device=where, endpoint=endpoint))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: str | None = None,
) -> Tensor:
    """A matrix with ones on its `k`-th diagonal, counted upwards; square by default."""
    backend, native, where = place(device, dtype)
    return Tensor(backend.xp.eye(n_rows, n_cols, k=k, dtype=native, device=where))


# ---------------------------------------------------------------- from arrays


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """For vectors of lengths n, m, ...: an array [n, m, ...] for each that repeats it along the other axes.

    ``indexing="xy"``, the default, exchanges the first two axes.
    """
    return functions.meshgrid(*arrays, indexing=indexing)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """With zeros above the `k`-th diagonal of the last two axes."""
    return ops.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """With zeros below the `k`-th diagonal of the last two axes."""
    return ops.triu(x, k)
