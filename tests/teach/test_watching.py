"""What `watch` keeps of ops, leaves and modules."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import autograd_ops as ag
from autograd_ops import nn, teach
from autograd_ops.tape import mode
from autograd_ops.teach.watching import seen_of, seen_of_leaf


def test_values_are_copies_and_lines_are_the_users():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    with teach.watch():
        y = x * 3
    with ag.no_grad():
        x.mul_(10)
        y.array[...] = -1
    seen = seen_of(y.node)
    np.testing.assert_array_equal(seen.arguments[0], [1, 2])
    assert seen.arguments[1] == 3
    np.testing.assert_array_equal(seen.result, [3, 6])
    assert seen.line.text == "y = x * 3"
    assert seen.line.file == __file__


def test_gradients_of_the_last_backward():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    with teach.watch():
        y = x * 3
        loss = (y * y).sum()
    assert seen_of(y.node).gradient is None
    loss.backward(retain_graph=True)
    np.testing.assert_array_equal(seen_of(y.node).gradient, [6, 12])
    np.testing.assert_array_equal(seen_of_leaf(x.node).gradient, [18, 36])
    loss.backward()
    np.testing.assert_array_equal(seen_of_leaf(x.node).gradient, [18, 36])  # what arrived, not the sum
    np.testing.assert_array_equal(x.grad.numpy(), [36, 72])


def test_gradients_of_several_outputs():
    x = ag.tensor([3.0, 1.0, 2.0], requires_grad=True)
    with teach.watch():
        first, _ = x.split([1, 2])
        q, r = ag.linalg.qr(ag.diag(x))
    (first * 2).sum().backward()
    np.testing.assert_array_equal(seen_of_leaf(x.node).gradient, [2, 0, 0])
    (q.sum() + 2 * r.sum()).backward()
    q_gradient, r_gradient = seen_of(q.grad_fn.main).gradient
    np.testing.assert_array_equal(q_gradient, np.ones((3, 3)))
    np.testing.assert_array_equal(r_gradient, np.full((3, 3), 2))


def test_modules_by_the_way_to_them():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        def forward(self, x):
            return self.fc(self.fc(x))

    net = nn.Sequential(Block(), nn.ReLU())
    with teach.watch():
        y = net(ag.ones(1, 2))
    call = seen_of(y.node).call
    assert [c.module for c in call.chain] == ["Sequential", "ReLU"]
    assert call.path == "Sequential.1"
    second, first = y.node.parents[0], y.node.parents[0].parents[0]
    calls = [seen_of(node).call for node in (first, second)]
    assert [c.path for c in calls] == ["Sequential.0.fc"] * 2
    assert calls[0] is not calls[1]  # one module called twice


def test_a_module_that_raised_is_left():
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("no")

    x = ag.ones(2, requires_grad=True)
    with teach.watch():
        try:
            Fails()(x)
        except ValueError:
            y = x * 2
    assert seen_of(y.node).call is None


def test_nothing_is_kept_outside():
    x = ag.ones(2, requires_grad=True)
    with teach.watch(), teach.watch():
        pass
    assert mode.observer is None
    y = x * 2
    assert seen_of(y.node) is None
    assert x.node.hooks is None


def test_a_leaf_is_seen_anew_in_each_watch():
    x = ag.ones(2, requires_grad=True)
    for _ in range(2):
        with teach.watch():
            y = x * 2
        assert seen_of_leaf(x.node).users == {y.node.seq}
    assert len(x.node.hooks) == 1


def test_a_leaf_lets_go_of_what_its_users_brought():
    x = ag.ones(2, requires_grad=True)
    with teach.watch():
        loss = (x * x).sum() + (x * 2).sum()
    loss.backward()
    np.testing.assert_array_equal(seen_of_leaf(x.node).gradient, [4, 4])
    del loss
    seen = seen_of_leaf(x.node)
    assert (seen.gradient, seen.users, seen.reached) == (None, set(), True)
    (x * 2).sum().backward()
    assert seen.gradient is None


def test_each_tape_has_the_values_of_its_own_leaves():
    w = ag.tensor([1.0], requires_grad=True)
    with teach.watch():
        first = (w * 2).sum()
    first.backward()
    with ag.no_grad():
        w.fill_(5)
    unwatched = (w * 3).sum()
    with ag.no_grad():
        w.fill_(7)
    with teach.watch():
        last = (w * 4).sum()
    last.backward()
    boxes = [teach.tape(loss).graph.boxes[w.node.seq] for loss in (first, unwatched, last)]
    assert [box.value.item() for box in boxes] == [1, 7, 7]
    assert boxes[2].gradient.item() == 4


def test_the_library_does_not_import_it():
    code = (
        "import sys, autograd_ops as ag, autograd_ops.nn, autograd_ops.optim\n"
        "(ag.ones(2, requires_grad=True) * 2).sum().backward()\n"
        "assert not [m for m in sys.modules if m.startswith('autograd_ops.teach')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
