"""Samples of group norm and instance norm, and of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct
from .norm import EPSILON, NEEDS, SCALES, beside, gradients, per_channel


def group_norm(x: Any, num_groups: int, gamma: Any, beta: Any, epsilon: float) -> Any:
    """Group by group of each sample."""
    size = max(x.shape[1] // num_groups, 1)
    h = np.empty_like(x)
    for n in range(x.shape[0]):
        for first in range(0, x.shape[1], size):
            group = x[n, first : first + size]
            centred = group - group.mean()
            h[n, first : first + size] = centred / np.sqrt((centred**2).mean() + epsilon)
    return h * beside(x, gamma, 1.0) + beside(x, beta, 0.0)


def instance_norm(x: Any, gamma: Any, beta: Any, epsilon: float) -> Any:
    """Channel by channel of each sample."""
    return group_norm(x, x.shape[1], gamma, beta, epsilon)


def group_norm_backward(
    x: Any, num_groups: int, gamma: Any, _mean: Any, _rstd: Any, epsilon: float, g: Any, needs: Any = (True,) * 3
) -> Any:
    """By complex steps through the definition."""
    return gradients(
        lambda x, gamma, beta: group_norm(x, num_groups, gamma, beta, epsilon), x, gamma, np.zeros(x.shape[1]), g, needs
    )


def statistics(x: np.ndarray, num_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean and 1 / sqrt(variance + epsilon) of each group."""
    rows = x.reshape(len(x), num_groups, -1)
    return rows.mean(-1, keepdims=True), 1 / np.sqrt(rows.var(-1, keepdims=True) + EPSILON)


CASES: list[tuple[tuple[int, ...], int]] = [((2, 4, 3), 2), ((1, 4), 2), ((2, 2, 2, 2), 1), ((2, 2, 3), 2)]

SAMPLES: dict[str, list[Sample]] = {name: [] for name in ("group_norm", "group_norm_backward", "instance_norm")}
for _i, (_shape, _groups) in enumerate(CASES):
    _x, _g = distinct(_shape, seed=_i), distinct(_shape, seed=40)
    for _gamma_there, _beta_there in SCALES:
        _gamma, _beta = per_channel(_shape[1], _gamma_there, 11), per_channel(_shape[1], _beta_there, 12)
        SAMPLES["group_norm"].append(Sample(group_norm, _x, _groups, _gamma, _beta, EPSILON))
        if len(_shape) > 2:
            SAMPLES["instance_norm"].append(Sample(instance_norm, _x, _gamma, _beta, EPSILON))
    for _needs in [(), *[(n,) for n in NEEDS]]:
        for _gamma in (per_channel(_shape[1], True, 11), None):
            SAMPLES["group_norm_backward"].append(
                Sample(group_norm_backward, _x, _groups, _gamma, *statistics(_x, _groups), EPSILON, _g, *_needs)
            )
SAMPLES["group_norm"].append(Sample(group_norm, np.zeros((0, 4, 2)), 2, np.ones(4), None, EPSILON))
SAMPLES["instance_norm"].append(Sample(instance_norm, np.zeros((0, 2, 2)), None, np.ones(2), EPSILON))
