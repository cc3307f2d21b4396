"""What a registration is held to, and what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.registry import TABLE, Array, Arrays, RegistryError, ShapeOf, op


@pytest.fixture(autouse=True)
def scratch_table() -> Iterator[None]:
    """Take ops that a test registers out of the table again."""
    before = dict(TABLE)
    yield
    TABLE.clear()
    TABLE.update(before)


def twice(**options: Any) -> Any:
    """An op without rules yet."""

    @op(**{"formula": "dx = 2 g", **options})
    def twice(x):
        return x * 2.0

    return twice


def test_a_derivative_needs_a_formula() -> None:
    with pytest.raises(RegistryError, match="op twice: its derivative has no formula"):
        twice(formula="")


def test_an_op_without_derivatives_needs_none() -> None:
    assert twice(formula="", nondiff=True)(np.ones(2)).tolist() == [2.0, 2.0]


def test_an_op_without_rules_is_refused_at_its_first_call() -> None:
    function = twice()
    with pytest.raises(RegistryError, match="op twice: input 'x' has no rule"):
        function(np.ones(2))
    with pytest.raises(RegistryError, match="op twice: input 'x' has no rule"):
        function.op.check()


def test_every_input_needs_a_rule() -> None:
    @op(formula="dx = g, dy = g")
    def plus(x, y):
        return x + y

    with pytest.raises(RegistryError, match="op plus: no rule for input 'y'; give one, or declare it nondiff"):
        plus.backward(x=lambda g: g)


def test_a_rule_for_what_is_no_input_is_refused() -> None:
    with pytest.raises(RegistryError, match="op twice: a rule for 'z', which is no differentiable input"):
        twice().backward(x=lambda g: g * 2, z=lambda g: g)


@pytest.mark.parametrize("name", ["factor", "y_shape", "output", "mean"])
def test_a_rule_that_names_something_unknown_is_refused(name: str) -> None:
    rule = eval(f"lambda g, {name}: g")
    with pytest.raises(RegistryError, match=f"op twice: the rule for 'x' names '{name}', which is none of its inputs"):
        twice().backward(x=rule)


def test_nondiff_must_name_an_input() -> None:
    with pytest.raises(RegistryError, match="op twice: 'y' is declared nondiff but is no input"):
        twice(nondiff=("y",))


def test_annotations_tell_inputs_and_options_apart() -> None:
    @op(formula="dx = g scale", nondiff=("mask",))
    def scaled(shape: ShapeOf, x: Array, mask: Array | None, scale: float = 2.0) -> Array:
        return x * scale

    assert [(i.name, i.kind, i.differentiable) for i in scaled.op.inputs] == [
        ("shape", "shape", False),
        ("x", "array", True),
        ("mask", "optional", False),
    ]
    assert scaled.op.options == ("scale",)
    assert scaled.op.differentiable == ("x",)


def test_only_what_rules_name_is_kept() -> None:
    @op(formula="dx = g y, dy = g x", broadcast=True)
    def product(x, y):
        return x * y

    product.backward(x=lambda g, y: g * y, y=lambda g, x: g * x)
    kept = {k.name: (k.kind, k.wanted_by) for k in product.op.kept}
    assert kept == {"y": ("input", ("x",)), "x": ("input", ("y",))}
    x, y = ag.ones(2, requires_grad=True), ag.tensor([3.0, 4.0])
    saved = [value for value in product(x, y).node.saved if isinstance(value, np.ndarray)]
    assert len(saved) == 1
    assert saved[0] is y.array


def test_the_rules_see_options_outputs_extras_and_shapes() -> None:
    seen: dict[str, Any] = {}

    @op(formula="dx = g n", saves=("extra",))
    def several(x: Array, n: int) -> Array:
        return x * n, x + 100.0

    def rule(g: Any, x_shape: Any, x_device: Any, out: Any, extra: Any, n: int) -> Any:
        seen.update(shape=x_shape, device=x_device, out=out.tolist(), extra=extra.tolist(), n=n)
        return g * n

    several.backward(x=rule)
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    several(x, 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert seen == {"shape": (2,), "device": "cpu", "out": [3.0, 6.0], "extra": [101.0, 102.0], "n": 3}


class Halves(NamedTuple):
    """Two outputs."""

    low: Any
    high: Any


def test_several_outputs_and_those_that_carry_gradients() -> None:
    @op(formula="dx = g at the lower half", outputs=("low", "high"), carries=("low",))
    def halves(x: Array) -> Halves:
        return Halves(x[:2], x[2:])

    halves.backward(x=lambda g, x_shape: ag.ops.place(g, x_shape, (slice(0, 2), ...)))
    x = ag.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    low, high = halves(x)
    assert low.requires_grad
    assert not high.requires_grad
    (low * 5).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0, 0.0, 0.0]


def test_an_output_without_a_gradient_gets_zeros() -> None:
    @op(formula="dx = g of both, joined", outputs=("low", "high"))
    def halves(x: Array) -> Halves:
        return Halves(x[:2], x[2:])

    halves.backward(x=lambda g: ag.ops.concat(g, 0))
    x = ag.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    halves(x).high.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_a_joint_rule_is_told_what_is_needed() -> None:
    asked = []

    @op(formula="dx = g, dy = g")
    def plus(x: Array, y: Array) -> Array:
        return x + y

    def rule(g: Any, needs: tuple[bool, ...]) -> tuple[Any, Any]:
        asked.append(needs)
        return g if needs[0] else None, g if needs[1] else None

    plus.op.joint(rule)
    fixed, x = ag.ones(1), ag.ones(1, requires_grad=True)
    for arguments in ((x, fixed), (fixed, x), (x, x)):
        plus(*arguments).backward()
    assert asked == [(True, False), (False, True), (True, True)]
    assert x.grad.tolist() == [4.0]


def test_nothing_is_recorded_under_no_grad() -> None:
    x = ag.ones(2, requires_grad=True)
    with ag.no_grad():
        assert ag.exp(x).node is None


def test_errors_name_the_op_and_the_shapes() -> None:
    with pytest.raises(ValueError, match=r"add: shapes \(2,\) and \(3,\) do not broadcast: dimension -1 is 2 in one"):
        ag.ones(2) + ag.ones(3)
    with pytest.raises(TypeError, match="add: expected a Tensor, an array or a number, got str"):
        ag.ones(2) + "a"
    with pytest.raises(TypeError, match="mul: expected a Tensor or an array among its arguments, got only numbers"):
        ag.mul(1, 2)


@pytest.mark.parametrize("name", ["tape_mode", "new", "Tensor", "op", "result"])
def test_names_that_the_call_path_uses_are_refused(name: str) -> None:
    scope: dict = {}
    exec(f"def taking(x, {name}: str):\n    return x", scope)
    with pytest.raises(RegistryError, match=f"taking: no argument can be called '{name}'"):
        op(scope["taking"], formula="dx = g")
    assert "taking" not in TABLE


def test_all_gradients_at_once() -> None:
    """Where the walk carries arrays; a walk that records itself takes the rules."""

    @op(formula="dx = g y, dy = g x", broadcast=True)
    def times(x, y):
        return x * y

    times.backward(x=lambda g, y: g * y, y=lambda g, x: g * x)
    calls = []

    def both(g: Any, x: Any, y: Any, needs: Any) -> Any:
        calls.append(needs)
        return [None if not needed else g * other for needed, other in zip(needs, (y, x), strict=True)]

    times.at_once(both)
    x, y = ag.tensor([2.0, 3.0], requires_grad=True), ag.tensor(5.0, requires_grad=True)
    times(x, y).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]
    assert y.grad.tolist() == 5.0
    times(x, 2.0).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]
    assert calls == [(True, True), (True, False)]
    (grad,) = ag.autograd.grad(times(x, y).sum(), [x], create_graph=True)
    assert ag.autograd.grad(grad.sum(), [y])[0].tolist() == 2.0
    assert len(calls) == 2


def test_a_rule_for_all_gradients_names_what_is_kept() -> None:
    function = twice()
    function.backward(x=lambda g: g * 2.0)
    with pytest.raises(RegistryError, match="op twice: its rule for all gradients at once names 'x', which no rule"):
        function.at_once(lambda g, x: (g * 2.0,))

    @op(formula="dxs = g")
    def several(xs: Arrays):
        return xs[0] + xs[1]

    several.backward(xs=lambda g: [g, g])
    with pytest.raises(RegistryError, match="op several: its rule for all gradients at once takes no sequence"):
        several.at_once(lambda g: (g, g))
