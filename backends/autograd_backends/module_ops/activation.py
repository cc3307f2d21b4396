"""Activations that take several array calls, and their gradients."""

from __future__ import annotations

import math

from ..array_types import Array
from ..lookup import kernels, namespace

__all__ = [
    "CUBIC",
    "ROOT_2_OVER_PI",
    "ROOT_HALF",
    "gelu",
    "gelu_backward",
    "relu",
    "relu_backward",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
]

ROOT_HALF = math.sqrt(0.5)
ROOT_2_OVER_PI = math.sqrt(2.0 / math.pi)
CUBIC = 0.044715  # Hendrycks and Gimpel, Gaussian Error Linear Units, 2016


def relu(x: Array) -> Array:
    """max(x, 0)"""
    return namespace(x).maximum(x, 0)


def relu_backward(output: Array, output_grad: Array) -> Array:
    """`output_grad`, and 0 where the output of relu is; where that is NaN, no zero."""
    xp = namespace(output)
    return xp.where(output <= 0, xp.zeros_like(output_grad), output_grad)


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)"""
    xp = namespace(x)
    if xp.isdtype(x.dtype, "complex floating"):
        return 1.0 / (1.0 + xp.exp(-x))
    # e^-|x| cannot overflow, and each branch keeps its relative precision.
    z = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, xp.ones_like(z), z) / (z + 1.0)


def sigmoid_backward(output: Array, output_grad: Array) -> Array:
    """The gradient of the input of `sigmoid`."""
    return output_grad * (output * (1.0 - output))


def silu(x: Array) -> Array:
    """x sigmoid(x)"""
    return x * kernels(x).sigmoid(x)


def silu_backward(x: Array, output_grad: Array) -> Array:
    """The gradient of x, the input of `silu`."""
    s = kernels(x).sigmoid(x)
    return output_grad * (s * (1.0 + x * (1.0 - s)))


def gelu(x: Array, approximate: str) -> Array:
    """x Phi(x), Phi the normal distribution; ``"tanh"``: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2

    Raises
    ------
    ValueError
        If `approximate` is neither ``"none"`` nor ``"tanh"``.
    """
    if approximate == "none":
        return x * (0.5 * (1.0 + kernels(x).erf(x * ROOT_HALF)))
    if approximate == "tanh":
        inner = namespace(x).tanh(x * (1.0 + x * x * CUBIC) * ROOT_2_OVER_PI)
        return x * (0.5 * (1.0 + inner))
    raise ValueError(f"gelu: approximate must be 'none' or 'tanh', not {approximate!r}")


def gelu_backward(x: Array, output_grad: Array, approximate: str) -> Array:
    """The gradient of x, the input of `gelu`."""
    xp = namespace(x)
    if approximate == "none":
        density = xp.exp(x * x * -0.5) * (1.0 / math.sqrt(2.0 * math.pi))
        return output_grad * (0.5 * (1.0 + kernels(x).erf(x * ROOT_HALF)) + x * density)
    t = xp.tanh(x * (1.0 + x * x * CUBIC) * ROOT_2_OVER_PI)
    slope = (1.0 + x * x * (3.0 * CUBIC)) * ROOT_2_OVER_PI
    return output_grad * (0.5 * (1.0 + t) + x * (0.5 * (1.0 - t * t) * slope))
