"""Samples of comparisons, logic and choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import BROADCASTING, Sample, distinct, pairs

NAN, INF = np.nan, np.inf
BOOLS = np.array([[True, False], [True, True]]), np.array([True, False])
INTEGERS = np.array([[1, 2, 3], [6, 5, 4]]), np.array([3, 2, 4])
SPECIAL = np.array([0.0, -0.0, 1.5, -2.0, NAN, INF, -INF])


def whole(shape: Any, seed: int) -> np.ndarray:
    """Floats among 0, 1 and 2, so that many are equal."""
    return np.random.default_rng(seed).integers(0, 3, shape).astype(float)


def comparison(reference: Any) -> list[Sample]:
    """Samples with equal, ordered and unordered elements."""
    return [
        *[Sample(reference, whole(a, i), whole(b, i + 50)) for i, (a, b) in enumerate(BROADCASTING)],
        Sample(reference, *INTEGERS),
        Sample(reference, SPECIAL, SPECIAL[::-1].copy()),
        Sample(reference, whole((2, 3), 7), 1.0),
        Sample(reference, 1, whole((2, 3), 8)),
        Sample(reference, INTEGERS[0], 3),
    ]


def bits(reference: Any) -> list[Sample]:
    """Samples of bools and of integers."""
    return [Sample(reference, *BOOLS), Sample(reference, *INTEGERS), Sample(reference, INTEGERS[0], 6)]


def shifts(reference: Any) -> list[Sample]:
    """Samples of integers of both signs, which broadcast, and of a number on either side."""
    signed = np.array([[1, -2, 3], [6, -5, 4]])
    return [
        Sample(reference, signed, np.array([0, 1, 5])),
        Sample(reference, signed.astype(np.int32), np.array([[1], [3]], np.int32)),
        Sample(reference, signed, 2),
        Sample(reference, 3, np.array([0, 2])),
        Sample(reference, np.zeros((0, 2), np.int64), np.array([1, 2])),
    ]


def logic(reference: Any) -> list[Sample]:
    """Samples of bools, and of numbers that count as true where they are not 0."""
    return [
        Sample(reference, *BOOLS),
        Sample(reference, np.array([0, 1, -2]), np.array([[0], [5]])),
        Sample(reference, SPECIAL, whole((7,), 1)),
        Sample(reference, whole((2, 0), 2), whole((2, 1), 3)),
    ]


def choice(reference: Any, condition: Any) -> list[Sample]:
    """Samples of ``where`` for one condition that broadcasts with both branches."""
    return [Sample(reference, condition, x, y) for x, y in pairs()[:4]]


def unary(reference: Any) -> list[Sample]:
    """Samples with and without special values."""
    return [Sample(reference, SPECIAL), Sample(reference, distinct((2, 3))), Sample(reference, np.array(NAN))]


_SIDE = np.array([True, False, True])

SAMPLES: dict[str, list[Sample]] = {
    "equal": comparison(np.equal),
    "not_equal": comparison(np.not_equal),
    "less": comparison(np.less),
    "less_equal": comparison(np.less_equal),
    "greater": comparison(np.greater),
    "greater_equal": comparison(np.greater_equal),
    "bitwise_and": bits(np.bitwise_and),
    "bitwise_or": bits(np.bitwise_or),
    "bitwise_xor": bits(np.bitwise_xor),
    "bitwise_invert": [Sample(np.invert, a) for a in (BOOLS[0], np.array([0, 1, -2]), np.zeros((0, 2), np.int64))],
    "bitwise_left_shift": shifts(np.left_shift),
    "bitwise_right_shift": shifts(np.right_shift),
    "logical_and": logic(np.logical_and),
    "logical_or": logic(np.logical_or),
    "logical_xor": logic(np.logical_xor),
    "logical_not": [Sample(np.logical_not, a) for a in (BOOLS[0], np.array([0, 1, -2]), SPECIAL, whole((0,), 1))],
    "isnan": unary(np.isnan),
    "isinf": unary(np.isinf),
    "isfinite": unary(np.isfinite),
    "signbit": [*unary(np.signbit), Sample(np.signbit, np.array([-1, 0, 2]))],
    "where": [
        *choice(np.where, _SIDE),
        *choice(np.where, np.array(True)),
        Sample(np.where, np.array([[True], [False]]), distinct((3,)), distinct((1, 3), seed=1)),
        Sample(np.where, _SIDE, distinct((2, 3)), 1.5),
        Sample(np.where, _SIDE, -2, distinct((3,))),
        Sample(np.where, _SIDE, *INTEGERS),
        Sample(np.where, np.zeros((0, 3), bool), distinct((3,)), distinct(())),
        Sample(np.where, np.array(False), distinct(()), distinct((), seed=1)),
    ],
}
