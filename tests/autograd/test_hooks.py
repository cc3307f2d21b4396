"""Hooks on nodes, on leaves and on modules."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_ops as ag
from autograd_ops import nn
from autograd_ops.nn.hooks import register_module_forward_hook, register_module_full_backward_hook


def leaf(*values: float) -> ag.Tensor:
    return ag.tensor(list(values), requires_grad=True)


class Halves(ag.autograd.Function):
    """A node of two outputs."""

    @staticmethod
    def forward(ctx: Any, x: ag.Tensor) -> tuple[ag.Tensor, ag.Tensor]:
        return x / 2, x / 2

    @staticmethod
    def backward(ctx: Any, a: ag.Tensor, b: ag.Tensor) -> ag.Tensor:
        return (a + b) / 2


# ---------------------------------------------------------------- nodes


def test_a_node_knows_its_name_and_what_it_leads_to() -> None:
    x = leaf(1.0)
    y = x.exp()
    z = y * 2
    assert z.grad_fn.name() == "mul"
    assert z.grad_fn.next_functions == ((y.grad_fn, 0), (None, 0))
    ((accumulate, _),) = y.grad_fn.next_functions
    assert (accumulate.name(), accumulate.variable) == ("leaf", x)
    _, b = Halves.apply(x)
    assert (b + 1).grad_fn.next_functions[0] == (b.grad_fn.main, 1)
    assert (b.grad_fn.name(), b.grad_fn.next_functions) == ("Halves", ((x.node, 0),))


def test_hooks_before_and_after_a_node_see_and_replace_gradients() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()
    seen: list[Any] = []
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] + 1,))

    def after(inputs: Any, outputs: Any) -> Any:
        seen.append((inputs[0].tolist(), outputs[0].tolist()))
        return (ag.ones(2),)

    handle = y.grad_fn.register_hook(after)
    y.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [1.0, 1.0]
    assert seen == [((2 * y).tolist(), [2.0, 2.0])]
    handle.remove()
    x.grad = None
    y.sum().backward()
    assert x.grad.tolist() == (2 * y).tolist()


def test_a_hook_after_a_node_is_recorded_with_it() -> None:
    x = leaf(2.0)
    y = x**2
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 3,))
    (first,) = ag.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = ag.autograd.grad(first.sum(), x)
    assert (first.item(), second.item()) == (12.0, 6.0)


def test_hooks_of_a_node_with_several_outputs() -> None:
    x = leaf(1.0, 2.0)
    a, _ = Halves.apply(x)
    seen: list[Any] = []
    a.grad_fn.register_prehook(lambda outputs: seen.append([None if g is None else g.tolist() for g in outputs]))
    (5 * a).sum().backward()
    assert seen == [[[5.0, 5.0], None]]


def test_what_a_hook_gives_is_checked() -> None:
    for given, error in (((ag.ones(3),), "shape"), ((ag.ones(2), ag.ones(2)), "returned 2")):
        y = leaf(1.0, 2.0).exp()
        y.grad_fn.register_hook(lambda inputs, outputs, given=given: given)
        with pytest.raises(ag.TapeError, match=error):
            y.sum().backward()
    with pytest.raises(ag.TapeError, match="a leaf runs nothing"):
        leaf(1.0).exp().grad_fn.next_functions[0][0].register_hook(print)


def test_a_hook_after_accumulation() -> None:
    x = leaf(1.0, 2.0)
    seen: list[Any] = []
    handle = x.register_post_accumulate_grad_hook(lambda x: seen.append(x.grad.tolist()))
    (2 * x).sum().backward()
    (3 * x).sum().backward(inputs=[x])
    ag.autograd.grad((4 * x).sum(), x)
    handle.remove()
    (5 * x).sum().backward()
    assert seen == [[2.0, 2.0], [5.0, 5.0]]
    with pytest.raises(ag.TapeError, match="no leaf"):
        (2 * x).register_post_accumulate_grad_hook(print)


def test_an_optimizer_step_inside_backward() -> None:
    ag.manual_seed(0)
    model = nn.Linear(2, 1)
    before = [p.detach().clone() for p in model.parameters()]
    for p in model.parameters():
        step = ag.optim.SGD([p], lr=1.0)

        def hook(p: ag.Tensor, step: Any = step) -> None:
            step.step()
            step.zero_grad()

        p.register_post_accumulate_grad_hook(hook)
    model(ag.ones(2)).backward()
    assert all(p.grad is None for p in model.parameters())
    assert [(b - p).tolist() for b, p in zip(before, model.parameters(), strict=True)] == [[[1.0, 1.0]], [1.0]]


# ---------------------------------------------------------------- modules


class Affine(nn.Module):
    def forward(self, x: ag.Tensor, *, scale: float = 1.0) -> ag.Tensor:
        return 3 * x * scale


def test_forward_hooks_with_keyword_arguments() -> None:
    layer = Affine()
    seen: list[Any] = []
    layer.register_forward_pre_hook(lambda m, args, kwargs: ((args[0] + 1,), {"scale": 10.0}), with_kwargs=True)
    layer.register_forward_hook(lambda m, args, kwargs, out: seen.append((args[0].item(), kwargs)), with_kwargs=True)
    layer.register_forward_hook(lambda m, args, out: out + 1)
    assert layer(ag.tensor(1.0), scale=5.0).item() == 61.0
    assert seen == [(2.0, {"scale": 10.0})]
    layer.register_forward_pre_hook(lambda m, args, kwargs: 1, with_kwargs=True)
    with pytest.raises(RuntimeError, match="returned int"):
        layer(ag.tensor(1.0))


def test_hooks_that_come_first_and_hooks_that_always_come() -> None:
    class Fails(nn.Module):
        def forward(self) -> None:
            raise ValueError("no")

    order: list[Any] = []
    layer = Fails()
    layer.register_forward_pre_hook(lambda m, args: order.append("second"))
    layer.register_forward_pre_hook(lambda m, args: order.append("first"), prepend=True)
    layer.register_forward_hook(lambda m, args, out: order.append("never"))
    layer.register_forward_hook(lambda m, args, out: order.append(out), always_call=True)
    with pytest.raises(ValueError, match="no"):
        layer()
    assert order == ["first", "second", None]


def test_full_backward_hooks() -> None:
    layer = Affine()
    seen: list[Any] = []
    layer.register_full_backward_pre_hook(lambda m, outputs: (outputs[0] * 2,))

    def hook(m: nn.Module, inputs: Any, outputs: Any) -> Any:
        seen.append((inputs[0].tolist(), outputs[0].tolist()))
        return (inputs[0] * 10,)

    layer.register_full_backward_hook(hook)
    x = leaf(1.0, 2.0)
    y = layer(x)
    assert y.tolist() == [3.0, 6.0]
    y.sum().backward()
    assert seen == [([6.0, 6.0], [2.0, 2.0])]
    assert x.grad.tolist() == [60.0, 60.0]


def test_a_full_backward_hook_where_no_input_needs_a_gradient() -> None:
    layer = nn.Linear(2, 1)
    seen: list[Any] = []
    layer.register_full_backward_hook(lambda m, inputs, outputs: seen.append((inputs, outputs[0].tolist())))
    layer(ag.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])]
    assert layer.weight.grad.tolist() == [[1.0, 1.0]]


def test_full_backward_hooks_see_several_tensors_and_are_recorded() -> None:
    class Both(nn.Module):
        def forward(self, x: ag.Tensor, index: ag.Tensor, y: ag.Tensor) -> dict[str, ag.Tensor]:
            return {"product": x * y, "picked": x[index]}

    layer = Both()
    seen: list[Any] = []
    layer.register_full_backward_hook(lambda m, inputs, outputs: seen.append([g is None for g in (*inputs, *outputs)]))
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    out = layer(x, ag.tensor([0]), y)
    (gx,) = ag.autograd.grad((out["product"] ** 2).sum(), x, create_graph=True)
    (second,) = ag.autograd.grad(gx.sum(), y)
    assert seen == [[False, True, False, False, False]] * 2
    assert second.tolist() == [12.0, 32.0]  # d/dy 2 x y^2


def test_hooks_of_all_modules() -> None:
    model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))
    seen: list[str] = []
    with (
        register_module_forward_hook(lambda m, args, out: seen.append(type(m).__name__)),
        register_module_full_backward_hook(lambda m, inputs, outputs: seen.append("back " + type(m).__name__)),
    ):
        model(leaf(1.0)).sum().backward()
    model(leaf(1.0)).sum().backward()
    assert seen == [
        *("ReLU", "Tanh", "Sequential", "Sequential"),
        *("back Tanh", "back Sequential", "back ReLU", "back Sequential"),
    ]
