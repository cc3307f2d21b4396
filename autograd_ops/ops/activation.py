"""Activation functions of neural networks."""

from __future__ import annotations

import math
from typing import Any

from autograd_backends import kernels, namespace

from ..registry import Array, op
from .compare import where
from .elementwise import erf, exp, tanh
from .reduce import sum

__all__ = [
    "dropout",
    "elu",
    "gelu",
    "gelu_backward",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "log_softmax_backward",
    "logsigmoid",
    "relu",
    "relu_backward",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
    "softmax",
    "softmax_backward",
    "softplus",
]


@op(formula="dx = g where out > 0, else 0", real=True)
def relu(x: Array) -> Array:
    """max(x, 0)"""
    return kernels(x).relu(x)


relu.backward(x=lambda g, out: relu_backward(out, g))


def _relu_backward_recorded(output: Any, output_grad: Any) -> Any:
    return where(output <= 0, 0.0, output_grad)


@op(formula="of g where output > 0, else 0", recorded=_relu_backward_recorded)
def relu_backward(output: Array, output_grad: Array) -> Array:
    """The gradient of the input of `relu`, from its output and the output's gradient"""
    return kernels(output).relu_backward(output, output_grad)


@op(formula="dx = g where x > 0, g slope elsewhere", floating=True, real=True)
def leaky_relu(x: Array, slope: float) -> Array:
    """x where positive, `slope` x elsewhere"""
    xp = namespace(x)
    # Of the two, the larger or the smaller, which needs no choice, if the slope is one that is used.
    return xp.maximum(x, x * slope) if 0 <= slope <= 1 else xp.where(x > 0, x, x * slope)


leaky_relu.backward(x=lambda g, x, slope: where(x > 0, g, g * slope))


@op(formula="dx = g where low < x < high, else 0", floating=True, real=True)
def hardtanh(x: Array, low: float, high: float) -> Array:
    """x, brought into [low, high]; unlike `clamp`, with gradient 0 at the bounds"""
    xp = namespace(x)
    return xp.minimum(xp.maximum(x, low), high)


hardtanh.backward(x=lambda g, x, low, high: where((x <= low) | (x >= high), 0.0, g))


@op(formula="dx = g where x > 0, g alpha e^x elsewhere", floating=True, real=True)
def elu(x: Array, alpha: float) -> Array:
    """x where positive, alpha (e^x - 1) elsewhere"""
    xp = namespace(x)
    return xp.where(x > 0, x, xp.expm1(xp.minimum(x, 0)) * alpha)


elu.backward(x=lambda g, x, alpha: where(x > 0, g, g * (exp(where(x > 0, 0.0, x)) * alpha)))


@op(formula="dx = g out (1 - out)", floating=True)
def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)"""
    return kernels(x).sigmoid(x)


sigmoid.backward(x=lambda g, out: sigmoid_backward(out, g))


def _sigmoid_backward_recorded(output: Any, output_grad: Any) -> Any:
    return output_grad * (output * (1.0 - output))


@op(formula="of g output (1 - output)", recorded=_sigmoid_backward_recorded, promote=True)
def sigmoid_backward(output: Array, output_grad: Array) -> Array:
    """The gradient of the input of `sigmoid`, from its output and the output's gradient"""
    return kernels(output).sigmoid_backward(output, output_grad)


@op(formula="dx = g sigmoid(-x)", floating=True, real=True)
def logsigmoid(x: Array) -> Array:
    """log(1 / (1 + e^-x))"""
    xp = namespace(x)
    return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x)))


logsigmoid.backward(x=lambda g, x: g * sigmoid(-x))


@op(formula="dx = g (s + x s (1 - s)), s = sigmoid(x)", floating=True)
def silu(x: Array) -> Array:
    """x sigmoid(x)"""
    return kernels(x).silu(x)


silu.backward(x=lambda g, x: silu_backward(x, g))


def _silu_backward_recorded(x: Any, output_grad: Any) -> Any:
    s = sigmoid(x)
    return output_grad * (s * (1.0 + x * (1.0 - s)))


@op(formula="of g (s + x s (1 - s)), s = sigmoid(x)", recorded=_silu_backward_recorded, promote=True)
def silu_backward(x: Array, output_grad: Array) -> Array:
    """The gradient of the input x of `silu`, from that of its output"""
    return kernels(x).silu_backward(x, output_grad)


@op(formula="dx = g sigmoid(beta x)", floating=True, real=True)
def softplus(x: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    """log(1 + e^(beta x)) / beta; x itself where beta x > `threshold`"""
    xp = namespace(x)
    z = x * beta
    smooth = (xp.maximum(z, 0) + xp.log1p(xp.exp(-xp.abs(z)))) / beta
    return xp.where(z > threshold, x, smooth)


softplus.backward(x=lambda g, x, beta, threshold: where(x * beta > threshold, g, g * sigmoid(x * beta)))


@op(formula="dx = g (Phi(x) + x phi(x)), Phi and phi of the normal distribution", floating=True, real=True, fresh=True)
def gelu(x: Array, approximate: str = "none") -> Array:
    """x Phi(x), Phi the normal distribution; ``"tanh"``: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2"""
    return kernels(x).gelu(x, approximate)


gelu.backward(x=lambda g, x, approximate: gelu_backward(x, g, approximate))


def _gelu_backward_recorded(x: Any, output_grad: Any, approximate: str = "none") -> Any:
    from autograd_backends.module_ops.activation import CUBIC, ROOT_2_OVER_PI, ROOT_HALF  # when it is first needed

    if approximate == "none":
        density = exp(x * x * -0.5) * (1.0 / math.sqrt(2.0 * math.pi))
        return output_grad * (0.5 * (1.0 + erf(x * ROOT_HALF)) + x * density)
    t = tanh(x * (1.0 + x * x * CUBIC) * ROOT_2_OVER_PI)
    slope = (1.0 + x * x * (3.0 * CUBIC)) * ROOT_2_OVER_PI
    return output_grad * (0.5 * (1.0 + t) + x * (0.5 * (1.0 - t * t) * slope))


@op(formula="of g (Phi(x) + x phi(x))", recorded=_gelu_backward_recorded)
def gelu_backward(x: Array, output_grad: Array, approximate: str = "none") -> Array:
    """The gradient of the input x of `gelu`, from that of its output"""
    return kernels(x).gelu_backward(x, output_grad, approximate)


@op(formula="dx = g keep scale", nondiff=("keep",))
def dropout(x: Array, keep: Array, scale: float) -> Array:
    """x times `scale` where the bools `keep` hold, 0 elsewhere"""
    xp = namespace(x)
    return xp.where(keep, x * scale, xp.zeros((), dtype=x.dtype, device=x.device))


dropout.backward(x=lambda g, keep, scale: dropout(g, keep, scale))


@op(formula="dx = out (g - sum(g out))", floating=True, real=True)
def softmax(x: Array, axis: int) -> Array:
    """e^x over its sum along `axis`"""
    return kernels(x).softmax(x, axis)


softmax.backward(x=lambda g, out, axis: softmax_backward(out, g, axis))


def _softmax_backward_recorded(output: Any, output_grad: Any, axis: int) -> Any:
    return output * (output_grad - sum(output_grad * output, (axis % output.ndim,), True))


@op(formula="of output (g - sum(g output))", recorded=_softmax_backward_recorded, promote=True)
def softmax_backward(output: Array, output_grad: Array, axis: int) -> Array:
    """The gradient of the input of `softmax`, from its output and the output's gradient"""
    return kernels(output).softmax_backward(output, output_grad, axis)


@op(formula="dx = g - e^out sum g", floating=True, real=True)
def log_softmax(x: Array, axis: int) -> Array:
    """The logarithm of `softmax`, without overflow"""
    return kernels(x).log_softmax(x, axis)


log_softmax.backward(x=lambda g, out, axis: log_softmax_backward(out, g, axis))


def _log_softmax_backward_recorded(output: Any, output_grad: Any, axis: int) -> Any:
    return output_grad - exp(output) * sum(output_grad, (axis % output.ndim,), True)


@op(formula="of g - e^output sum g", recorded=_log_softmax_backward_recorded, promote=True)
def log_softmax_backward(output: Array, output_grad: Array, axis: int) -> Array:
    """The gradient of the input of `log_softmax`, from its output and the output's gradient"""
    return kernels(output).log_softmax_backward(output, output_grad, axis)
