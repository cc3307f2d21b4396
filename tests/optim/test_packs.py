"""Small parameters that take their steps as one: the numbers are those of steps one by one, bit for bit."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import optim

OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "nesterov": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": lambda p: optim.Adam(p, lr=0.1),
    "amsgrad": lambda p: optim.Adam(p, lr=0.1, amsgrad=True, weight_decay=0.1, maximize=True),
    "adamw": lambda p: optim.AdamW(p, lr=0.1),
}
SHAPES = ((3, 2), (3,), (), (1, 3), (70, 70), (2, 0))
EVENTS = ("nothing", "one without", "data", "loaded", "state", "number of steps", "group", "rate", "in place", "copied")


def parameters() -> list[ag.Tensor]:
    draw = np.random.default_rng(0)
    return [ag.tensor(draw.standard_normal(shape).astype(np.float32)).requires_grad_() for shape in SHAPES]


def run(make: Callable[[Any], Any], event: str, packed: bool) -> list[Any]:
    given = parameters()
    optimizer = make(given[:-1] if event == "group" else given)
    optimizer.elementwise = packed
    draw = np.random.default_rng(1)
    for i in range(9):
        optimizer.zero_grad()
        for j, parameter in enumerate(given):
            if not (event == "one without" and j == 1 and i in (4, 6)):
                parameter.grad = ag.tensor(draw.standard_normal(parameter.shape).astype(np.float32))
        if i == 5:
            if event == "data":
                given[0].data = ag.ones(3, 2)
            elif event == "loaded":
                optimizer.load_state_dict(optimizer.state_dict())
            elif event == "state":
                kept = optimizer.state[given[1]]
                name = next(n for n in kept if n != "step")
                kept[name] = ag.ones(3)
            elif event == "number of steps" and "step" in optimizer.state[given[0]]:
                optimizer.state[given[0]]["step"] += 3
            elif event == "group":
                optimizer.add_param_group({"params": given[-1:], "lr": 0.5})
            elif event == "rate":
                optimizer.param_groups[0]["lr"] = 0.01
            elif event == "in place":
                with ag.no_grad():
                    given[0].mul_(2)
                    given[1].array[...] = 1.0
            elif event == "copied":
                optimizer = copy.deepcopy(optimizer)
                given = optimizer.param_groups[0]["params"]
        optimizer.step()
    assert (optimizer._packs._kept != {}) is packed
    kept = optimizer.state_dict()["state"].values()
    return [p.array.copy() for p in given] + [np.array(getattr(v, "array", v)) for s in kept for v in s.values()]


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_numbers_are_those_of_single_steps(name: str, event: str) -> None:
    single, packed = (run(OPTIMIZERS[name], event, packed) for packed in (False, True))
    assert len(single) == len(packed)
    for one, other in zip(single, packed, strict=True):
        np.testing.assert_array_equal(one, other)


def stepped(given: list[ag.Tensor], count: int = 4) -> optim.Adam:
    optimizer = optim.Adam(given, lr=0.1)
    for _ in range(count):
        for parameter in given:
            parameter.grad = ag.ones_like(parameter.detach())
        optimizer.step()
    return optimizer


def test_parameters_keep_their_own_memory() -> None:
    given = parameters()
    held = [p.detach() for p in given]
    arrays = [p.array for p in given]
    stepped(given)
    for parameter, other, array in zip(given, held, arrays, strict=True):
        assert parameter.array is array
        assert other.array is array


def test_parameters_that_share_memory_move_one_after_the_other() -> None:
    memory = ag.zeros(4)
    given = [memory[:3].detach().requires_grad_(), memory[1:].detach().requires_grad_()]
    stepped(given, 5)
    expected = [parameter.clone() for parameter in (ag.zeros(3), ag.zeros(3))]
    apart = [p.detach().requires_grad_() for p in expected]
    stepped(apart, 5)
    step = apart[0].array[0]
    np.testing.assert_allclose(memory.array, [step, 2 * step, 2 * step, step], rtol=1e-6)


def test_copies_of_the_state_have_memory_of_their_own() -> None:
    given = parameters()
    optimizer = stepped(given)
    assert len({id(optimizer.state[p]["exp_avg"].array.base) for p in given[:3]}) == 1  # windows on one piece
    for saved in (optimizer.state_dict()["state"], pickle.loads(pickle.dumps(optimizer)).state_dict()["state"]):
        for one in saved.values():
            assert one["exp_avg"].array.base is None
    held = optimizer.state[given[0]]["exp_avg"]
    before = held.array.copy()
    for parameter in given:
        parameter.grad = ag.zeros_like(parameter.detach())
    optimizer.step()
    np.testing.assert_array_equal(held.array, before * np.float32(0.9))


def test_other_precisions_move_one_by_one() -> None:
    given = [ag.zeros(2, dtype=dtype).requires_grad_() for dtype in (ag.float16, ag.float64, ag.complex64, ag.float32)]
    stepped(given)
    for parameter in given:
        assert abs(complex(parameter.detach()[0].item())) == pytest.approx(0.4, abs=0.15)
