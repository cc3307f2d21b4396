"""The pictures in a browser: nothing overlaps or is cut off, modules open, boxes tell, and the stepper steps."""

from __future__ import annotations

import math

import pytest

import autograd_ops as ag
from autograd_ops import nn, teach

from .looks import clipped_texts, overlapping_labels


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return (self.conv2(self.bn1(self.conv1(x)).relu()) + x).relu()


def resnet_loss(blocks):
    ag.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), *[Block(4) for _ in range(blocks)], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)
    )
    with teach.watch():
        return nn.functional.cross_entropy(net(ag.randn(2, 1, 6, 6)), ag.tensor([0, 2]))


def mlp_loss():
    ag.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    x = ag.randn(4, 2)
    with teach.watch():
        loss = net(x).square().mean()
    return teach.tape(loss), teach.backward_steps(loss)


def dense_loss(nodes):
    """Every value is used by the next ones, so that edges have much to go around."""
    x = ag.tensor(0.3, requires_grad=True)
    values = [x, x.sin()]
    while len(values) < nodes:
        values.append((values[-1] * values[-2] + values[len(values) // 2]).tanh())
    return values[-1]


def looks_well(page):
    assert overlapping_labels(page) == []
    assert clipped_texts(page) == []


@pytest.mark.parametrize("width", [600, 1200])
def test_a_small_tape(opened, width):
    tape, _ = mlp_loss()
    looks_well(opened(tape, width))


@pytest.mark.parametrize("nodes", [5, 50])
def test_a_dense_tape(opened, nodes):
    looks_well(opened(teach.tape(dense_loss(nodes), fold=False)))


def test_a_thousand_nodes(opened):
    ag.manual_seed(0)
    x = ag.tensor(0.5, requires_grad=True)
    y = x
    for i in range(330):
        y = (y * x + i).sin()
    tape = teach.tape(y, fold=False)
    assert len(tape.graph) > 990
    looks_well(opened(tape))


def test_wide_and_unrolled(opened):
    leaves = [ag.tensor(float(i), requires_grad=True) for i in range(300)]
    weight, inner = ag.ones(2, 2, requires_grad=True), ag.ones(2, 2, requires_grad=True)
    with teach.watch():
        wide = ag.stack(leaves).sum()
        state = ag.zeros(2)
        for i in range(40):
            state = (weight @ state + inner @ ag.full((2,), float(i))).tanh()
    for loss in (wide, state.sum()):
        page = opened(teach.tape(loss, fold=False), 1200)
        looks_well(page)
        pane = page.locator(".view .scroll").bounding_box()
        assert page.locator(".view svg").bounding_box()["width"] < 1.3 * pane["width"]


def test_the_finder_of_overlaps_finds(opened, tmp_path):
    tape, _ = mlp_loss()
    page = opened(tape)
    page.evaluate("document.querySelector('.ago-label').setAttribute('transform', 'translate(90 0)')")
    assert overlapping_labels(page)
    page.evaluate("document.querySelector('.ago-box rect').setAttribute('width', 10)")
    assert clipped_texts(page)


def test_modules_open_and_close(opened):
    page = opened(teach.tape(resnet_loss(3)))
    visible = page.locator(".view:visible")
    assert visible.count() == 1
    assert page.locator(".view:visible .ago-box", has_text="Block").count() == 3
    looks_well(page)
    page.locator(".view:visible .ago-box", has_text="Block").first.click()
    assert visible.count() == 1
    assert page.locator(".view:visible nav").inner_text().startswith("the whole tape")
    assert page.locator(".view:visible .ago-box", has_text="conv1").count() == 1
    looks_well(page)
    page.locator(".view:visible .ago-box", has_text="conv1").press("Enter")
    # The op itself, and that of the layer before, where its input comes from.
    assert page.locator(".view:visible .ago-box", has_text="conv2d").count() == 2
    page.locator(".view:visible nav button").first.click()
    assert page.locator(".view:visible .ago-box", has_text="Block").count() == 3


def test_a_click_tells_of_a_box(opened):
    tape, _ = mlp_loss()
    page = opened(tape)
    details = page.locator(".details")
    assert "Click a box" in details.inner_text()
    page.locator(".ago-box", has_text="tanh").click()
    told = details.inner_text()
    assert "dx = g (1 - out^2)" in told
    assert "loss = net(x).square().mean()" in told
    assert "Sequential.1" in told
    assert "Click a box" not in told
    looks_well(page)


@pytest.mark.parametrize("width", [600, 1000])
def test_the_stepper(opened, width):
    _, steps = mlp_loss()
    page = opened(steps, width)
    previous, following = page.locator(".previous"), page.locator(".next")
    assert previous.is_disabled()
    names = []
    for number in range(1, len(steps) + 1):
        assert page.locator(".count").inner_text() == f"step {number} of {len(steps)}"
        names.append(page.locator(".step:visible h4").inner_text().split()[0])
        assert page.locator(".ago-box.now").count() == 1
        looks_well(page)
        following.click()
    assert names == [step.op for step in steps]
    assert following.is_disabled()
    assert "leaves" in page.locator(".step:visible h4").inner_text()
    previous.click()
    assert page.locator(".count").inner_text() == f"step {len(steps)} of {len(steps)}"
    page.locator("input[type=range]").fill("0")
    assert page.locator(".count").inner_text() == f"step 1 of {len(steps)}"


def test_gradients_appear_as_they_are_sent(opened):
    _, steps = mlp_loss()
    page = opened(steps)
    seen = []
    for _ in steps:
        seen.append(page.locator(".ago-label .ago-gradient:visible").count())
        page.locator(".next").click()
    assert seen == sorted(seen)
    assert seen[0] == 1
    assert seen[-1] == sum(len(step.sent) for step in steps)


def test_two_on_one_page_do_not_disturb_each_other(browser):
    tape, steps = mlp_loss()
    page = browser.new_page()
    page.set_content(f"<!DOCTYPE html><body>{steps.html()}{steps.html()}{tape.html()}{tape.html()}</body>")
    page.locator(".ago-stepper .next").nth(1).click()
    assert page.locator(".count").all_inner_texts() == ["step 1 of 5", "step 2 of 5"]
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    page.close()


def test_the_other_displays(opened):
    ag.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    x = ag.randn(5, 4)
    loss = net(x).square().mean()
    timeline = teach.memory_timeline(loss)
    loss.backward()
    curve = teach.LossCurve(live=False)
    for i in range(50):
        curve.add(math.exp(-i / 10))
    with pytest.raises(ValueError, match="do not broadcast") as caught:
        ag.ones(3, 4) + ag.ones(5, 4)
    shown = [
        timeline,
        curve,
        teach.gradient_flow(net),
        teach.dead_units(net, x),
        teach.compare(lambda x: x.relu(), ag.tensor([0.0, 1.0])),
        teach.why_no_grad(x),
        teach.explain(caught.value),
    ]
    for display in shown:
        for width in (500, 1000):
            looks_well(opened(display, width))


#: What the dark theme of JupyterLab does to outputs.
DARK = """
body { background: #111; color: #eee; }
.jp-RenderedHTMLCommon { color: #eee; line-height: 1.6; }
.jp-RenderedHTMLCommon pre, .jp-RenderedHTMLCommon code { background-color: #111; border: 0; white-space: pre-wrap; }
.jp-RenderedHTMLCommon :not(pre) > code { background-color: #222; padding: 1px 5px; }
.jp-RenderedHTMLCommon table { table-layout: fixed; font-size: 12px; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr { white-space: normal; border: none; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: #222; }
.jp-RenderedHTMLCommon tbody tr:hover { background: #444; }
"""

#: Visible elements with text of their own on a dark ground.
ON_DARK = """
() => [...document.querySelectorAll('.ago *')].filter(e => e instanceof HTMLElement && e.checkVisibility()
    && e.tagName !== 'STYLE' && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).filter(e => {
  for (; e; e = e.parentElement) {
    const rgba = getComputedStyle(e).backgroundColor.match(/[\\d.]+/g).map(Number);
    if (rgba.length === 3 || rgba[3] > 0) return rgba[0] + rgba[1] + rgba[2] < 384;
  }
}).map(e => e.tagName + ' ' + e.textContent)
"""


def test_a_dark_notebook(browser):
    tape, steps = mlp_loss()
    table = teach.compare(lambda x: x.relu(), ag.tensor([0.0, 1.0]))
    with pytest.raises(ValueError, match="do not broadcast") as caught:
        ag.ones(3, 4) + ag.ones(5, 4)
    shown = [tape, steps, table, teach.explain(caught.value)]
    outputs = "".join(f'<div class="jp-RenderedHTMLCommon">{display.html()}</div>' for display in shown)
    page = browser.new_page()
    page.set_content(f"<!DOCTYPE html><style>{DARK}</style><body>{outputs}</body>")
    page.locator(".ago-tape .ago-box", has_text="tanh").click()
    assert page.evaluate(ON_DARK) == []
    assert page.locator(".ago-box.now .ago-gradient:visible").count() == 1  # the 1 that backward starts with
    page.close()
