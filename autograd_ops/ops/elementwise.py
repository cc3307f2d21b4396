"""Arithmetic and elementwise functions: a derivative is one line beside its function."""

from __future__ import annotations

import builtins
import cmath
import math
from typing import Any

from autograd_backends import kernels, namespace
from autograd_backends.lookup import floating_dtypes

from ..registry import Array, op
from .compare import where
from .complex import conj, imag, real
from .dtype import has_complex, zeros_like

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "clamp",
    "copysign",
    "cos",
    "cosh",
    "div",
    "erf",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "fmod",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "maximum",
    "minimum",
    "mul",
    "neg",
    "nextafter",
    "pow",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "sgn",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "tan",
    "tanh",
    "trunc",
]


def _namespace(x: Any, y: Any) -> Any:
    """The namespace of two operands, of which one may be a Python number."""
    return namespace(x if hasattr(x, "dtype") else y)


# ---------------------------------------------------------------- arithmetic


@op(formula="dx = g, dy = g", broadcast=True)
def add(x: Array, y: Array) -> Array:
    """x + y"""
    return x + y


add.backward(x=lambda g: g, y=lambda g: g)


@op(formula="dx = g, dy = -g", broadcast=True)
def sub(x: Array, y: Array) -> Array:
    """x - y"""
    return x - y


sub.backward(x=lambda g: g, y=lambda g: -g)


@op(formula="dx = g y, dy = g x", broadcast=True)
def mul(x: Array, y: Array) -> Array:
    """x * y"""
    return x * y


mul.backward(x=lambda g, y: g * y, y=lambda g, x: g * x)


@op(formula="dx = g / y, dy = -g x / y^2", broadcast=True, floating=True)
def div(x: Array, y: Array) -> Array:
    """x / y; of two integers, a float"""
    return x / y


# Not by its output, which is free to be changed in place: ``scores = a / b; scores += mask``.
div.backward(x=lambda g, y: g / y, y=lambda g, x, y: -(g * (x / y)) / y)


@op(formula="dx = -g")
def neg(x: Array) -> Array:
    """-x"""
    return -x


neg.backward(x=lambda g: -g)


@op(formula="dx = g y x^(y-1), dy = g out log x", broadcast=True)
def pow(x: Array, y: Array) -> Array:
    """x ** y"""
    return x**y


def _pow_x(g: Any, x: Any, y: Any) -> Any:
    if isinstance(y, (int, float, complex)):
        return g * (y * x ** (y - 1)) if y != 0 else zeros_like(g)
    # Where y is 0 the derivative is 0, also at x = 0, where x^(y-1) is infinite.
    safe = where(y == 0, 1.0, y)
    return where(y == 0, 0.0, g * (safe * x ** (safe - 1)))


def _pow_y(g: Any, x: Any, y: Any, out: Any) -> Any:
    if isinstance(x, (int, float, complex)):
        if x == 0:
            return where(_not_negative(y), 0.0, g * -math.inf)
        return g * (out * _log_of_number(x, has_complex(out)))
    # As x falls to 0, x^y log x goes to 0 for y > 0: log 1 stands in for log 0.
    limit = (x == 0) & _not_negative(y)
    return g * (out * log(where(limit, 1.0, x)))


def _log_of_number(x: Any, as_complex: bool) -> Any:
    if as_complex or isinstance(x, complex):
        return cmath.log(x)
    return math.log(x) if x > 0 else math.nan


def _not_negative(y: Any) -> Any:
    if isinstance(y, complex):
        return y.imag == 0 and y.real >= 0
    return (imag(y) == 0) & (real(y) >= 0) if hasattr(y, "dtype") and has_complex(y) else y >= 0


pow.backward(x=_pow_x, y=_pow_y)


@op(nondiff=True, broadcast=True, real=True)
def floor_divide(x: Array, y: Array) -> Array:
    """x / y, rounded down; where one of the two is infinite, x / y itself: an infinity or a zero"""
    down = x // y
    lead = x if hasattr(x, "dtype") else y
    if lead.dtype not in floating_dtypes[type(lead)]:
        return down
    return namespace(lead).where(_is_infinite(x) != _is_infinite(y), x / y, down)


def _is_infinite(x: Any) -> Any:
    return namespace(x).isinf(x) if hasattr(x, "dtype") else math.isinf(x)


@op(formula="dx = g, dy = -g floor(x / y)", broadcast=True, real=True)
def remainder(x: Array, y: Array) -> Array:
    """x - y floor(x / y), of the sign of y"""
    return x % y


remainder.backward(x=lambda g: g, y=lambda g, x, y: -(g * floor_divide(x, y)))


@op(formula="dx = g, dy = -g trunc(x / y)", broadcast=True)
def fmod(x: Array, y: Array) -> Array:
    """x - y trunc(x / y), of the sign of x"""
    # Of numbers that are not negative it is the remainder, which is exact.
    rest = builtins.abs(x) % builtins.abs(y)
    return _namespace(x, y).where(x < 0, -rest, rest) if hasattr(x, "dtype") else -rest if x < 0 else rest


fmod.backward(x=lambda g: g, y=lambda g, x, y: -(g * trunc(x / y)))


@op(formula="dx = 2 g x")
def square(x: Array) -> Array:
    """x^2"""
    return x * x


square.backward(x=lambda g, x: g * (x * 2.0))


@op(formula="dx = -g out^2", floating=True)
def reciprocal(x: Array) -> Array:
    """1 / x"""
    return 1.0 / x


reciprocal.backward(x=lambda g, out: -(g * (out * out)))


# ---------------------------------------------------------------- exponentials, logarithms, roots


@op(formula="dx = g out", floating=True)
def exp(x: Array) -> Array:
    """e^x"""
    return namespace(x).exp(x)


exp.backward(x=lambda g, out: g * out)


@op(formula="dx = g (out + 1)", floating=True)
def expm1(x: Array) -> Array:
    """e^x - 1, exact near 0"""
    return namespace(x).expm1(x)


expm1.backward(x=lambda g, out: g * (out + 1.0))


@op(formula="dx = g / x", floating=True)
def log(x: Array) -> Array:
    """Natural logarithm"""
    return namespace(x).log(x)


log.backward(x=lambda g, x: g / x)


@op(formula="dx = g / (x + 1)", floating=True)
def log1p(x: Array) -> Array:
    """log(1 + x), exact near 0"""
    return namespace(x).log1p(x)


log1p.backward(x=lambda g, x: g / (x + 1.0))


@op(formula="dx = g / (x log 2)", floating=True)
def log2(x: Array) -> Array:
    """Logarithm to base 2"""
    return namespace(x).log2(x)


log2.backward(x=lambda g, x: g / (x * math.log(2)))


@op(formula="dx = g / (x log 10)", floating=True)
def log10(x: Array) -> Array:
    """Logarithm to base 10"""
    return namespace(x).log10(x)


log10.backward(x=lambda g, x: g / (x * math.log(10)))


@op(formula="dx = g e^x / (e^x + e^y), dy = g e^y / (e^x + e^y)", broadcast=True, floating=True, real=True)
def logaddexp(x: Array, y: Array) -> Array:
    """log(e^x + e^y)"""
    return _namespace(x, y).logaddexp(x, y)


def _share_of_sum(g: Any, mine: Any, other: Any) -> Any:
    # Of the difference: e^(mine - out) would be off by the rounding of out, which for large numbers is not small, and
    # be no number where one of the two is infinite. No power is above 1, so none overflows.
    difference = other - mine
    smaller = difference > 0
    power = exp(where(smaller, -difference, difference))
    return g * (where(smaller, power, 1.0) / (power + 1.0))


logaddexp.backward(x=lambda g, x, y: _share_of_sum(g, x, y), y=lambda g, x, y: _share_of_sum(g, y, x))


@op(formula="dx = g / (2 out)", floating=True)
def sqrt(x: Array) -> Array:
    """Square root"""
    return namespace(x).sqrt(x)


sqrt.backward(x=lambda g, out: g * 0.5 / out)


@op(formula="dx = -g out^3 / 2", floating=True)
def rsqrt(x: Array) -> Array:
    """1 / sqrt(x)"""
    return 1.0 / namespace(x).sqrt(x)


rsqrt.backward(x=lambda g, out: g * (-0.5 * (out * out * out)))


@op(formula="dx = g x / out, dy = g y / out, 0 where out is 0", broadcast=True, floating=True, real=True)
def hypot(x: Array, y: Array) -> Array:
    """sqrt(x^2 + y^2), without overflow"""
    return _namespace(x, y).hypot(x, y)


def _part_of(side: Any, out: Any) -> Any:
    zero = out == 0
    return where(zero, 0.0, side) / where(zero, 1.0, out)


hypot.backward(x=lambda g, x, out: g * _part_of(x, out), y=lambda g, y, out: g * _part_of(y, out))


# ---------------------------------------------------------------- trigonometric and hyperbolic functions


@op(formula="dx = g cos x", floating=True)
def sin(x: Array) -> Array:
    """Sine of x in radians"""
    return namespace(x).sin(x)


sin.backward(x=lambda g, x: g * cos(x))


@op(formula="dx = -g sin x", floating=True)
def cos(x: Array) -> Array:
    """Cosine of x in radians"""
    return namespace(x).cos(x)


cos.backward(x=lambda g, x: -(g * sin(x)))


@op(formula="dx = g (1 + out^2)", floating=True)
def tan(x: Array) -> Array:
    """Tangent of x in radians"""
    return namespace(x).tan(x)


tan.backward(x=lambda g, out: g * (1.0 + out * out))


@op(formula="dx = g / sqrt(1 - x^2)", floating=True)
def asin(x: Array) -> Array:
    """Inverse sine, in radians"""
    return namespace(x).asin(x)


asin.backward(x=lambda g, x: g / sqrt(1.0 - x * x))


@op(formula="dx = -g / sqrt(1 - x^2)", floating=True)
def acos(x: Array) -> Array:
    """Inverse cosine, in radians"""
    return namespace(x).acos(x)


acos.backward(x=lambda g, x: -g / sqrt(1.0 - x * x))


@op(formula="dx = g / (1 + x^2)", floating=True)
def atan(x: Array) -> Array:
    """Inverse tangent, in radians"""
    return namespace(x).atan(x)


atan.backward(x=lambda g, x: g / (1.0 + x * x))


@op(
    formula="dx = g y / (x^2 + y^2), dy = -g x / (x^2 + y^2), 0 at the origin", broadcast=True, floating=True, real=True
)
def atan2(x: Array, y: Array) -> Array:
    """The angle of the point (y, x), in radians"""
    return _namespace(x, y).atan2(x, y)


def _atan2_scale(g: Any, x: Any, y: Any) -> Any:
    radius = x * x + y * y
    return where(radius == 0, 0.0, g) / where(radius == 0, 1.0, radius)


atan2.backward(
    x=lambda g, x, y: _atan2_scale(g, x, y) * y,
    y=lambda g, x, y: -(_atan2_scale(g, x, y) * x),
)


@op(formula="dx = g cosh x", floating=True)
def sinh(x: Array) -> Array:
    """Hyperbolic sine"""
    return namespace(x).sinh(x)


sinh.backward(x=lambda g, x: g * cosh(x))


@op(formula="dx = g sinh x", floating=True)
def cosh(x: Array) -> Array:
    """Hyperbolic cosine"""
    return namespace(x).cosh(x)


cosh.backward(x=lambda g, x: g * sinh(x))


@op(formula="dx = g (1 - out^2)", floating=True)
def tanh(x: Array) -> Array:
    """Hyperbolic tangent"""
    return namespace(x).tanh(x)


tanh.backward(x=lambda g, out: g * (1.0 - out * out))


@op(formula="dx = g / sqrt(x^2 + 1)", floating=True)
def asinh(x: Array) -> Array:
    """Inverse hyperbolic sine"""
    return namespace(x).asinh(x)


asinh.backward(x=lambda g, x: g / sqrt(x * x + 1.0))


@op(formula="dx = g / sqrt(x^2 - 1)", floating=True)
def acosh(x: Array) -> Array:
    """Inverse hyperbolic cosine"""
    return namespace(x).acosh(x)


def _acosh_x(g: Any, x: Any) -> Any:
    if not has_complex(x):
        return g / sqrt(x * x - 1.0)
    # The root of each factor: that of their product has the other sign left of 0. And x + 1 would lose the sign of an
    # imaginary part of -0, which says on which side of the cut x is.
    return g / (sqrt(x - 1.0) * sqrt(x - -1.0))


acosh.backward(x=_acosh_x)


@op(formula="dx = g / (1 - x^2)", floating=True)
def atanh(x: Array) -> Array:
    """Inverse hyperbolic tangent"""
    return namespace(x).atanh(x)


atanh.backward(x=lambda g, x: g / (1.0 - x * x))


@op(formula="dx = g 2 e^(-x^2) / sqrt(pi)", floating=True, real=True)
def erf(x: Array) -> Array:
    """Error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x"""
    return kernels(x).erf(x)


erf.backward(x=lambda g, x: g * (exp(-(x * x)) * (2.0 / math.sqrt(math.pi))))


# ---------------------------------------------------------------- pieces


@op(formula="dx = g conj sgn x, 0 at 0")
def abs(x: Array) -> Array:
    """Absolute value"""
    return namespace(x).abs(x)


abs.backward(x=lambda g, x: g * (conj(sgn(x)) if has_complex(x) else sign(x)))


@op(formula="dx = 0", real=True)
def sign(x: Array) -> Array:
    """-1, 0 or 1"""
    return namespace(x).sign(x)


sign.backward(x=lambda g: zeros_like(g))


@op(formula="dx = (g - out' Re(g out)) / |x| with out' the conjugate of out; 0 at 0, and of real numbers")
def sgn(x: Array) -> Array:
    """The complex number x / |x| on the unit circle, 0 at 0; of real numbers `sign`"""
    return namespace(x).sign(x)


def _sgn_x(g: Any, x: Any) -> Any:
    if not has_complex(x):
        return zeros_like(g)
    size = abs(x)
    size = where(size == 0, 1.0, size)
    unit = x / size
    return where(x == 0, 0.0, (g - conj(unit) * real(g * unit)) / size)


sgn.backward(x=_sgn_x)


@op(
    formula="dx = g where x and y are of one sign, -g where not, 0 at 0; dy = 0",
    broadcast=True,
    floating=True,
    real=True,
)
def copysign(x: Array, y: Array) -> Array:
    """The magnitude of x with the sign of y, which a zero has too"""
    return _namespace(x, y).copysign(x, y)


copysign.backward(x=lambda g, x, out: g * (sign(x) * sign(out)), y=lambda g: zeros_like(g))


@op(nondiff=True, broadcast=True, floating=True, real=True)
def nextafter(x: Array, y: Array) -> Array:
    """The float next to x on the way to y"""
    return _namespace(x, y).nextafter(x, y)


@op(formula="dx = 0", real=True)
def floor(x: Array) -> Array:
    """x, rounded down"""
    return namespace(x).floor(x)


floor.backward(x=lambda g: zeros_like(g))


@op(formula="dx = 0", real=True)
def ceil(x: Array) -> Array:
    """x, rounded up"""
    return namespace(x).ceil(x)


ceil.backward(x=lambda g: zeros_like(g))


@op(formula="dx = 0", real=True)
def trunc(x: Array) -> Array:
    """x, rounded towards 0"""
    return namespace(x).trunc(x)


trunc.backward(x=lambda g: zeros_like(g))


@op(formula="dx = 0")
def round(x: Array) -> Array:
    """x, rounded to the nearest integer, halves to even"""
    return namespace(x).round(x)


round.backward(x=lambda g: zeros_like(g))


@op(formula="dx = g where x > y, g / 2 where equal, and dy likewise", broadcast=True, real=True)
def maximum(x: Array, y: Array) -> Array:
    """The larger of x and y; NaN if either is"""
    return _namespace(x, y).maximum(x, y)


@op(formula="dx = g where x < y, g / 2 where equal, and dy likewise", broadcast=True, real=True)
def minimum(x: Array, y: Array) -> Array:
    """The smaller of x and y; NaN if either is"""
    return _namespace(x, y).minimum(x, y)


# A share is all of g where either is NaN. The result is not kept, so that it may be changed in place.


def _larger_share(g: Any, mine: Any, other: Any) -> Any:
    return where(mine == other, g * 0.5, where(mine < other, 0.0, g))


def _smaller_share(g: Any, mine: Any, other: Any) -> Any:
    return where(mine == other, g * 0.5, where(mine > other, 0.0, g))


maximum.backward(x=lambda g, x, y: _larger_share(g, x, y), y=lambda g, x, y: _larger_share(g, y, x))
minimum.backward(x=lambda g, x, y: _smaller_share(g, x, y), y=lambda g, x, y: _smaller_share(g, y, x))


@op(
    formula="dx = g where low <= x <= high, else 0; dlow = g where x < low; dhigh = g where x > high",
    broadcast=True,
    real=True,
)
def clamp(x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    """x, brought into [low, high]; NaN stays"""
    xp = namespace(x)
    if low is None and high is None:
        return xp.asarray(x, copy=True)
    if low is not None:
        x = xp.maximum(x, low)
    return x if high is None else xp.minimum(x, high)


def _inside(g: Any, x: Any, low: Any, high: Any) -> Any:
    if low is not None:
        g = where(x < low, 0.0, g)
    return g if high is None else where(x > high, 0.0, g)


clamp.backward(
    x=_inside,
    low=lambda g, x, low, high: where((x < low) if high is None else (x < low) & (low <= high), g, 0.0),
    high=lambda g, x, low, high: where((x > high) if low is None else (x > high) | (low > high), g, 0.0),
)
