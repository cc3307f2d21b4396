"""Switching recording on and off, and looking for anomalies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.autograd import AnomalyError, detect_anomaly, set_detect_anomaly


def test_decorators() -> None:
    @ag.no_grad()
    def off() -> bool:
        return ag.is_grad_enabled()

    @ag.enable_grad()
    def on() -> bool:
        return ag.is_grad_enabled()

    @ag.set_grad_enabled(False)
    def set_off() -> bool:
        return ag.is_grad_enabled()

    assert ag.is_grad_enabled()
    assert (off(), set_off(), on()) == (False, False, True)
    with ag.no_grad():
        assert on()
    assert off.__name__ == "off"


def test_a_generator_is_inside_while_it_runs_and_its_caller_is_not() -> None:
    @ag.no_grad()
    def steps() -> Any:
        given = yield ag.is_grad_enabled()
        try:
            yield given, ag.is_grad_enabled()
        except KeyError:
            yield "caught", ag.is_grad_enabled()
        return "end"

    iterator = steps()
    seen = [next(iterator), ag.is_grad_enabled(), iterator.send(3), ag.is_grad_enabled(), iterator.throw(KeyError())]
    assert seen == [False, True, (3, False), True, ("caught", False)]
    with pytest.raises(StopIteration) as end:
        next(iterator)
    assert end.value.value == "end"
    assert ag.is_grad_enabled()


def test_a_generator_that_is_closed_cleans_up_inside() -> None:
    seen: list[bool] = []

    @ag.no_grad()
    def steps() -> Iterator[int]:
        try:
            yield 1
        finally:
            seen.append(ag.is_grad_enabled())

    iterator = steps()
    next(iterator)
    iterator.close()
    assert seen == [False]


def test_inference_mode() -> None:
    x = ag.ones(2, requires_grad=True)
    with ag.inference_mode():
        assert ag.is_inference_mode_enabled()
        y = x * 2
        with ag.inference_mode(False):
            assert not ag.is_inference_mode_enabled()
    assert not y.requires_grad
    assert not ag.is_inference_mode_enabled()

    @ag.inference_mode()
    def with_brackets() -> tuple[bool, bool]:
        return ag.is_grad_enabled(), ag.is_inference_mode_enabled()

    @ag.inference_mode
    def without() -> tuple[bool, bool]:
        return ag.is_grad_enabled(), ag.is_inference_mode_enabled()

    assert with_brackets() == without() == (False, True)
    (x * y).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_the_names_in_autograd() -> None:
    assert ag.autograd.no_grad is ag.no_grad
    assert ag.autograd.set_grad_enabled is ag.set_grad_enabled
    v = ag.autograd.Variable(ag.ones(2), requires_grad=True)
    assert isinstance(v, ag.autograd.Variable)
    assert v.requires_grad


# ---------------------------------------------------------------- anomalies

HERE = re.escape(__file__)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda x: x.log(), "forward of log gave infinity in its result, at {}.*finite"),
        (lambda x: (x - 1).sqrt(), "forward of sqrt gave NaN in its result, at {}.*finite"),
        (
            lambda x: x.sqrt().sum().backward(),
            "backward of sqrt gave infinity in the gradient of its input 0, .* at {}",
        ),
        (lambda x: (x.sqrt() * 0).sum().backward(), "backward of sqrt gave NaN in the gradient of its input 0"),
        (lambda x: x * ag.tensor([np.nan, 1.0]), "forward of mul gave NaN .*NaN was in what it was given already"),
        (lambda x: (x + np.inf) - np.inf, "forward of sub gave NaN .*infinity was in what it was given already"),
    ],
    ids=["log 0", "sqrt -1", "sqrt' 0", "0 inf", "NaN given", "inf - inf"],
)
def test_the_op_and_the_line_of_forward_are_named(run: Any, message: str) -> None:
    x = ag.tensor([0.0, 1.0], requires_grad=True)
    with detect_anomaly(), pytest.raises(AnomalyError, match=message.format(HERE + r":\d+")):
        run(x)


def test_what_is_finite_or_was_masked_is_no_anomaly() -> None:
    x = ag.tensor([0.5, 1.0, 2.0], requires_grad=True)
    with detect_anomaly():
        masked = x.masked_fill(ag.tensor([True, False, False]), -np.inf)
        masked.softmax(0)[1].backward()
    assert x.grad[0].item() == 0.0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_second_derivatives_are_looked_at_too() -> None:
    x = ag.tensor([0.0], requires_grad=True)
    with detect_anomaly():
        (g,) = ag.autograd.grad((x**1.5).sum(), x, create_graph=True)
        with pytest.raises(AnomalyError, match=r"(forward|backward) of \w+ gave infinity"):
            g.sum().backward()


def test_it_can_be_set_for_good_and_looks_no_further_than_it_is_told() -> None:
    set_detect_anomaly(True)
    try:
        assert (ag.is_anomaly_enabled(), ag.is_anomaly_check_nan_enabled()) == (True, True)
        with set_detect_anomaly(True, check_nan=False):
            assert (ag.is_anomaly_enabled(), ag.is_anomaly_check_nan_enabled()) == (True, False)
            assert (ag.tensor([1.0], requires_grad=True) * np.inf).item() == np.inf
    finally:
        set_detect_anomaly(False)
    assert not ag.is_anomaly_enabled()


def test_an_error_in_backward_says_where_the_op_was_recorded() -> None:
    with detect_anomaly(check_nan=False):
        x = ag.ones(2, requires_grad=True)
        y = x * 1
        z = y.exp()
        y.mul_(2)
        w = z * 1
        z.add_(1)
        with pytest.raises(ag.TapeError) as error:
            w.sum().backward()
    assert re.search(f"in backward of exp, recorded at {HERE}", error.value.__notes__[0])
