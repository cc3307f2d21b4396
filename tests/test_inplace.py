"""In place and views: memory that Tensors share, and what a change to it does to the tape."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.tape import TapeError


def leaf(values: Any) -> ag.Tensor:
    return ag.tensor(values, dtype=ag.float64, requires_grad=True)


# ---------------------------------------------------------------- views


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.reshape(6),
        lambda x: x.view(3, 2),
        lambda x: x.T,
        lambda x: x.permute(1, 0),
        lambda x: x.transpose(0, 1),
        lambda x: x[0],
        lambda x: x[:, 1:],
        lambda x: x[::-1, None],
        lambda x: x[1, 2],
        lambda x: x.unsqueeze(0).squeeze(0),
        lambda x: x.narrow(1, 0, 2),
        lambda x: x.split(2, dim=1)[1],
        lambda x: x.unbind(0)[1],
        lambda x: x.expand(4, 2, 3),
        lambda x: x.diagonal(),
        lambda x: x.detach(),
        lambda x: x.flatten()[2:],
    ],
)
def test_a_view_is_a_window_on_its_base(view: Callable[[ag.Tensor], ag.Tensor]) -> None:
    base = ag.tensor(np.arange(6.0).reshape(2, 3))
    seen = view(base)
    assert np.shares_memory(seen.array, base.array)
    base.add_(10.0)
    assert seen.tolist() == view(ag.tensor(np.arange(6.0).reshape(2, 3) + 10)).tolist()


def test_reshape_of_what_has_no_view_copies_and_view_refuses() -> None:
    x = ag.tensor(np.arange(6.0).reshape(2, 3)).T
    assert not np.shares_memory(x.reshape(6).array, x.array)
    with pytest.raises(ValueError, match=r"use reshape"):
        x.view(6)


def test_a_change_to_a_view_reaches_the_base_and_its_other_views_with_gradients() -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    base = x * 1.0
    row, column = base[0], base[:, 1]
    row.mul_(10.0)
    assert base.tolist() == [[10.0, 20.0], [3.0, 4.0]]
    assert column.tolist() == [20.0, 4.0]
    column.sum().backward(retain_graph=True)
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 10.0], [0.0, 1.0]]
    x.grad = None
    base.sum().backward()
    assert x.grad is not None  # type: ignore[unreachable]
    assert x.grad.tolist() == [[10.0, 10.0], [1.0, 1.0]]


def test_a_change_to_the_base_reaches_its_views_with_gradients() -> None:
    x = leaf([1.0, 2.0, 3.0])
    base = x * 1.0
    tail = base[1:]
    base.pow_(2)
    (tail * 10.0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 40.0, 60.0]


def test_a_view_of_a_view_of_a_view() -> None:
    x = leaf(np.arange(12.0).reshape(3, 4))
    base = x * 1.0
    corner = base.T[1:].reshape(9) if base.T[1:].array.flags.c_contiguous else base.T[1:]
    part = corner[0][1:]
    part.zero_()
    base.sum().backward()
    expected = np.ones((3, 4))
    expected[1:, 1] = 0.0
    assert x.grad is not None
    assert x.grad.tolist() == expected.tolist()


def test_a_value_written_into_a_view_gets_its_gradient() -> None:
    x, v = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([5.0, 6.0])
    base = x * 2.0
    base[1] = v * 3.0
    (base * base).sum().backward()
    assert x.grad is not None
    assert v.grad is not None
    # Row 0: d(2x)^2 = 8x. Row 1 is 3v: d(3v)^2 = 18v.
    assert x.grad.tolist() == [[8.0, 16.0], [0.0, 0.0]]
    assert v.grad.tolist() == [90.0, 108.0]


# ---------------------------------------------------------------- in place


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda x: x.add_(1.0), [2.0, -1.0]),
        (lambda x: x.sub_(1.0, alpha=2), [-1.0, -4.0]),
        (lambda x: x.mul_(3.0), [3.0, -6.0]),
        (lambda x: x.div_(2.0), [0.5, -1.0]),
        (lambda x: x.pow_(2), [1.0, 4.0]),
        (lambda x: x.neg_(), [-1.0, 2.0]),
        (lambda x: x.abs_(), [1.0, 2.0]),
        (lambda x: x.clamp_(min=0.0), [1.0, 0.0]),
        (lambda x: x.relu_(), [1.0, 0.0]),
        (lambda x: x.zero_(), [0.0, 0.0]),
        (lambda x: x.fill_(7), [7.0, 7.0]),
        (lambda x: x.copy_(ag.tensor([8, 9])), [8.0, 9.0]),
        (lambda x: x.copy_(5.0), [5.0, 5.0]),
        (lambda x: x.masked_fill_(x < 0, 0.5), [1.0, 0.5]),
    ],
)
def test_in_place_methods_change_the_memory_and_return_the_tensor(change: Any, expected: list[float]) -> None:
    x = ag.tensor([1.0, -2.0])
    array = x.array
    assert change(x) is x
    assert x.array is array
    assert x.tolist() == expected


def test_in_place_operators() -> None:
    x = ag.tensor([1.0, 2.0])
    same = x
    x += 1
    x *= 2.0
    x -= ag.tensor([1.0, 1.0])
    x /= 2
    assert x is same
    assert x.tolist() == [1.5, 2.5]


def test_random_filling_follows_the_generator() -> None:
    g = ag.Generator().manual_seed(3)
    a = ag.empty(50).uniform_(2.0, 3.0, generator=g)
    b = ag.empty(50).uniform_(2.0, 3.0, generator=g.manual_seed(3))
    assert a.tolist() == b.tolist()
    assert min(a.tolist()) >= 2.0
    assert max(a.tolist()) < 3.0


def test_self_overlap_reads_before_it_writes() -> None:
    a = ag.tensor([[1.0, 2.0], [3.0, 5.0]])
    a -= a[:, :1]
    assert a.tolist() == [[0.0, 1.0], [0.0, 2.0]]


def test_a_change_is_recorded_and_differentiated() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1.0
    y.mul_(y)
    y.exp_()
    y.sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.tolist(), [2 * np.e, 4 * np.e**4], rtol=1e-14)


def test_second_derivatives_through_a_change() -> None:
    def f(x: ag.Tensor) -> ag.Tensor:
        y = x * 2.0
        y[0] = x[1] * x[0]
        y.mul_(x)
        return y.sum()

    x = leaf([0.3, -1.2])
    assert ag.autograd.gradcheck(f, x)
    assert ag.autograd.gradgradcheck(f, x)


def test_a_hook_stays_with_the_old_value_and_a_retained_grad_moves_to_the_new() -> None:
    seen: list[Any] = []
    a = leaf([3.0, 5.0]) - 1.0
    a.register_hook(lambda g: seen.append(g.tolist()))
    a.retain_grad()
    a.mul_(4.0)
    (a * ag.tensor([1.0, 3.0], dtype=ag.float64)).sum().backward()
    assert seen == [[4.0, 12.0]]
    assert a.grad is not None
    assert a.grad.tolist() == [1.0, 3.0]


def test_a_leaf_may_change_under_no_grad_and_stays_a_leaf() -> None:
    w = leaf([1.0, 2.0])
    (w * w).sum().backward()
    with ag.no_grad():
        w -= 0.5 * w.grad
    assert w.is_leaf
    assert w.requires_grad
    assert w.tolist() == [0.0, 0.0]


def test_a_leaf_that_shares_memory_stays_a_leaf_when_it_is_changed() -> None:
    w = ag.tensor([[1.0, 2.0], [3.0, 4.0]]).T.requires_grad_()
    for _ in range(2):
        w.grad = None
        (w * 3.0).sum().backward()
        assert w.grad is not None
        with ag.no_grad():
            w.sub_(w.grad)
    assert w.tolist() == [[-5.0, -3.0], [-4.0, -2.0]]


# ---------------------------------------------------------------- what is refused


def test_a_change_that_a_rule_would_have_needed_is_an_error_naming_op_and_line() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1.0
    z = y.exp()
    z.add_(1.0)
    with pytest.raises(TapeError, match=r"backward of exp needs its output.*add_ at .*test_inplace.py:\d+"):
        z.sum().backward()


def test_a_change_to_a_constant_that_a_rule_needs_is_an_error() -> None:
    x, c = leaf([1.0, 2.0]), ag.tensor([3.0, 4.0], dtype=ag.float64)
    y = x * c
    c[0] = 9.0
    with pytest.raises(TapeError, match=r"backward of mul needs its 'y'.*setitem at .*test_inplace.py"):
        y.sum().backward()


def test_a_change_through_a_view_or_a_detached_tensor_is_noticed_too() -> None:
    for other in (lambda c: c[0:1], lambda c: c.detach(), lambda c: c.reshape(1, 2)):
        x, c = leaf([1.0, 2.0]), ag.tensor([3.0, 4.0], dtype=ag.float64)
        y = x * c
        other(c).add_(1.0)
        with pytest.raises(TapeError, match=r"has since changed it in place"):
            y.sum().backward()


def test_a_change_to_what_no_rule_needs_is_no_error() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1.0
    z = y + 1.0
    with ag.no_grad():
        y.add_(5.0)
    z.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("change", [lambda x: x.add_(1.0), lambda x: x[0].mul_(2.0), lambda x: x.__setitem__(0, 1.0)])
def test_a_leaf_that_requires_grad_cannot_be_changed_while_ops_are_recorded(change: Any) -> None:
    x = leaf([1.0, 2.0])
    with pytest.raises(TapeError, match=r"leaf that requires grad.*no_grad"):
        change(x)
    assert x.tolist() == [1.0, 2.0]


def test_an_expanded_tensor_cannot_be_changed() -> None:
    x = ag.tensor([[3.0]])
    for change in (lambda v: v.mul_(2.0), lambda v: v.__setitem__(0, 1.0)):
        with pytest.raises(ValueError, match=r"expanded.*clone\(\)"):
            change(x.expand(2, 3))
    assert x.tolist() == [[3.0]]


def test_a_result_that_does_not_fit_is_refused_before_anything_changes() -> None:
    x = ag.tensor([1.0, 2.0])
    with pytest.raises(ValueError, match=r"add_: the result has shape \(2, 2\).*\(2,\)"):
        x.add_(ag.ones(2, 2))
    i = ag.tensor([1, 2])
    with pytest.raises(TypeError, match=r"float32 does not fit into a target of int64"):
        i.mul_(1.5)
    assert (x.tolist(), i.tolist()) == ([1.0, 2.0], [1, 2])


def test_the_graph_of_a_view_survives_a_change_between_two_backwards() -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    v = x.view(4)
    y = (v * 3.0).sum()
    (first,) = ag.autograd.grad(y, x, retain_graph=True)
    with ag.no_grad():
        v.add_(1.0)
    (second,) = ag.autograd.grad(y, x)
    assert first is not None
    assert second is not None
    assert first.tolist() == second.tolist() == [[3.0, 3.0], [3.0, 3.0]]


# ---------------------------------------------------------------- random programs


def _program(seed: int) -> tuple[Callable[[Any, Any], Any], str]:
    """A random sequence of views and changes that runs on Tensors; its steps are chosen by `seed` alone."""
    rng = np.random.default_rng(seed)
    steps = [(rng.integers(0, 7), rng.integers(0, 3, 4), rng.random()) for _ in range(rng.integers(3, 9))]

    def run(x: Any, w: Any) -> Any:
        made = [x * 1.0]
        for kind, numbers, number in steps:
            t = made[int(numbers[0]) % len(made)]
            if kind == 0 and t.ndim:
                made.append(t[int(numbers[1]) % t.shape[0]])
            elif kind == 1:
                made.append(t.reshape(-1))
            elif kind == 2 and t.ndim == 2:
                made.append(t.T)
            elif kind == 3:
                t.mul_(number + 0.5)
            elif kind == 4:
                t.add_(w[int(numbers[2])] * w[int(numbers[3])])
            elif kind == 5:
                made.append(t * 3.0 if number < 0.8 else t * t)
            elif t.ndim:
                t[int(numbers[1]) % t.shape[0]] = w[int(numbers[3])] * 2.0
        return sum((i + 1.0) * t.sum() for i, t in enumerate(made))

    return run, str(steps)


def _numeric(run: Any, arguments: list[np.ndarray], which: int, eps: float = 1e-6) -> np.ndarray:
    """The gradient of `run` by central differences."""
    numeric = np.zeros_like(arguments[which])
    for i in np.ndindex(numeric.shape):
        ends = []
        for step in (eps, -eps):
            moved = [a.copy() for a in arguments]
            moved[which][i] += step
            with ag.no_grad():
                ends.append(run(*map(ag.tensor, moved)).item())
        numeric[i] = (ends[0] - ends[1]) / (2 * eps)
    return numeric


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_of_views_and_changes_have_right_gradients_or_are_refused(seed: int) -> None:
    run, steps = _program(seed)
    rng = np.random.default_rng(seed + 1000)
    arguments = [rng.standard_normal((3, 3)), rng.standard_normal(3)]
    leaves = [leaf(a) for a in arguments]
    loss = run(*leaves)
    try:
        loss.backward()
    except TapeError as error:
        # t * t, and then a change to t: the rule needs what t was.
        assert re.search("backward of mul needs its '.' as it was in forward", str(error)), steps  # noqa: PT017
        return
    for which, tensor in enumerate(leaves):
        got = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.array
        np.testing.assert_allclose(got, _numeric(run, arguments, which), rtol=1e-5, atol=1e-6, err_msg=steps)


def test_most_of_those_programs_are_not_refused() -> None:
    refused = 0
    for seed in range(60):
        try:
            _program(seed)[0](leaf(np.ones((3, 3))), leaf(np.ones(3))).backward()
        except TapeError:
            refused += 1
    assert refused < 30


@pytest.mark.parametrize("cut", [lambda x: x.split([1, 2]), lambda x: x.chunk(3), lambda x: x.unbind()])
def test_parts_are_views_of_one_node(cut: Any) -> None:
    x = ag.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    first, *_, last = cut(x * 1.0)
    assert first.node.main is last.node.main
    last.mul_(10.0)
    (first.sum() + last.sum()).backward()
    want = np.ones((3, 2))
    want[-last.numel() // 2 :] = 10.0
    want[first.numel() // 2 : -last.numel() // 2] = 0.0
    assert x.grad.tolist() == want.tolist()
