"""softmax and its logarithm along the last axis, and their gradients."""

from __future__ import annotations

from math import prod

import numpy as np

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


#: The smallest number of float32 that has all its digits.
SMALLEST = float(np.finfo(np.float32).tiny)


def softmax(x: Array, axis: int) -> Array | None:
    """e^x over its sum along `axis`"""
    out = made(_forward, None, x.shape, x) if _is_last(axis, x) else None
    # Of a row with a NaN all is NaN, which oneDNN does not see to.
    return None if out is None or np.isnan(np.maximum.reduce(out, None)) else out


def log_softmax(x: Array, axis: int) -> Array | None:
    """The logarithm of `softmax`, where no element of that is too small to have all its digits.

    oneDNN's own takes a logarithm of few digits.
    """
    out = softmax(x, axis)
    if out is None or not np.minimum.reduce(out, None) >= SMALLEST:
        return None
    return np.log(out, out=out)


def softmax_backward(output: Array, output_grad: Array, axis: int) -> Array | None:
    """The gradient of x, from the output of `softmax`"""
    return _x_grad(SOFTMAX_ACCURATE, output, output_grad, axis)


def log_softmax_backward(output: Array, output_grad: Array, axis: int) -> Array | None:
    """The gradient of x, from the output of `log_softmax`"""
    return _x_grad(SOFTMAX_LOG, output, output_grad, axis)


def _x_grad(algorithm: int, output: Array, output_grad: Array, axis: int) -> Array | None:
    if not _is_last(axis, output) or output_grad.shape != output.shape:
        return None
    return made(_backward, algorithm, output.shape, output, output_grad)


def _is_last(axis: int, x: Array) -> bool:
    return axis in (-1, x.ndim - 1)


def _forward(plan: Plan, _: None, out: Operand, x: Operand) -> None:
    axis = len(x.shape) - 1
    with plan.shared(prod(x.shape)):
        primitive = plan.primitive("softmax_forward", FORWARD_INFERENCE, SOFTMAX_ACCURATE, x, out, axis)
        plan.step(primitive, {SRC: x, DST: out})


def _backward(plan: Plan, algorithm: int, out: Operand, output: Operand, output_grad: Operand) -> None:
    axis = len(output.shape) - 1
    with plan.shared(prod(output.shape)):
        hint = plan.primitive("softmax_forward", FORWARD_TRAINING, algorithm, output, output, axis)
        primitive = plan.primitive("softmax_backward", algorithm, out, output_grad, output, axis, hint)
        plan.step(primitive, {DST: output, DIFF_DST: output_grad, DIFF_SRC: out})
