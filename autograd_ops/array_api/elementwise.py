"""Elementwise functions. Most are the ops of the same name, which promote and broadcast as the standard says."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    conj,
    copysign,
    cos,
    cosh,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_not,
    maximum,
    minimum,
    nextafter,
    not_equal,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
)
from ..ops import clone as positive
from ..ops import div as divide
from ..ops import mul as multiply
from ..ops import neg as negative
from ..ops import sgn as sign
from ..ops import sub as subtract
from ..tensor import Tensor
from .creation import asarray

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """x, brought into [min, max], in its own dtype; either limit may be an array, a number or None."""
    limits = [ops.astype(a, x.dtype) if isinstance(a, Tensor) else a for a in (min, max)]
    return ops.clamp(x, *limits)


def _truths(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Both operands of a logical function as Tensors; one may be a Python bool."""
    lead = x1 if isinstance(x1, Tensor) else x2
    return asarray(x1, device=lead.device), asarray(x2, device=lead.device)


def logical_and(x1: Any, x2: Any, /) -> Tensor:
    """Where both are true."""
    return ops.logical_and(*_truths(x1, x2))


def logical_or(x1: Any, x2: Any, /) -> Tensor:
    """Where either is true."""
    return ops.logical_or(*_truths(x1, x2))


def logical_xor(x1: Any, x2: Any, /) -> Tensor:
    """Where just one is true."""
    return ops.logical_xor(*_truths(x1, x2))
