"""More schedules, and schedules of schedules, against numbers of PyTorch 2.13."""

import json
from pathlib import Path

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import optim
from autograd_ops.optim import lr_scheduler as schedules
from autograd_ops.optim.swa_utils import SWALR

PYTORCH = json.loads((Path(__file__).parent / "data" / "composed_rates.json").read_text())

MAKE = {
    "ConstantLR": lambda o: schedules.ConstantLR(o, factor=0.5, total_iters=3),
    "PolynomialLR": lambda o: schedules.PolynomialLR(o, total_iters=8, power=2.5),
    "MultiplicativeLR": lambda o: schedules.MultiplicativeLR(o, lambda epoch: 0.9 + 0.01 * epoch),
    "CyclicLR": lambda o: schedules.CyclicLR(o, 0.01, [0.3, 0.5], step_size_up=3, step_size_down=5),
    "CyclicLR triangular2": lambda o: schedules.CyclicLR(o, 0.01, 0.3, step_size_up=4, mode="triangular2"),
    "CyclicLR exp_range": lambda o: schedules.CyclicLR(o, 0.01, 0.3, 4, mode="exp_range", gamma=0.95),
    "CyclicLR function": lambda o: schedules.CyclicLR(
        o, 0.01, 0.3, 4, scale_fn=lambda i: 1 / (1 + i), scale_mode="iterations", cycle_momentum=False
    ),
    "WarmRestarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3),
    "WarmRestarts longer": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3, T_mult=2, eta_min=0.01),
    "SequentialLR": lambda o: schedules.SequentialLR(
        o,
        [
            schedules.LinearLR(o, 0.1, total_iters=4),
            schedules.CosineAnnealingLR(o, 10),
            schedules.ExponentialLR(o, 0.8),
        ],
        [4, 15],
    ),
    "SequentialLR of others": lambda o: schedules.SequentialLR(
        o,
        [
            schedules.ConstantLR(o, 0.1, total_iters=3),
            schedules.PolynomialLR(o, 5),
            schedules.StepLR(o, 3),
            schedules.MultiplicativeLR(o, lambda epoch: 0.9),
            schedules.CosineAnnealingWarmRestarts(o, 2),
        ],
        [3, 7, 14, 20],
    ),
    "ChainedScheduler": lambda o: schedules.ChainedScheduler(
        [schedules.ConstantLR(o, 0.1, total_iters=3), schedules.ExponentialLR(o, 0.9)]
    ),
}


def optimizer():
    first, second = ag.zeros(1, requires_grad=True), ag.zeros(1, requires_grad=True)
    return optim.SGD([{"params": [first]}, {"params": [second], "lr": 0.5}], lr=0.2, momentum=0.9)


def follow(o, schedule, steps):
    rates = []
    for _ in range(steps):
        o.step()
        schedule.step()
        rates.append([*schedule.get_last_lr(), o.param_groups[0]["momentum"]])
    return rates


@pytest.mark.parametrize("name", MAKE)
def test_rates(name):
    o = optimizer()
    schedule = MAKE[name](o)
    rates = [[*schedule.get_last_lr(), o.param_groups[0]["momentum"]], *follow(o, schedule, 24)]
    np.testing.assert_allclose(rates, PYTORCH[name], rtol=1e-9, atol=1e-11)
    assert [group["lr"] for group in o.param_groups] == schedule.get_last_lr()


@pytest.mark.parametrize("name", MAKE)
def test_going_on_from_a_state_dict(name):
    o = optimizer()
    schedule = MAKE[name](o)
    follow(o, schedule, 5)
    state, of_optimizer = schedule.state_dict(), o.state_dict()
    expected = follow(o, schedule, 10)
    other = optimizer()
    again = MAKE[name](other)
    other.load_state_dict(of_optimizer)
    again.load_state_dict(state)
    assert follow(other, again, 10) == expected


def test_warm_restarts_between_epochs():
    # By the formula: (1 + cos(pi t / T)) / 2 of the rate, in the falls of 3 and 6 epochs.
    o = optimizer()
    schedule = schedules.CosineAnnealingWarmRestarts(o, 3, T_mult=2)
    o.step()
    for epoch, at, length in ((0.5, 0.5, 3), (1.25, 1.25, 3), (3, 0, 3 * 2), (7.5, 4.5, 6), (20.0, 11.0, 12)):
        schedule.step(epoch)
        assert schedule.get_last_lr()[0] == pytest.approx(0.1 * (1 + np.cos(np.pi * at / length)))
    with pytest.raises(ValueError, match="epoch may not be negative"):
        schedule.step(-1)


@pytest.mark.parametrize(("strategy", "halfway"), [("linear", 0.125), ("cos", 0.125)])
def test_swalr(strategy, halfway):
    o = optimizer()
    schedule = SWALR(o, [0.05, 0.1], anneal_epochs=4, anneal_strategy=strategy)
    rates = follow(o, schedule, 6)
    assert rates[1][0] == pytest.approx(halfway)
    assert rates[3][:2] == pytest.approx([0.05, 0.1]) == rates[5][:2]


def test_stepping_before_the_optimizer_warns():
    schedule = schedules.StepLR(optimizer(), 1)
    with pytest.warns(UserWarning, match=r"StepLR: scheduler.step\(\) came before the first optimizer.step\(\)"):
        schedule.step()
    schedule.step()


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda o: schedules.ConstantLR(o, factor=1.5), ValueError, "factor must be in"),
        (lambda o: schedules.CosineAnnealingWarmRestarts(o, 0), ValueError, "T_0 must be an int of at least 1"),
        (lambda o: schedules.CyclicLR(o, 0.1, 0.2, mode="x"), ValueError, "mode must be"),
        (
            lambda o: schedules.CyclicLR(optim.Adagrad([ag.zeros(1)]), 0.1, 0.2),
            ValueError,
            "neither momentum nor betas",
        ),
        (lambda o: schedules.SequentialLR(o, [schedules.StepLR(o, 1)], [3]), ValueError, "need 0 milestones, not 1"),
        (lambda o: schedules.ChainedScheduler([]), ValueError, "the list of schedulers is empty"),
        (
            lambda o: schedules.ChainedScheduler([schedules.StepLR(o, 1), schedules.StepLR(optimizer(), 1)]),
            ValueError,
            "scheduler 1 has another optimizer",
        ),
        (
            lambda o: schedules.SequentialLR(o, [schedules.ReduceLROnPlateau(o)], []),
            ValueError,
            "must be stepped with a metric",
        ),
        (lambda o: SWALR(o, 0.1, anneal_strategy="x"), ValueError, "anneal_strategy must be"),
        (lambda o: SWALR(o, 0.1, anneal_epochs=-1), ValueError, "anneal_epochs must be"),
    ],
)
def test_bad_arguments(make, error, says):
    with pytest.raises(error, match=says):
        make(optimizer())
