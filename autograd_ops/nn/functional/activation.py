"""Activation functions."""

from __future__ import annotations

from typing import Any

from ... import ops
from ...call_path import renamed
from ...dims import axis_of
from ...functions import reductions
from ...inplace import in_place
from ...refusals import named
from ...tensor import Tensor
from ...warn import warn_user

__all__ = [
    "elu",
    "gelu",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "relu",
    "relu6",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "tanh",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0); gradient 0 at 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.relu(ag.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return in_place(input, ops.relu, name="relu_") if inplace else ops.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where positive, `negative_slope` x elsewhere."""
    if inplace:
        return in_place(input, ops.leaky_relu, negative_slope, name="leaky_relu_")
    return ops.leaky_relu(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, alpha (e^x - 1) elsewhere (Clevert and others, 2015)."""
    return in_place(input, ops.elu, alpha, name="elu_") if inplace else ops.elu(input, alpha)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x, brought into [min_val, max_val]; gradient 0 at the bounds and beyond.

    Raises
    ------
    ValueError
        If `min_val` is above `max_val`.
    """
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val {min_val} is above max_val {max_val}")
    if inplace:
        return in_place(input, ops.hardtanh, min_val, max_val, name="hardtanh_")
    return ops.hardtanh(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0.0, 6.0, inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Phi(x), Phi the normal distribution function (Hendrycks and Gimpel, 2016).

    Parameters
    ----------
    approximate
        ``"none"``, or ``"tanh"`` for their approximation by tanh.
    """
    return ops.gelu(input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x sigmoid(x)."""
    return in_place(input, ops.silu, name="silu_") if inplace else ops.silu(input)


sigmoid = renamed(ops.sigmoid, "input")
tanh = renamed(ops.tanh, "input")


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + e^(beta x)) / beta; x itself where beta x is above `threshold`."""
    return ops.softplus(input, beta, threshold)


def logsigmoid(input: Tensor) -> Tensor:
    """log(1 / (1 + e^-x)), without overflow."""
    return ops.logsigmoid(input)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """e^x over its sum along `dim`.

    Parameters
    ----------
    input
        Of any shape.
    dim
        The dimension whose elements are to add up to 1. Without it one is chosen as PyTorch does, with a warning.
    dtype
        What `input` is cast to first.

    Raises
    ------
    IndexError
        If there is no such dimension.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.softmax(ag.tensor([0.0, 0.0]), dim=0)
    tensor([0.5, 0.5])
    """
    return reductions.softmax(input, _axis("softmax", input, dim), dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, computed without overflow."""
    return reductions.log_softmax(input, _axis("log_softmax", input, dim), dtype)


def _axis(name: str, input: Tensor, dim: int | None) -> int:
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
        warn_user(f"{name}: no dim was given, so dimension {dim} was chosen; give it, as with dim=-1")
    return axis_of(name, dim, input.ndim)


named(__name__)
