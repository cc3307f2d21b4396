"""Samples of activation functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct
from .elementwise import erf, unary

TAILS = np.array([-800.0, -30.0, 30.0, 800.0])


def sigmoid(x: Any) -> Any:
    """By tanh, which does not overflow and has no branches; far from 0 in extended precision."""
    return np.asarray((1 + np.tanh(np.asarray(x, np.longdouble) / 2)) / 2, float)


def logsigmoid(x: Any) -> Any:
    """-log(e^0 + e^-x)"""
    return -np.logaddexp(0.0, -np.asarray(x, float))


def silu(x: Any) -> Any:
    """x times e to the log of the sigmoid"""
    return x * np.exp(logsigmoid(x))


def sigmoid_backward(output: np.ndarray, g: np.ndarray) -> np.ndarray:
    """s (1 - s) as 1/4 less the square of the distance of s from 1/2"""
    return g * (0.25 - np.square(output - 0.5))


def silu_backward(x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """By the derivative of x / (1 + e^-x): one over the denominator, and x e^-x over its square"""
    return g * (sigmoid(x) + x * np.exp(logsigmoid(x) + logsigmoid(-x)))


def softplus(x: Any, beta: float, threshold: float) -> Any:
    """log(e^0 + e^(beta x)) / beta"""
    return np.where(x * beta > threshold, x, np.logaddexp(0.0, x * beta) / beta)


def gelu(x: Any, approximate: str) -> Any:
    """Hendrycks and Gimpel, Gaussian Error Linear Units, 2016"""
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def elu(x: Any, alpha: float) -> Any:
    """x, or alpha (e^x - 1)"""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    """e to the log_softmax"""
    return np.exp(log_softmax(x, axis))


def log_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    """x less its logsumexp, by NumPy's pairwise logaddexp"""
    return x - np.logaddexp.reduce(x, axis=axis, keepdims=True)


def softmax_backward(output: np.ndarray, g: np.ndarray, axis: int) -> np.ndarray:
    """The product of g with the Jacobian diag(s) - s s^T, line by line."""
    return _by_line(lambda s, row: (np.diag(s) - np.outer(s, s)) @ row, output, g, axis)


def log_softmax_backward(output: np.ndarray, g: np.ndarray, axis: int) -> np.ndarray:
    """The product of g with the transposed Jacobian I - 1 s^T, line by line."""
    return _by_line(lambda z, row: (np.eye(len(z)) - np.outer(np.ones(len(z)), np.exp(z))).T @ row, output, g, axis)


def _by_line(f: Any, x: np.ndarray, g: np.ndarray, axis: int) -> np.ndarray:
    out = np.empty_like(x)
    lines, rows, made = (np.moveaxis(a, axis, -1) for a in (x, g, out))
    for at in np.ndindex(lines.shape[:-1]):
        made[at] = f(lines[at], rows[at])
    return out


#: Arrays and a dimension of each.
LINES = [
    (distinct((2, 3)), 1),
    (distinct((2, 3)), 0),
    (distinct((2, 2, 3)), -1),
    (distinct((2, 2, 3)), 1),
    (distinct((4,)), 0),
]
SHIFTED = (distinct((2, 3)) + 500.0, 1)


def probabilities(lines: list[tuple[np.ndarray, int]], f: Any) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """What `f` gives for each of `lines`, a gradient beside it, and the dimension."""
    return [(f(x, axis), distinct(x.shape, seed=i + 30), axis) for i, (x, axis) in enumerate(lines)]


def relu(x: Any) -> Any:
    """x where positive"""
    return np.where(x > 0, x, 0)


def relu_backward(output: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The gradient that arrives, times the step function"""
    return g * np.heaviside(output, 0.0)


def gelu_backward(x: np.ndarray, g: np.ndarray, approximate: str) -> np.ndarray:
    """By the derivative of x P(x), P by complex steps where it is made of tanh."""
    if approximate == "tanh":
        step = 1e-30
        return g * np.imag(gelu(x + 1j * step, approximate)) / step
    whole = gelu(np.ones_like(x) * x, approximate) / np.where(x == 0, 1, x) + np.where(x == 0, 0.5, 0)
    return g * (whole + x * _phi(x))


def _phi(x: np.ndarray) -> np.ndarray:
    return np.exp(-np.square(x) / 2) / np.sqrt(2 * np.pi)


def hardtanh(x: Any, low: float, high: float) -> Any:
    """Brought into the bounds"""
    return np.clip(x, low, high)


SAMPLES: dict[str, list[Sample]] = {
    "hardtanh": [
        Sample(hardtanh, distinct(shape), low, high)
        for shape, low, high in [((2, 3), -1.0, 1.0), ((4,), 0.0, 1.5), ((), -1.0, 1.0), ((0, 2), -1.0, 1.0)]
    ],
    "relu": [*unary(relu, integers="int32")],
    "relu_backward": [
        Sample(relu_backward, distinct(shape), distinct(shape, seed=7)) for shape in [(2, 3), (4,), (), (0, 2)]
    ],
    "leaky_relu": [
        Sample(lambda x, slope: np.where(x > 0, x, slope * x), distinct(shape), slope)
        for shape, slope in [((2, 3), 0.01), ((4,), 0.5), ((), -0.3), ((0, 2), 0.1), ((5,), 0.0), ((5,), 2)]
    ],
    "elu": [
        *[
            Sample(elu, distinct(shape), alpha)
            for shape, alpha in [((2, 3), 1.0), ((4,), 0.3), ((), 2.0), ((0, 2), 1.0)]
        ],
        Sample(elu, TAILS, 1.0, note="tails"),
    ],
    "sigmoid": [*unary(sigmoid), Sample(sigmoid, TAILS[1:], note="tails")],
    "logsigmoid": [*unary(logsigmoid), Sample(logsigmoid, TAILS, note="tails")],
    "silu": [*unary(silu), Sample(silu, TAILS, note="tails")],
    "sigmoid_backward": [
        Sample(sigmoid_backward, distinct(shape, 0.0, 1.0), distinct(shape, seed=9)) for shape in [(2, 3), (), (0, 2)]
    ],
    "silu_backward": [
        Sample(silu_backward, x, distinct(x.shape, seed=10))
        for x in (distinct((2, 3)), distinct(()), np.zeros((0, 2)), TAILS)
    ],
    "softplus": [
        Sample(softplus, x, beta, threshold)
        for x, beta, threshold in [
            (distinct((2, 3)), 1.0, 20.0),
            (distinct((2, 3)), 2.5, 20.0),
            (distinct((4,)), 1.0, 0.5),
            (distinct(()), 0.5, 20.0),
            (distinct((0, 2)), 1.0, 20.0),
            (TAILS, 1.0, 20.0),
            (np.array([0.0]), 1.0, 20.0),
        ]
    ],
    "gelu": [
        Sample(gelu, x, approximate)
        for x in (distinct((2, 3)), distinct((4,), -4, 4), distinct(()), np.zeros((0, 2)), np.array([0.0, -10.0, 10.0]))
        for approximate in ("none", "tanh")
    ],
    "gelu_backward": [
        Sample(gelu_backward, x, distinct(x.shape, seed=8), approximate)
        for x in (distinct((2, 3)), distinct((4,), -4, 4), distinct(()), np.zeros((0, 2)), np.array([0.0, -10.0, 10.0]))
        for approximate in ("none", "tanh")
    ],
    "softmax": [Sample(softmax, *line) for line in [*LINES, SHIFTED]],
    "log_softmax": [Sample(log_softmax, *line) for line in [*LINES, SHIFTED]],
    "softmax_backward": [Sample(softmax_backward, *line) for line in probabilities(LINES, softmax)],
    "log_softmax_backward": [Sample(log_softmax_backward, *line) for line in probabilities(LINES, log_softmax)],
}
