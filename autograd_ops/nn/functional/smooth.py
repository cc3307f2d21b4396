"""Activation functions without corners, written with others."""

from __future__ import annotations

from typing import Any

from ... import ops
from ...creation import zeros_like
from ...dims import axis_of
from ...inplace import in_place
from ...random import rand_like
from ...refusals import named
from ...tensor import Tensor
from .activation import softmax

__all__ = ["glu", "gumbel_softmax", "mish", "softmin", "softsign", "tanhshrink"]


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a sigmoid(b), a and b the halves of x along `dim` (Dauphin and others, 2017).

    Raises
    ------
    IndexError
        If there is no such dimension.
    ValueError
        If its length is odd.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.glu(ag.tensor([3.0, 4.0, 0.0, 0.0]))
    tensor([1.5, 2. ])
    """
    axis = axis_of("glu", dim, input.ndim)
    if input.ndim == 0 or input.shape[axis] % 2:
        raise ValueError(f"glu: dimension {dim} must have an even length, and the input has shape {tuple(input.shape)}")
    a, b = input.chunk(2, axis) if input.shape[axis] else (input, input)
    return a * ops.sigmoid(b)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh(softplus(x)) (Misra, 2019)."""
    # In place of a copy: each of the ops below may need its input again in backward.
    return in_place(input, _mish, name="mish_") if inplace else _mish(input)


def _mish(x: Tensor) -> Tensor:
    return x * ops.tanh(ops.softplus(x))


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return input / (ops.abs(input) + 1.0)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
    return input - ops.tanh(input)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`softmax` of -x."""
    return softmax(-input, dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of a category that has a gradient: softmax((x + Gumbel noise) / tau).

    Parameters
    ----------
    logits
        Log-probabilities, not necessarily of sum 1.
    tau
        The temperature: the lower, the nearer to one-hot.
    hard
        Give the one-hot sample, with the gradient of the soft one.
    eps
        Accepted for PyTorch's sake, which has deprecated it; does nothing.
    dim
        The dimension of the categories.

    Notes
    -----
    Jang, Gu and Poole, Categorical Reparameterization with Gumbel-Softmax, 2017; Maddison and others, 2017.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> sample = ag.nn.functional.gumbel_softmax(ag.zeros(4, 3), hard=True)
    >>> sample.sum(dim=1)
    tensor([1., 1., 1., 1.])
    """
    axis = axis_of("gumbel_softmax", dim, logits.ndim)
    # Exponential numbers, not 0, whose negative logarithms are Gumbel's. Drawn from [0, 1), so of 1 - u.
    waits = ops.clamp(-ops.log1p(-rand_like(logits)), 1e-30 if logits.dtype.itemsize > 2 else 1e-7, None)
    soft = ops.softmax((logits - ops.log(waits)) / tau, axis)
    if not hard:
        return soft
    chosen = ops.argmax(soft, axis, True)
    return zeros_like(soft).scatter(axis, chosen, value=1.0) + (soft - soft.detach())


named(__name__)
