"""Activations in cache-sized blocks and without temporaries.

The normal distribution, in float32, is ``(1 + tanh(x R(x^2))) / 2``: NumPy's tanh is vectorized, and what it is taken
of is so smooth that a polynomial of few terms gives all digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..array_types import Array
from ..base import Backend
from ..module_ops.activation import CUBIC, ROOT_2_OVER_PI
from .blocks import BLOCK, SMALL, blocks, in_memory_order

__all__ = [
    "erf",
    "gelu",
    "gelu_backward",
    "relu",
    "relu_backward",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
]

_FLOAT32 = np.dtype(np.float32)

#: R, highest power first: a weighted least squares fit of atanh(erf(x / sqrt 2)) / x, reweighted until the error of the
#: distribution was even, 3e-8, for |x| up to the root of `END`. Beyond, the distribution is 0 or 1 to seven digits.
R = (
    *(1.7561730683462422e-9, -1.3226341639916692e-7, 3.964745297068949e-6, -5.530619803737056e-5),
    *(-3.259496638309344e-5, 0.03633308456660346, 0.7978849414618187),
)
END = 5.5**2

#: The integers of a float's size.
_INTEGERS = {np.dtype(f"f{size}"): np.dtype(f"i{size}") for size in (2, 4, 8)}


def relu(x: Array) -> Array:
    """As the default, which would look for NumPy."""
    return np.maximum(x, 0)


def relu_backward(output: Array, output_grad: Array) -> Array:
    """By the bits: of a mask of ones where the gradient goes on, which costs half of a choice, or a tenth of one in
    which the processor guesses wrong."""
    integer = _INTEGERS.get(output_grad.dtype)
    if integer is None or not output.ndim:
        return Backend.relu_backward(output, output_grad)
    if output.size <= BLOCK and output.flags.c_contiguous and output_grad.flags.c_contiguous:
        return np.bitwise_and(_goes_on(output), output_grad.view(integer)).view(output_grad.dtype)
    out = np.empty_like(output, dtype=output_grad.dtype)
    values, grads, made = in_memory_order(output, output_grad, out)
    grads, made = grads.view(integer), made.view(integer)
    for part in blocks(len(values), 1):
        np.bitwise_and(_goes_on(values[part]), grads[part], out=made[part])
    return out


def _goes_on(output: Array) -> Array:
    """All ones where the gradient of relu goes on, else 0."""
    ends = np.less_equal(output, 0).view(np.int8)
    ends -= 1  # True, that is 1, where it ends
    return ends


def sigmoid(x: Array) -> Array:
    """As the default."""
    if x.size < SMALL or x.dtype.kind != "f":
        return Backend.sigmoid(x)
    return _by_blocks(_sigmoid, x)


def sigmoid_backward(output: Array, output_grad: Array) -> Array:
    """As the default."""
    if output.size < SMALL or output.dtype != output_grad.dtype:
        return Backend.sigmoid_backward(output, output_grad)
    return _by_blocks(_slope_of_sigmoid, output, output_grad)


def silu(x: Array) -> Array:
    """As the default."""
    if x.size < SMALL or x.dtype.kind != "f":
        return Backend.silu(x)
    return _by_blocks(_silu, x)


def silu_backward(x: Array, output_grad: Array) -> Array:
    """As the default."""
    if x.size < SMALL or x.dtype.kind != "f" or x.dtype != output_grad.dtype:
        return Backend.silu_backward(x, output_grad)
    return _by_blocks(_slope_of_silu, x, output_grad)


def _by_blocks(formula: Callable[..., None], x: Array, *more: Array) -> Array:
    """What ``formula(block, ..., target)`` writes into targets for blocks of arrays of one shape and dtype."""
    out = np.empty_like(x)
    *given, made = in_memory_order(x, *more, out)
    for part in blocks(len(made), 1):
        formula(*[array[part] for array in given], made[part])
    return out


def _sigmoid(x: Array, out: Array) -> None:
    z = np.abs(x)
    np.negative(z, out=z)
    np.exp(z, out=z)
    # The larger of e^-|x|, which is at most 1, and of 1 where x is not negative.
    np.maximum(z, x >= 0, out=out)
    z += 1.0
    out /= z


def _slope_of_sigmoid(output: Array, output_grad: Array, out: Array) -> None:
    np.subtract(1.0, output, out=out)
    out *= output
    out *= output_grad


def _silu(x: Array, out: Array) -> None:
    _sigmoid(x, out)
    out *= x


def _slope_of_silu(x: Array, output_grad: Array, out: Array) -> None:
    s = np.empty_like(x)
    _sigmoid(x, s)
    np.subtract(1.0, s, out=out)
    out *= x
    out += 1.0
    out *= s
    out *= output_grad


def gelu(x: Array, approximate: str) -> Array:
    """As the default."""
    if x.dtype != _FLOAT32 or approximate not in _DISTRIBUTIONS:
        return Backend.gelu(x, approximate)
    distribution = _DISTRIBUTIONS[approximate]
    out = np.empty_like(x)
    values, made = in_memory_order(x, out)
    with np.errstate(invalid="ignore", over="ignore"):
        for part in blocks(len(values), 1):
            block, target = values[part], made[part]
            distribution(block, block * block, target)
            target *= block
    return out


def gelu_backward(x: Array, output_grad: Array, approximate: str) -> Array:
    """As the default."""
    if x.dtype != _FLOAT32 or output_grad.dtype != _FLOAT32 or approximate not in _DISTRIBUTIONS:
        return Backend.gelu_backward(x, output_grad, approximate)
    out = np.empty_like(x)
    values, grads, made = in_memory_order(x, output_grad, out)
    derivative = _DERIVATIVES[approximate]
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        for part in blocks(len(values), 1):
            derivative(values[part], made[part])
            made[part] *= grads[part]
    return out


def _normal(x: Array, square: Array, out: Array) -> Array:
    """The normal distribution of `x`, given its square, which is changed."""
    np.minimum(square, END, out=square)
    np.multiply(square, R[0], out=out)
    for coefficient in R[1:-1]:
        out += coefficient
        out *= square
    out += R[-1]
    return _half_of_tanh(x, out)


def _nearly_normal(x: Array, square: Array, out: Array) -> Array:
    """The same by the formula of ``"tanh"``."""
    np.multiply(square, CUBIC * ROOT_2_OVER_PI, out=out)
    out += ROOT_2_OVER_PI
    return _half_of_tanh(x, out)


def _half_of_tanh(x: Array, out: Array) -> Array:
    out *= x
    np.tanh(out, out=out)
    out += 1.0
    out *= 0.5
    return out


def _by_normal(x: Array, out: Array) -> None:
    """Phi + x phi"""
    square = x * x
    density = square * -0.5
    np.exp(density, out=density)
    density *= 1.0 / math.sqrt(2.0 * math.pi)
    density *= x
    _normal(x, square, out)
    out += density


def _by_nearly_normal(x: Array, out: Array) -> None:
    """P + x P', where P = (1 + t) / 2, and P' = 2 P (1 - P) times the slope of what t is the tanh of"""
    square = x * x
    _nearly_normal(x, square, out)
    square *= 3.0 * CUBIC * 2.0 * ROOT_2_OVER_PI
    square += 2.0 * ROOT_2_OVER_PI
    square *= x
    rest = 1.0 - out
    square *= rest
    square += 1.0
    out *= square


_DISTRIBUTIONS: dict[str, Any] = {"none": _normal, "tanh": _nearly_normal}
_DERIVATIVES: dict[str, Any] = {"none": _by_normal, "tanh": _by_nearly_normal}


def erf(x: Array) -> Array:
    """As the default, whose many passes stay in the cache."""
    if x.size < SMALL:
        return Backend.erf(x)
    out = np.empty_like(x)
    values, made = in_memory_order(x, out)
    for part in blocks(len(values), 1):
        made[part] = Backend.erf(values[part])
    return out
