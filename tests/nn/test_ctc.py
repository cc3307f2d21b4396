"""ctc_loss and CTCLoss against numbers from PyTorch, for long sequences, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import nn
from autograd_ops.autograd import gradcheck, gradgradcheck

from .conftest import DEVICES, made, near

CASES = json.loads((Path(__file__).parent / "torch_ctc.json").read_text())["cases"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("shape", "targets", "input_lengths", "target_lengths", "options", "loss", "grad"), CASES)
@pytest.mark.parametrize("as_tensors", [True, False])
def test_value_and_gradient(
    shape: list,
    targets: list,
    input_lengths: Any,
    target_lengths: Any,
    options: dict,
    loss: list,
    grad: list,
    as_tensors: bool,
    device: str,
) -> None:
    x = (made(tuple(n for n in shape if n), device=device) * 2).detach().requires_grad_()
    labels = ag.tensor(targets, device=device)
    if as_tensors:
        input_lengths, target_lengths = ag.tensor(input_lengths), ag.tensor(target_lengths)
    y = F.ctc_loss(F.log_softmax(x, -1), labels, input_lengths, target_lengths, **options)
    near(y, [float(v) for v in loss])
    (y * made(tuple(y.shape), 0.5, device)).sum().backward()
    near(x.grad, grad)


@pytest.mark.parametrize("dtype", [ag.float64, ag.float32])
def test_a_thousand_steps(dtype: Any) -> None:
    # Of even probabilities the loss is known: how many alignments there are, over C^T. A path of T steps spells S
    # labels, none of them equal to the next, in binom(T + S, 2 S) ways; the numbers are from Python's integers.
    from math import comb, log

    steps, classes, width = 1000, 5, 20
    x = ag.zeros(steps, 1, classes, dtype=dtype, requires_grad=True)
    labels = ag.tensor([[1 + i % 2 for i in range(width)]])
    loss = F.ctc_loss(F.log_softmax(x, 2), labels, (steps,), (width,), reduction="sum")
    exact = steps * log(classes) - log(comb(steps + width, 2 * width))
    assert float(loss) == pytest.approx(exact, rel=1e-12 if dtype is ag.float64 else 1e-6)
    loss.backward()
    # The probabilities of the classes at a time add up to 1 on both sides, and time may run either way.
    near(x.grad.sum(2).double(), [[0.0]] * steps, 1e-9 if dtype is ag.float64 else 1e-6)
    near(x.grad[:, 0, 0].double(), x.grad.flip(0)[:, 0, 0].tolist(), 1e-9 if dtype is ag.float64 else 1e-6)
    # The gradient is the softmax less the share of the alignments that begin with the first label, or with a blank.
    first_is_label = comb(steps - 1 + width, 2 * width - 1) / comb(steps + width, 2 * width)
    near(x.grad[0, 0].double(), [1 / 5 - 1 + first_is_label, 1 / 5 - first_is_label, 0.2, 0.2, 0.2], 1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_impossible_targets(device: str) -> None:
    log_probs = F.log_softmax(made((3, 3, 3), device=device), 2).detach().requires_grad_()
    targets = ag.tensor([[1, 1], [1, 2], [2, 0]], device=device)
    lengths = ag.tensor([2, 1, 3]), ag.tensor([2, 2, 1])
    loss = F.ctc_loss(log_probs, targets, *lengths, reduction="none")
    assert loss.tolist()[:2] == [float("inf")] * 2
    loss.sum().backward()
    assert log_probs.grad[:, :2].abs().sum() == 0
    assert log_probs.grad[:, 2].sum() == pytest.approx(-3)
    zeroed = F.ctc_loss(log_probs, targets, *lengths, reduction="none", zero_infinity=True)
    near(zeroed, [0.0, 0.0, loss.tolist()[2]])
    for reduction in ("mean", "sum"):
        log_probs.grad = None
        F.ctc_loss(log_probs, targets, *lengths, reduction=reduction, zero_infinity=True).backward()
        assert log_probs.grad.isfinite().all()
        assert log_probs.grad[:, :2].abs().sum() == 0


def test_classes_that_cannot_be() -> None:
    # -inf, as masked scores give it: what needs the class is impossible, the rest is not touched by it.
    log_probs = ag.tensor([[[-0.5, float("-inf"), -1.0]], [[-0.5, -2.0, -1.0]]], dtype=ag.float64, requires_grad=True)
    loss = F.ctc_loss(log_probs, ag.tensor([[1]]), (2,), (1,), reduction="sum")
    near(loss, 2.5)
    loss.backward()
    near(log_probs.grad, [[[-1.0, 0.0, 0.0]], [[0.0, -1.0, 0.0]]])


def test_the_gradient_is_that_of_log_probs_themselves() -> None:
    # Not of numbers that are assumed to come from a softmax: none of these add up to 1.
    log_probs = made((4, 2, 3)).requires_grad_()
    targets, lengths = ag.tensor([[1, 2], [2, 2]]), ((4, 3), (2, 2))
    assert gradcheck(lambda x: F.ctc_loss(x, targets, *lengths), (log_probs,))
    assert gradgradcheck(lambda x: F.ctc_loss(x, targets, *lengths), (log_probs,))


def test_what_is_past_an_end_does_not_matter() -> None:
    log_probs = made((4, 2, 3))
    lengths = ag.tensor([3, 4]), ag.tensor([1, 2])
    want = F.ctc_loss(log_probs, ag.tensor([[1, 0], [2, 1]]), *lengths)
    near(F.ctc_loss(log_probs, ag.tensor([[1, -100], [2, 1]]), *lengths), want.tolist())
    changed = log_probs.clone()
    changed[3, 0] = 7.0
    near(F.ctc_loss(changed, ag.tensor([[1, 99], [2, 1]]), *lengths), want.tolist())


def test_module() -> None:
    assert repr(nn.CTCLoss(zero_infinity=True)) == "CTCLoss()"
    log_probs, targets = made((4, 2, 3)), ag.tensor([[1, 2], [1, 1]])
    got = nn.CTCLoss(2, "sum", True)(log_probs, targets[:, :1], (4, 4), (1, 1))
    near(got, F.ctc_loss(log_probs, targets[:, :1], (4, 4), (1, 1), 2, "sum", True).tolist())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"blank": 3}, ValueError, "ctc_loss: blank=3 .* 3 classes"),
        ({"blank": -1}, ValueError, "ctc_loss: blank=-1"),
        ({"targets": [[1, 2]]}, ValueError, "ctc_loss: targets .* batch of 1"),
        ({"input_lengths": [4]}, ValueError, "ctc_loss: input_lengths .* batch of 1"),
        ({"target_lengths": [2, 2, 1]}, ValueError, "ctc_loss: target_lengths .* batch of 3"),
        ({"input_lengths": [4, 5]}, IndexError, "ctc_loss: an input length is at most T = 4: index 5"),
        ({"input_lengths": [4, -1]}, IndexError, "ctc_loss: an input length .*-1"),
        ({"target_lengths": [2, 3]}, IndexError, "ctc_loss: a target length is at most S = 2: index 3"),
        ({"targets": [[1, 3], [1, 2]]}, IndexError, "ctc_loss: a label is one of the C = 3 classes: index 3"),
        ({"targets": [[1, -1], [1, 2]]}, IndexError, "ctc_loss: a label"),
        ({"targets": [[1.0, 2.0], [1.0, 2.0]]}, TypeError, "ctc_loss: targets .* integers"),
        ({"targets": [[[1]], [[1]]]}, ValueError, r"ctc_loss: targets have shape \(2, 1, 1\)"),
    ],
)
def test_the_op_refuses(arguments: dict[str, Any], error: type, message: str, device: str) -> None:
    given = {
        "targets": [[1, 2], [2, 1]],
        "input_lengths": [4, 4],
        "target_lengths": [2, 2],
        "blank": 0,
        **arguments,
    }
    tensors = {k: v if k == "blank" else ag.tensor(v, device=device) for k, v in given.items()}
    x = made((4, 2, 3), device=device)
    with pytest.raises(error, match=message):
        ag.ops.ctc_loss(x, **tensors)
    with pytest.raises(error, match=message.replace("ctc_loss", "ctc_loss_backward")):
        ag.ops.ctc_loss_backward(x, grad_loss=ag.ones(2, dtype=ag.float64, device=device), **tensors)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((made((3,)), ag.tensor([1]), (1,), (1,)), r"ctc_loss: log_probs .*\(3,\)"),
        ((made((4, 3)), ag.tensor([1]), (5,), (1,)), "ctc_loss: input_lengths has the length 5.* 4"),
        ((made((4, 3)), ag.tensor([1]), 4, 2), "ctc_loss: target_lengths has the length 2.* 1"),
        ((made((4, 2, 3)), ag.tensor([1, 2, 1]), (4, 4), (1, 1)), r"ctc_loss: target_lengths \[1, 1\] are 2 in all"),
        ((made((4, 2, 3)), ag.tensor([[1], [2]]), (4,), (1, 1)), "ctc_loss: input_lengths .* batch of 1"),
        ((made((4, 2, 3)), ag.tensor([[1], [2]]), (4, 4), (1, 1), 0, "batchmean"), "ctc_loss: reduction"),
    ],
)
def test_the_function_refuses(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        F.ctc_loss(*arguments)
