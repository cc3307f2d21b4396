"""Elementwise functions whose PyTorch signature is more than the op's."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..call_path import renamed
from ..creation import tensor
from ..indexing import nonzero
from ..refusals import named
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

# Ops, whose arguments have PyTorch's names here.

abs = renamed(ops.abs, "input")
acos = renamed(ops.acos, "input")
acosh = renamed(ops.acosh, "input")
asin = renamed(ops.asin, "input")
asinh = renamed(ops.asinh, "input")
atan = renamed(ops.atan, "input")
atanh = renamed(ops.atanh, "input")
ceil = renamed(ops.ceil, "input")
clone = renamed(ops.clone, "input")
cos = renamed(ops.cos, "input")
cosh = renamed(ops.cosh, "input")
erf = renamed(ops.erf, "input")
exp = renamed(ops.exp, "input")
expm1 = renamed(ops.expm1, "input")
floor = renamed(ops.floor, "input")
isfinite = renamed(ops.isfinite, "input")
isinf = renamed(ops.isinf, "input")
isnan = renamed(ops.isnan, "input")
log = renamed(ops.log, "input")
log10 = renamed(ops.log10, "input")
log1p = renamed(ops.log1p, "input")
log2 = renamed(ops.log2, "input")
logical_not = renamed(ops.logical_not, "input")
neg = renamed(ops.neg, "input")
reciprocal = renamed(ops.reciprocal, "input")
relu = renamed(ops.relu, "input")
rsqrt = renamed(ops.rsqrt, "input")
sigmoid = renamed(ops.sigmoid, "input")
sign = renamed(ops.sign, "input")
sin = renamed(ops.sin, "input")
sinh = renamed(ops.sinh, "input")
sqrt = renamed(ops.sqrt, "input")
square = renamed(ops.square, "input")
tan = renamed(ops.tan, "input")
tanh = renamed(ops.tanh, "input")
trunc = renamed(ops.trunc, "input")
pow = renamed(ops.pow, "input", "exponent")
atan2 = renamed(ops.atan2, "input", "other")
bitwise_and = renamed(ops.bitwise_and, "input", "other")
bitwise_or = renamed(ops.bitwise_or, "input", "other")
bitwise_xor = renamed(ops.bitwise_xor, "input", "other")
floor_divide = renamed(ops.floor_divide, "input", "other")
logaddexp = renamed(ops.logaddexp, "input", "other")
logical_and = renamed(ops.logical_and, "input", "other")
logical_or = renamed(ops.logical_or, "input", "other")
logical_xor = renamed(ops.logical_xor, "input", "other")
maximum = renamed(ops.maximum, "input", "other")
minimum = renamed(ops.minimum, "input", "other")
mul = renamed(ops.mul, "input", "other")
remainder = renamed(ops.remainder, "input", "other")
eq = renamed(ops.equal, "input", "other")
ge = renamed(ops.greater_equal, "input", "other")
gt = renamed(ops.greater, "input", "other")
le = renamed(ops.less_equal, "input", "other")
lt = renamed(ops.less, "input", "other")
ne = renamed(ops.not_equal, "input", "other")

# PyTorch's other names.

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


named(__name__)
