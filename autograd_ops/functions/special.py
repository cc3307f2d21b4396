"""Special functions, under the names that ``torch`` has for them; ``autograd_ops.special`` has those of its own."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..call_path import renamed
from ..ops import special
from ..refusals import named
from ..tensor import Tensor

__all__ = [
    "digamma",
    "erfc",
    "erfinv",
    "exp2",
    "i0",
    "lgamma",
    "logaddexp2",
    "logit",
    "mvlgamma",
    "polygamma",
    "sinc",
    "xlogy",
]

digamma = renamed(special.digamma, "input")
erfc = renamed(special.erfc, "input")
erfinv = renamed(special.erfinv, "input")
i0 = renamed(special.i0, "input")
lgamma = renamed(special.lgamma, "input")


def exp2(input: Tensor) -> Tensor:
    """2^x"""
    return ops.pow(2.0, input)


def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log2(2^x + 2^y), without overflow"""
    return ops.logaddexp(input * math.log(2.0), other * math.log(2.0)) / math.log(2.0)


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; of x brought into [eps, 1 - eps] if `eps` is given.

    Infinite at 0 and 1, NaN beyond.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.logit(ag.tensor([0.5, 0.0]), eps=0.5)
    tensor([0., 0.])
    """
    x = input if eps is None else ops.clamp(input, eps, 1.0 - eps)
    return ops.log(x) - ops.log1p(-x)


def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x); 1 at 0, where the derivative is 0"""
    zero = input == 0
    angle = ops.where(zero, 1.0, input * math.pi)
    return ops.where(zero, 1.0, ops.sin(angle) / angle)


def xlogy(input: Any, other: Any) -> Tensor:
    """x log y, which is 0 where x is 0, unless y is NaN. Either may be a number.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.xlogy(ag.tensor([0.0, 2.0]), ag.tensor([0.0, 1.0]))
    tensor([0., 0.])
    """
    return times_log(input, other, ops.log, 0.0)


def times_log(x: Any, y: Any, log: Any, at_zero: float) -> Tensor:
    """x log(y), 0 where x is; `log` is infinite or NaN from -`at_zero` down, and 0 at 1 - `at_zero`."""
    unlike = y if isinstance(y, Tensor) else x
    y = y if isinstance(y, Tensor) else ops.zeros_like(unlike) + float(y)
    nothing = (ops.zeros_like(y) == x) & ((y <= -at_zero) | (y == math.inf))
    return ops.mul(x, log(ops.where(nothing, 1.0 - at_zero, y)))


def polygamma(n: Any, input: Any) -> Tensor:
    """The n-th derivative of `digamma`, for n >= 0.

    Raises
    ------
    ValueError
        If n is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.polygamma(1, ag.tensor(1.0))
    tensor(1.6449)
    """
    if isinstance(n, Tensor):  # x.polygamma(n)
        n, input = input, n
    if n < 0:
        raise ValueError(f"polygamma: n must not be negative, got {n}")
    if n == 0:
        return digamma(input)
    return (-1.0) ** (n + 1) * math.factorial(n) * special.zeta(n + 1.0, input)


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the gamma function of p dimensions: a constant and the sum of lgamma(x - i / 2) for i < p.

    Raises
    ------
    ValueError
        If p is not positive.
    """
    if p < 1:
        raise ValueError(f"mvlgamma: p must be positive, got {p}")
    steps = ops.stack([input - 0.5 * i for i in range(p)], -1)
    return ops.sum(lgamma(steps), (input.ndim,), False) + 0.25 * p * (p - 1) * math.log(math.pi)


named(__name__)
