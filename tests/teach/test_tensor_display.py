"""What a notebook shows of a Tensor."""

from __future__ import annotations

import autograd_ops as ag


def test_a_constant_a_leaf_and_a_result():
    assert "tensor([1., 2.])" in ag.tensor([1.0, 2.0])._repr_html_()
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    assert "a leaf" in x._repr_html_()
    y = (x * 2).sum()
    html = y._repr_html_()
    assert "made by 2 ops" in html
    assert "<svg" in html
    y.backward()
    assert "grad tensor([2., 2.])" in x._repr_html_()
    assert y._repr_html_()  # freed, and shown all the same


def test_it_is_small_whatever_is_behind_it():
    x = ag.ones(100, 100, requires_grad=True)
    y = x
    for _ in range(100):
        y = y.sin()
    html = y._repr_html_()
    assert "made by 100 ops: teach.tape(x) draws them" in html
    assert "<svg" not in html
    assert len(html) < 10_000


def test_it_runs_no_backward_and_calls_no_hook():
    x = ag.ones(2, requires_grad=True)
    y = (x * 2).sum()
    called = []
    y.register_hook(called.append)
    y._repr_html_()
    assert not called
    assert x.grad is None
