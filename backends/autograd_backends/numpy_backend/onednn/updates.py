"""Optimizers' updates of large parameters, in place: one pass for gradient descent, three for Adam.

The numbers that a schedule changes are read from memory, so that a plan serves all steps.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...array_types import Array
from ...options import AdamStep
from .constants import (
    BINARY_ADD,
    BINARY_MAX,
    BINARY_MUL,
    BINARY_SUB,
    DST,
    ELTWISE_POW,
    ELTWISE_SQRT,
    SRC,
    SRC_1,
    post_op_argument,
)
from .memory import FLOAT32, Operand
from .plan import Plan, PostOp, run

__all__ = ["adam_step", "descend"]


def descend(array: Array, grad: Array, rate: Array) -> bool | None:
    """``array -= rate * grad``"""
    if not _plain(array, grad):
        return None
    return run(_descend, None, array.reshape(-1), grad.reshape(-1), -rate.reshape(1)) or None


def _descend(plan: Plan, options: None, array: Operand, grad: Operand, rate: Operand) -> None:
    with plan.shared(prod(array.shape)):
        _chain(plan, (BINARY_MUL, grad, rate), array, (BINARY_ADD, array))


def adam_step(
    array: Array, grad: Array, mean: Array, square: Array, largest: Array | None, step: AdamStep
) -> bool | None:
    """`Backend.adam_step`, but for that with a largest moment."""
    arrays = (array, grad, mean, square)
    if largest is not None or not _plain(*arrays):
        return None
    numbers = [1.0 - step.beta1, 1.0 - step.beta2, step.slack, -step.pace / step.shrink, step.shrink]
    scalars = np.array(numbers, FLOAT32).reshape(-1, 1)
    return run(_adam, step.beta2, *[x.reshape(-1) for x in arrays], *scalars) or None


def _adam(
    plan: Plan,
    beta2: float,
    array: Operand,
    grad: Operand,
    mean: Operand,
    square: Operand,
    new_of_mean: Operand,
    new_of_square: Operand,
    slack: Operand,
    pace: Operand,
    shrink: Operand,
) -> None:
    with plan.shared(prod(array.shape)):
        # m + (1 - beta1) (g - m)
        _chain(plan, (BINARY_SUB, grad, mean), mean, (BINARY_MUL, new_of_mean), (BINARY_ADD, mean))
        # (1 - beta2) g^2 + beta2 v; of a difference from v, as above, an infinite one would make no number
        _chain(plan, (BINARY_MUL, grad, grad), square, (BINARY_MUL, new_of_square), ("sum", beta2))
        # (w - pace / shrink m / (sqrt(v) + slack)) shrink
        root = ("eltwise", ELTWISE_SQRT, 0.0, 0.0), (BINARY_ADD, slack), ("eltwise", ELTWISE_POW, 1.0, -1.0)
        move = (BINARY_MUL, mean), (BINARY_MUL, pace), (BINARY_ADD, array), (BINARY_MUL, shrink)
        _chain(plan, (BINARY_MAX, square, square), array, *root, *move)


def _plain(*arrays: Array) -> bool:
    """Whether they are of one shape, and a view of each has its elements in a row."""
    first = arrays[0]
    return all(x.shape == first.shape and x.flags.c_contiguous and x.dtype is FLOAT32 for x in arrays)


def _chain(plan: Plan, first: tuple[int, Operand, Operand], out: Operand, *links: tuple[Any, ...]) -> None:
    """One pass: an operation of two arrays, and what is done with its result.

    A link is an operation and its other operand, or a post-op of another kind as it is.
    """
    algorithm, left, right = first
    operands = {SRC: left, SRC_1: right, DST: out}
    post_ops: list[PostOp] = []
    for place, link in enumerate(links):
        if isinstance(link[0], str):
            post_ops.append(link)
        else:
            post_ops.append(("binary", *link))
            operands[post_op_argument(place)] = link[1]
    plan.step(plan.primitive("binary", algorithm, left, right, out, post_ops=tuple(post_ops)), operands)
