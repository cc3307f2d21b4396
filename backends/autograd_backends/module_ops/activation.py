"""Activations that take several array calls, and their gradients."""

from __future__ import annotations

import math

from ..array_types import Array
from ..lookup import kernels, namespace

__all__ = ["CUBIC", "ROOT_2_OVER_PI", "ROOT_HALF", "gelu", "gelu_backward", "relu_backward"]

ROOT_HALF = math.sqrt(0.5)
ROOT_2_OVER_PI = math.sqrt(2.0 / math.pi)
CUBIC = 0.044715  # Hendrycks and Gimpel, Gaussian Error Linear Units, 2016


def relu_backward(output: Array, output_grad: Array) -> Array:
    """`output_grad`, and 0 where the output of relu is; where that is NaN, no zero."""
    xp = namespace(output)
    return xp.where(output <= 0, xp.zeros_like(output_grad), output_grad)


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
