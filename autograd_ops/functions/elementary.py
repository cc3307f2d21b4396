"""Elementwise functions that few programs use."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from autograd_backends import kernels

from .. import ops
from ..call_path import renamed
from ..creation import full_like
from ..dtypes import float64, int32
from ..ops import integers
from ..refusals import named
from ..tensor import Tensor

__all__ = [
    "addcdiv",
    "addcmul",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_right_shift",
    "copysign",
    "deg2rad",
    "detach",
    "fill",
    "float_power",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frexp",
    "gcd",
    "heaviside",
    "hypot",
    "isneginf",
    "isposinf",
    "lcm",
    "ldexp",
    "nan_to_num",
    "nextafter",
    "positive",
    "rad2deg",
    "rsub",
    "signbit",
]

bitwise_not = renamed(ops.bitwise_invert, "input")
signbit = renamed(ops.signbit, "input")
bitwise_left_shift = renamed(ops.bitwise_left_shift, "input", "other")
bitwise_right_shift = renamed(ops.bitwise_right_shift, "input", "other")
copysign = renamed(ops.copysign, "input", "other")
fmod = renamed(ops.fmod, "input", "other")
hypot = renamed(ops.hypot, "input", "other")
nextafter = renamed(ops.nextafter, "input", "other")
gcd = renamed(integers.gcd, "input", "other")
lcm = renamed(integers.lcm, "input", "other")


def _is_floating(x: Any) -> bool:
    return x.dtype.kind in ("float", "complex") if isinstance(x, Tensor) else isinstance(x, float)


def detach(input: Tensor) -> Tensor:
    """A Tensor of the same memory that needs no gradient."""
    return input.detach()


def fill(input: Tensor, value: Any) -> Tensor:
    """A Tensor of the shape and dtype of `input` whose elements are all `value`, a number or a 0-d Tensor."""
    if not isinstance(value, Tensor):
        return full_like(input, value)
    if value.ndim:
        raise ValueError(f"fill: value must be a number or a 0-d tensor, not of shape {tuple(value.shape)}")
    return ops.broadcast_to(ops.astype(value, input.dtype), tuple(input.shape)).clone()


def positive(input: Tensor) -> Tensor:
    """`input` itself.

    Raises
    ------
    TypeError
        If it is of bools.
    """
    if input.dtype.kind == "bool":
        raise TypeError("positive: bools have no sign")
    return input


def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """other - alpha input"""
    return ops.sub(other, input if alpha == 1 else input * alpha)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value tensor1 tensor2"""
    product = ops.mul(tensor1, tensor2)
    return ops.add(input, product if value == 1 else product * value)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value tensor1 / tensor2"""
    quotient = ops.div(tensor1, tensor2)
    return ops.add(input, quotient if value == 1 else quotient * value)


def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of x and y, or the one that is a number. Where they are equal, x gets the gradient."""
    if not (_is_floating(input) or _is_floating(other)):
        return ops.maximum(input, other)
    return ops.where((input >= other) | ops.isnan(other), input, other)


def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of x and y, or the one that is a number. Where they are equal, x gets the gradient."""
    if not (_is_floating(input) or _is_floating(other)):
        return ops.minimum(input, other)
    return ops.where((input <= other) | ops.isnan(other), input, other)


def frac(input: Tensor) -> Tensor:
    """What `trunc` takes away: of the sign of x

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.frac(ag.tensor([-1.5, 2.25]))
    tensor([-0.5 ,  0.25])
    """
    return input - ops.trunc(input)


def deg2rad(input: Tensor) -> Tensor:
    """Degrees as radians."""
    return input * (math.pi / 180.0)


def rad2deg(input: Tensor) -> Tensor:
    """Radians as degrees."""
    return input * (180.0 / math.pi)


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 where x is negative, 1 where it is positive, and `values` where it is 0; it carries no gradient."""
    step = ops.where(input > 0, ops.ones_like(input), ops.zeros_like(input))
    return ops.where(input == 0, values, step).detach()


def float_power(input: Any, exponent: Any) -> Tensor:
    """x^y in float64, or complex128 where either is complex."""
    wide = [_wide(x) for x in (input, exponent)]
    return ops.pow(*wide)


def _wide(x: Any) -> Any:
    return x if not isinstance(x, Tensor) or x.dtype.kind == "complex" else x.to(float64)


def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """x 2^y"""
    # An integer y alone would make the power one of the default dtype, whose largest is less than float64's.
    power = ops.astype(other, input.dtype) if _is_floating(input) and not _is_floating(other) else other
    # In three steps: the power alone may be larger than the result, its root too.
    third = ops.floor(power / 3)
    step = ops.pow(2.0, third)
    return input * step * step * ops.pow(2.0, power - 2 * third)


class Frexp(NamedTuple):
    """What `frexp` gives."""

    mantissa: Tensor
    exponent: Tensor


def frexp(input: Tensor) -> Frexp:
    """The mantissa, in [0.5, 1) but for its sign, and the integer exponent of 2 whose product x is; 0 has 0 and 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> mantissa, exponent = ag.frexp(ag.tensor([6.0, 0.0]))
    >>> mantissa, exponent
    (tensor([0.75, 0.  ]), tensor([3, 0], dtype=autograd_ops.int32))
    """
    if not _is_floating(input):
        raise TypeError(f"frexp: expected floats, got {input.dtype.name}")
    exponent = _binary_exponent(input.detach().to(float64))
    # In two steps: 2^-exponent alone may be past the largest float.
    half = ops.floor(exponent * 0.5)
    mantissa = input.to(float64) * ops.pow(2.0, -half) * ops.pow(2.0, half - exponent)
    return Frexp(mantissa.to(input.dtype), exponent.to(int32))


def _binary_exponent(x: Tensor) -> Tensor:
    """The whole e with 2^(e - 1) <= |x| < 2^e; 0 of 0, infinities and NaN."""
    regular = ops.isfinite(x) & (x != 0)
    size = ops.where(regular, ops.abs(x), 1.0)
    tiny = size < 2.0**-1000
    size = ops.where(tiny, size * 2.0**100, size)
    exponent = ops.floor(ops.log2(size)) + 1.0
    # The logarithm is rounded: next to a power of 2 it may be one off.
    rest = size * ops.pow(2.0, -exponent)
    exponent = ops.where(rest >= 1.0, exponent + 1.0, ops.where(rest < 0.5, exponent - 1.0, exponent))
    return ops.where(regular, ops.where(tiny, exponent - 100.0, exponent), 0.0)


def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """`input` with numbers in the place of NaN and infinities: `nan`, or 0; `posinf` and `neginf`, or the extremes
    of the dtype. What is replaced gets no gradient.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nan_to_num(ag.tensor([float("nan"), float("inf")]), posinf=1.0)
    tensor([0., 1.])
    """
    if not _is_floating(input):
        return ops.clone(input)
    limit = float(kernels(input.array).xp.finfo(input.array.dtype).max)
    out = ops.where(ops.isnan(input), 0.0 if nan is None else float(nan), input)
    out = ops.where(input == math.inf, limit if posinf is None else float(posinf), out)
    return ops.where(input == -math.inf, -limit if neginf is None else float(neginf), out)


def isposinf(input: Tensor) -> Tensor:
    """Where x is infinite and positive."""
    return ops.equal(input, math.inf) if _is_floating(input) else ops.zeros_like(input).to(bool)


def isneginf(input: Tensor) -> Tensor:
    """Where x is infinite and negative."""
    return ops.equal(input, -math.inf) if _is_floating(input) else ops.zeros_like(input).to(bool)


named(__name__)
