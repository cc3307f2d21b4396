"""`teach.compare`: derivatives that agree, rules that are wrong, kinks, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import teach


class Wrong(ag.autograd.Function):
    """exp with the derivative x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x


def test_first_and_second_order_of_a_cube():
    table = teach.compare(lambda x: x**3, ag.tensor([1.0, -2.0]))
    assert table.agrees
    assert table
    assert [row.element for row in table.first] == ["x[0]", "x[1]"]
    np.testing.assert_allclose([row.analytic for row in table.first], [3, 12])
    np.testing.assert_allclose([row.numeric for row in table.first], [3, 12], rtol=1e-8)
    np.testing.assert_allclose([row.analytic for row in table.second], [6, -12])


def test_float32_inputs_and_several_are_compared_in_double():
    w = ag.tensor([[1.0, 2.0]], requires_grad=True)
    table = teach.compare(lambda x, w, power: (x * w).tanh() ** power, ag.tensor([[0.3], [0.1]]), w, 2)
    assert table.agrees
    assert [row.element for row in table.first] == ["x[0, 0]", "x[1, 0]", "w[0, 0]", "w[0, 1]"]
    assert w.grad is None


def test_complex_inputs_in_parts():
    table = teach.compare(lambda z: (z * z.conj()).real, ag.tensor([1 + 2j]))
    assert table.agrees
    assert [(row.element, round(row.analytic, 9)) for row in table.first] == [("z[0].real", 2), ("z[0].imag", 4)]


def test_a_wrong_rule_is_marked():
    table = teach.compare(Wrong.apply, ag.tensor([1.0, 2.0]), order=1)
    assert not table.agrees
    assert not table.second
    first = table.first[0]
    np.testing.assert_allclose((first.analytic, first.numeric), (1, np.e), rtol=1e-6)
    assert first.remark == "backward is wrong here"
    text = table.text()
    assert "first order: 0 of 2 elements agree" in text
    assert text.count("> x[") == 2
    assert table.html().count("✗") == 2


def test_a_rule_that_does_not_differentiate_is_found_in_second_order():
    class Detached(ag.autograd.Function):
        """x^3, whose derivative forgets that it depends on x by one factor."""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x * x.detach()

    table = teach.compare(Detached.apply, ag.tensor([2.0]))
    assert table.first[0].agrees
    second = table.second[0]
    np.testing.assert_allclose((second.analytic, second.numeric), (6, 12), rtol=1e-6)
    assert not second.agrees


def test_a_kink_is_told_from_a_wrong_rule():
    (at, beside) = teach.compare(lambda x: x.abs(), ag.tensor([0.0, 1.0]), order=1).first
    assert beside.agrees
    # Central differences give 0 there, as backward does: so move the kink off the middle.
    assert at.agrees
    (at,) = teach.compare(lambda x: x.relu() * 4, ag.tensor([0.0]), order=1).first
    assert not at.agrees
    assert at.remark == "a kink: slope 0 from the left, 4 from the right"


def test_no_second_order_of_what_is_linear():
    table = teach.compare(lambda x: 3 * x, ag.tensor([1.0]))
    assert table.agrees
    assert not table.second
    assert "no second order" in table.text()


def test_large_tables_show_what_disagrees():
    x = ag.linspace(1, 2, 100)
    mask = ag.arange(100) == 70
    table = teach.compare(lambda x: ag.where(mask, Wrong.apply(x), x), x, order=1)
    text = table.text()
    assert "> x[70]" in text
    assert "... and 76 more" in text
    assert "first order: 99 of 100 elements agree" in text


def test_names_are_escaped_and_the_page_is_whole(tmp_path):
    table = teach.compare(lambda x: x * x, ag.tensor(1.0))
    page = table.save(tmp_path / "table.html").read_text(encoding="utf-8")
    assert page.count("✓") == 2
    assert "<code>x</code>" in page


def test_refusals():
    x = ag.tensor([1.0])
    with pytest.raises(TypeError, match=r"expected a function first, got Tensor"):
        teach.compare(x, x)
    with pytest.raises(ValueError, match="order is 1 or 2, not 3"):
        teach.compare(ag.exp, x, order=3)
    with pytest.raises(TypeError, match="no input is a Tensor of floats"):
        teach.compare(ag.exp, ag.tensor([1]))
    with pytest.raises(TypeError, match="gave a float, not a Tensor"):
        teach.compare(lambda x: x.item(), x)
    with pytest.raises(TypeError, match=r"detach\(\), numpy\(\) or item\(\)"):
        teach.compare(lambda x: x.detach() * 2, x)


def test_another_device():
    assert teach.compare(lambda x: x**3, ag.ones(2, device="strict")).agrees


def test_a_function_that_is_not_finite():
    with np.errstate(all="ignore"):
        table = teach.compare(lambda x: x.log(), ag.tensor([-1.0, 1.0]), order=1)
    assert {row.remark for row in table.first} == {"the function is not finite near here"}


def test_what_cannot_be_compared():
    with pytest.raises(ValueError, match="another value when it is called again"):
        teach.compare(lambda x: ag.nn.functional.dropout(x, 0.5), ag.ones(100))
    with pytest.raises(ValueError, match="no elements"):
        teach.compare(lambda x: x * 2, ag.ones(0))
