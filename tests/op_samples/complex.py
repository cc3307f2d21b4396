"""Samples of the parts and conjugates of complex numbers, and of complex numbers given to ops of other families."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .base import Sample, distinct, distinct_complex, pairs

SHAPES: list[tuple[int, ...]] = [(2, 3), (4,), (), (0, 2)]
COMPLEX = [distinct_complex(shape, seed=i) for i, shape in enumerate(SHAPES)]
REAL = [distinct(shape, seed=i) for i, shape in enumerate(SHAPES)]


def joined(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x + i y"""
    return x + 1j * np.asarray(y)


SAMPLES: dict[str, list[Sample]] = {
    "complex": [Sample(joined, x, y, half=False) for x, y in pairs()]
    + [Sample(joined, REAL[0], 1.5, half=False), Sample(joined, -0.5, REAL[1], half=False)],
    "conj": [Sample(np.conj, x) for x in [*COMPLEX, *REAL, np.array([1, -2])]],
    "real": [Sample(np.real, x) for x in [*COMPLEX, *REAL, np.array([1, -2])]],
    "imag": [Sample(np.imag, x) for x in COMPLEX],
    "view_as_real": [Sample(lambda z: np.stack([z.real, z.imag], -1), x) for x in COMPLEX],
    "view_as_complex": [
        Sample(lambda x: x[..., 0] + 1j * x[..., 1], distinct((*shape, 2), seed=i), half=False)
        for i, shape in enumerate(SHAPES)
    ],
}


# ---------------------------------------------------------------- of other families

Z = distinct_complex((2, 3), seed=5)
W = distinct_complex((3,), 0.4, 2.0, seed=6)
X = distinct((2, 3), 0.3, 2.0, seed=7)


def direction(z: np.ndarray) -> np.ndarray:
    """z on the unit circle."""
    return z / np.abs(z)


def variance(z: np.ndarray, axis: Any = None, correction: float = 1.0, keepdims: bool = False) -> np.ndarray:
    """Of the real parts and of the imaginary ones."""
    return sum(np.var(part, axis=axis, ddof=correction, keepdims=keepdims) for part in (z.real, z.imag))


def deviation(z: np.ndarray, *arguments: Any) -> np.ndarray:
    """The root of the variance."""
    return np.sqrt(variance(z, *arguments))


def norm(z: np.ndarray, axis: Any = None, keepdims: bool = False) -> np.ndarray:
    """Of both parts."""
    return np.sqrt(np.sum(z.real**2 + z.imag**2, axis=axis, keepdims=keepdims))


def log_sum(z: np.ndarray, axis: Any = None, keepdims: bool = False) -> np.ndarray:
    """As it is written."""
    return np.log(np.sum(np.exp(z), axis=axis, keepdims=keepdims))


def of_one(function: Callable[..., Any]) -> list[Sample]:
    """Of a few complex numbers in each quadrant."""
    return [Sample(function, Z), Sample(function, distinct_complex(()))]


def of_two(function: Callable[..., Any]) -> list[Sample]:
    """Of two complex arrays, one with a real one on either side, and with numbers."""
    return [
        Sample(function, Z, W),
        Sample(function, X, W),
        Sample(function, Z, distinct((3,), 0.4, 2.0)),
        Sample(function, Z, 1.5 - 0.5j),
        Sample(function, 1.5 - 0.5j, Z),
        Sample(function, X, 1.5 - 0.5j),
        Sample(function, Z, 2.0),
        Sample(function, 2.0, Z),
    ]


#: Beside the samples that these ops have in their own families.
MORE: dict[str, list[Sample]] = {
    **{
        name: of_one(function)
        for name, function in {
            "neg": np.negative,
            "square": np.square,
            "reciprocal": lambda z: 1 / z,
            "exp": np.exp,
            "expm1": np.expm1,
            "log": np.log,
            "log1p": np.log1p,
            "log2": lambda z: np.log(z) / np.log(2),
            "log10": lambda z: np.log(z) / np.log(10),
            "sqrt": np.sqrt,
            "rsqrt": lambda z: 1 / np.sqrt(z),
            "sin": np.sin,
            "cos": np.cos,
            "tan": np.tan,
            "asin": np.arcsin,
            "acos": np.arccos,
            "atan": np.arctan,
            "sinh": np.sinh,
            "cosh": np.cosh,
            "tanh": np.tanh,
            "asinh": np.arcsinh,
            "acosh": np.arccosh,
            "atanh": np.arctanh,
            "abs": np.abs,
            "sgn": direction,
            "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
            "silu": lambda z: z / (1 + np.exp(-z)),
            "clone": np.copy,
        }.items()
    },
    **{
        name: of_two(function)
        for name, function in {
            "add": np.add,
            "sub": np.subtract,
            "mul": np.multiply,
            "div": np.divide,
            "pow": np.power,
            "equal": np.equal,
            "not_equal": np.not_equal,
        }.items()
    },
    "matmul": [Sample(np.matmul, Z, Z.T.copy()), Sample(np.matmul, X, W), Sample(np.matmul, W, X.T.copy())],
    "sum": [Sample(np.sum, Z), Sample(lambda z, axis: z.sum(axis), Z, (0,))],
    "mean": [Sample(np.mean, Z), Sample(lambda z, axis: z.mean(axis), Z, (1,))],
    "prod": [Sample(np.prod, Z), Sample(lambda z, axis: z.prod(axis), Z, (1,))],
    "var": [Sample(variance, Z), Sample(variance, Z, (0,), 0.0, True)],
    "std": [Sample(deviation, Z), Sample(deviation, Z, (1,), 0.0, True)],
    "norm2": [Sample(norm, Z), Sample(norm, Z, (1,), True)],
    "logsumexp": [Sample(log_sum, Z), Sample(log_sum, Z, (1,), True)],
    "cumsum": [Sample(np.cumsum, Z, 1)],
    "cumprod": [Sample(np.cumprod, Z, 1)],
    "where": [
        Sample(np.where, Z.real > 0, Z, W),
        Sample(np.where, Z.real > 0, X, W),
        Sample(np.where, Z.real > 0, Z, 0.0),
    ],
    "reshape": [Sample(np.reshape, Z, (3, 2))],
    "permute": [Sample(np.transpose, Z, (1, 0))],
    "concat": [Sample(lambda zs, axis: np.concatenate(zs, axis), [Z, X], 0)],
    "take_rows": [Sample(lambda z, i: z[i], Z, np.array([1, 0, 1]))],
    "linear": [Sample(np.matmul, Z, Z.T.copy()), Sample(lambda x, w, b: x @ w + b, X, Z.T.copy(), W[:2])],
}
