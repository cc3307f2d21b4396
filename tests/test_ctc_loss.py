"""ctc_loss has two ways back, a backend's kernel and the tape through the recursion in ops: they give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_backends import Backend, get_backend
from autograd_ops import Tensor, ops
from autograd_ops.autograd import grad, gradcheck, gradgradcheck

DEVICES = ["cpu", "strict:device1"]

#: T, N, C, S; input lengths, target lengths, blank.
CASES: list[tuple[tuple[int, int, int, int], list[int], list[int], int]] = [
    ((5, 3, 4, 2), [5, 4, 3], [2, 1, 0], 0),
    ((5, 3, 4, 2), [5, 0, 1], [2, 0, 2], 3),
    ((12, 2, 3, 5), [12, 7], [5, 5], 1),
    ((1, 2, 2, 1), [1, 1], [1, 0], 0),
    ((3, 1, 1, 0), [3], [0], 0),
    ((0, 2, 3, 1), [0, 0], [1, 0], 0),
    ((4, 0, 3, 2), [], [], 0),
]


def arguments(case: Any, device: str) -> tuple[Tensor, list[Any]]:
    """Log-probabilities that are a leaf, and the rest of the arguments."""
    (steps, batch, classes, width), input_lengths, target_lengths, blank = case
    rng = np.random.default_rng(steps + classes)
    x = ag.tensor(rng.normal(size=(steps, batch, classes)), dtype=ag.float64, device=device, requires_grad=True)
    targets = rng.choice([c for c in range(classes) if c != blank] or [blank], (batch, width))
    ints = [np.asarray(a, np.int64) for a in (targets, input_lengths, target_lengths)]
    return x, [*[ag.tensor(a, dtype=ag.int64, device=device) for a in ints], blank]


def without_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no backend have a kernel, and see that none is called."""

    def refused(*_: Any) -> None:
        raise AssertionError("a backend that says it has no ctc_loss_backward is not asked for it")

    monkeypatch.setattr(Backend, "has_ctc_loss_backward", lambda self: False)
    monkeypatch.setattr(Backend, "ctc_loss_backward", staticmethod(refused))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_ways_give_the_same_gradient(case: Any, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert get_backend(device).has_ctc_loss_backward()
    x, rest = arguments(case, device)
    weights = ag.arange(1, x.shape[1] + 1, dtype=ag.float64, device=device)
    (native,) = grad(ops.ctc_loss(x, *rest), x, weights)
    without_kernel(monkeypatch)
    (decomposed,) = grad(ops.ctc_loss(x, *rest), x, weights)
    np.testing.assert_allclose(decomposed.tolist(), native.tolist(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("device", DEVICES)
def test_derivatives(device: str, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not native:
        without_kernel(monkeypatch)
    x, rest = arguments(((3, 2, 3, 2), [3, 2], [2, 1], 0), device)
    assert gradcheck(lambda x: ops.ctc_loss(x, *rest), (x,))
    assert gradgradcheck(lambda x: ops.ctc_loss(x, *rest), (x,))


@pytest.mark.parametrize("native", [True, False])
def test_within_no_grad_and_in_other_dtypes(native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not native:
        without_kernel(monkeypatch)
    x, (targets, input_lengths, target_lengths, blank) = arguments(CASES[0], "cpu")
    g = ag.ones(3)
    with ag.no_grad():
        found = ops.ctc_loss_backward(x.float(), targets.int(), input_lengths.int(), target_lengths, g, blank)
    assert not found.requires_grad
    assert found.dtype is ag.float32
    want = ops.ctc_loss_backward(x.detach(), targets, input_lengths, target_lengths, g.double(), blank)
    np.testing.assert_allclose(found.tolist(), want.tolist(), rtol=1e-5, atol=1e-6)


def test_third_derivatives() -> None:
    x, rest = arguments(((3, 1, 2, 1), [3], [1], 0), "cpu")

    def second(x: Tensor) -> Tensor:
        (first,) = grad(ops.ctc_loss(x, *rest).sum(), x, create_graph=True)
        (found,) = grad((first**2).sum(), x, create_graph=True)
        return found

    assert gradcheck(second, (x,))


def test_second_derivatives_of_long_sequences() -> None:
    # Thousands of steps that cannot be taken must not grow into infinities.
    steps = 1500
    x = ag.zeros(steps, 1, 3, dtype=ag.float64, requires_grad=True)
    targets, lengths = ag.tensor([[1, 1, 2]]), (ag.tensor([steps]), ag.tensor([3]))
    (first,) = grad(ops.ctc_loss(x, targets, *lengths, 0), x, ag.ones(1, dtype=ag.float64), create_graph=True)
    # Adding a number to all scores of one time changes the loss by it, and so its gradient by nothing.
    (second,) = grad((first * ag.arange(3.0, dtype=ag.float64)).sum(), x)
    assert second.isfinite().all()
    np.testing.assert_allclose(second.sum(2).tolist(), np.zeros((steps, 1)), atol=1e-8)


def test_nan_stays_nan() -> None:
    x, rest = arguments(CASES[0], "cpu")
    with ag.no_grad():
        x[0, 0, 0] = float("nan")
    loss = ops.ctc_loss(x, *rest)
    assert loss.isnan().tolist() == [True, False, False]
    loss.sum().backward()
    assert x.grad[:, 0].isnan().any()
    assert x.grad[:, 1:].isfinite().all()
