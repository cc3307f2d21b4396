"""What is seen of training: the flow of gradients, dead units, the memory timeline and the loss curve."""

from __future__ import annotations

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, teach


def svg_of(shown):
    html = shown.html()
    return ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + len("</svg>")])


# ---------------------------------------------------------------- gradient flow


def test_the_flow_of_gradients_by_hand():
    net = nn.Linear(2, 1)
    with ag.no_grad():
        net.weight.fill_(2.0)
        net.bias.fill_(0.5)
    net(ag.tensor([[3.0, 4.0]])).sum().backward()
    weight, bias = teach.gradient_flow(net).layers
    np.testing.assert_allclose((weight.rms, weight.relative), (np.sqrt(12.5), np.sqrt(12.5) / 2))
    np.testing.assert_allclose((bias.rms, bias.relative), (1, 2))


def test_vanishing_gradients_are_shorter_bars():
    ag.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(6) for layer in (nn.Linear(8, 8), nn.Sigmoid())])
    net(ag.randn(4, 8)).sum().backward()
    flow = teach.gradient_flow(net)
    weights = [layer for layer in flow.layers if layer.name.endswith("weight")]
    assert [layer.rms for layer in weights] == sorted(layer.rms for layer in weights)
    widths = [float(rect.get("width")) for rect in svg_of(flow).iter() if rect.get("rx") == "2"]
    assert widths[0] < widths[-2]
    assert flow.text().count("█") > 20


@pytest.mark.filterwarnings("ignore:.*divide by zero:RuntimeWarning")
def test_no_gradient_zeros_and_what_is_not_finite():
    used, unused = ag.ones(4, requires_grad=True), ag.ones(2, requires_grad=True)
    broken = ag.zeros(1, requires_grad=True)
    (used[:1].sum() + broken.sqrt().sum()).backward()
    flow = teach.gradient_flow({"used": used, "unused": unused, "broken": broken})
    assert [layer.zeros for layer in flow.layers] == [0.75, 0, 0]
    text = flow.text()
    assert "75% zeros" in text
    assert "none" in text
    assert "explain_nan" in text
    assert "no gradient" in flow.html()


def test_the_flow_refuses():
    with pytest.raises(TypeError, match="expected a module, got int"):
        teach.gradient_flow(3)
    with pytest.raises(TypeError, match="pairs of names and Tensors"):
        teach.gradient_flow([ag.ones(2)])
    with pytest.raises(ValueError, match="there are no parameters"):
        teach.gradient_flow(nn.ReLU())
    with pytest.raises(ValueError, match="call backward"):
        teach.gradient_flow(nn.Linear(1, 1))


# ---------------------------------------------------------------- dead units


def test_dead_units_by_hand():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(1, 3)
            self.act = nn.Tanh()

        def forward(self, x):
            return self.act(self.fc(x).relu() * 100)

    net = Net()
    with ag.no_grad():
        net.fc.weight.fill_(1.0)
        net.fc.bias.copy_(ag.tensor([0.0, -9.0, 9.0]))
    units = teach.dead_units(net, ag.tensor([[1.0], [-2.0]]))
    relu, tanh = units.layers
    assert (relu.name, relu.units, relu.flat, relu.which, relu.word) == ("Net relu", 3, 1, (1,), "dead")
    assert (tanh.name, tanh.which, tanh.word) == ("Net.act tanh", (2,), "saturated")
    assert "33%" in units.text()
    assert "1 of 3 dead" in units.html()


def test_units_of_images_are_channels():
    net = nn.Sequential(nn.Conv2d(1, 4, 1), nn.ReLU())
    with ag.no_grad():
        net[0].weight.fill_(1.0)
        net[0].bias.copy_(ag.tensor([0.0, -9.0, 1.0, 2.0]))
    (layer,) = teach.dead_units(net, ag.ones(2, 1, 3, 3)).layers
    assert (layer.units, layer.which) == (4, (1,))
    (layer,) = teach.dead_units(nn.Sequential(nn.Conv1d(1, 4, 1), nn.ReLU()), ag.ones(2, 1, 3)).layers
    assert layer.units == 4
    (layer,) = teach.dead_units(nn.Sequential(nn.Linear(2, 5), nn.ReLU()), ag.ones(2, 3, 2)).layers
    assert layer.units == 5


def test_nothing_of_the_model_changes():
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 2), nn.Dropout(0.5), nn.ReLU())
    net[2].eval()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    with ag.no_grad():
        teach.dead_units(net, ag.ones(4, 2))
    assert all(bool((before[name] == value).all()) for name, value in net.state_dict().items())
    assert [module.training for module in net.modules()] == [True, True, True, False, True]


def test_dead_units_refuse():
    with pytest.raises(TypeError, match="expected a module"):
        teach.dead_units(ag.ones, 3)
    with pytest.raises(ValueError, match="no relu, hardtanh, sigmoid or tanh"):
        teach.dead_units(nn.Linear(1, 1), ag.ones(1, 1))


# ---------------------------------------------------------------- memory


def test_the_timeline_by_hand():
    x = ag.ones(1000, requires_grad=True)
    y = x.exp()  # keeps its output, which sin keeps as its input
    z = y.sin()
    loss = (z * z).sum()  # keeps z
    timeline = teach.memory_timeline(loss)
    assert [held for _, held in timeline.steps] == [0, 4000, 4000, 8000, 8000, 8000, 4000, 4000, 0]
    assert timeline.peak == 8000
    assert timeline.labels[0] == "forward of exp"
    assert timeline.labels[-1] == "backward of exp"
    assert [(k.op, k.name, k.since, k.until) for k in timeline.keepers] == [
        ("exp → y", "out", 1, 8),
        ("mul", "y", 3, 6),
    ]


def test_the_arrays_of_leaves_are_not_counted():
    w = ag.ones(1000, requires_grad=True)
    x = ag.ones(1000)
    timeline = teach.memory_timeline((w * x).sum())
    assert timeline.peak == 4000  # x alone
    assert teach.memory_timeline((w + 1).sum()).peak == 0
    assert "at most 0 B" in teach.memory_timeline((w + 1).sum()).text()


def test_the_timeline_shows_itself():
    x = ag.ones(10, requires_grad=True)
    y = x
    for _ in range(20):
        y = y.sin()
    timeline = teach.memory_timeline(y.sum())
    assert "... and 7 more" in timeline.text()
    texts = [text.text for text in svg_of(timeline).iter("{http://www.w3.org/2000/svg}text")]
    assert "backward begins" in texts


def test_the_timeline_refuses():
    x = ag.ones(3, requires_grad=True)
    loss = x.exp().sum()
    loss.backward()
    with pytest.raises(ag.TapeError, match="backward has run already"):
        teach.memory_timeline(loss)
    with pytest.raises(TypeError, match="expected a Tensor"):
        teach.memory_timeline(3)
    with pytest.raises(ag.TapeError, match="why_no_grad"):
        teach.memory_timeline(ag.ones(1))


# ---------------------------------------------------------------- the loss curve


def test_the_curve_takes_tensors_and_numbers():
    curve = teach.LossCurve(live=False)
    assert "no steps yet" in curve.text()
    assert "nothing to draw yet" in curve.html()
    for loss in (ag.tensor(4.0), np.float32(2), 1, ag.ones(1, 1)):
        curve.add(loss)
    assert curve.values == [4, 2, 1, 1]
    assert curve.text() == "loss █▃▁▁ 1 after 4 steps, least 1"
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        curve.add(ag.ones(2))
    for bad in ("1.0", None, [1.0]):
        with pytest.raises(TypeError, match="expected a Tensor or a number"):
            curve.add(bad)
    assert len(curve.values) == 4


def test_the_curve_is_drawn_to_scale():
    curve = teach.LossCurve("error <b>", live=False)
    for value in (10.0, 5.0, 0.0, float("nan"), float("inf")):
        curve.add(value)
    assert "error &lt;b&gt;" in curve.html()
    (path,) = (p.get("d") for p in svg_of(curve).iter() if p.get("stroke-width") == "1.8")
    heights = [float(point.split(" ")[1]) for point in path.replace("M", "L").split("L")[1:]]
    assert len(heights) == 3
    np.testing.assert_allclose(heights[1], (heights[0] + heights[2]) / 2, atol=0.1)


def test_a_logarithmic_curve():
    curve = teach.LossCurve(log=True, live=False)
    for value in (1.0, 0.1, 0.01, 0.0):
        curve.add(value)
    (path,) = (p.get("d") for p in svg_of(curve).iter() if p.get("stroke-width") == "1.8")
    heights = [float(point.split(" ")[1]) for point in path.replace("M", "L").split("L")[1:]]
    np.testing.assert_allclose(np.diff(heights), heights[1] - heights[0], atol=0.2)


def test_in_a_terminal_it_is_one_line(capsys):
    with teach.LossCurve() as curve:
        for value in (3.0, 2.0, 1.0):
            curve.add(value)
    written = capsys.readouterr().err
    assert written.startswith("\rloss ")
    assert written.endswith("1 after 3 steps, least 1\n")


def test_with_and_without_matplotlib(monkeypatch):
    curve = teach.LossCurve(live=False)
    curve.add(1.0)
    curve.add(2.0)
    (line,) = curve.figure().axes[0].lines
    np.testing.assert_array_equal(line.get_ydata(), [1, 2])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="matplotlib is not installed"):
        curve.figure()
    assert "<svg" in curve.html()


def test_matplotlib_is_not_imported():
    code = "import sys\nfrom autograd_ops import teach\nc = teach.LossCurve(live=False)\nc.add(1.0)\nc.html()\n"
    subprocess.run([sys.executable, "-c", code + "assert 'matplotlib' not in sys.modules"], check=True)


def test_a_long_curve_has_its_peaks_and_no_more_points_than_can_be_seen():
    curve = teach.LossCurve(live=False)
    for i in range(20_000):
        curve.add(100.0 if i == 7777 else 1.0 + i % 2)
    html = curve.html()
    assert len(html) < 40_000
    path = max(re.findall(r'd="(M[^"]*)"', html), key=len)
    heights = [float(y) for y in re.findall(r"L[\d.]+ ([\d.]+)", path)]
    assert min(heights) == 24.0  # the peak, at the top
