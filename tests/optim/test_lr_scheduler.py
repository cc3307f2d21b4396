"""The schedules against PyTorch's values."""

import json
from pathlib import Path

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import optim
from autograd_ops.optim import lr_scheduler as schedules

PYTORCH = json.loads((Path(__file__).parent / "data" / "rates.json").read_text())


def fade(epoch):
    return 0.95**epoch


MAKE = {
    "StepLR": lambda o, **kw: [schedules.StepLR(o, 4, 0.5, **kw)],
    "MultiStepLR": lambda o, **kw: [schedules.MultiStepLR(o, [3, 7, 7, 20], 0.3, **kw)],
    "ExponentialLR": lambda o, **kw: [schedules.ExponentialLR(o, 0.9, **kw)],
    "CosineAnnealingLR": lambda o, **kw: [schedules.CosineAnnealingLR(o, 8, 0.01, **kw)],
    "LambdaLR": lambda o, **kw: [schedules.LambdaLR(o, fade, **kw)],
    "LinearLR": lambda o, **kw: [schedules.LinearLR(o, 0.25, 0.75, total_iters=10, **kw)],
    "OneCycleLR": lambda o, **kw: [schedules.OneCycleLR(o, 1.0, total_steps=31, **kw)],
    "OneCycleLR linear, three phases": lambda o, **kw: [
        schedules.OneCycleLR(
            o,
            [1.0, 2.0],
            epochs=5,
            steps_per_epoch=7,
            anneal_strategy="linear",
            three_phase=True,
            pct_start=0.4,
            **kw,
        )
    ],
    "three together": lambda o: [
        schedules.LinearLR(o, 0.1, total_iters=4),
        schedules.CosineAnnealingLR(o, 12, 0.001),
        schedules.ExponentialLR(o, 0.97),
    ],
}
SINGLE = [name for name in MAKE if name != "three together"]


def optimizer(name="SGD", **options):
    first, second = ag.zeros(1, requires_grad=True), ag.zeros(1, requires_grad=True)
    if name == "SGD":
        options = {"momentum": 0.9, **options}
    return getattr(optim, name)([{"params": [first]}, {"params": [second], "lr": 0.5}], lr=0.2, **options)


def follow(schedule_list, steps):
    rates = []
    for _ in range(steps):
        schedule_list[0].optimizer.step()
        for schedule in schedule_list:
            schedule.step()
        rates.append(schedule_list[-1].get_last_lr())
    return rates


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("name", MAKE)
def test_rates(name, kind):
    o = optimizer(kind)
    made = MAKE[name](o)
    rates = [made[-1].get_last_lr(), *follow(made, 30)]
    np.testing.assert_allclose(rates, PYTORCH["rates"][name], rtol=1e-12, atol=1e-15)
    assert [group["lr"] for group in o.param_groups] == made[-1].get_last_lr()


@pytest.mark.parametrize("name", PYTORCH["momenta"])
def test_momenta(name):
    sgd, adam = optimizer("SGD"), optimizer("Adam")
    of_sgd, of_adam = MAKE[name](sgd), MAKE[name](adam)
    assert sgd.param_groups[0]["momentum"] == adam.param_groups[0]["betas"][0] == 0.95
    for expected in PYTORCH["momenta"][name]:
        follow(of_sgd, 1)
        follow(of_adam, 1)
        assert sgd.param_groups[1]["momentum"] == pytest.approx(expected, rel=1e-12)
        assert adam.param_groups[1]["betas"] == (pytest.approx(expected, rel=1e-12), 0.999)


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        ("min", {"patience": 2, "factor": 0.5}),
        (
            "max",
            {
                "patience": 1,
                "factor": 0.3,
                "cooldown": 2,
                "threshold": 0.05,
                "threshold_mode": "abs",
                "min_lr": 0.01,
            },
        ),
    ],
)
def test_plateau(mode, options):
    o = optim.SGD([ag.zeros(1, requires_grad=True)], lr=1.0)
    schedule = schedules.ReduceLROnPlateau(o, mode=mode, **options)
    rates = []
    for epoch in range(30):
        schedule.step(ag.tensor(1.0 / (1 + epoch // 5) + 0.01 * (epoch % 3)))
        rates += schedule.get_last_lr()
    np.testing.assert_allclose(rates, PYTORCH["plateau"][mode], rtol=1e-12)


def test_plateau_takes_nan_for_no_improvement():
    o = optim.SGD([ag.zeros(1, requires_grad=True)], lr=1.0)
    schedule = schedules.ReduceLROnPlateau(o, patience=0)
    schedule.step(float("nan"))
    assert schedule.get_last_lr() == [0.1]


@pytest.mark.parametrize("name", SINGLE)
def test_going_on_from_a_state_dict(name):
    o = optimizer()
    made = MAKE[name](o)
    follow(made, 9)
    state, of_optimizer = made[0].state_dict(), o.state_dict()
    expected = follow(made, 12)

    other = optimizer()
    again = MAKE[name](other)
    other.load_state_dict(of_optimizer)
    again[0].load_state_dict(state)
    assert again[0].last_epoch == 9
    assert follow(again, 12) == expected
    assert other.param_groups[0]["momentum"] == o.param_groups[0]["momentum"]


def test_going_on_from_a_state_dict_on_a_plateau():
    o = optimizer()
    schedule = schedules.ReduceLROnPlateau(o, patience=1)
    for metric in (3.0, 4.0):
        schedule.step(metric)
    other = optimizer()
    again = schedules.ReduceLROnPlateau(other, patience=1)
    again.load_state_dict(schedule.state_dict())
    again.step(5.0)
    np.testing.assert_allclose(again.get_last_lr(), [0.02, 0.05])


@pytest.mark.parametrize("name", SINGLE)
def test_going_on_after_an_epoch(name):
    # last_epoch is the epoch before the one whose rates the groups have.
    o = optimizer()
    made = MAKE[name](o)
    follow(made, 5)
    before = [dict(group) for group in o.param_groups]
    again = MAKE[name](o, last_epoch=4)
    assert again[0].last_epoch == 5
    for group, was in zip(o.param_groups, before, strict=True):
        assert group["lr"] == pytest.approx(was["lr"], rel=1e-14)
    assert again[0].base_lrs == made[0].base_lrs


def test_state_dict_is_a_copy():
    schedule = schedules.StepLR(optimizer(), 1)
    state = schedule.state_dict()
    assert "optimizer" not in state
    state["base_lrs"][0] = 7.0
    schedule.get_last_lr()[0] = 7.0
    assert schedule.base_lrs == schedule.get_last_lr() == [0.2, 0.5]
    schedule.load_state_dict(state)
    state["base_lrs"][0] = 8.0
    assert schedule.base_lrs == [7.0, 0.5]


def test_lambda_keeps_attributes_of_objects():
    class Warmup:
        def __init__(self, epochs):
            self.epochs = epochs

        def __call__(self, epoch):
            return min(1.0, (epoch + 1) / self.epochs)

    schedule = schedules.LambdaLR(optimizer(), [Warmup(4), fade])
    state = schedule.state_dict()
    assert state["lr_lambdas"] == [{"epochs": 4}, None]
    other = schedules.LambdaLR(optimizer(), [Warmup(2), fade])
    other.load_state_dict(state)
    assert follow([other], 3) == follow([schedule], 3)


def test_schedule_of_ones_own():
    class Root(schedules.LRScheduler):
        def get_lr(self):
            return [lr / (1 + self.last_epoch) ** 0.5 for lr in self.base_lrs]

    schedule = Root(optimizer())
    assert follow([schedule], 3)[-1] == [0.1, 0.25]
    assert Root(schedule.optimizer, last_epoch=2).get_last_lr() == [0.1, 0.25]


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda o: schedules.StepLR(o, 0), ValueError, "StepLR: step_size must be at least 1, not 0"),
        (lambda o: schedules.StepLR("sgd", 1), TypeError, "StepLR: expected an Optimizer, got str"),
        (lambda o: schedules.StepLR(o, 1, last_epoch=3), ValueError, "after epoch 3, parameter group 0 must have"),
        (lambda o: schedules.CosineAnnealingLR(o, 0), ValueError, "T_max must be at least 1"),
        (lambda o: schedules.LinearLR(o, 0.0), ValueError, "start_factor must be in"),
        (lambda o: schedules.LinearLR(o, end_factor=1.5), ValueError, "end_factor must be in"),
        (lambda o: schedules.LinearLR(o, total_iters=0), ValueError, "total_iters must be at least 1"),
        (lambda o: schedules.LambdaLR(o, [fade]), ValueError, "lr_lambda has 1 values for 2 parameter groups"),
        (lambda o: schedules.OneCycleLR(o, 1.0), ValueError, "give total_steps, or both"),
        (lambda o: schedules.OneCycleLR(o, 1.0, total_steps=0), ValueError, "must be at least 1, not 0"),
        (lambda o: schedules.OneCycleLR(o, 1.0, 9, pct_start=1.5), ValueError, "pct_start must be in"),
        (lambda o: schedules.OneCycleLR(o, 1.0, 9, anneal_strategy="up"), ValueError, "must be 'cos' or 'linear'"),
        (lambda o: schedules.ReduceLROnPlateau(o, factor=1.0), ValueError, "factor must be below 1"),
        (lambda o: schedules.ReduceLROnPlateau(o, "least"), ValueError, "mode must be 'min' or 'max'"),
        (lambda o: schedules.ReduceLROnPlateau(o, threshold_mode="x"), ValueError, "must be 'rel' or 'abs'"),
        (lambda o: schedules.LRScheduler(o), NotImplementedError, "does not override get_lr"),
    ],
)
def test_bad_arguments(make, error, says):
    with pytest.raises(error, match=says):
        make(optimizer())


def test_one_cycle_without_a_momentum():
    with pytest.raises(ValueError, match="Adagrad has neither momentum nor betas"):
        schedules.OneCycleLR(optimizer("Adagrad"), 1.0, total_steps=9)
    schedules.OneCycleLR(optimizer("Adagrad"), 1.0, total_steps=9, cycle_momentum=False)


def test_one_cycle_ends():
    schedule = schedules.OneCycleLR(optimizer(), 1.0, total_steps=3)
    follow([schedule], 3)
    with pytest.raises(ValueError, match="all of its 3 steps were taken"):
        schedule.step()
