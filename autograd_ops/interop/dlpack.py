"""DLPack, by which array libraries share memory: Tensors from others' arrays, and theirs from Tensors.

The protocol: https://dmlc.github.io/dlpack/latest/python_spec.html
"""

from __future__ import annotations

from typing import Any

from autograd_backends import get_backend, is_array, kernels, parse_device
from autograd_backends.dlpack import device_of_dlpack

from ..arrays import accepted, move
from ..dtypes import dtype_of
from ..refusals import named
from ..tensor import Tensor

__all__ = ["__dlpack__", "__dlpack_device__", "from_dlpack", "to_dlpack"]


def from_dlpack(x: Any, *, device: str | None = None, copy: bool | None = None) -> Tensor:
    """A Tensor of the memory of another library's array.

    Parameters
    ----------
    x
        An array or tensor with ``__dlpack__``: NumPy's, PyTorch's, CuPy's, JAX's, ...; or a capsule of the CPU's.
    device
        Where the Tensor is; by default where `x` is.
    copy
        None: only where it must be; True: always; False: never.

    Raises
    ------
    TypeError
        If `x` does not offer DLPack, or holds elements that are no dtype here.
    BufferError
        If its owner does not give it: a tensor that requires grad, say.
    ValueError
        If `copy` is False and there must be one.
    DeviceError
        If no backend here reaches the device that it is on.

    Examples
    --------
    >>> import autograd_ops as ag, numpy as np
    >>> a = np.zeros(2)
    >>> x = ag.from_dlpack(a)
    >>> a[0] = 1
    >>> x
    tensor([1., 0.], dtype=autograd_ops.float64)
    """
    wanted = None if device is None else parse_device(device)
    if isinstance(x, Tensor):
        _refuse_on_tape(x)
        x = x.array
    if is_array(x):
        array = accepted(x, "from_dlpack")
    elif type(x).__name__ == "PyCapsule":
        array = _given("from_dlpack", lambda: get_backend("cpu").from_dlpack(_Bare(x)))
    elif not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise TypeError(
            f"from_dlpack: a {type(x).__name__} does not offer DLPack; use tensor(...) for lists and numbers"
        )
    else:
        backend = get_backend(device_of_dlpack(*x.__dlpack_device__()))
        array = _given("from_dlpack", lambda: backend.from_dlpack(x))
        try:
            dtype_of(backend, array.dtype)
        except KeyError:
            raise TypeError(f"from_dlpack: there is no dtype {array.dtype} here") from None
    moved = move(array, None, wanted)
    if copy is False and moved is not array:
        raise ValueError(f"from_dlpack: device {str(wanted)!r} cannot be reached without a copy; leave copy out")
    return Tensor(kernels(moved).xp.asarray(moved, copy=True) if copy and moved is array else moved)


class _Bare:
    """A capsule that came without the array that gave it. It is taken for one of the CPU; NumPy refuses others."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of the memory of `tensor`, for functions that take one; it can be used once.

    Raises
    ------
    BufferError
        If it requires grad, or its array library does not give its memory.
    """
    # Of version 1, which says that the memory may be written to.
    return __dlpack__(tensor, max_version=(1, 0))


def __dlpack__(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule of its memory: what ``from_dlpack`` of any library asks for.

    Raises
    ------
    BufferError
        If it requires grad, so that a change to its memory would go unseen, or its array library does not give it.
    """
    _refuse_on_tape(self)
    backend = kernels(self.array)
    return _given("__dlpack__", lambda: backend.to_dlpack(self.array, stream, max_version, dl_device, copy))


def __dlpack_device__(self: Tensor) -> tuple[int, int]:
    """DLPack's number of the kind of device that it is on, and which of them."""
    return kernels(self.array).dlpack_device(self.array)


def _refuse_on_tape(tensor: Tensor) -> None:
    if tensor.requires_grad:
        raise BufferError(
            "DLPack: this tensor requires grad, and a change through DLPack would go unseen; use detach()"
        )


def _given(called: str, give: Any) -> Any:
    """What the owner of some memory gives, or its refusal as a BufferError that says who was asked."""
    try:
        return give()
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise BufferError(f"{called}: the array's library does not share it: {error}") from error


named(__name__)
