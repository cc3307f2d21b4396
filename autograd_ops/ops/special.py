"""Special functions. All are computed in float64, whatever the dtype of what they are given."""

from __future__ import annotations

import math
from typing import Any

from autograd_backends import kernels

from ..registry import Array, op
from .compare import where
from .dtype import astype
from .elementwise import exp, sign

__all__ = ["digamma", "erfc", "erfcx", "erfinv", "i0", "i0e", "i1", "i1e", "lgamma", "ndtri", "zeta"]

# ---------------------------------------------------------------- the error function and its kin


@op(formula="dx = -g 2 e^(-x^2) / sqrt(pi)", floating=True)
def erfc(x: Array) -> Array:
    """1 - erf(x), without loss where it is near 0"""
    return kernels(x).erfc(x)


erfc.backward(x=lambda g, x: g * (exp(-(x * x)) * (-2.0 / math.sqrt(math.pi))))


@op(formula="dx = g (2 x out - 2 / sqrt(pi))", floating=True)
def erfcx(x: Array) -> Array:
    """e^(x^2) erfc(x)"""
    return kernels(x).erfcx(x)


erfcx.backward(x=lambda g, x, out: g * (2.0 * (x * out) - 2.0 / math.sqrt(math.pi)))


@op(formula="dx = g e^(out^2) sqrt(pi) / 2", floating=True)
def erfinv(x: Array) -> Array:
    """The number whose erf is x: infinite at -1 and 1, NaN beyond"""
    return kernels(x).erfinv(x)


erfinv.backward(x=lambda g, out: g * (exp(out * out) * (0.5 * math.sqrt(math.pi))))


@op(formula="dx = g sqrt(2 pi) e^(out^2 / 2)", floating=True)
def ndtri(x: Array) -> Array:
    """The number below which the normal distribution has the probability x: infinite at 0 and 1, NaN beyond"""
    return kernels(x).ndtri(x)


ndtri.backward(x=lambda g, out: g * (exp(0.5 * (out * out)) * math.sqrt(2.0 * math.pi)))

# ---------------------------------------------------------------- the gamma function and its kin


@op(formula="dx = g digamma(x)", floating=True)
def lgamma(x: Array) -> Array:
    """``log |gamma(x)|``: infinite at 0, -1, -2, ..."""
    return kernels(x).lgamma(x)


lgamma.backward(x=lambda g, x: g * digamma(x))


@op(formula="dx = g zeta(2, x)", floating=True)
def digamma(x: Array) -> Array:
    """The derivative of lgamma: infinite at 0, NaN at -1, -2, ..."""
    return kernels(x).digamma(x)


digamma.backward(x=lambda g, x: g * zeta(2.0, x))


@op(formula="dq = -g s zeta(s + 1, q)", nondiff=("s",), broadcast=True, floating=True)
def zeta(s: Array, q: Array) -> Array:
    """The sum over k = 0, 1, ... of (q + k)^(-s), for s > 1"""
    return kernels(q if hasattr(q, "dtype") else s).zeta(s, q)


def _zeta_q(g: Any, s: Any, q: Any) -> Any:
    factor = s if isinstance(s, (int, float)) else astype(s, q.dtype)
    return -g * (zeta(s + 1, q) * factor)


zeta.backward(q=_zeta_q)

# ---------------------------------------------------------------- Bessel functions


@op(formula="dx = g i1(x)", floating=True)
def i0(x: Array) -> Array:
    """The modified Bessel function of the first kind of order 0"""
    return kernels(x).i0(x)


i0.backward(x=lambda g, x: g * i1(x))


def _over_x(function: Any, x: Any) -> Any:
    """i1(x) / x, or i1e(x) / x: 1/2 at 0."""
    zero = x == 0
    return where(zero, 0.5, function / where(zero, 1.0, x))


@op(formula="dx = g (i0(x) - out / x), g / 2 at 0", floating=True)
def i1(x: Array) -> Array:
    """The modified Bessel function of the first kind of order 1"""
    return kernels(x).i1(x)


i1.backward(x=lambda g, x, out: g * (i0(x) - _over_x(out, x)))


@op(formula="dx = g (i1e(x) - out sign x)", floating=True)
def i0e(x: Array) -> Array:
    """e^(-|x|) i0(x)"""
    return kernels(x).i0e(x)


i0e.backward(x=lambda g, x, out: g * (i1e(x) - out * sign(x)))


@op(formula="dx = g (i0e(x) - out (sign x + 1 / x)), g / 2 at 0", floating=True)
def i1e(x: Array) -> Array:
    """e^(-|x|) i1(x)"""
    return kernels(x).i1e(x)


i1e.backward(x=lambda g, x, out: g * (i0e(x) - out * sign(x) - _over_x(out, x)))
