"""What is done element by element, by the ``eltwise`` and ``binary`` primitives: in one pass, where NumPy makes many.

Where NumPy has a vectorized function, tanh or exp, oneDNN's is no faster on one thread; what takes NumPy one pass,
relu or a sum, gains the second thread. oneDNN's own relu would make 0 of a NaN, and its gradient NaN of infinity where
it stops, so both are made of comparisons and maxima.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...array_types import Array
from ..buffers import empty
from .constants import (
    BINARY_LE,
    BINARY_MAX,
    BINARY_MUL,
    DIFF_DST,
    DIFF_SRC,
    DST,
    ELTWISE_GELU_ERF,
    ELTWISE_GELU_TANH,
    ELTWISE_LINEAR,
    ELTWISE_LOGISTIC,
    ELTWISE_LOGISTIC_BY_OUTPUT,
    ELTWISE_SWISH,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    REDUCTION_SUM,
    SRC,
    SRC_1,
    post_op_argument,
)
from .memory import FLOAT32, Operand
from .plan import Plan, made, run, run_copied

__all__ = [
    "gelu",
    "gelu_backward",
    "relu",
    "relu_backward",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
]

#: An algorithm of ``eltwise``, and its first parameter.
Options = tuple[int, float]

#: Algorithms that make a gradient from the output.
BY_OUTPUT = frozenset((ELTWISE_LOGISTIC_BY_OUTPUT,))

_ZERO = np.zeros(1, FLOAT32)

#: Rows in which numbers are added up, that each thread has some.
ROWS = 8


def relu(x: Array) -> Array | None:
    """max(x, 0), and NaN of a NaN"""
    return made(_relu, None, x.shape, x, _ZERO) if x.flags.c_contiguous else None


def relu_backward(output: Array, output_grad: Array) -> Array | None:
    """`output_grad`, and 0 where the output of relu is; where that is NaN, no zero."""
    if output.size < ROWS or output_grad.dtype is not output.dtype or output_grad.shape != output.shape:
        return None
    if not (output.flags.c_contiguous and output_grad.flags.c_contiguous):
        return None
    # 0 times what is not finite is NaN, where it should be 0.
    return _numbers(_relu_backward, None, output, output_grad, _ZERO)


_GELU = {"none": ELTWISE_GELU_ERF, "tanh": ELTWISE_GELU_TANH}


def gelu(x: Array, approximate: str) -> Array | None:
    """x Phi(x), Phi the normal distribution, or by the formula that `approximate` names."""
    if x.size < ROWS or approximate not in _GELU:
        return None
    # Of an infinity it makes a NaN.
    return _numbers(_gelu, (_GELU[approximate], 0.0), x)


def gelu_backward(x: Array, output_grad: Array, approximate: str) -> Array | None:
    """The gradient of x, the input of `gelu`."""
    return _gradient((_GELU[approximate], 0.0), x, output_grad) if approximate in _GELU else None


def sigmoid(x: Array) -> Array | None:
    """1 / (1 + e^-x)"""
    return made(_forward, (ELTWISE_LOGISTIC, 0.0), x.shape, x)


def sigmoid_backward(output: Array, output_grad: Array) -> Array | None:
    """The gradient of the input of `sigmoid`."""
    return _gradient((ELTWISE_LOGISTIC_BY_OUTPUT, 0.0), output, output_grad)


def silu(x: Array) -> Array | None:
    """x sigmoid(x)"""
    return made(_forward, (ELTWISE_SWISH, 1.0), x.shape, x)


def silu_backward(x: Array, output_grad: Array) -> Array | None:
    """The gradient of x, the input of `silu`."""
    return _gradient((ELTWISE_SWISH, 1.0), x, output_grad)


def _numbers(build: Callable[..., None], options: Any, *inputs: Array) -> Array | None:
    """An array like the first of `inputs`, written by what `build` plans; None if there is a NaN in it.

    The plan adds up `ROWS` rows of it, by which a NaN shows. Each thread adds up what it has just written.
    """
    out, sums = empty(inputs[0].shape, FLOAT32), np.empty(ROWS, FLOAT32)
    if not run(build, options, out, sums, *inputs) and not run_copied(build, options, out, sums, *inputs):
        return None
    rest = out.reshape(-1)[out.size // ROWS * ROWS :]
    return None if np.isnan(sums).any() or np.isnan(rest).any() else out


def _gradient(options: Options, known: Array, output_grad: Array) -> Array | None:
    """By the ``eltwise`` primitive, from the input or the output, whichever the algorithm wants."""
    if not known.ndim or output_grad.dtype is not known.dtype or output_grad.shape != known.shape:
        return None
    return made(_backward, options, known.shape, known, output_grad)


def _relu(plan: Plan, _: None, out: Operand, x: Operand, zero: Operand) -> None:
    """Of two numbers, one NaN, oneDNN's maximum is the second one: so the second maximum brings back x's NaN."""
    elements = prod(x.shape)
    x, out, zero = x.seen_as(1, elements), out.seen_as(1, elements), zero.seen_as(1, 1)
    primitive = plan.primitive("binary", BINARY_MAX, x, zero, out, post_ops=(("binary", BINARY_MAX, x),))
    plan.step(primitive, {SRC: x, SRC_1: zero, DST: out, post_op_argument(0): x})


def _relu_backward(
    plan: Plan, _: None, out: Operand, sums: Operand, output: Operand, output_grad: Operand, zero: Operand
) -> None:
    """(1 - (output <= 0)) output_grad"""
    elements = prod(out.shape)
    made = out.seen_as(1, elements)
    output, output_grad, zero = output.seen_as(1, elements), output_grad.seen_as(1, elements), zero.seen_as(1, 1)
    chain = ("eltwise", ELTWISE_LINEAR, -1.0, 1.0), ("binary", BINARY_MUL, output_grad)
    primitive = plan.primitive("binary", BINARY_LE, output, zero, made, post_ops=chain)
    plan.step(primitive, {SRC: output, SRC_1: zero, DST: made, post_op_argument(1): output_grad})
    _add_up(plan, out, sums)


def _gelu(plan: Plan, options: Options, out: Operand, sums: Operand, x: Operand) -> None:
    with plan.shared(prod(x.shape)):
        _forward(plan, options, out, x)
        _add_up(plan, out, sums)


def _add_up(plan: Plan, out: Operand, sums: Operand) -> None:
    """The sums of the elements of `out`, in as many rows as there are `sums`, but for those that are too many."""
    rows, sums = out.seen_as(ROWS, prod(out.shape) // ROWS), sums.seen_as(ROWS, 1)
    plan.step(plan.primitive("reduction", REDUCTION_SUM, rows, sums, 0.0, 0.0), {SRC: rows, DST: sums})


def _forward(plan: Plan, options: Options, out: Operand, x: Operand) -> None:
    algorithm, alpha = options
    with plan.shared(prod(x.shape)):
        primitive = plan.primitive("eltwise_forward", FORWARD_INFERENCE, algorithm, x, out, alpha, 0.0)
        plan.step(primitive, {SRC: x, DST: out})


def _backward(plan: Plan, options: Options, out: Operand, known: Operand, output_grad: Operand) -> None:
    algorithm, alpha = options
    with plan.shared(prod(known.shape)):
        hint = plan.primitive("eltwise_forward", FORWARD_TRAINING, algorithm, known, known, alpha, 0.0)
        primitive = plan.primitive("eltwise_backward", algorithm, out, output_grad, known, alpha, 0.0, hint)
        place = DST if algorithm in BY_OUTPUT else SRC
        plan.step(primitive, {place: known, DIFF_DST: output_grad, DIFF_SRC: out})
