"""Samples of arithmetic and elementwise functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .base import Sample, distinct, pairs

SAMPLES: dict[str, list[Sample]] = {}

erf = np.vectorize(math.erf, otypes=[float])
SHAPES: list[tuple[int, ...]] = [(2, 3), (4,), (), (0, 2)]


def unary(
    reference: Callable[..., Any], low: float = -1.9, high: float = 2.0, integers: str | None = "float32"
) -> list[Sample]:
    """Samples in ``(low, high)``, away from integers; and of the integers in it, which become `integers`."""
    samples = [Sample(reference, distinct(shape, low, high, i)) for i, shape in enumerate(SHAPES)]
    if integers is not None:
        whole = np.array([n for n in range(-3, 4) if low < n < high], np.int32)
        samples.append(Sample(reference, whole, dtype=integers))
    return samples


SAMPLES |= {
    "neg": unary(np.negative, integers="int32"),
    "square": unary(np.square, integers="int32"),
    "reciprocal": [*unary(lambda x: 1 / x, 0.3, 2.5), *unary(lambda x: 1 / x, -2.5, -0.3)],
    "exp": unary(np.exp),
    "expm1": [*unary(np.expm1), Sample(np.expm1, np.array([1e-9, -1e-9]), half=False)],
    "log": unary(np.log, 0.2, 3.0),
    "log1p": [*unary(np.log1p, -0.7, 2.0), Sample(np.log1p, np.array([1e-9, -1e-9]), half=False)],
    "log2": unary(np.log2, 0.2, 3.0),
    "log10": unary(np.log10, 0.2, 3.0),
    "sqrt": unary(np.sqrt, 0.2, 3.0),
    "rsqrt": unary(lambda x: x**-0.5 if x.dtype == float else x.astype(float) ** -0.5, 0.2, 3.0),
    "sin": unary(np.sin),
    "cos": unary(np.cos),
    "tan": unary(np.tan, -1.2, 1.2),
    "asin": unary(np.arcsin, -0.9, 0.9),
    "acos": unary(np.arccos, -0.9, 0.9),
    "atan": unary(np.arctan),
    "sinh": unary(np.sinh),
    "cosh": unary(np.cosh),
    "tanh": unary(np.tanh),
    "asinh": unary(np.arcsinh),
    "acosh": unary(np.arccosh, 1.2, 3.0),
    "atanh": unary(np.arctanh, -0.9, 0.9),
    "erf": [*unary(erf), Sample(erf, np.array([-6.0, -3.5, 1e-5, 2.9, 5.0]), half=False)],
    "abs": unary(np.abs, integers="int32"),
    "sign": unary(np.sign, integers="int32"),
    "sgn": unary(np.sign, integers="int32"),
    "floor": unary(np.floor, integers=None),
    "ceil": unary(np.ceil, integers=None),
    "trunc": unary(np.trunc, integers=None),
    "round": [
        *unary(np.round, integers=None),
        Sample(lambda x: np.array([-2.0, -2.0, 0.0, 0.0, 2.0, 2.0]), np.arange(-2.5, 3.0), smooth=False, note="halves"),
    ],
}
for _name in ("floor", "ceil", "trunc", "round"):
    SAMPLES[_name].append(Sample(np.copy, np.array([[-2, 0, 3]]), note="integers"))

# ---------------------------------------------------------------- of two


def binary(reference: Callable[..., Any], *domain: float, number: float = 1.5) -> list[Sample]:
    """Samples of all ways to broadcast, and of a Python number on either side."""
    low, high, *other = domain or (-1.9, 2.0)
    x = distinct((2, 2), low, high, 91)
    y = distinct((2, 2), *(other or (low, high)), 92)
    return [
        *[Sample(reference, *pair) for pair in pairs(low, high, *other)],
        Sample(reference, x, number),
        Sample(reference, number, y),
    ]


def as_floats(reference: Callable[..., Any], *integers: Any) -> Sample:
    """A sample of integers, which the op makes floats of the default dtype."""
    return Sample(reference, *integers, dtype="float32", note="integers")


INTEGERS = np.array([[-3, 0, 7], [2, 5, -8]]), np.array([2, -3, 4])

SAMPLES |= {
    "add": [
        *binary(np.add),
        Sample(np.add, *INTEGERS),
        Sample(np.add, distinct(3), 2),
        Sample(np.add, True, distinct(3)),
    ],
    "sub": [*binary(np.subtract), Sample(np.subtract, *INTEGERS), Sample(np.subtract, 3, INTEGERS[0])],
    "mul": [*binary(np.multiply), Sample(np.multiply, *INTEGERS), Sample(np.multiply, distinct(3), -2)],
    "div": [
        *binary(np.divide, -1.9, 2.0, 0.4, 2.0),
        *[Sample(np.divide, x, -y) for x, y in pairs(-1.9, 2.0, 0.4, 2.0)[:2]],
        as_floats(np.divide, *INTEGERS),
        as_floats(np.divide, INTEGERS[0], 2),
        as_floats(np.divide, 2, INTEGERS[1]),
    ],
    "pow": [
        *binary(np.power, 0.3, 2.0, -1.9, 2.0),
        Sample(np.power, distinct((2, 3)), 3),
        Sample(np.power, distinct((2, 3)), 2.0),
        Sample(np.power, distinct((2, 3)), 0),
        Sample(np.power, distinct((2, 3)), -1),
        Sample(np.power, distinct((2, 3), 0.2, 2.0), 0.5),
        Sample(np.power, np.array([-2, 0, 3]), 2, note="integers"),
    ],
    "floor_divide": [
        *binary(np.floor_divide, -1.9, 2.0, 0.4, 2.0),
        Sample(np.floor_divide, *INTEGERS),
        Sample(np.floor_divide, INTEGERS[0], 3),
    ],
    "remainder": [
        *binary(np.remainder, -1.9, 2.0, 0.41, 2.0, number=1.37),
        Sample(np.remainder, distinct((2, 3)), -distinct((3,), 0.41, 2.0)),
        Sample(np.remainder, *INTEGERS),
        Sample(np.remainder, INTEGERS[0], 3),
    ],
    "fmod": [
        *binary(np.fmod, -1.9, 2.0, 0.41, 2.0, number=1.37),
        Sample(np.fmod, distinct((2, 3)), -distinct((3,), 0.41, 2.0)),
        Sample(np.fmod, *INTEGERS),
        Sample(np.fmod, INTEGERS[0], 3),
    ],
    "logaddexp": [
        *binary(np.logaddexp),
        Sample(np.logaddexp, np.array([1000.0, -1000.0]), np.array([999.0, 0.5])),
    ],
    "atan2": [
        *binary(np.arctan2),
        Sample(np.arctan2, np.array([0.5, -0.5, 0.5, -0.5, 0.0]), np.array([0.7, 0.7, -0.7, -0.7, 1.0])),
    ],
    "maximum": [*binary(np.maximum), Sample(np.maximum, *INTEGERS), Sample(np.maximum, INTEGERS[0], 1)],
    "minimum": [*binary(np.minimum), Sample(np.minimum, *INTEGERS), Sample(np.minimum, 1, INTEGERS[0])],
}

SAMPLES |= {
    "hypot": [
        *binary(np.hypot),
        as_floats(np.hypot, *INTEGERS),
        Sample(np.hypot, np.array([3e30, 0.0]), np.array([4e30, 2.0]), smooth=False, half=False),
        Sample(np.hypot, np.array([0.0, 1.0]), np.array([0.0, 0.0]), smooth=False, note="origin"),
    ],
    "copysign": [
        *binary(np.copysign),
        as_floats(np.copysign, *INTEGERS),
        Sample(np.copysign, np.array([0.0, -0.0, 2.0, -2.0]), np.array([-1.0, 1.0, -0.0, 0.0]), smooth=False),
    ],
}

#: What comes next depends on the dtype, so these are arrays for which it is 0, a number, or far off.
_STEPS = np.array([1.0, 0.0, np.inf, -np.inf, np.nan]), np.array([1.0, 0.0, np.inf, -np.inf, 1.0])
SAMPLES["nextafter"] = [
    Sample(np.nextafter, *_STEPS, smooth=False),
    Sample(np.nextafter, np.ones((2, 1)), np.ones((1, 3))),
    Sample(np.nextafter, np.ones((2, 0)), 1.0),
    Sample(np.nextafter, 1.0, np.ones(2)),
    as_floats(np.nextafter, np.array([1, 2]), np.array([1, 2])),
]

# ---------------------------------------------------------------- clamp


def clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    """Brought into the bounds; the upper one rules where they cross."""
    x = x if low is None else np.where(x < low, low, x)
    return x if high is None else np.where(x > high, high, x)


_X = distinct((2, 4), -2.0, 2.0, 3)

SAMPLES["clamp"] = [
    Sample(clamp, _X, None, None),
    Sample(clamp, _X, -0.8, None),
    Sample(clamp, _X, None, 0.9),
    Sample(clamp, _X, -0.8, 0.9),
    Sample(clamp, _X, -1, 1),
    Sample(clamp, _X, 0.6, -0.6, note="bounds that cross"),
    Sample(clamp, _X, distinct((4,), -1.5, -0.5, 4), distinct((2, 1), 0.5, 1.5, 5)),
    Sample(clamp, _X, distinct((2, 4), -1.5, 1.5, 6), distinct((2, 4), -1.5, 1.5, 7), note="some bounds that cross"),
    Sample(clamp, _X, None, distinct((), 0.0, 1.0, 8)),
    Sample(clamp, distinct((4,), -2.0, 2.0, 9), distinct((2, 1), -1.5, -0.5, 4), None),
    Sample(clamp, distinct(()), -0.5, 0.5),
    Sample(clamp, np.zeros((0, 2)), -0.5, 0.5),
    Sample(clamp, INTEGERS[0], -1, 4),
]
