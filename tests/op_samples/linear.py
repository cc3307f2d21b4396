"""Samples of linear, embedding and the matrix product, and of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, adjoint, distinct


def linear(x: np.ndarray, weight: np.ndarray, bias: Any = None, transposed: bool = False) -> np.ndarray:
    """Sum by sum."""
    weight = weight.T if transposed else weight
    out = np.zeros((*x.shape[:-1], weight.shape[1]))
    for at in np.ndindex(out.shape):
        out[at] = sum(x[(*at[:-1], k)] * weight[k, at[-1]] for k in range(len(weight)))
    return out if bias is None else out + bias


def x_backward(weight: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The adjoint of linear in x."""
    return adjoint(lambda x: linear(x, weight), (*g.shape[:-1], weight.shape[0]), g)


def weight_backward(x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The adjoint of linear in its weight."""
    return adjoint(lambda weight: linear(x, weight), (x.shape[-1], g.shape[-1]), g)


def bias_backward(g: np.ndarray) -> np.ndarray:
    """The adjoint of adding a bias."""
    return adjoint(lambda bias: np.zeros(g.shape) + bias, g.shape[-1:], g)


def embedding(weights: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Row by row."""
    out = np.zeros((*indices.shape, weights.shape[1]))
    for at in np.ndindex(indices.shape):
        out[at] = weights[int(indices[at])]
    return out


def embedding_backward(shape: Any, g: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The adjoint of embedding in its weights."""
    return adjoint(lambda weights: embedding(weights, indices), shape, g)


#: Leading dimensions of x, with two features into three.
LEADS: list[tuple[int, ...]] = [(), (3,), (2, 2), (0,)]
WEIGHT, BIAS = distinct((2, 3), seed=1), distinct((3,), seed=2)

#: Shape of a table, and indices into it.
TABLES = [
    ((4, 2), np.array([[0, 3, 3], [1, 0, 3]])),
    ((3, 1), np.array([2, 0], np.int32)),
    ((3, 2), np.array(1)),
    ((3, 2), np.zeros((0, 2), np.int64)),
]

#: All pairs of ranks, stacks that broadcast, and sizes of 0.
PRODUCTS = [
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((2, 3), (3, 2)),
    ((2, 2, 3), (3, 2)),
    ((2, 3), (2, 3, 2)),
    ((3,), (2, 3, 2)),
    ((2, 2, 3), (3,)),
    ((2, 2, 3), (2, 3, 1)),
    ((2, 1, 2, 3), (2, 3, 2)),
    ((1, 2, 3), (3, 3, 1)),
    ((3,), (2, 1, 3, 2)),
    ((2, 1, 2, 3), (3,)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 2)),
    ((0, 2, 3), (3, 2)),
]

SAMPLES: dict[str, list[Sample]] = {
    "linear": [
        *[Sample(linear, distinct((*lead, 2)), WEIGHT, bias) for lead in LEADS for bias in (BIAS, None)],
        *[Sample(linear, distinct((*lead, 2)), WEIGHT.T.copy(), bias, True) for lead in LEADS for bias in (BIAS, None)],
    ],
    "linear_x_backward": [Sample(x_backward, WEIGHT, distinct((*lead, 3))) for lead in LEADS],
    "linear_weight_backward": [
        Sample(weight_backward, distinct((*lead, 2)), distinct((*lead, 3), seed=3)) for lead in LEADS
    ],
    "linear_bias_backward": [Sample(bias_backward, distinct((*lead, 3))) for lead in LEADS],
    "embedding": [Sample(embedding, distinct(shape), indices) for shape, indices in TABLES],
    "embedding_backward": [
        Sample(embedding_backward, shape, distinct((*indices.shape, shape[1])), indices) for shape, indices in TABLES
    ],
    "matmul": [Sample(np.matmul, distinct(a), distinct(b, seed=1)) for a, b in PRODUCTS],
}
