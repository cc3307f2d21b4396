"""gelu and its gradient, by the ``eltwise`` primitive: in one pass, four times as fast on one thread as NumPy's many.

Where NumPy has a vectorized function, tanh or exp, oneDNN's is no faster, and relu is as fast as memory in both.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ...array_types import Array
from .constants import (
    DIFF_DST,
    DIFF_SRC,
    DST,
    ELTWISE_GELU_ERF,
    ELTWISE_GELU_TANH,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    SRC,
)
from .memory import Operand
from .plan import Plan, made

__all__ = ["gelu", "gelu_backward"]

_GELU = {"none": ELTWISE_GELU_ERF, "tanh": ELTWISE_GELU_TANH}


def gelu(x: Array, approximate: str) -> Array | None:
    """x Phi(x), Phi the normal distribution, or by the formula that `approximate` names."""
    out = made(_forward, _GELU[approximate], x.shape, x) if approximate in _GELU else None
    # Of an infinity it makes a NaN.
    return None if out is None or np.isnan(np.maximum.reduce(out, None)) else out


def gelu_backward(x: Array, output_grad: Array, approximate: str) -> Array | None:
    """The gradient of x, the input of `gelu`."""
    if approximate not in _GELU or output_grad.dtype is not x.dtype or output_grad.shape != x.shape:
        return None
    return made(_backward, _GELU[approximate], x.shape, x, output_grad)


def _forward(plan: Plan, algorithm: int, out: Operand, x: Operand) -> None:
    with plan.shared(prod(x.shape)):
        primitive = plan.primitive("eltwise_forward", FORWARD_INFERENCE, algorithm, x, out, 0.0, 0.0)
        plan.step(primitive, {SRC: x, DST: out})


def _backward(plan: Plan, algorithm: int, out: Operand, x: Operand, output_grad: Operand) -> None:
    with plan.shared(prod(x.shape)):
        hint = plan.primitive("eltwise_forward", FORWARD_TRAINING, algorithm, x, x, 0.0, 0.0)
        primitive = plan.primitive("eltwise_backward", algorithm, out, output_grad, x, 0.0, 0.0, hint)
        plan.step(primitive, {SRC: x, DIFF_DST: output_grad, DIFF_SRC: out})
