"""Special functions with the names of ``torch.special``."""

from __future__ import annotations

import math
from typing import Any

from . import functions, ops
from .call_path import renamed
from .creation import full_like
from .functions import digamma as psi
from .functions import erf, exp2, expm1, log1p, log_softmax, logit, logsumexp, round, sinc, softmax, xlogy
from .functions import lgamma as gammaln
from .functions import mvlgamma as multigammaln
from .functions import sigmoid as expit
from .functions.special import digamma, erfc, erfinv, i0, polygamma, times_log
from .ops import special
from .refusals import named
from .tensor import Tensor

__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "sinc",
    "softmax",
    "xlog1py",
    "xlogy",
    "zeta",
]

erfcx = renamed(special.erfcx, "input")
i0e = renamed(special.i0e, "input")
i1 = renamed(special.i1, "input")
i1e = renamed(special.i1e, "input")
ndtri = renamed(special.ndtri, "input")


def zeta(input: Any, other: Any) -> Tensor:
    """Hurwitz's zeta function, the sum over k = 0, 1, ... of (other + k)^(-input). Either may be a number.

    Only `other` carries a gradient.
    """
    return special.zeta(input, other if isinstance(other, Tensor) else full_like(input, other))


def xlog1py(input: Any, other: Any) -> Tensor:
    """x log(1 + y), which is 0 where x is 0, unless y is NaN. Either may be a number."""
    return times_log(input, other, ops.log1p, 1.0)


def entr(input: Tensor) -> Tensor:
    """-x log x; 0 at 0, minus infinity below

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.special.entr(ag.tensor([0.0, 1.0, -1.0]))
    tensor([  0.,   0., -inf])
    """
    below = input < 0
    return ops.where(
        below, -math.inf, 0.0 - functions.xlogy(ops.where(below, 1.0, input), ops.where(below, 1.0, input))
    )


def ndtr(input: Tensor) -> Tensor:
    """The probability that the normal distribution gives a number below x."""
    return 0.5 * erfc(input * -math.sqrt(0.5))


def log_ndtr(input: Tensor) -> Tensor:
    """The logarithm of `ndtr`, which does not fall to minus infinity where that falls to 0."""
    low = input < -1.0
    below, above = ops.where(low, input, -1.0), ops.where(low, -1.0, input)
    tail = ops.log(0.5 * erfcx(below * -math.sqrt(0.5))) - 0.5 * ops.square(below)
    return ops.where(low, tail, ops.log1p(-0.5 * erfc(above * math.sqrt(0.5))))


named(__name__)
