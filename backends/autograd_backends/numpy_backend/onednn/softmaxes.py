"""softmax and its logarithm along the last axis, and their gradients."""

from __future__ import annotations

from ...array_types import Array
from .constants import (
    DIFF_DST,
    DIFF_SRC,
    DST,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    SOFTMAX_ACCURATE,
    SOFTMAX_LOG,
    SRC,
)
from .memory import Operand
from .plan import Plan, made

__all__ = ["log_softmax", "log_softmax_backward", "softmax", "softmax_backward"]


def softmax(x: Array, axis: int) -> Array | None:
    """e^x over its sum along `axis`"""
    return _along_last(x, axis, SOFTMAX_ACCURATE)


def log_softmax(x: Array, axis: int) -> Array | None:
    """The logarithm of `softmax`"""
    return _along_last(x, axis, SOFTMAX_LOG)


def softmax_backward(output: Array, output_grad: Array, axis: int) -> Array | None:
    """The gradient of x, from the output of `softmax`"""
    return _along_last(output, axis, SOFTMAX_ACCURATE, output_grad)


def log_softmax_backward(output: Array, output_grad: Array, axis: int) -> Array | None:
    """The gradient of x, from the output of `log_softmax`"""
    return _along_last(output, axis, SOFTMAX_LOG, output_grad)


def _along_last(x: Array, axis: int, algorithm: int, output_grad: Array | None = None) -> Array | None:
    """What `algorithm` makes of the rows of x, or of x as its output; None where `axis` is not the last."""
    if axis not in (-1, x.ndim - 1):
        return None
    if output_grad is None:
        return made(_forward, algorithm, x.shape, x)
    return made(_backward, algorithm, x.shape, x, output_grad) if output_grad.shape == x.shape else None


def _forward(plan: Plan, algorithm: int, out: Operand, x: Operand) -> None:
    axis = len(x.shape) - 1
    primitive = plan.primitive("softmax_forward", FORWARD_INFERENCE, algorithm, x, out, axis)
    plan.step(primitive, {SRC: x, DST: out})


def _backward(plan: Plan, algorithm: int, out: Operand, output: Operand, output_grad: Operand) -> None:
    axis = len(output.shape) - 1
    hint = plan.primitive("softmax_forward", FORWARD_TRAINING, algorithm, output, output, axis)
    primitive = plan.primitive("softmax_backward", algorithm, out, output_grad, output, axis, hint)
    plan.step(primitive, {DST: output, DIFF_DST: output_grad, DIFF_SRC: out})
