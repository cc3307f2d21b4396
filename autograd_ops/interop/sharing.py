"""Tensors of memory that somebody else made, shared where it can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_backends import is_array, parse_device

from ..arrays import accepted
from ..creation import as_tensor, tensor
from ..dtypes import as_dtype, get_default_dtype
from ..refusals import named
from ..tensor import Tensor
from .dlpack import from_dlpack

__all__ = ["asarray", "frombuffer"]


def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: str | None = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A Tensor of `obj`, of its memory where that can be.

    Parameters
    ----------
    obj
        A Tensor, an array, what offers DLPack or Python's buffer protocol, a number, or nested lists of them.
    dtype
        By default that of an array; of Python floats the default dtype, of ints int64, of bools bool; of a buffer the
        default dtype.
    device
        By default that of a Tensor or array, else the default device.
    copy
        None: only where it must be; True: always; False: never.
    requires_grad
        Whether the result is a leaf that keeps its gradient. False takes a Tensor that is on the tape as it is, if
        nothing is to be changed about it.

    Raises
    ------
    ValueError
        If `copy` is False and there must be one.
    TypeError
        If `obj` holds something else than numbers.

    Examples
    --------
    >>> import autograd_ops as ag, numpy as np
    >>> a = np.zeros(2)
    >>> ag.asarray(a)[0] = 1
    >>> a
    array([1., 0.])
    """
    shared = _shared(obj, dtype)
    if shared is None:
        if copy is False:
            raise ValueError(f"asarray: a {type(obj).__name__} has no memory that a Tensor could share; leave copy out")
        return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    result = as_tensor(shared, dtype, device)
    if copy is False and result is not shared and result.array is not shared.array:
        raise ValueError("asarray: another dtype or device cannot be had without a copy; leave copy out")
    if copy and result.array is shared.array:
        result = result.clone()
    return result.detach().requires_grad_() if requires_grad else result


def _shared(obj: Any, dtype: Any) -> Tensor | None:
    """A Tensor of the memory of `obj`, as it is, if it has any that can be shared."""
    if isinstance(obj, Tensor):
        return obj
    if is_array(obj) and not isinstance(obj, np.generic):
        return Tensor(accepted(obj, "asarray"))
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    if isinstance(obj, (bytes, bytearray, memoryview)):
        return frombuffer(obj, dtype=get_default_dtype() if dtype is None else dtype)
    return None


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A Tensor with one dimension of the memory of an object that offers Python's buffer protocol.

    Parameters
    ----------
    buffer
        Bytes, a bytearray, a memoryview, an ``array.array``, ... What cannot be changed makes a Tensor that cannot be
        changed in place.
    dtype
        What its bytes are.
    count
        How many elements; -1: all that there are.
    offset
        How many bytes to pass over first.
    requires_grad
        Whether it is a leaf that keeps its gradient.

    Raises
    ------
    ValueError
        If the buffer has not so many bytes, or no whole number of elements, or none.
    TypeError
        If it is no buffer, or `dtype` no dtype.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.frombuffer(b"abc", dtype=ag.uint8)
    tensor([97, 98, 99], dtype=autograd_ops.uint8)
    """
    wanted = as_dtype(dtype)
    try:
        raw = np.frombuffer(buffer, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"frombuffer: {type(buffer).__name__} is no buffer of bytes in one piece ({error})") from None
    if not raw.size:
        raise ValueError("frombuffer: the buffer is empty")
    size = wanted.itemsize
    if not 0 <= offset < raw.size:
        raise ValueError(f"frombuffer: offset {offset} is not within the buffer's {raw.size} bytes")
    if count == 0 or count < -1:
        raise ValueError(f"frombuffer: count is at least 1, or -1 for all, not {count}")
    left = raw.size - offset
    if count == -1 and left % size:
        raise ValueError(f"frombuffer: {left} bytes after the offset are no whole number of {size} bytes an element")
    count = left // size if count == -1 else count
    if count * size > left:
        raise ValueError(f"frombuffer: {count} elements of {size} bytes are more than the {left} after the offset")
    array = raw[offset : offset + count * size].view(wanted.name)
    return as_tensor(array, device=parse_device("cpu")).requires_grad_(requires_grad)


named(__name__)
