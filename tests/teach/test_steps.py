"""`teach.backward_steps`: what each step says, against the chain rule by hand and against backward itself."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, teach


def test_the_diamond_by_hand():
    x = ag.tensor(3.0, requires_grad=True)
    y = x * x
    loss = y + x
    first, second = teach.backward_steps(loss)
    assert (first.op, first.arrived.item()) == ("add", 1)
    assert [(s.to, s.gradient.item(), s.part, s.parts) for s in first.sent] == [("y", 1, 1, 1), ("x", 1, 1, 3)]
    assert (second.op, second.formula) == ("mul", "dx = g y, dy = g x")
    assert {name: array.item() for name, array in second.kept} == {"x": 3, "y": 3}
    assert [(s.gradient.item(), s.part, s.total.item()) for s in second.sent] == [(3, 2, 4), (3, 3, 7)]


def test_broadcasting_is_summed_away_where_it_says():
    x = ag.ones(2, 3, 4, requires_grad=True)
    b = ag.ones(3, 1, requires_grad=True)
    loss = (x * b).sum()
    _, mul = teach.backward_steps(loss)
    to_x, to_b = mul.sent
    assert to_x.summed == ()
    assert to_b.summed == (0, 2)
    np.testing.assert_array_equal(to_b.gradient, np.full((3, 1), 8))
    assert "summed over dimensions 0 and 2, along which it was broadcast" in str(mul)


def test_it_agrees_with_backward_and_changes_nothing():
    ag.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    x = ag.randn(4, 2)
    loss = net(x).square().mean()
    steps = teach.backward_steps(loss)
    assert all(p.grad is None for p in net.parameters())
    assert [s.op for s in steps] == ["mean", "square", "linear", "tanh", "linear"]
    loss.backward()
    for name, parameter in net.named_parameters():
        np.testing.assert_allclose(steps.leaves[f"net.{name}"], parameter.grad.numpy())
    totals = {sent.to: sent.total for step in steps for sent in step.sent}
    np.testing.assert_allclose(totals["net.0.weight"], net[0].weight.grad.numpy())


def test_it_is_a_sequence():
    x = ag.ones(2, requires_grad=True)
    steps = teach.backward_steps((x * 2).sum())
    assert len(steps) == 2
    assert steps[-1].op == "mul"
    assert [s.number for s in steps[:2]] == [1, 2]
    assert list(steps) == [steps[0], steps[1]]


def test_a_gradient_given_and_one_missing():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    (step,) = teach.backward_steps(y, ag.tensor([1.0, 10.0]))
    np.testing.assert_array_equal(step.sent[0].gradient, [3, 30])
    with pytest.raises(ValueError, match=r"needs the gradient that arrives at it: pass gradient="):
        teach.backward_steps(y)
    with pytest.raises(ValueError, match=r"shape \(3,\), and the tensor of shape \(2,\)"):
        teach.backward_steps(y, ag.ones(3))
    with pytest.raises(TypeError, match="gradient is a Tensor, not list"):
        teach.backward_steps(y, [1.0, 1.0])


def test_refusals():
    with pytest.raises(TypeError, match="expected a Tensor, got int"):
        teach.backward_steps(3)
    with pytest.raises(ag.TapeError, match="why_no_grad"):
        teach.backward_steps(ag.ones(()))
    x = ag.tensor(2.0, requires_grad=True)
    loss = x.exp()
    loss.backward()
    with pytest.raises(ag.TapeError, match="retain_graph=True"):
        teach.backward_steps(loss)
    y = x * 1
    loss = y * y
    y.mul_(2)
    with pytest.raises(ag.TapeError, match="changed it in place"):
        teach.backward_steps(loss)


def test_complex_gradients_are_the_users():
    z = ag.tensor([1 + 2j], requires_grad=True)
    steps = teach.backward_steps((z * z).real.sum())
    np.testing.assert_array_equal(steps.leaves["z"], [2 - 4j])


def test_several_outputs():
    x = ag.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    q, r = ag.linalg.qr(x)
    steps = teach.backward_steps(r.sum())
    missing, arrived = steps[-1].arrived
    assert missing is None or not missing.any()
    np.testing.assert_array_equal(arrived, np.ones((2, 2)))
    assert "qr" in steps.html()
    assert q.requires_grad


def test_broadcasting_of_ops_that_give_less_than_they_compute_with():
    x = ag.ones(4, 1, requires_grad=True)
    (step,) = teach.backward_steps(nn.functional.mse_loss(x, ag.zeros(4, 1)))
    assert [sent.summed for sent in step.sent] == [()]
    np.testing.assert_array_equal(step.sent[0].gradient, np.full((4, 1), 0.5))
    y = ag.zeros(1, 3, requires_grad=True)
    (step,) = teach.backward_steps(ag.ops.mse(x, y))
    assert [sent.summed for sent in step.sent] == [(1,), (0,)]


def test_the_lines_and_modules_of_what_was_watched():
    net = nn.Linear(2, 1)
    with teach.watch():
        loss = net(ag.ones(1, 2)).sum()
    text = str(teach.backward_steps(loss)[1])
    assert re.search(r"  line +loss = net\(ag.ones\(1, 2\)\).sum\(\)", text)
    assert re.search(r"  module +Linear", text)


def test_text_is_aligned():
    x = ag.ones(2, 2, requires_grad=True)
    lines = teach.backward_steps((x * x).sum()).text().splitlines()
    assert all(re.match(r"step |the gradients|note|  \S.{8}  \S|  \w+ +\S| {12} ?\S", line) for line in lines)


def test_long_names_and_rules_keep_to_100_columns():
    net = nn.Sequential(nn.Sequential(nn.LSTM(2, 2)))
    x = ag.ones(3, 1, 2)
    with teach.watch():
        loss = net(x)[0].sum() + x.sum() + x.mean() + x.std() + x.var() + x.amax() + x.amin() + x.prod() + x.sum()
    lines = teach.backward_steps(loss).text().splitlines()
    assert max(map(len, lines)) <= 100
    assert any(line.strip().startswith("to net.0.0.weight_ih_l0 ") for line in lines)


def test_the_stepper_has_a_panel_for_each_step_and_the_end():
    x = ag.ones(2, requires_grad=True)
    name = "<x>"
    page = teach.backward_steps((x * 2).sum(), names={name: x}).html()
    assert re.findall(r'data-step="(\d)"( hidden)?', page) == [("0", ""), ("1", " hidden"), ("2", " hidden")]
    course = json.loads(re.search(r'class="course">(.*?)</script>', page)[1])
    assert [len(step["edges"]) for step in course] == [1, 1]
    assert "<x>" not in page
    assert "&lt;x&gt;" in page


def test_a_large_tape_is_not_drawn_beside():
    x = ag.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(300):
        y = y.sin()
    page = teach.backward_steps(y).html()
    assert "<svg" not in page
    assert "is not drawn beside its steps: teach.tape draws it" in page
    assert page.count('class="step"') == 301


def test_hooks_are_not_called_and_it_says_so():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.retain_grad()
    loss = y.sum()
    assert not [note for note in teach.backward_steps(loss).graph.notes if "hooks" in note]
    called = []
    y.register_hook(called.append)
    steps = teach.backward_steps(loss)
    assert "your hooks are not called here" in steps.html()
    assert "note: your hooks are not called here" in steps.text()
    assert "your hooks are not called here" in teach.tape(loss).text()
    assert called == []


def test_looks_from_several_threads_do_not_disturb_each_other():
    shared = [ag.tensor(float(i), requires_grad=True) for i in range(50)]
    hooks = [leaf.register_hook(lambda g: g) for leaf in shared]
    losses = [ag.stack(shared).sum() * k for k in range(4)]

    def look(loss):
        for _ in range(40):
            teach.backward_steps(loss)

    threads = [threading.Thread(target=look, args=(loss,)) for loss in losses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(leaf.node.hooks for leaf in shared)
    assert hooks
