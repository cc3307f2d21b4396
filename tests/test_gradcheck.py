"""gradcheck and gradgradcheck, held against differences written here, and against rules that are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import ops
from autograd_ops.autograd import GradcheckError, gradcheck, gradgradcheck
from autograd_ops.registry import TABLE, op

from .op_samples import distinct


def slope(f: Callable[..., float], inputs: list[np.ndarray], directions: list[np.ndarray]) -> float:
    """The derivative of f along `directions`, by central differences of two steps and Richardson's extrapolation."""

    def difference(step: float) -> float:
        ends = [f(*[x + sign * step * d for x, d in zip(inputs, directions, strict=True)]) for sign in (1, -1)]
        return (ends[0] - ends[1]) / (2 * step)

    return (4 * difference(5e-4) - difference(1e-3)) / 3


#: One op of each kind, as a function of float Tensors, and shapes of its inputs.
KINDS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "elementwise": (ops.exp, [(2, 3)]),
    "broadcast": (ops.mul, [(2, 3), (3,)]),
    "from its output": (ops.tanh, [(4,)]),
    "view": (lambda x: ops.permute(x, (1, 0)) * x.reshape(3, 2), [(2, 3)]),
    "several into one": (lambda x, y: ops.concat([x, y], 1) ** 2, [(2, 1), (2, 2)]),
    "reduction": (lambda x: ops.std(x, (1,), 1.0, True), [(2, 3)]),
    "scan": (lambda x: ops.cumsum(x, 1) ** 2, [(2, 3)]),
    "product": (ops.matmul, [(2, 3), (3, 2)]),
    "rows": (lambda x: ops.take_rows(x, ag.tensor([1, 1, 0])) ** 2, [(2, 3)]),
    "basic key": (lambda x: ops.getitem(x, (slice(None), 1, ...)) ** 2, [(2, 3)]),
    "fused backward": (lambda x: ops.softmax(x, 1), [(2, 3)]),
    "joint rule": (lambda x, gamma, beta: ops.layer_norm(x, gamma, beta, 0.1), [(2, 3), (3,), (3,)]),
    "several outputs": (lambda x: ops.max_pool2d_with_indices(x, 2, 1, 0, 1, False).output, [(1, 1, 3, 3)]),
    "module op": (lambda x, w, b: ops.conv2d(x, w, b, ops.ConvOptions(padding=1)), [(1, 1, 2, 2), (1, 1, 2, 2), (1,)]),
}


@pytest.mark.parametrize(("function", "shapes"), KINDS.values(), ids=list(KINDS))
def test_gradients_against_differences_of_our_own(function: Callable[..., Any], shapes: Any) -> None:
    inputs = [distinct(shape, seed=i) for i, shape in enumerate(shapes)]
    directions = [distinct(shape, seed=i + 10) for i, shape in enumerate(shapes)]
    leaves = [ag.tensor(x, requires_grad=True) for x in inputs]
    out = function(*leaves)
    g = distinct(out.shape, seed=20)
    out.backward(ag.tensor(g))
    got = sum(np.sum(x.grad.numpy() * d) for x, d in zip(leaves, directions, strict=True))
    want = slope(lambda *xs: float(np.sum(function(*map(ag.tensor, xs)).numpy() * g)), inputs, directions)
    assert got == pytest.approx(want, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("function", "shapes"), KINDS.values(), ids=list(KINDS))
def test_second_derivatives_against_differences_of_our_own(function: Callable[..., Any], shapes: Any) -> None:
    inputs = [distinct(shape, seed=i) for i, shape in enumerate(shapes)]
    directions = [distinct(shape, seed=i + 10) for i, shape in enumerate(shapes)]

    def along(*xs: np.ndarray, create_graph: bool = False) -> tuple[list[Any], Any]:
        """The derivative of the sum of squares of the outputs along `directions`, and the leaves."""
        leaves = [ag.tensor(x, requires_grad=True) for x in xs]
        out = function(*leaves)
        found = ag.autograd.grad((out * out).sum(), leaves, create_graph=create_graph)
        return leaves, sum((f * ag.tensor(d)).sum() for f, d in zip(found, directions, strict=True))

    leaves, derivative = along(*inputs, create_graph=True)
    second = ag.autograd.grad(derivative, leaves, materialize_grads=True)
    got = sum(np.sum(s.numpy() * d) for s, d in zip(second, directions, strict=True))
    want = slope(lambda *xs: float(along(*xs)[1]), inputs, directions)
    assert got == pytest.approx(want, rel=1e-7, abs=1e-8)


# ---------------------------------------------------------------- wrong rules


@pytest.fixture
def scratch_table() -> Iterator[None]:
    """Take ops that a test registers out of the table again."""
    before = dict(TABLE)
    yield
    TABLE.clear()
    TABLE.update(before)


def cube(rule: Callable[..., Any]) -> Any:
    """x^3 with `rule` as its derivative."""

    @op(formula="dx = 3 g x^2")
    def cube(x):
        """x^3"""
        return x * x * x

    cube.backward(x=rule)
    return cube


POINT = ag.tensor([0.5, -1.2], dtype=ag.float64, requires_grad=True)

#: Rules that are wrong in ways that rules go wrong.
WRONG: dict[str, Callable[..., Any]] = {
    "factor": lambda g, x: 2 * g * x * x,
    "sign": lambda g, x: -3 * g * x * x,
    "forgets the gradient": lambda g, x: 3 * x * x,
    "one element": lambda g, x: 3 * g * x * x + ag.tensor([0.0, 1e-3]).array,
    "in the third decimal": lambda g, x: 3.01 * g * x * x,
}


@pytest.mark.parametrize("rule", WRONG.values(), ids=list(WRONG))
def test_gradcheck_finds_a_wrong_rule(rule: Callable[..., Any], scratch_table: None) -> None:
    function = cube(rule)
    with pytest.raises(GradcheckError, match=r"d output 0 \[\d\] / d input 0 \[\d\] is .* by backward, .* by central"):
        gradcheck(function, [POINT])
    assert gradcheck(function, [POINT], raise_exception=False) is False


def test_gradcheck_passes_a_right_rule(scratch_table: None) -> None:
    function = cube(lambda g, x: 3 * g * x * x)
    assert gradcheck(function, [POINT])
    assert gradgradcheck(function, [POINT])


def test_gradgradcheck_finds_a_rule_that_is_right_once(scratch_table: None) -> None:
    # The first derivative is right; but it is made of a constant copy of x, so that the second is lost.
    function = cube(lambda g, x: g * (3 * ag.Tensor(getattr(x, "array", x)) ** 2).array)
    assert gradcheck(function, [POINT])
    with pytest.raises(GradcheckError):
        gradgradcheck(function, [POINT])


def test_gradgradcheck_finds_a_constant_gradient_that_is_none(scratch_table: None) -> None:
    # Nothing of the gradient is on the tape: neither x nor the gradient that arrives.
    function = cube(lambda g, x: ag.Tensor(3 * g.array * x.array**2) if isinstance(g, ag.Tensor) else 3 * g * x * x)
    assert gradcheck(function, [POINT])
    with pytest.raises(GradcheckError):
        gradgradcheck(function, [POINT])


def test_a_gradient_that_is_constant_passes() -> None:
    assert gradgradcheck(ops.sign, [POINT])
    assert gradgradcheck(ops.floor, [POINT])


def test_inputs_and_outputs_without_elements_pass() -> None:
    empty = ag.zeros(0, 2, dtype=ag.float64, requires_grad=True)
    assert gradcheck(ops.exp, [empty])
    assert gradgradcheck(ops.exp, [empty])
    assert gradcheck(lambda x: x[:0] * 2, [POINT])
    assert gradgradcheck(lambda x: x[:0] * 2, [POINT])


def test_only_what_requires_grad_is_checked() -> None:
    fixed = ag.tensor([1.0, 2.0])  # of float32: it would be refused
    assert gradcheck(lambda x, y: x * y.to(ag.float64), [POINT, fixed])


def test_several_outputs_are_checked(scratch_table: None) -> None:
    wrong = cube(WRONG["factor"])
    assert gradcheck(lambda x: (ag.exp(x), x * 2), [POINT])
    with pytest.raises(GradcheckError, match="d output 1"):
        gradcheck(lambda x: (ag.exp(x), wrong(x)), [POINT])


def test_refusals() -> None:
    with pytest.raises(ValueError, match="no input requires grad"):
        gradcheck(ag.exp, [POINT.detach()])
    with pytest.raises(ValueError, match="input 0 is float32"):
        gradcheck(ag.exp, [ag.ones(2, requires_grad=True)])
    with pytest.raises(GradcheckError, match="no output requires grad"):
        gradcheck(lambda x: ag.exp(x.detach()), [POINT])
