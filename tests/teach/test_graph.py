"""The tape as plain data."""

from __future__ import annotations

import re
import sys
import weakref

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, teach
from autograd_ops.teach.graph import graph_of
from autograd_ops.teach.names import names_in


def named(graph):
    return {box.name: box for box in graph if box.name}


def test_boxes_edges_and_names():
    w = ag.tensor([[1.0, 2.0]], requires_grad=True)
    x = ag.tensor([[3.0, 4.0]])
    h = w * x
    loss = h.sum()
    graph = graph_of(loss, names_in(sys._getframe()))
    assert [(b.kind, b.label, b.name) for b in graph] == [("leaf", "w", "w"), ("op", "mul", "h"), ("op", "sum", "loss")]
    assert [(e.source, e.target, e.input) for e in graph.edges] == [
        (w.node.seq, h.node.seq, "x"),
        (h.node.seq, loss.node.seq, "x"),
    ]
    assert graph.root == loss.node.seq
    assert not graph.watched
    assert "teach.watch" in graph.notes[0]
    np.testing.assert_array_equal(named(graph)["w"].gradient, [[3, 4]])
    np.testing.assert_array_equal(named(graph)["h"].gradient, [[1, 1]])
    (kept,) = named(graph)["h"].kept
    assert (kept.name, kept.shape, kept.nbytes) == ("y", (1, 2), 8)


def test_it_changes_nothing():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.retain_grad()
    called = []
    y.register_hook(called.append)
    loss = y.sum()
    graph_of(loss)
    assert not called
    assert x.grad is None
    assert y.grad is None
    loss.backward()
    assert len(called) == 1
    np.testing.assert_allclose(x.grad.numpy(), np.exp([1, 2]), rtol=1e-6)
    np.testing.assert_allclose(y.grad.numpy(), [1, 1])


def test_watched_constants_are_boxes_once_each():
    x = ag.tensor([1.0, 2.0])
    w = ag.tensor(2.0, requires_grad=True)
    with teach.watch():
        loss = ((w * x - x) ** 2).sum()
    graph = graph_of(loss, names_in(sys._getframe()))
    constants = [b for b in graph if b.kind == "constant"]
    assert [(b.name, b.shapes) for b in constants] == [("x", ((2,),)), ("2", ((),))]
    assert sorted(e.input for e in graph.edges if e.source == constants[0].seq) == ["y", "y"]
    np.testing.assert_array_equal(named(graph)["loss"].value, 5.0)


def test_after_backward_watched_gradients_remain():
    w = ag.tensor([1.0, 2.0], requires_grad=True)
    with teach.watch():
        h = w.exp()
        loss = h.sum()
    loss.backward()
    graph = graph_of(loss, names_in(sys._getframe()))
    assert not graph.notes
    assert named(graph)["h"].freed
    assert not named(graph)["h"].kept
    np.testing.assert_array_equal(named(graph)["h"].gradient, [1, 1])
    np.testing.assert_array_equal(named(graph)["w"].gradient, w.grad.numpy())


def test_after_backward_unwatched_it_says_how():
    w = ag.tensor([1.0, 2.0], requires_grad=True)
    loss = w.exp().sum()
    loss.backward()
    graph = graph_of(loss)
    assert any("retain_graph=True" in note for note in graph.notes)
    np.testing.assert_array_equal(next(b for b in graph if b.kind == "leaf").gradient, w.grad.numpy())


def test_parameters_by_their_modules_and_several_outputs():
    net = nn.Linear(2, 4)
    a, b = net(ag.ones(1, 2)).split(2, dim=1)
    values, _ = (a * b).max(dim=1)
    graph = graph_of(values.sum(), names_in(sys._getframe()))
    assert {"net.weight", "net.bias", "a, b"} <= set(named(graph))


def test_complex_gradients_are_the_users():
    z = ag.tensor([1 + 2j], requires_grad=True)
    loss = (z * z).real.sum()
    box = named(graph_of(loss, names_in(sys._getframe())))["z"]
    loss.backward()
    np.testing.assert_array_equal(box.gradient, z.grad.numpy())


def test_what_is_not_on_the_tape_is_refused():
    with pytest.raises(ag.TapeError, match="why_no_grad"):
        graph_of(ag.ones(2))


def test_a_constant_that_changes_between_two_ops():
    w = ag.tensor([2.0], requires_grad=True)
    state = ag.tensor([1.0])
    with teach.watch():
        first = w * state
        state.add_(4.0)
        loss = (first + w * state + w * state).sum()
    constants = [box for box in teach.tape(loss).graph if box.kind == "constant"]
    assert [(box.name, box.value.item()) for box in constants] == [("state", 1), ("state", 5)]


def test_arguments_are_in_the_order_of_the_op():
    net = nn.Linear(2, 1)
    x = ag.ones(1, 2)
    with teach.watch():
        loss = net(x).sum()
    graph = teach.tape(loss).graph
    linear = next(box for box in graph if box.op == "linear")
    assert [edge.input for edge in graph.into(linear.seq)] == ["x", "weight", "bias"]


def test_looking_keeps_nothing_alive():
    def step():
        x = ag.ones(2, requires_grad=True)
        with teach.watch():
            loss = (x * 2).sum()
        node = weakref.ref(loss.node)
        for look in (teach.tape, teach.backward_steps, teach.why_no_grad, teach.explain_nan, teach.memory_timeline):
            look(loss).html()
        teach.why_no_grad(x)
        del loss
        return node() is None

    assert step()


def without_ids(texts):
    return [re.sub(r"ago-\w+-\d+(-[0-9a-f]{8})?", "", text) for text in texts]


def test_a_picture_does_not_change_with_the_tape():
    w = ag.tensor([3.0], requires_grad=True)
    loss = (w * w).sum()
    tape, steps = teach.tape(loss), teach.backward_steps(loss)
    loss.backward()
    shown = [tape.html(), tape.text(), steps.text()]
    with ag.no_grad():
        w.fill_(77)
        w.grad.fill_(88)
    assert without_ids([tape.html(), tape.text(), steps.text()]) == without_ids(shown)
    assert "77" not in teach.backward_steps((w * 1).sum()).text()
