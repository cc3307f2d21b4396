"""Tensors of sequences and windows."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

from .. import ops
from ..creation import arange, empty, full, linspace, zeros
from ..dtypes import as_dtype, get_default_dtype
from ..refusals import named
from ..tensor import Tensor
from .special import i0

__all__ = [
    "bartlett_window",
    "blackman_window",
    "empty_strided",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    "logspace",
    "range",
    "scalar_tensor",
]


def scalar_tensor(s: Any, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """A 0-d Tensor of a number, of the default dtype if none is given."""
    return full(
        (), s, dtype=get_default_dtype() if dtype is None else dtype, device=device, requires_grad=requires_grad
    )


def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A Tensor of a shape whose elements may be anything, in memory with the dimensions in the order of `stride`.

    Raises
    ------
    ValueError
        If `size` and `stride` have not as many elements.
    """
    if len(size) != len(stride):
        raise ValueError(f"empty_strided: {len(size)} lengths but {len(stride)} strides")
    order = sorted(builtins.range(len(size)), key=lambda i: -stride[i])
    made = ops.permute(empty([size[i] for i in order], dtype=dtype, device=device), ops.inverse(order))
    return Tensor(made.array, requires_grad=requires_grad)


# ---------------------------------------------------------------- sequences


def range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Floats from `start` in steps of `step` up to `end`, which is included where they reach it; see `arange`.

    Raises
    ------
    ValueError
        If `step` is 0, or leads away from `end`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.range(1, 4)
    tensor([1., 2., 3., 4.])
    """
    if end is None:
        start, end = 0, start
    if step == 0 or (end - start) * step < 0:
        raise ValueError(f"range: no steps of {step} lead from {start} to {end}")
    count = math.floor((end - start) / step) + 1
    steps = start + step * arange(count, dtype="float64", device=device)
    made = steps.to(get_default_dtype() if dtype is None else dtype)
    return made.requires_grad_(requires_grad)


def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers from base^start to base^end, both included, of which each is the same multiple of the last.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    exponents = linspace(float(start), float(end), steps, dtype="float64", device=device)
    made = ops.pow(float(base), exponents).to(get_default_dtype() if dtype is None else dtype)
    return made.requires_grad_(requires_grad)


# ---------------------------------------------------------------- windows


def _window(
    name: str, length: int, periodic: bool, shape: Any, dtype: Any, device: str | None, requires_grad: bool
) -> Tensor:
    """`shape` of the numbers from 0 to 1 in `length` steps: of a period, without its end, or of all."""
    dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
    if length < 0:
        raise ValueError(f"{name}: the length must not be negative, got {length}")
    if not dtype.is_floating_point:
        raise TypeError(f"{name}: a window is of floats, not {dtype.name}")
    if length < 2:
        made = zeros((length,), dtype=dtype, device=device) + 1.0
    else:
        made = shape(arange(length, dtype="float64", device=device) / (length if periodic else length - 1)).to(dtype)
    return made.requires_grad_(requires_grad)


def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Hann's window, sin^2(pi t) for t from 0 to 1: of one period, or symmetric if `periodic` is False."""

    def shape(t: Tensor) -> Tensor:
        return ops.square(ops.sin(math.pi * t))

    return _window("hann_window", window_length, periodic, shape, dtype, device, requires_grad)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Hamming's window, alpha - beta cos(2 pi t) for t from 0 to 1."""

    def shape(t: Tensor) -> Tensor:
        return alpha - beta * ops.cos(2.0 * math.pi * t)

    return _window("hamming_window", window_length, periodic, shape, dtype, device, requires_grad)


def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Blackman's window, 0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t) for t from 0 to 1."""

    def shape(t: Tensor) -> Tensor:
        return 0.42 - 0.5 * ops.cos(2.0 * math.pi * t) + 0.08 * ops.cos(4.0 * math.pi * t)

    return _window("blackman_window", window_length, periodic, shape, dtype, device, requires_grad)


def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Bartlett's window, 1 - |2 t - 1| for t from 0 to 1."""

    def shape(t: Tensor) -> Tensor:
        return 1.0 - ops.abs(2.0 * t - 1.0)

    return _window("bartlett_window", window_length, periodic, shape, dtype, device, requires_grad)


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Kaiser's window, i0(beta sqrt(1 - (2 t - 1)^2)) / i0(beta) for t from 0 to 1."""

    def shape(t: Tensor) -> Tensor:
        height = ops.sqrt(ops.clamp(1.0 - ops.square(2.0 * t - 1.0), 0.0, None))
        return i0(beta * height) / i0(ops.zeros_like(t) + beta)

    return _window("kaiser_window", window_length, periodic, shape, dtype, device, requires_grad)


named(__name__)
