"""Samples of ctc_loss and its gradient."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from .base import Sample, complex_step, distinct


def spelled(path: tuple[int, ...], blank: int) -> tuple[int, ...]:
    """What a path spells: repeats are one label, and then blanks fall away."""
    return tuple(c for i, c in enumerate(path) if c != blank and (i == 0 or c != path[i - 1]))


def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0) -> Any:
    """By adding up the probabilities of all paths that spell the target."""
    _, batch, classes = log_probs.shape
    losses = np.full(batch, np.inf, log_probs.dtype)
    for n in range(batch):
        target = tuple(int(c) for c in targets[n, : target_lengths[n]])
        scores = [
            sum(log_probs[t, n, c] for t, c in enumerate(path))
            for path in product(range(classes), repeat=int(input_lengths[n]))
            if spelled(path, blank) == target
        ]
        if scores:
            losses[n] = -np.log(np.sum(np.exp(scores)))
    return losses


def ctc_loss_backward(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, g: Any, blank: int = 0
) -> Any:
    """By complex steps through the sum over all paths."""
    possible = np.isfinite(ctc_loss(log_probs, targets, input_lengths, target_lengths, blank))

    def loss(x: np.ndarray) -> np.ndarray:
        return np.where(possible, ctc_loss(x, targets, input_lengths, target_lengths, blank), 0)

    return complex_step(loss, log_probs, g)


#: Shape of the log-probabilities, targets, lengths of both, blank, whether every target is possible.
CASES: list[tuple[tuple[int, ...], list[list[int]], list[int], list[int], int, bool]] = [
    ((4, 2, 3), [[1, 2], [2, 0]], [4, 3], [2, 1], 0, True),
    ((4, 1, 3), [[1, 1]], [4], [2], 0, True),
    ((3, 2, 3), [[0, 1], [1, 0]], [3, 2], [2, 2], 2, True),
    ((3, 2, 2), [[-5], [1]], [3, 2], [0, 1], 0, True),
    ((2, 1, 3), [[]], [2], [0], 1, True),
    ((3, 3, 3), [[1, 1, 0], [1, 2, 1], [2, 0, 0]], [2, 2, 3], [2, 3, 1], 0, False),
    ((2, 2, 2), [[1], [1]], [0, 0], [0, 1], 0, False),
]


def sampled(function: Any, case: Any, *gradient: np.ndarray) -> Sample:
    """A sample for a case; `gradient` stands before the blank."""
    shape, targets, input_lengths, target_lengths, blank, possible = case
    return Sample(
        function,
        distinct(shape, -2.0, 0.0),
        np.array(targets, np.int64).reshape(shape[1], -1),
        np.array(input_lengths),
        np.array(target_lengths, np.int32),
        *gradient,
        blank,
        smooth=possible,
    )


EMPTY = (np.zeros((2, 0, 3)), np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))

SAMPLES: dict[str, list[Sample]] = {
    "ctc_loss": [*[sampled(ctc_loss, case) for case in CASES], Sample(ctc_loss, *EMPTY)],
    "ctc_loss_backward": [
        *[sampled(ctc_loss_backward, case, distinct((case[0][1],), seed=3)) for case in CASES],
        Sample(ctc_loss_backward, *EMPTY, np.zeros(0)),
    ],
}
