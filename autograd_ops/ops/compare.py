"""Comparisons, logic and choice."""

from __future__ import annotations

from autograd_backends import namespace

from ..registry import Array, op

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "signbit",
    "where",
]


@op(nondiff=True, broadcast=True)
def equal(x: Array, y: Array) -> Array:
    """Where x == y"""
    return x == y


@op(nondiff=True, broadcast=True)
def not_equal(x: Array, y: Array) -> Array:
    """Where x != y"""
    return x != y


@op(nondiff=True, broadcast=True, real=True)
def less(x: Array, y: Array) -> Array:
    """Where x < y"""
    return x < y


@op(nondiff=True, broadcast=True, real=True)
def less_equal(x: Array, y: Array) -> Array:
    """Where x <= y"""
    return x <= y


@op(nondiff=True, broadcast=True, real=True)
def greater(x: Array, y: Array) -> Array:
    """Where x > y"""
    return x > y


@op(nondiff=True, broadcast=True, real=True)
def greater_equal(x: Array, y: Array) -> Array:
    """Where x >= y"""
    return x >= y


@op(nondiff=True, broadcast=True)
def bitwise_and(x: Array, y: Array) -> Array:
    """x & y, bit by bit; of bools, their conjunction"""
    return x & y


@op(nondiff=True, broadcast=True)
def bitwise_or(x: Array, y: Array) -> Array:
    """x | y, bit by bit; of bools, their disjunction"""
    return x | y


@op(nondiff=True, broadcast=True)
def bitwise_xor(x: Array, y: Array) -> Array:
    """x ^ y, bit by bit; of bools, where they differ"""
    return x ^ y


@op(nondiff=True)
def bitwise_invert(x: Array) -> Array:
    """~x, bit by bit; of bools, their opposite"""
    return ~x


@op(nondiff=True, broadcast=True)
def bitwise_left_shift(x: Array, y: Array) -> Array:
    """x << y, filled up with zeros"""
    return x << y


@op(nondiff=True, broadcast=True)
def bitwise_right_shift(x: Array, y: Array) -> Array:
    """x >> y, filled up with the sign"""
    return x >> y


def _truth(x: Array) -> Array:
    xp = namespace(x)
    return x if x.dtype == xp.bool else x != 0


@op(nondiff=True)
def logical_and(x: Array, y: Array) -> Array:
    """Where both x and y are not 0"""
    return namespace(x).logical_and(_truth(x), _truth(y))


@op(nondiff=True)
def logical_or(x: Array, y: Array) -> Array:
    """Where x or y is not 0"""
    return namespace(x).logical_or(_truth(x), _truth(y))


@op(nondiff=True)
def logical_xor(x: Array, y: Array) -> Array:
    """Where just one of x and y is not 0"""
    return namespace(x).logical_xor(_truth(x), _truth(y))


@op(nondiff=True)
def logical_not(x: Array) -> Array:
    """Where x is 0"""
    return namespace(x).logical_not(_truth(x))


@op(nondiff=True)
def isnan(x: Array) -> Array:
    """Where x is NaN"""
    return namespace(x).isnan(x)


@op(nondiff=True)
def isinf(x: Array) -> Array:
    """Where x is infinite"""
    return namespace(x).isinf(x)


@op(nondiff=True)
def isfinite(x: Array) -> Array:
    """Where x is neither infinite nor NaN"""
    return namespace(x).isfinite(x)


@op(nondiff=True, floating=True, real=True)
def signbit(x: Array) -> Array:
    """Where the sign of x is minus, that of a zero or NaN too"""
    return namespace(x).signbit(x)


@op(formula="dx = g where condition, else 0; dy = g where not", broadcast=True, nondiff=("condition",))
def where(condition: Array, x: Array, y: Array) -> Array:
    """x where the condition holds, y elsewhere; the gradient to the branch not taken is 0"""
    of = x if hasattr(x, "dtype") else y if hasattr(y, "dtype") else condition
    return namespace(of).where(condition, x, y)


where.backward(
    x=lambda g, condition: where(condition, g, 0.0),
    y=lambda g, condition: where(condition, 0.0, g),
)
