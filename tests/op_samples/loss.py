"""Samples of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, adjoint, distinct, pairs


def mse(x: Any, y: Any) -> Any:
    """The definition."""
    return np.mean((x - y) ** 2)


def binary_cross_entropy(x: Any, target: Any) -> Any:
    """The definition, for x that is neither 0 nor 1."""
    return -(target * np.log(x) + (1 - target) * np.log(1 - x))


def factors(target: np.ndarray, weight: Any, ignored: int, reduction: str) -> np.ndarray:
    """What each log-probability counts: minus its class's weight, over their sum for the mean."""
    each = np.array([0.0 if t == ignored else 1.0 if weight is None else weight[t] for t in target.reshape(-1)])
    each = each / each.sum() if reduction == "mean" else each
    return (-each).reshape(target.shape)


def places(shape: Any, target: np.ndarray, ignored: int) -> np.ndarray:
    """Where the log-probabilities of the targets are in the flattened array; of those ignored, class 0."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    classes = np.where(target == ignored, 0, target)
    if len(shape) == 1:
        return numbers[classes].reshape(-1)
    return np.array([numbers[(at[0], classes[at], *at[1:])] for at in np.ndindex(target.shape)], np.int64)


def nll_loss(log_probs: np.ndarray, target: np.ndarray, weight: Any, ignored: int, reduction: str) -> Any:
    """Class by class."""
    terms = gather(
        log_probs, places(log_probs.shape, target, ignored), factors(target, weight, ignored, reduction), False
    )
    return terms.sum() if reduction in ("mean", "sum") else terms


def gather(x: np.ndarray, at: np.ndarray, factor: np.ndarray, summed: bool) -> Any:
    """Element by element."""
    terms = x.reshape(-1)[at].reshape(factor.shape) * factor
    return terms.sum() if summed else terms


def backward(shape: Any, g: np.ndarray, at: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """The adjoint of gathering."""
    return adjoint(lambda x: gather(x, at, factor, g.ndim == 0), shape, g)


#: Shape of the log-probabilities, targets.
CASES = [
    ((3, 4), np.array([3, 0, 2])),
    ((3, 4), np.array([1, 1, -100], np.int32)),
    ((2, 3, 2), np.array([[0, 2], [1, -100]])),
    ((4,), np.array(2)),
]
WEIGHT = distinct((4,), 0.5, 2.0, 7)

ROWS = [case for case in CASES if len(case[0]) == 2]


def cross_entropy(x: np.ndarray, target: np.ndarray, ignored: int, mean: bool) -> Any:
    """Row by row."""
    counted = [np.log(np.exp(row).sum()) - row[t] for row, t in zip(x, target, strict=True) if t != ignored]
    return np.mean(counted) if mean else np.sum(counted)


def cross_entropy_backward(x: np.ndarray, g: np.ndarray, at: np.ndarray, factor: np.ndarray, *_: Any) -> np.ndarray:
    """The derivative, element by element."""
    soft = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    return np.array(
        [
            [(soft[i, j] - (j == at[i])) * factor[min(i, len(factor) - 1), 0] * g for j in range(x.shape[1])]
            for i in range(len(x))
        ]
    )


def class_numbers(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the forward pass keeps: each row's largest element, and its sum of exponentials less it."""
    top = x.max(1, keepdims=True)
    return top, np.exp(x - top).sum(1, keepdims=True)


SAMPLES: dict[str, list[Sample]] = {
    "mse": [
        *[Sample(mse, x, y) for x, y in pairs() if x.size and y.size],
        Sample(mse, distinct((2, 3)), 0.5),
        Sample(mse, np.array([1, 2]), np.array([4, 4]), dtype="float32", note="integers"),
    ],
    "binary_cross_entropy": [
        *[Sample(binary_cross_entropy, x, y) for x, y in pairs(0.1, 0.9)],
        Sample(binary_cross_entropy, distinct((2, 3), 0.1, 0.9), 1.0),
    ],
    "cross_entropy": [
        Sample(cross_entropy, distinct(shape), target, -100, mean) for shape, target in ROWS for mean in (True, False)
    ]
    + [Sample(cross_entropy, distinct((3, 4)), np.array([2, 0, 3]), 2, mean) for mean in (True, False)],
    "cross_entropy_backward": [
        Sample(cross_entropy_backward, distinct((3, 4)), distinct((), seed=3), np.array([3, 0, 2]), factor, *numbers)
        for numbers in [class_numbers(distinct((3, 4)))]
        for factor in (np.full((1, 1), 0.5), np.array([[0.5], [0.0], [0.5]]))
    ],
    "nll_loss": [
        Sample(nll_loss, distinct(shape), target, weight, -100, reduction)
        for shape, target in CASES
        for weight in (None, WEIGHT[: shape[min(len(shape) - 1, 1)]])
        for reduction in ("mean", "sum", "none")
    ],
    "nll_loss_backward": [
        Sample(backward, shape, distinct(g, seed=3), places(shape, target, -100), factors(target, None, -100, "mean"))
        for shape, target in CASES
        for g in ((), target.shape)
        if g or target.shape
    ],
    "nll_loss_gather": [
        Sample(gather, distinct(shape), places(shape, target, -100), factors(target, None, -100, "mean"), summed)
        for shape, target in CASES
        for summed in (True, False)
    ],
}
