"""Samples of batch norm, layer norm and RMS norm, and of their gradients."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .base import Sample, complex_step, distinct

EPSILON = 0.02

BatchNormTrain = namedtuple("BatchNormTrain", ["output", "mean", "variance"])
Gradients = namedtuple("Gradients", ["x_grad", "gamma_grad", "beta_grad"])


def beside(x: np.ndarray, per_channel: Any, absent: float) -> Any:
    """[C] in a shape that broadcasts with x [N, C, ...]; a number for None."""
    return absent if per_channel is None else per_channel.reshape(1, -1, *(1,) * (x.ndim - 2))


def batch_norm(x: Any, gamma: Any, beta: Any, mean: Any, variance: Any, epsilon: float) -> Any:
    """The definition."""
    h = (x - beside(x, mean, 0.0)) / np.sqrt(beside(x, variance, 1.0) + epsilon)
    return h * beside(x, gamma, 1.0) + beside(x, beta, 0.0)


def statistics(x: Any) -> tuple[Any, Any]:
    """Each channel's mean and biased variance; without absolute values, so that complex steps pass through."""
    axes = (0, *range(2, x.ndim))
    mean = x.mean(axes)
    return mean, ((x - beside(x, mean, 0.0)) ** 2).mean(axes)


def batch_norm_train(x: Any, gamma: Any, beta: Any, epsilon: float) -> Any:
    """The definition."""
    mean, variance = statistics(x)
    return BatchNormTrain(batch_norm(x, gamma, beta, mean, variance, epsilon), mean, variance)


def batch_norm_train_backward(
    x: Any, gamma: Any, _mean: Any, _variance: Any, epsilon: float, g: Any, needs: Any = (True,) * 3
) -> Any:
    """By complex steps through the definition."""
    return gradients(lambda *a: batch_norm_train(*a, epsilon).output, x, gamma, np.zeros(x.shape[1]), g, needs)


def layer_norm(x: Any, gamma: Any, beta: Any, epsilon: float) -> Any:
    """The definition."""
    centred = x - x.mean(-1, keepdims=True)
    h = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return h * (1.0 if gamma is None else gamma) + (0.0 if beta is None else beta)


def layer_norm_backward(
    x: Any, gamma: Any, _mean: Any, _rstd: Any, epsilon: float, g: Any, needs: Any = (True,) * 3
) -> Any:
    """By complex steps through the definition."""
    return gradients(lambda *a: layer_norm(*a, epsilon), x, gamma, np.zeros(x.shape[-1]), g, needs)


def rms_norm(x: Any, gamma: Any, epsilon: float) -> Any:
    """The definition."""
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * (1.0 if gamma is None else gamma)


RmsNormBackward = namedtuple("RmsNormBackward", ["x_grad", "gamma_grad"])


def rms_norm_backward(x: Any, gamma: Any, _rstd: Any, epsilon: float, g: Any, needs: Any = (True, True)) -> Any:
    """By complex steps through the definition."""
    found = gradients(
        lambda x, gamma, _beta: rms_norm(x, gamma, epsilon), x, gamma, np.zeros(x.shape[-1]), g, (*needs, False)
    )
    return RmsNormBackward(found.x_grad, found.gamma_grad)


def gradients(f: Any, x: Any, gamma: Any, beta: Any, g: Any, needs: Any) -> Any:
    """Those of x, gamma (1 if it is None) and beta; None for what is not needed."""
    gamma = np.ones_like(beta) if gamma is None else gamma
    return Gradients(
        complex_step(lambda x: f(x, gamma, beta), x, g) if needs[0] else None,
        complex_step(lambda gamma: f(x, gamma, beta), gamma, g) if needs[1] else None,
        complex_step(lambda beta: f(x, gamma, beta), beta, g) if needs[2] else None,
    )


BATCHES: list[tuple[int, ...]] = [(3, 2), (2, 2, 3), (2, 1, 2, 2)]
ROWS: list[tuple[int, ...]] = [(4,), (2, 3), (2, 2, 3)]
NEEDS = [(True, False, False), (False, True, False), (False, False, True)]
#: Whether gamma and beta are there.
SCALES = [(True, True), (True, False), (False, True), (False, False)]


def per_channel(count: int, there: bool, seed: int) -> Any:
    """[count] floats, or None."""
    return distinct((count,), seed=seed) if there else None


def backward_sample(reference: Any, x: Any, gamma: Any, first: Any, second: Any, *needs: Any) -> Sample:
    """A sample of a norm's backward for a gradient without regularities."""
    return Sample(reference, x, gamma, first, second, EPSILON, distinct(x.shape, seed=40), *needs)


SAMPLES: dict[str, list[Sample]] = {
    name: []
    for name in (
        *("batch_norm", "batch_norm_train", "batch_norm_train_backward", "layer_norm", "layer_norm_backward"),
        *("rms_norm", "rms_norm_backward"),
    )
}
for _i, _shape in enumerate(BATCHES):
    _x = distinct(_shape, seed=_i)
    for _gamma_there, _beta_there in SCALES:
        _gamma, _beta = per_channel(_shape[1], _gamma_there, 11), per_channel(_shape[1], _beta_there, 12)
        _mean, _variance = distinct((_shape[1],), seed=13), distinct((_shape[1],), 0.3, 2.0, seed=14)
        SAMPLES["batch_norm"].append(Sample(batch_norm, _x, _gamma, _beta, _mean, _variance, EPSILON))
        SAMPLES["batch_norm_train"].append(Sample(batch_norm_train, _x, _gamma, _beta, EPSILON))
    for _needs in [(), *[(n,) for n in NEEDS]]:
        for _gamma in (per_channel(_shape[1], True, 11), None):
            SAMPLES["batch_norm_train_backward"].append(
                backward_sample(batch_norm_train_backward, _x, _gamma, *statistics(_x), *_needs)
            )
SAMPLES["batch_norm"].append(Sample(batch_norm, np.zeros((0, 2, 2)), None, None, np.zeros(2), np.ones(2), EPSILON))

for _i, _shape in enumerate(ROWS):
    _x = distinct(_shape, seed=_i)
    _mean = _x.mean(-1, keepdims=True)
    _rstd = 1 / np.sqrt(_x.var(-1, keepdims=True) + EPSILON)
    for _gamma_there, _beta_there in SCALES:
        _gamma, _beta = per_channel(_shape[-1], _gamma_there, 11), per_channel(_shape[-1], _beta_there, 12)
        SAMPLES["layer_norm"].append(Sample(layer_norm, _x, _gamma, _beta, EPSILON))
    for _needs in [(), *[(n,) for n in NEEDS]]:
        for _gamma in (per_channel(_shape[-1], True, 11), None):
            SAMPLES["layer_norm_backward"].append(
                backward_sample(layer_norm_backward, _x, _gamma, _mean, _rstd, *_needs)
            )
SAMPLES["layer_norm"].append(Sample(layer_norm, np.zeros((0, 3)), np.ones(3), np.zeros(3), EPSILON))

for _i, _shape in enumerate(ROWS):
    _x, _g = distinct(_shape, seed=_i), distinct(_shape, seed=40)
    _rstd = 1 / np.sqrt((_x**2).mean(-1, keepdims=True) + EPSILON)
    for _gamma in (per_channel(_shape[-1], True, 11), None):
        SAMPLES["rms_norm"].append(Sample(rms_norm, _x, _gamma, EPSILON))
        for _needs in [(), ((True, False),), ((False, True),)]:
            SAMPLES["rms_norm_backward"].append(Sample(rms_norm_backward, _x, _gamma, _rstd, EPSILON, _g, *_needs))
SAMPLES["rms_norm"].append(Sample(rms_norm, np.zeros((0, 3)), np.ones(3), EPSILON))
