"""Products of matrices, all by the ``matmul`` primitive, so that they share one pool of threads."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from math import prod

import numpy as np

from ...array_types import Array
from ..buffers import empty
from .constants import BIAS, DST, SRC, WEIGHTS
from .memory import FLOAT32, Operand, Refused, in_order
from .plan import Plan, run, run_copied

__all__ = ["linear", "linear_weight_backward", "linear_x_backward", "matmul", "matmul_into"]


def linear(x: Array, weight: Array, bias: Array | None) -> Array | None:
    """x [..., d_input] @ weight [d_input, d_output] + bias [d_output] -> [..., d_output]"""
    if weight.ndim != 2 or x.shape[-1:] != weight.shape[:1] or (bias is not None and bias.shape != weight.shape[1:]):
        return None  # NumPy's kernel says what is wrong
    out = empty((*x.shape[:-1], weight.shape[1]), FLOAT32)
    given = (out, x, weight) if bias is None else (out, x, weight, bias)
    return out if run(_linear, None, *given) or run_copied(_linear, None, *given) else None


def linear_x_backward(weight: Array, output_grad: Array) -> Array | None:
    """output_grad [..., d_output] @ weight.T -> the gradient of x [..., d_input]"""
    return linear(output_grad, weight.T, None)


def linear_weight_backward(x: Array, output_grad: Array) -> Array | None:
    """x.T @ output_grad, summed over all leading dimensions -> the gradient of weight [d_input, d_output]"""
    if not x.ndim or x.shape[:-1] != output_grad.shape[:-1]:
        return None
    out = empty((x.shape[-1], output_grad.shape[-1]), FLOAT32)
    return (
        out
        if run(_linear_weight, None, out, x, output_grad) or run_copied(_linear_weight, None, out, x, output_grad)
        else None
    )


def matmul(x: Array, y: Array) -> Array | None:
    """x [..., n, k] @ y [..., k, m] -> [..., n, m]; a vector on either side is a row or a column that falls away"""
    if y.ndim == 1:
        out = matmul(x, y[:, None])
        return None if out is None else out[..., 0]
    if x.ndim == 1:
        out = matmul(x[None], y)
        return None if out is None else out[..., 0, :]
    if y.ndim == 2:
        return linear(x, y, None)
    try:
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        return None
    if x.shape[-1] != y.shape[-2]:
        return None
    return matmul_into(x, y, empty((*batch, x.shape[-2], y.shape[-1]), FLOAT32))


def matmul_into(x: Array, y: Array, target: Array) -> Array | None:
    """x [..., n, k] @ y [..., k, m], written to target [..., n, m]"""
    return target if run(_matmul, None, target, x, y) or run_copied(_matmul, None, target, x, y) else None


# ---------------------------------------------------------------- plans


#: Up to this many multiplications and additions, some 40 microseconds, one thread does a product: to wake a second one
#: takes as long as it saves. Of a step whose products are a little larger it is still awake at the next.
ALONE = 2**21


def _product(plan: Plan, x: Operand, y: Operand, out: Operand, bias: Operand | None = None) -> None:
    operands = {SRC: x, WEIGHTS: y, DST: out}
    if bias is not None:
        operands[BIAS] = bias
    with plan.one_thread() if prod(out.shape) * x.shape[-1] <= ALONE else nullcontext():
        plan.step(plan.primitive("matmul", x, y, bias, out), operands)


def _linear(plan: Plan, _: None, out: Operand, x: Operand, weight: Operand, bias: Operand | None = None) -> None:
    row = None if bias is None else in_order(bias).seen_as(1, *bias.shape)
    _product(plan, _rows(x), weight, _rows(out), row)


def _linear_weight(plan: Plan, _: None, out: Operand, x: Operand, output_grad: Operand) -> None:
    _product(plan, _transposed(_rows(x)), _rows(output_grad), out)


def _matmul(plan: Plan, _: None, out: Operand, x: Operand, y: Operand) -> None:
    rank = len(out.shape)
    _product(plan, _with_rank(x, rank), _with_rank(y, rank), out)


def _transposed(x: Operand) -> Operand:
    return x.seen_as(*x.shape[::-1], strides=x.strides[::-1])


def _with_rank(x: Operand, rank: int) -> Operand:
    """`x` with dimensions of size 1 before its own, `rank` in all."""
    more = (1,) * (rank - len(x.shape))
    return x.seen_as(*more, *x.shape, strides=(*more, *x.strides))


def _rows(x: Operand) -> Operand:
    """[..., d] as a matrix.

    Raises
    ------
    Refused
        If its rows do not follow one another at one distance.
    """
    *lead, d = x.shape
    outer = [(n, step) for n, step in zip(lead, x.strides, strict=False) if n > 1]
    for (_, step), (inner, inner_step) in pairwise(outer):
        if step != inner * inner_step:
            raise Refused("rows at several distances")
    return x.seen_as(prod(lead), d, strides=(outer[-1][1] if outer else 1, x.strides[-1]))
