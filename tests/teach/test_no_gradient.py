"""`teach.why_no_grad`: every reason, with its line."""

from __future__ import annotations

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import teach


def leaf():
    return ag.tensor([1.0, 2.0], requires_grad=True)


def test_it_has_one():
    x = leaf()
    x.sum().backward()
    assert teach.why_no_grad(x).reason == "it has one"


def test_integer():
    x = ag.tensor([1, 2])
    why = teach.why_no_grad(x)
    assert why.reason == "integer"
    assert why.message == "x has no grad, because it is of int64, and only floats and complex numbers have derivatives"
    with teach.watch():
        at = leaf().argmax()
    why = teach.why_no_grad(at)
    assert why.reason == "integer"
    assert why.line.text == "at = leaf().argmax()"


def test_not_recorded():
    x = ag.tensor([1.0])
    why = teach.why_no_grad(x)
    assert why.reason == "not recorded"
    assert "teach.watch()" in why.fix
    with ag.no_grad():
        y = leaf() * 2
    assert teach.why_no_grad(y).reason == "not recorded"  # unwatched, nobody knows more


def test_no_grad():
    w = leaf()
    with teach.watch(), ag.no_grad():
        h = w * 3
    why = teach.why_no_grad(h)
    assert (why.reason, why.line.text) == ("no_grad", "h = w * 3")


def test_detached():
    w = leaf()
    with teach.watch():
        h = (w * 3).detach()
        d = (w * 4).data
    why = teach.why_no_grad(h)
    assert (why.reason, why.line.text) == ("detached", "h = (w * 3).detach()")
    assert "mul" in why.message
    assert teach.why_no_grad(d).reason == "detached"


def test_no_derivative():
    w = leaf()
    with teach.watch():
        r = w.isnan().float()
        n = ag.nextafter(w, w)
    assert teach.why_no_grad(n).reason == "no derivative"
    assert "nextafter" in teach.why_no_grad(n).message
    assert teach.why_no_grad(r).reason == "inputs need none"


def test_inputs_need_none():
    x = ag.tensor([1.0])
    with teach.watch():
        y = x.exp()
    why = teach.why_no_grad(y)
    assert (why.reason, why.line.text) == ("inputs need none", "y = x.exp()")
    assert "exp" in why.message


def test_not_a_leaf():
    w = leaf()
    with teach.watch():
        h = w * 3
    h.sum().backward()
    why = teach.why_no_grad(h)
    assert (why.reason, why.line.text) == ("not a leaf", "h = w * 3")
    assert "retain_grad()" in why.fix
    first, _ = w.split(1)
    assert teach.why_no_grad(first).reason == "not a leaf"


def test_retained_but_backward_has_not_come_by():
    h = leaf() * 3
    h.retain_grad()
    assert teach.why_no_grad(h).reason == "backward not run"
    h.sum().backward()
    assert teach.why_no_grad(h).reason == "it has one"


def test_not_used():
    w, other = leaf(), leaf()
    loss = other.sum()
    why = teach.why_no_grad(w)
    assert why.reason == "not used"
    assert "nothing among your variables" in why.message
    why = teach.why_no_grad(w, loss)
    assert why.reason == "not used"
    assert why.message == "w has no grad, because the loss was not computed from it"


def test_backward_not_run():
    w = leaf()
    h = w * 2
    loss = h.sum()
    why = teach.why_no_grad(w)
    assert why.reason == "backward not run"
    assert "backward has not been called on loss, which was computed from it" in why.message
    assert why.fix == "call loss.backward()"
    assert loss.requires_grad
    assert teach.why_no_grad(w, h).fix == "call h.backward()"


def test_taken_away():
    w = leaf()
    loss = (w * w).sum()
    loss.backward()
    w.grad = None
    assert teach.why_no_grad(w, loss).reason == "taken away"
    assert teach.why_no_grad(w).reason == "taken away"


def test_taken_away_is_known_of_what_was_watched():
    w = leaf()
    with teach.watch():
        w.sum().backward()
    w.grad = None
    why = teach.why_no_grad(w)
    assert (why.reason, why.line.text) == ("taken away", "w.sum().backward()")


def test_autograd_grad_is_no_backward():
    w = leaf()
    with teach.watch():
        y = (w * w).sum()
        (g,) = ag.autograd.grad(y, w, create_graph=True)
        penalty = g.sum()
    why = teach.why_no_grad(w)
    assert (why.reason, why.fix) == ("backward not run", "call penalty.backward()")
    ag.autograd.grad(penalty, w)
    assert "autograd.grad has run, which gives gradients back" in teach.why_no_grad(w).message


def test_a_number_of_numpys_and_an_unnamed_tensor():
    why = teach.why_no_grad(ag.tensor(np.float32(1)))
    assert why.message.startswith("the tensor has no grad, because")


def test_what_was_made_is_forgotten_with_its_array():
    from autograd_ops.teach.made import _made

    before = len(_made)
    with teach.watch():
        y = leaf() * 2
    assert len(_made) > before
    del y
    assert len(_made) == before


def test_it_works_beside_a_profile():
    w = leaf()
    with ag.profiler.profile() as profile:
        with teach.watch():
            h = w * 3
        h = h * 2
    assert teach.why_no_grad(h).reason == "not a leaf"
    assert "mul" in profile.table()


def test_it_shows_itself(tmp_path):
    x = ag.tensor([1])
    why = teach.why_no_grad(x)
    assert repr(why) == why.text()
    assert "\n  fix  make it one" in why.text()
    assert "int64" in why.save(tmp_path / "why.html").read_text(encoding="utf-8")


def test_refusals():
    with pytest.raises(TypeError, match="x is a Tensor, not list"):
        teach.why_no_grad([1.0])
    with pytest.raises(TypeError, match="loss is a Tensor, not float"):
        teach.why_no_grad(leaf(), 1.0)


def test_a_frozen_parameter():
    net = ag.nn.Linear(2, 2)
    net.requires_grad_(False)
    why = teach.why_no_grad(net.weight)
    assert (why.reason, why.fix) == ("frozen", "call requires_grad_(True) on it, or on its module, before it is used")
    assert why.message.startswith("net.weight has no grad")
