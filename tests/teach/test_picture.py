"""`teach.tape`: what is drawn, written and refused."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, teach

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str) -> list[str]:
    """The texts of a picture, which has to be well-formed."""
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def small_net():
    ag.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    with teach.watch():
        loss = net(ag.ones(4, 2)).square().mean()
    return net, loss


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        return x + self.norm(self.fc(x)).relu()


def deep_net(blocks: int):
    net = nn.Sequential(*[Block() for _ in range(blocks)])
    with teach.watch():
        return net(ag.ones(2, 4)).sum()


def test_values_and_gradients_are_on_the_edges():
    x = ag.tensor(3.0, requires_grad=True)
    with teach.watch():
        loss = x * x + 2 * x
    texts = drawn(teach.tape(loss).svg())
    assert texts.count("x") == 1
    assert texts.count("∂ 3") == 2  # along each of the two edges into x * x
    assert "∂ 2" in texts
    assert {"mul", "add", "9", "6", "15", "→ loss", "■ keeps y, x"} <= set(texts)


def test_unwatched_it_shows_shapes_and_says_how_to_see_more():
    x = ag.ones(2, 3, requires_grad=True)
    picture = teach.tape((x * 2).sum())
    assert "(2, 3)" in drawn(picture.svg())
    assert "teach.watch()" in picture.text()
    assert "teach.watch()" in picture.html()


def test_large_tapes_are_folded_and_small_ones_are_not():
    _, loss = small_net()
    assert "linear" in drawn(teach.tape(loss).svg())
    texts = drawn(teach.tape(deep_net(6)).svg())
    assert texts.count("Block") == 6
    assert "layer_norm" not in texts
    assert "layer_norm" in drawn(teach.tape(deep_net(6), fold=False).svg())


def test_a_folded_page_has_a_view_of_every_call_and_ways_between():
    page = teach.tape(deep_net(6)).html()
    views = re.findall(r'class="view" data-view="(\d+)"( hidden)?', page)
    assert [hidden for _, hidden in views].count("") == 1
    assert len(views) == 1 + 6 * 3  # the whole; each block, its linear and its norm
    opened = set(re.findall(r'data-opens="(\d+)"', page))
    assert opened == {number for number, _ in views}


def test_every_box_has_its_details():
    _, loss = small_net()
    picture = teach.tape(loss)
    page = picture.html()
    assert set(re.findall(r'data-of="(-?\d+)"', page)) == {str(box.seq) for box in picture.graph}
    assert "return (" not in page
    assert "loss = net(ag.ones(4, 2)).square().mean()" in page
    assert "Sequential.0" in page


def test_far_uses_are_references():
    w = ag.tensor(2.0, requires_grad=True)
    y = w
    for _ in range(40):
        y = y.sin() * w
    texts = drawn(teach.tape(y).svg())
    assert 30 <= texts.count("w") <= 42


def test_a_thousand_nodes_grow_in_proportion():
    def picture(n):
        v = ag.tensor(1.0, requires_grad=True)
        y = v
        for _ in range(n):
            y = y * v
        return teach.tape(y).html()

    assert len(picture(1000)) < 12 * len(picture(100))


def test_text_is_narrow_and_complete():
    text = teach.tape(deep_net(6)).text()
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("= layer_norm(") == 6
    assert text.count(": Block") == 6


def test_dot():
    _, loss = small_net()
    source = teach.tape(loss).dot()
    assert source.startswith("digraph tape {")
    assert source.count("{") == source.count("}")
    assert source.count("subgraph cluster_") == 4
    assert source.count(" -> ") == len(teach.tape(loss).graph.edges)


def test_names_can_be_given_and_are_escaped():
    x = ag.tensor([1.0], requires_grad=True)
    net = nn.Linear(1, 1)
    loss = net(x).sum()
    picture = teach.tape(loss, names={'<b>&"': x, "model": net})
    assert '<b>&"' in drawn(picture.svg())
    assert "model.weight" in drawn(picture.svg())
    assert "<b>&" not in picture.html()
    assert r'label="<b>&\""' in picture.dot()


def test_saving(tmp_path):
    _, loss = small_net()
    picture = teach.tape(loss)
    for name in ("tape.svg", "tape.html", "tape.dot", "tape.txt"):
        assert picture.save(tmp_path / name).read_text(encoding="utf-8")
    assert (tmp_path / "tape.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match=r"tape\.png.*\.svg"):
        picture.save(tmp_path / "tape.png")


def test_a_page_asks_for_nothing_else():
    _, loss = small_net()
    page = teach.tape(loss).html().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|src=|@import|url\((?!#)", page)


def test_all_kinds_of_tensors():
    class Twice(ag.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    z = ag.tensor([1 + 2j, 3], requires_grad=True)
    empty = ag.ones(0, 3, requires_grad=True)
    x = ag.ones(3, requires_grad=True, dtype=ag.bfloat16)
    y = ag.arange(6.0).requires_grad_()
    with teach.watch():
        first, second = y.split(3)
        changed = first * 1
        changed.mul_(second)
        parts = [(z * z).real.sum(), empty.sum(), x.float().sum(), Twice.apply(changed).sum(), y.max(dim=0).values]
        loss = sum(parts)
    texts = drawn(teach.tape(loss, fold=False).svg())
    assert "Twice" in " ".join(texts)
    assert teach.tape(loss).text()
    assert teach.tape(loss).html()
    loss.backward()
    np.testing.assert_allclose(z.grad.numpy(), [2 - 4j, 6])


def test_bad_input_is_refused():
    with pytest.raises(TypeError, match=r"teach\.tape: expected a Tensor, got float"):
        teach.tape(1.0)
    x = ag.ones(1, requires_grad=True)
    with pytest.raises(TypeError, match=r"names\['x'\] is a Tensor or a Module"):
        teach.tape(x.sum(), names={"x": 3})
    with pytest.raises(ag.TapeError, match="why_no_grad"):
        teach.tape(ag.ones(1))


def test_a_leaf_alone():
    x = ag.tensor(2.0, requires_grad=True)
    assert "x" in drawn(teach.tape(x).svg())


def test_an_id_does_not_come_again_in_another_session(monkeypatch):
    x = ag.tensor(2.0, requires_grad=True)
    ids = []
    for other in (x * 2, x * 3):
        monkeypatch.setattr("autograd_ops.teach.shown._numbers", itertools.count(1))
        with teach.watch():
            loss = other * x
        ids += re.findall(r'<div class="ago ago-tape" id="(.*?)"', teach.tape(loss).html())
    assert len(set(ids)) == 2


def test_many_leaves_of_one_op_are_not_all_drawn():
    leaves = [ag.tensor(float(i), requires_grad=True) for i in range(300)]
    tape = teach.tape(ag.stack(leaves).sum(), fold=False)
    svg = tape.svg()
    assert drawn(svg).count("and 294 more") == 1
    assert float(re.search(r'width="(\d+)"', svg)[1]) < 1000
    assert "leaves[5]" in drawn(svg)
    assert "leaves[6]" not in drawn(svg)
    assert "leaves[42]" in tape.html()  # what the box tells when it is clicked


def test_parameters_have_the_names_that_an_opened_module_gives_them():
    net = nn.Sequential(nn.Sequential(nn.Linear(2, 2)), nn.Tanh())
    params = list(net.parameters())
    with teach.watch():
        loss = net(ag.ones(1, 2)).sum()
    tape = teach.tape(loss, fold=True)
    opened = re.findall(r"<svg.*?</svg>", tape.html(), re.S)[2]
    assert {"weight", "bias"} <= set(drawn(opened))
    assert "net.0.0.weight" in drawn(teach.tape(loss, fold=False).svg())
    assert re.search(r"\n +weight +leaf", tape.text())
    assert "linear(x=a constant (1, 2), weight=weight, bias=bias)" in tape.text()
    assert params


def test_pages_grow_in_proportion():
    def page(layers):
        net = nn.Sequential(*[module for _ in range(layers) for module in (nn.Linear(2, 2), nn.Tanh())])
        with teach.watch():
            loss = net(ag.ones(1, 2)).sum()
        return len(teach.tape(loss).html())

    assert page(80) < 4.5 * page(20)


def test_outputs_are_called_by_their_own_names():
    x = ag.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    with teach.watch():
        q, r = ag.linalg.qr(x)
        loss = (q * r).sum() + ag.linalg.qr(x * 2)[1].sum()
    tape = teach.tape(loss)
    assert "q, r   = qr(x=x)" in tape.text()
    assert "mul(x=q, y=r)" in tape.text()
    assert re.search(r"sum\(x=%\d\[1\]\)", tape.text())
    steps = teach.backward_steps(loss)
    assert [sent.to for step in steps for sent in step.sent if step.op == "mul" and len(step.sent) == 2] == ["q", "r"]
    last = next(step for step in steps if step.op == "qr" and step.box.name)
    assert re.search(r"  arrived at q +\[\[.*  arrived at r +\[\[", str(last), re.S)
    assert "g arrived at q" in steps.html()
    assert teach.why_no_grad(r).message.startswith("r has no grad, because it is no leaf: qr made it")


def test_the_inputs_of_a_function():
    class Scaled(ag.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2 + y

        @staticmethod
        def backward(ctx, g):
            return g * 2, g

    x, y = ag.tensor(1.0, requires_grad=True), ag.tensor(2.0, requires_grad=True)
    with teach.watch():
        loss = Scaled.apply(x, y)
    (step,) = teach.backward_steps(loss)
    assert [(sent.input, sent.to, sent.gradient.item()) for sent in step.sent] == [
        ("input 0", "x", 2),
        ("input 1", "y", 1),
    ]
