"""Elementwise functions whose PyTorch signature is more than the op's."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..creation import tensor
from ..indexing import nonzero
from ..ops import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    ceil,
    clone,
    cos,
    cosh,
    erf,
    exp,
    expm1,
    floor,
    floor_divide,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mul,
    neg,
    pow,
    reciprocal,
    relu,
    remainder,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
)
from ..ops import equal as eq
from ..ops import greater as gt
from ..ops import greater_equal as ge
from ..ops import less as lt
from ..ops import less_equal as le
from ..ops import not_equal as ne
from ..tensor import Tensor

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "allclose",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "clone",
    "cos",
    "cosh",
    "div",
    "divide",
    "eq",
    "equal",
    "erf",
    "exp",
    "expm1",
    "fix",
    "floor",
    "floor_divide",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "is_floating_point",
    "is_tensor",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "lerp",
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
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "ne",
    "neg",
    "negative",
    "not_equal",
    "pow",
    "reciprocal",
    "relu",
    "remainder",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "where",
]

absolute = abs
multiply = mul
negative = neg
fix = trunc
arccos, arcsin, arctan, arctan2 = acos, asin, atan, atan2
arccosh, arcsinh, arctanh = acosh, asinh, atanh
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne


def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha other"""
    return ops.add(input, other if alpha == 1 else other * alpha)


def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha other"""
    return ops.sub(input, other if alpha == 1 else other * alpha)


subtract = sub


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other, rounded if `rounding_mode` is ``"floor"`` or ``"trunc"``."""
    if rounding_mode is None:
        return ops.div(input, other)
    if rounding_mode == "floor":
        return ops.floor_divide(input, other)
    if rounding_mode == "trunc":
        down = ops.floor_divide(input, other)
        if down.dtype.is_floating_point:
            return ops.trunc(ops.div(input, other))
        # Of integers exactly: one up where the quotient is negative and was rounded.
        return down + ((down < 0) & (ops.remainder(input, other) != 0))
    raise ValueError(f"div: rounding_mode must be None, 'floor' or 'trunc', not {rounding_mode!r}")


divide = true_divide = div


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`input`, brought into [min, max]; either may be a number, a Tensor or None.

    Raises
    ------
    ValueError
        If both are None.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.clamp(ag.tensor([-2.0, 0.5, 3.0]), min=0, max=1)
    tensor([0. , 0.5, 1. ])
    """
    if min is None and max is None:
        raise ValueError("clamp: give min, max or both")
    return ops.clamp(input, min, max)


clip = clamp


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """`input`, or `min`, a number or a Tensor, where it is less."""
    return ops.clamp(input, min, None)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """`input`, or `max`, a number or a Tensor, where it is more."""
    return ops.clamp(input, None, max)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """`input`, rounded to `decimals` places, halves to even."""
    return ops.round(input) if decimals == 0 else ops.round(input * 10.0**decimals) / 10.0**decimals


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """`input` where the condition holds, `other` elsewhere; the condition alone gives the indices where it holds."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = tensor(input, device=condition.device)
    return ops.where(condition, input, other)


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """input + weight (end - input)"""
    if isinstance(weight, (int, float)) and weight >= 0.5:
        return end - (end - input) * (1 - weight)  # the same from the nearer end, which is so reached exactly
    return input + (end - input) * weight


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Where ``|input - other| <= atol + rtol |other|``, or both are the same infinity."""
    finite = isfinite(input) & isfinite(other)
    a, b = ops.where(finite, input, 0), ops.where(finite, other, 0)
    close = (finite & (ops.abs(a - b) <= atol + rtol * ops.abs(b))) | (input == other)
    return close | (isnan(input) & isnan(other)) if equal_nan else close


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether `isclose` holds everywhere."""
    return bool(ops.all(isclose(input, other, rtol, atol, equal_nan)))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two Tensors have the same shape and elements."""
    return tuple(input.shape) == tuple(other.shape) and bool(ops.all(input == other))


def is_tensor(value: object) -> bool:
    """Whether `value` is a Tensor."""
    return isinstance(value, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements of `input` are floats."""
    return input.dtype.is_floating_point
