"""Starting values: bounds, statistics with fixed seeds, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

import autograd_ops as ag
from autograd_ops import nn
from autograd_ops.nn import init

SHAPE = (64, 32, 3, 3)
FAN_IN, FAN_OUT = 32 * 9, 64 * 9


def seeded(seed: int = 0) -> ag.Generator:
    return ag.Generator().manual_seed(seed)


def test_constants() -> None:
    x = nn.Parameter(ag.empty(2, 3))
    assert init.zeros_(x) is x
    assert x.tolist() == [[0.0] * 3] * 2
    assert init.ones_(x).tolist() == [[1.0] * 3] * 2
    assert init.constant_(x, 0.5).tolist() == [[0.5] * 3] * 2
    assert init.eye_(x).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert x.is_leaf
    assert x.requires_grad
    with pytest.raises(ValueError, match="matrix"):
        init.eye_(ag.empty(3))


@pytest.mark.parametrize(
    ("fill", "bound"),
    [
        (lambda x, g: init.uniform_(x, -0.5, 0.5, generator=g), 0.5),
        (lambda x, g: init.xavier_uniform_(x, 2.0, generator=g), 2.0 * math.sqrt(6 / (FAN_IN + FAN_OUT))),
        (lambda x, g: init.kaiming_uniform_(x, generator=g), math.sqrt(6 / FAN_IN)),
        (lambda x, g: init.kaiming_uniform_(x, mode="fan_out", generator=g), math.sqrt(6 / FAN_OUT)),
        (lambda x, g: init.kaiming_uniform_(x, a=math.sqrt(5), generator=g), math.sqrt(1 / FAN_IN)),
        (lambda x, g: init.fan_in_uniform_(x, x, generator=g), math.sqrt(1 / FAN_IN)),
    ],
)
def test_uniform(fill: Any, bound: float) -> None:
    x = fill(ag.empty(SHAPE), seeded())
    assert float(x.abs().max()) == pytest.approx(bound, rel=1e-3)
    assert float(x.abs().max()) <= bound * (1 + 1e-6)
    assert float(x.mean()) == pytest.approx(0.0, abs=0.02 * bound)
    assert float(x.std()) == pytest.approx(bound / math.sqrt(3), rel=0.02)


@pytest.mark.parametrize(
    ("fill", "mean", "std"),
    [
        (lambda x, g: init.normal_(x, 3.0, 2.0, generator=g), 3.0, 2.0),
        (lambda x, g: init.xavier_normal_(x, generator=g), 0.0, math.sqrt(2 / (FAN_IN + FAN_OUT))),
        (lambda x, g: init.kaiming_normal_(x, nonlinearity="relu", generator=g), 0.0, math.sqrt(2 / FAN_IN)),
        (lambda x, g: init.kaiming_normal_(x, 0.0, "fan_out", "tanh", generator=g), 0.0, 5 / 3 / math.sqrt(FAN_OUT)),
    ],
)
def test_normal(fill: Any, mean: float, std: float) -> None:
    x = fill(ag.empty(SHAPE), seeded())
    assert float(x.mean()) == pytest.approx(mean, abs=0.03 * std)
    assert float(x.std()) == pytest.approx(std, rel=0.02)


#: Low, high, mean and deviation of what is left of the standard normal distribution there, by the textbook's formula.
TRUNCATED = [(-2.0, 2.0), (-0.5, 0.1), (1.0, 9.0), (4.0, 5.0), (-9.0, -3.0)]


@pytest.mark.parametrize(("low", "high"), TRUNCATED)
def test_truncated_normal(low: float, high: float) -> None:
    mass = (math.erf(high / math.sqrt(2)) - math.erf(low / math.sqrt(2))) / 2
    at_low, at_high = (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) for z in (low, high))
    mean = (at_low - at_high) / mass
    variance = 1 + (low * at_low - high * at_high) / mass - mean * mean
    x = init.trunc_normal_(ag.empty(20_000, dtype=ag.float64), 10.0, 3.0, 10 + 3 * low, 10 + 3 * high, seeded())
    assert float(x.min()) >= 10 + 3 * low
    assert float(x.max()) <= 10 + 3 * high
    z = (x - 10) / 3
    assert float(z.mean()) == pytest.approx(mean, abs=4 * math.sqrt(variance / 20_000))
    assert float(z.var()) == pytest.approx(variance, rel=0.05)


def test_truncated_normal_refuses() -> None:
    with pytest.raises(ValueError, match="below b"):
        init.trunc_normal_(ag.empty(2), a=1.0, b=1.0)
    with pytest.raises(ValueError, match="positive"):
        init.trunc_normal_(ag.empty(2), std=0.0)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first = init.kaiming_uniform_(ag.empty(3, 4), generator=seeded(5)).tolist()
    assert init.kaiming_uniform_(ag.empty(3, 4), generator=seeded(5)).tolist() == first
    assert init.kaiming_uniform_(ag.empty(3, 4), generator=seeded(6)).tolist() != first
    ag.manual_seed(5)
    layer = nn.Linear(4, 3)
    ag.manual_seed(5)
    assert nn.Linear(4, 3).weight.tolist() == layer.weight.tolist()


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        *(("linear", None, 1.0), ("conv2d", None, 1.0), ("conv_transpose3d", None, 1.0), ("sigmoid", None, 1.0)),
        *(("tanh", None, 5 / 3), ("relu", None, math.sqrt(2)), ("selu", None, 0.75)),
        *(("leaky_relu", None, math.sqrt(2 / 1.0001)), ("leaky_relu", 0.5, math.sqrt(2 / 1.25))),
    ],
)
def test_gain(name: str, param: float | None, gain: float) -> None:
    assert init.calculate_gain(name, param) == pytest.approx(gain)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="'swish'"):
        init.calculate_gain("swish")
    with pytest.raises(ValueError, match="fan_in"):
        init.kaiming_normal_(ag.empty(2, 2), mode="fan")
    with pytest.raises(ValueError, match="two dimensions"):
        init.xavier_uniform_(ag.empty(2))
    with pytest.warns(UserWarning, match="no elements"):
        init.kaiming_uniform_(ag.empty(0, 2))
