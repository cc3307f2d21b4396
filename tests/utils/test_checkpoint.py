"""Checkpoints: the gradients of a plain call, for less memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn
from autograd_ops.utils.checkpoint import checkpoint, checkpoint_sequential


def leaf(*values: float) -> ag.Tensor:
    return ag.tensor(list(values), dtype=ag.float64, requires_grad=True)


def test_gradients_are_those_of_a_plain_call_also_of_what_the_function_finds() -> None:
    w, v = leaf(0.5, -1.0), leaf(0.5, -1.0)
    x, y = leaf(1.0, 2.0), leaf(1.0, 2.0)

    def part(x: ag.Tensor, w: ag.Tensor, power: int = 1) -> tuple[ag.Tensor, str]:
        return (ag.sin(x * w) ** power).exp(), "text"

    got, text = checkpoint(lambda x, power: part(x, w, power), x * 1, power=2, use_reentrant=False)
    want, _ = part(y * 1, v, 2)
    got.sum().backward()
    want.sum().backward()
    assert text == "text"
    assert x.grad.tolist() == y.grad.tolist()
    assert w.grad.tolist() == v.grad.tolist()


def test_grad_second_derivatives_and_nesting() -> None:
    def part(x: ag.Tensor) -> ag.Tensor:
        return ag.tanh(x * x.exp())

    def twice(x: ag.Tensor) -> ag.Tensor:
        return checkpoint(lambda x: checkpoint(part, x).sin() * x, x)

    x = leaf(0.3, -0.7)
    (got,) = ag.autograd.grad(twice(x).sum(), x, create_graph=True)
    (want,) = ag.autograd.grad((part(x).sin() * x).sum(), x, create_graph=True)
    assert got.tolist() == want.tolist()
    (got,) = ag.autograd.grad(got.sum(), x)
    (want,) = ag.autograd.grad(want.sum(), x)
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-12)
    assert ag.autograd.gradcheck(twice, x)


@pytest.mark.parametrize("preserve", [True, False])
def test_dropout_drops_the_same_again(preserve: bool) -> None:
    ag.manual_seed(0)
    x = ag.ones(100, requires_grad=True)
    y = checkpoint(lambda x: nn.functional.dropout(x * x, 0.5), x, preserve_rng_state=preserve)
    following = ag.rand(1).item()
    ag.manual_seed(0)
    nn.functional.dropout(x.detach(), 0.5)
    assert following == ag.rand(1).item()
    y.sum().backward()
    after = ag.rand(1).item()
    ag.manual_seed(0)
    nn.functional.dropout(x.detach(), 0.5)
    ag.rand(1)
    assert (x.grad.tolist() == (2 * y).tolist()) is preserve
    assert (after == ag.rand(1).item()) is preserve


def test_memory_is_saved() -> None:
    model = nn.Sequential(*[nn.Tanh() for _ in range(32)])
    x = ag.ones(20_000, requires_grad=True)

    def held(run: Any) -> int:
        tracemalloc.start()
        y = run()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        y.sum().backward()
        return size

    plain = held(lambda: model(x))
    saved = held(lambda: checkpoint_sequential(model, 4, x))
    assert plain > 31 * 80_000
    assert saved < 13 * 80_000  # the results of three parts, and the eight steps of the last


def test_a_sequence_in_parts() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2), nn.Tanh(), nn.Linear(2, 1))
    x = ag.rand(5, 3)
    model(x).sum().backward()
    want = [p.grad.tolist() for p in model.parameters()]
    for segments in (1, 2, 5):
        model.zero_grad()
        checkpoint_sequential(model, segments, x, use_reentrant=False).sum().backward()
        assert [p.grad.tolist() for p in model.parameters()] == want
    with pytest.raises(ValueError, match="6 segments"):
        checkpoint_sequential(model, 6, x)


def test_a_second_backward_is_as_without_a_checkpoint() -> None:
    x = leaf(1.0)
    y = checkpoint(lambda x: x.sin().exp(), x)
    y.backward(retain_graph=True)
    first = x.grad.item()
    y.backward()
    assert x.grad.item() == 2 * first
    with pytest.raises(ag.TapeError, match="a second time"):
        y.backward()


def test_without_recording_it_is_a_plain_call() -> None:
    with ag.no_grad():
        assert not checkpoint(lambda x: x.sin(), leaf(1.0)).requires_grad


def test_a_function_that_does_something_else_is_refused() -> None:
    ops = iter([ag.sin, ag.cos])
    y = checkpoint(lambda x: next(ops)(x) * x, leaf(1.0))
    with pytest.raises(ag.TapeError, match="sin as op 0 the first time and cos the second"):
        y.backward()


def test_an_argument_that_was_changed_is_refused() -> None:
    x = leaf(1.0)
    z = x * 1
    y = checkpoint(lambda z: z.sin(), z)
    z.mul_(2)
    with pytest.raises(ag.TapeError, match="changed in place since the first run"):
        y.backward()
