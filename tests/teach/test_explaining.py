"""`teach.explain` and `teach.explain_errors`: what is drawn, marked and said of the errors that people meet."""

from __future__ import annotations

import subprocess
import sys

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import nn, teach


def explained(function):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - of all kinds
        function()
    return teach.explain(caught.value)


def clashes(found):
    return [(operand.name, operand.shape, operand.clashing) for operand in found.operands]


def test_shapes_that_do_not_broadcast():
    found = explained(lambda: ag.ones(2, 3, 4) + ag.ones(5, 1))
    assert found.op == "add"
    assert clashes(found) == [("x", (2, 3, 4), (1,)), ("y", (5, 1), (0,))]
    assert "compared from the last dimension on" in found.rule
    lines = found.text().splitlines()
    assert lines[0].startswith("add: shapes (2, 3, 4) and (5, 1) do not broadcast")
    assert lines[2:6] == [
        "  x  (2, 3, 4)   float32  cpu",
        "         ^",
        "  y     (5, 1)   float32  cpu",
        "         ^",
    ]


def test_a_product():
    found = explained(lambda: ag.ones(3, 4) @ ag.ones(3, 5))
    assert clashes(found) == [("x", (3, 4), (1,)), ("y", (3, 5), (0,))]
    assert found.fix == "x.mT @ y would fit"


@pytest.mark.parametrize(
    ("module", "shape", "expected"),
    [
        (nn.Linear(3, 4), (2, 5), [("input", (2, 5), (1,)), ("weight", (4, 3), (1,)), ("bias", (4,), ())]),
        (
            nn.Conv2d(3, 4, 3, bias=False),
            (2, 5, 8, 8),
            [("x", (2, 5, 8, 8), (1,)), ("weight", (4, 3, 3, 3), (1,))],
        ),
        (
            nn.ConvTranspose1d(3, 4, 2, bias=False),
            (2, 5, 8),
            [("x", (2, 5, 8), (1,)), ("weight", (3, 4, 2), (0,))],
        ),
    ],
)
def test_modules(module, shape, expected):
    found = explained(lambda: nn.Sequential(module)(ag.ones(*shape)))
    assert clashes(found) == expected
    assert found.message.startswith("Sequential.0: ")
    assert found.line.text.startswith("found = explained(lambda: nn.Sequential(module)")


def test_cat():
    found = explained(lambda: ag.cat([ag.ones(2, 3), ag.ones(2, 4), ag.ones(2, 3)]))
    assert [operand.clashing for operand in found.operands] == [(1,), (1,), (1,)]
    assert found.operands[1].name == "tensors[1]"


def test_devices():
    found = explained(lambda: ag.ones(3) * ag.ones(3, device="strict"))
    assert [operand.device for operand in found.operands] == ["cpu", "strict"]
    assert "never moved behind your back" in found.rule
    assert found.fix == "move one of them first, as with x.to('cpu')"


def test_dtypes():
    found = explained(lambda: F.embedding(ag.ones(2), ag.ones(3, 4, dtype=ag.float64)))
    assert {operand.dtype for operand in found.operands} == {"float32", "float64"}
    assert "indices and classes are integers" in found.rule


def test_changed_in_place():
    x = ag.ones(3, requires_grad=True)
    y = x.exp()
    y.mul_(2)
    found = explained(lambda: y.sum().backward())
    assert found.changed.text == "y.mul_(2)"
    assert "The tape keeps the array and not a copy" in found.rule
    assert "y = y * 2" in found.fix
    assert not found.operands
    assert "y.mul_(2)" in found.html()


def test_backward_twice():
    loss = ag.ones(3, requires_grad=True).exp().sum()
    loss.backward()
    found = explained(loss.backward)
    assert "lets go of what each node kept" in found.rule
    assert "retain_graph=True" in found.fix


def test_backward_of_what_is_not_on_the_tape_and_a_leaf_changed():
    assert "why_no_grad" in explained(ag.ones(()).backward).fix
    assert "under no_grad()" in explained(lambda: ag.ones(2, requires_grad=True).add_(1)).fix


def test_an_error_of_somebody_elses():
    found = explained(lambda: {}["key"])
    assert found.message == "'key'"
    assert not found.operands
    assert found.line.text == """found = explained(lambda: {}["key"])"""


def test_it_shows_itself_and_escapes(tmp_path):
    found = teach.explain(ValueError("<b> & c; try <i>"))
    assert "<b>" not in found.html()
    assert found.fix == "try <i>"
    assert repr(found) == found.text()
    found = explained(lambda: ag.ones(3, 4) + ag.ones(5))
    page = found.save(tmp_path / "error.html").read_text(encoding="utf-8")
    assert page.count("size clash") == 2


def test_the_last_error(monkeypatch):
    monkeypatch.delattr(sys, "last_exc", raising=False)
    monkeypatch.setattr(sys, "last_value", ValueError("seen"), raising=False)
    assert teach.explain().message == "seen"
    monkeypatch.setattr(sys, "last_value", None)
    with pytest.raises(ValueError, match="no error has been seen"):
        teach.explain()
    with pytest.raises(TypeError, match="expected an exception, got str"):
        teach.explain("no")


def test_at_a_prompt():
    program = (
        "import autograd_ops as ag\nfrom autograd_ops import teach\n"
        "teach.explain_errors()\nteach.explain_errors()\n{}ag.ones(2) + ag.ones(3)\n"
    )
    run = subprocess.run([sys.executable, "-c", program.format("")], capture_output=True, text=True)
    traceback, _, explanation = run.stderr.partition("\n\n")
    assert traceback.count("do not broadcast") == 1
    assert explanation.count("^") == 2
    run = subprocess.run(
        [sys.executable, "-c", program.format("teach.explain_errors(False)\n")], capture_output=True, text=True
    )
    assert "^\n" not in run.stderr.partition("\n\n")[2]
    run = subprocess.run(
        [sys.executable, "-c", "from autograd_ops import teach\nteach.explain_errors()\n1 / 0\n"],
        capture_output=True,
        text=True,
    )
    assert run.stderr.strip().endswith("ZeroDivisionError: division by zero")


def test_an_error_of_several_lines():
    found = explained(lambda: nn.Linear(2, 3).load_state_dict({"weight": ag.ones(2, 2)}))
    assert found.message == "Error(s) in loading state_dict for Linear:"
    assert "bias" in found.more
    assert "weight" in found.more
    assert max(map(len, found.text().splitlines())) <= 100
    assert "bias" in found.html()


def test_the_axes_that_differ_in_stack():
    found = explained(lambda: ag.stack([ag.ones(2, 3), ag.ones(2, 4)]))
    assert clashes(found) == [("tensors[0]", (2, 3), (1,)), ("tensors[1]", (2, 4), (1,))]
