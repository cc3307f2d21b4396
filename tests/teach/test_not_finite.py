"""`teach.explain_nan`: the op that it names, what it shows there, and the remedy, which is run."""

from __future__ import annotations

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import teach
from autograd_ops.teach.double_where import double_where
from autograd_ops.teach.remedies import remedy_for

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")


def leaf(*values):
    return ag.tensor(list(values), requires_grad=True)


def operands(found):
    return {operand.name: operand.value for operand in found.operands}


def test_the_where_trap_and_its_remedy():
    x = leaf(4.0, 0.0)
    with teach.watch():
        y = ag.where(x > 0, ag.sqrt(x), 0.0)
        loss = y.sum()
    found = teach.explain_nan(loss)
    assert (found.where, found.op, found.line.text) == ("backward", "sqrt", "y = ag.where(x > 0, ag.sqrt(x), 0.0)")
    assert operands(found) == {"x": 0, "out": 0, "g": 0}
    assert "0 times infinity is NaN" in found.message
    scope = {"ag": ag, "x": x}
    exec(found.code, scope)
    scope["y"].sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.25, 0])


def test_forward_of_log():
    x = leaf(1.0, 0.0, 2.0)
    with teach.watch():
        y = x.log()
        loss = y.sum()
    found = teach.explain_nan(loss)
    assert (found.where, found.op) == ("forward", "log")
    assert found.message == "log gave -inf, at [1], from finite values"
    assert operands(found) == {"x": 0}
    scope = {"ag": ag, "x": x}
    exec(found.code, scope)
    np.testing.assert_allclose(scope["y"].detach().numpy(), [0, 0, np.log(2)], rtol=1e-6)


def test_the_first_op_and_not_a_later_one():
    x = leaf(100.0, 1.0)
    with teach.watch():
        e = x.exp()
        loss = (e / e.sum()).log().sum()
    found = teach.explain_nan(loss)
    assert (found.op, found.line.text) == ("exp", "e = x.exp()")
    assert "overflows" in found.why


def test_nan_from_a_mask_of_infinities():
    scores = leaf(1.0, 2.0)
    mask = ag.tensor([-np.inf, -np.inf])
    with teach.watch():
        masked = scores + mask
        loss = masked.softmax(0).sum()
    found = teach.explain_nan(loss)
    assert (found.where, found.op) == ("forward", "softmax")
    assert "from infinite values" in found.message
    assert "unmasked" in found.remedy


def test_a_mask_that_does_no_harm_is_none():
    scores = leaf(1.0, 2.0)
    mask = ag.tensor([0.0, -np.inf])
    with teach.watch():
        loss = ((scores + mask).softmax(0) ** 2).sum()
    assert teach.explain_nan(loss).where == "nowhere"


def test_backward_of_what_was_not_watched():
    x = leaf(0.0)
    loss = (x.sqrt() * 2).sum()
    found = teach.explain_nan(loss)
    assert (found.where, found.op, found.line, found.code) == ("backward", "sqrt", None, "")
    assert found.message == "backward of sqrt gave inf for x, at [0]"
    assert x.grad is None


def test_broadcast_operands_are_those_that_met():
    x = ag.tensor([[1.0, 2.0], [3.0, 0.0]], requires_grad=True)
    y = leaf(1.0, 0.0)
    with teach.watch():
        loss = (x / y).sum()
    found = teach.explain_nan(loss)
    assert found.message == "div gave inf, at [0, 1], from finite values" or "NaN" in found.message
    assert operands(found)["y"] == 0
    assert found.operands[1].index == (1,)


def test_after_backward_of_what_was_watched():
    x = leaf(0.0, 1.0)
    with teach.watch():
        y = x.sqrt()
        loss = y.sum()
        loss.backward()
    found = teach.explain_nan(loss)
    assert (found.where, found.op) == ("backward", "sqrt")


def test_too_little_is_known():
    x = leaf(-1.0)
    loss = x.log().sum()
    found = teach.explain_nan(loss)
    assert found.where == "unknown"
    assert "teach.watch()" in found.remedy
    y = leaf(0.0)
    z = y.sqrt().sum()
    z.backward()
    found = teach.explain_nan(z)
    assert found.where == "unknown"
    assert "gradient of y" in found.message
    w = leaf(1.0)
    z = w.exp().sum()
    z.backward()
    w.grad = None
    assert teach.explain_nan(z).where == "unknown"


def test_a_leaf_that_has_it():
    x = leaf(1.0, float("nan"))
    found = teach.explain_nan((x * 2).sum())
    assert (found.where, found.message) == ("a leaf", "x has NaN in it, before any op")


def test_all_is_finite():
    x = leaf(1.0)
    found = teach.explain_nan((x * 2).sum())
    assert found.where == "nowhere"
    assert "class='good'" in found.html()


def test_a_loss_that_is_no_scalar_and_other_dtypes():
    x = ag.tensor([0.0, 1.0], requires_grad=True, dtype=ag.bfloat16)
    with teach.watch():
        y = x.log()
    assert teach.explain_nan(y).op == "log"
    z = ag.tensor([0j], requires_grad=True)
    with teach.watch():
        y = (1 / z).real
    assert teach.explain_nan(y).op in ("div", "reciprocal")


@pytest.mark.parametrize(
    ("line", "op", "expected"),
    [
        ("y = x.sqrt()", "sqrt", "ok = x > 0\nsafe = ag.where(ok, x, 1.0)\ny = safe.sqrt()\ny = ag.where(ok, y, 0.0)"),
        (
            "p = torch.log(a - b)",
            "log",
            "ok = (a - b) > 0\nsafe = torch.where(ok, a - b, 1.0)\np = torch.log(safe)\np = torch.where(ok, p, 0.0)",
        ),
        ("r = a / b", "div", "ok = b != 0\nsafe = ag.where(ok, b, 1.0)\nr = a / safe\nr = ag.where(ok, r, 0.0)"),
        ("r = x ** 0.5", "pow", "ok = x > 0\nsafe = ag.where(ok, x, 1.0)\nr = safe ** 0.5\nr = ag.where(ok, r, 0.0)"),
        ("return x.log()", "log", "ok = x > 0\nsafe = ag.where(ok, x, 1.0)\nreturn safe.log()"),
        ("y = a.div(b)", "div", "ok = b != 0\nsafe = ag.where(ok, b, 1.0)\ny = a.div(safe)\ny = ag.where(ok, y, 0.0)"),
        (
            "y = ag.where(x < 9, x.exp() - (1 / x.exp()), 0)",
            "exp",
            "ok = x < 80\nsafe = ag.where(ok, x, 0.0)\ny = ag.where(x < 9, safe.exp() - 1 / safe.exp(), 0)",
        ),
        ("y = x.exp()", "exp", ""),
        ("y = x.sqrt(", "sqrt", ""),
        ("y = x * 2", "sqrt", ""),
        ("y = a @ b", "matmul", ""),
    ],
)
def test_the_double_where(line, op, expected):
    assert double_where(line, op, remedy_for(op)) == expected


def test_it_shows_itself(tmp_path):
    x = leaf(0.0)
    with teach.watch():
        loss = x.sqrt().sum()
    found = teach.explain_nan(loss)
    assert repr(found) == found.text()
    page = found.save(tmp_path / "nan.html").read_text(encoding="utf-8")
    assert "safe = ag.where(ok, x, 1.0)" in page
    assert max(map(len, found.text().splitlines())) <= 100


def test_refusals():
    with pytest.raises(TypeError, match="expected a Tensor, got float"):
        teach.explain_nan(float("nan"))
    with pytest.raises(ag.TapeError, match="not on the tape"):
        teach.explain_nan(ag.tensor(float("nan")))


def test_nan_in_the_data():
    w = leaf(1.0, 2.0)
    x = ag.tensor([1.0, float("nan")])
    with teach.watch():
        loss = (w * x).sum()
    found = teach.explain_nan(loss)
    assert (found.where, found.line.text) == ("a constant", "loss = (w * x).sum()")
    assert found.message == "x has NaN in it, before any op"


def test_a_mask_of_infinities_is_no_cause():
    w = ag.ones(2, 2, requires_grad=True)
    mask = ag.tensor([[0.0, -float("inf")], [-float("inf"), -float("inf")]])
    with teach.watch():
        loss = (w + mask).softmax(-1).sum()
    found = teach.explain_nan(loss)
    assert (found.where, found.op) == ("forward", "softmax")


def test_the_remedy_is_given_where_it_is_one():
    x = ag.tensor([300.0], dtype=ag.float16, requires_grad=True)
    with teach.watch():
        y = x**2
    assert teach.explain_nan(y).code == ""  # it overflowed; the base is not what is wrong
    z = ag.tensor([0j], requires_grad=True)
    with teach.watch():
        y = z.log()
    assert teach.explain_nan(y).code == ""  # complex numbers have no order


def test_a_number_is_not_named_twice():
    x = leaf(0.0)
    with teach.watch():
        y = 1.0 / x
    assert "  x         1\n" in teach.explain_nan(y).text()
