"""autograd.Function: ops that users write, held against the same derivative in ops of the table."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.autograd import Function, gradcheck, gradgradcheck
from autograd_ops.autograd.function import once_differentiable
from autograd_ops.tape import Node


def leaf(*values: float) -> ag.Tensor:
    return ag.tensor(list(values), dtype=ag.float64, requires_grad=True)


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: ag.Tensor) -> ag.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: ag.Tensor) -> ag.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * g * x**2


class Exp(Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx: Any, x: ag.Tensor) -> ag.Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: ag.Tensor) -> ag.Tensor:
        return g * ctx.saved_tensors[0]


class Both(Function):
    """x y and x + y."""

    @staticmethod
    def forward(ctx: Any, x: ag.Tensor, y: ag.Tensor) -> tuple[ag.Tensor, ag.Tensor]:
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx: Any, a: ag.Tensor, b: ag.Tensor) -> tuple[ag.Tensor | None, ag.Tensor | None]:
        x, y = ctx.saved_tensors
        needs_x, needs_y = ctx.needs_input_grad
        return a * y + b if needs_x else None, a * x + b if needs_y else None


class Scaled(Function):
    """In two static methods, with an argument that is no Tensor."""

    @staticmethod
    def forward(x: ag.Tensor, factor: float) -> ag.Tensor:
        return x * factor

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: ag.Tensor) -> None:
        _, ctx.factor = inputs

    @staticmethod
    def backward(ctx: Any, g: ag.Tensor) -> tuple[ag.Tensor, None]:
        return g * ctx.factor, None


def with_backward(backward: Any, **settings: Any) -> type[Function]:
    """A Function that doubles its argument."""

    class Doubled(Function):
        @staticmethod
        def forward(ctx: Any, x: ag.Tensor, *others: Any) -> ag.Tensor:
            return 2 * x

    Doubled.backward = staticmethod(backward)  # type: ignore[method-assign]
    return Doubled


@pytest.mark.parametrize("function", [Cube, Exp, Both], ids=lambda f: f.__name__)
def test_first_and_second_derivatives_against_differences(function: type[Function]) -> None:
    inputs = [leaf(0.5, -1.0), leaf(2.0, 0.3)][: 2 if function is Both else 1]
    assert gradcheck(function.apply, inputs)
    assert gradgradcheck(function.apply, inputs)


def test_third_derivatives() -> None:
    x = leaf(2.0)
    (first,) = ag.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    (second,) = ag.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = ag.autograd.grad(second.sum(), x)
    assert (first.item(), second.item(), third.item()) == (12.0, 12.0, 6.0)


def test_setup_context_and_arguments_that_are_no_tensors() -> None:
    x = leaf(1.0, 2.0)
    Scaled.apply(x, 5.0).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_only_what_needs_a_gradient_gets_one() -> None:
    x, y = leaf(1.0, 2.0), ag.tensor([3.0, 4.0], dtype=ag.float64)
    product, total = Both.apply(x, y)
    (product.sum() + 10 * total.sum()).backward()
    assert x.grad.tolist() == [13.0, 14.0]
    assert y.grad is None


@pytest.mark.parametrize("fills", [True, False])
def test_an_output_that_no_gradient_arrives_at_has_zeros_or_none(fills: bool) -> None:
    seen = []

    class Twice(Function):
        @staticmethod
        def forward(ctx: Any, x: ag.Tensor) -> tuple[ag.Tensor, ag.Tensor, int]:
            ctx.set_materialize_grads(fills)
            return 2 * x, 3 * x, 4

        @staticmethod
        def backward(ctx: Any, *gradients: ag.Tensor | None) -> ag.Tensor | None:
            seen.extend(gradients)
            return gradients[1]

    x = leaf(1.0)
    out = Twice.apply(x)
    assert out[2] == 4
    out[1].backward()
    assert [None if g is None else g.tolist() for g in seen] == [[0.0] if fills else None, [1.0], None]


def test_an_output_without_gradients() -> None:
    class Sort(Function):
        @staticmethod
        def forward(ctx: Any, x: ag.Tensor) -> tuple[ag.Tensor, ag.Tensor, ag.Tensor]:
            order = x.argsort()
            rank = order.double()
            ctx.mark_non_differentiable(rank)
            ctx.save_for_backward(order)
            return x[order], order, rank

        @staticmethod
        def backward(ctx: Any, g: ag.Tensor, *_: Any) -> ag.Tensor:
            return g[ctx.saved_tensors[0].argsort()]

    x = leaf(3.0, 1.0, 2.0)
    values, order, rank = Sort.apply(x)
    assert (values.requires_grad, order.requires_grad, rank.requires_grad) == (True, False, False)
    (values * ag.tensor([1.0, 10.0, 100.0], dtype=ag.float64)).sum().backward()
    assert x.grad.tolist() == [100.0, 1.0, 10.0]


def test_returning_an_argument_gives_another_tensor() -> None:
    class Reversed(Function):
        @staticmethod
        def forward(ctx: Any, x: ag.Tensor) -> ag.Tensor:
            return x

        @staticmethod
        def backward(ctx: Any, g: ag.Tensor) -> ag.Tensor:
            return -g

    x = leaf(1.0)
    y = Reversed.apply(x)
    y.sum().backward()
    assert y is not x
    assert x.grad.tolist() == [-1.0]


def test_an_argument_that_is_saved_and_returned_is_the_argument() -> None:
    class Squared(Function):
        """x, with the gradient of x^2."""

        @staticmethod
        def forward(ctx: Any, x: ag.Tensor) -> ag.Tensor:
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: ag.Tensor) -> ag.Tensor:
            return 2 * g * ctx.saved_tensors[0]

    x = leaf(3.0)
    (first,) = ag.autograd.grad(Squared.apply(x), x, create_graph=True)
    (second,) = ag.autograd.grad(first, x)
    assert (first.item(), second.item()) == (6.0, 2.0)


class AddOne(Function):
    @staticmethod
    def forward(ctx: Any, x: ag.Tensor) -> ag.Tensor:
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx: Any, g: ag.Tensor) -> ag.Tensor:
        return 7 * g  # to tell it from add


def test_a_change_in_place_is_recorded_on_the_argument() -> None:
    x = leaf(1.0, 2.0)
    y = x * 1
    assert AddOne.apply(y) is y
    y.sum().backward()
    assert y.tolist() == [2.0, 3.0]
    assert x.grad.tolist() == [7.0, 7.0]


def test_a_change_of_a_view_is_recorded_on_what_it_is_a_view_of() -> None:
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    AddOne.apply(y[1:])
    (y * y).sum().backward()
    assert y.tolist() == [1.0, 3.0, 4.0]
    assert x.grad.tolist() == [2.0, 42.0, 56.0]


def test_a_leaf_is_not_changed_in_place() -> None:
    with pytest.raises(ag.TapeError, match=r"AddOne\.apply: this is a leaf"):
        AddOne.apply(leaf(1.0))


def test_a_saved_tensor_that_was_changed_is_refused() -> None:
    x = leaf(1.0)
    y = x * 1
    z = Cube.apply(y)
    y.mul_(2)
    with pytest.raises(
        ag.TapeError, match=r"backward of Cube needs its 'saved tensor 0' .* mul_ at .*test_function.py"
    ):
        z.backward()


def test_only_tensors_are_saved() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: ag.Tensor) -> ag.Tensor:
            ctx.save_for_backward(x, 3)
            return x

    with pytest.raises(TypeError, match="argument 1 is a int"):
        Wrong.apply(leaf(1.0))


def test_a_second_backward_needs_retain_graph() -> None:
    x = leaf(2.0)
    y = Exp.apply(x)
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == pytest.approx(2 * np.exp(2))
    with pytest.raises(ag.TapeError, match="backward reached Exp a second time"):
        y.backward()


@pytest.mark.parametrize(
    ("backward", "error", "message"),
    [
        (lambda ctx, g: (g, g), ag.TapeError, r"Doubled.backward gave 2 gradients, but Doubled.forward takes 1"),
        (lambda ctx, g: g[:1], ag.TapeError, r"Doubled.backward gave a gradient of shape \(1,\) for argument 0"),
        (lambda ctx, g: g > 0, ag.TapeError, r"Doubled.backward gave a gradient of bool for argument 0"),
        (lambda ctx, g: 1.0, TypeError, r"Doubled.backward gave a float for argument 0"),
    ],
    ids=["number", "shape", "dtype", "no tensor"],
)
def test_what_backward_gives_is_checked(backward: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        with_backward(backward).apply(leaf(1.0, 2.0)).sum().backward()


def test_a_gradient_for_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(ag.TapeError, match="argument 1, which is no Tensor"):
        with_backward(lambda ctx, g: (g, g)).apply(leaf(1.0), 3.0).sum().backward()


def test_what_backward_gives_is_fitted() -> None:
    x = leaf(1.0, 2.0)
    with_backward(lambda ctx, g: (ag.stack([g, 2 * g]).float(), None, None)).apply(x).sum().backward()
    assert (x.grad.tolist(), x.grad.dtype) == ([3.0, 3.0], ag.float64)


def test_nothing_is_kept_where_nothing_is_recorded() -> None:
    with ag.no_grad():
        y = Exp.apply(leaf(1.0))
    assert y.node is None
    assert Exp.apply(ag.ones(2)).node is None


def test_a_backward_that_runs_off_the_tape() -> None:
    class Square(Function):
        @staticmethod
        def forward(ctx: Any, x: ag.Tensor) -> ag.Tensor:
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, g: ag.Tensor) -> ag.Tensor:
            assert not ag.is_grad_enabled()
            return ag.from_numpy(2 * ctx.saved_tensors[0].detach().numpy() * g.numpy())

    x = leaf(3.0)
    (g,) = ag.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    assert g.item() == 6.0
    with pytest.raises(ag.TapeError, match="once_differentiable"):
        g.backward()


def test_complex_gradients_are_pytorchs() -> None:
    class Square(Function):
        @staticmethod
        def forward(ctx: Any, z: ag.Tensor) -> ag.Tensor:
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx: Any, g: ag.Tensor) -> ag.Tensor:
            return 2 * g * ag.ops.conj(ctx.saved_tensors[0])

    z = ag.tensor([1 + 2j, 0.5 - 1j], dtype=ag.complex128, requires_grad=True)
    assert gradcheck(Square.apply, z)
    assert gradgradcheck(Square.apply, z)
    w = Square.apply(z)
    (ag.ops.real(w) ** 2 + ag.ops.imag(w) ** 2).sum().backward()
    host = z.detach().numpy()
    np.testing.assert_allclose(z.grad.numpy(), 4 * abs(host) ** 2 * host)  # |z|^4, whose steepest ascent is that


def test_a_function_is_named_where_it_shows() -> None:
    y = Cube.apply(leaf(1.0))
    assert y.grad_fn.name() == "Cube"
    assert "Cube" in repr(y.grad_fn)
    with pytest.raises(TypeError, match=r"Cube.apply"):
        Cube()


def test_the_observer_is_told() -> None:
    seen: list[str] = []

    def observer(node: Node, arguments: tuple[Any, ...], result: Any) -> None:
        seen.append(node.op.name)

    ag.tape.mode.observer = observer
    try:
        Both.apply(leaf(1.0), leaf(2.0))
    finally:
        ag.tape.mode.observer = None
    assert seen == ["Both"]


def test_with_gc_off_everything_goes() -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        y = Exp.apply(x)
        z = sum(out.sum() for out in Both.apply(y, Cube.apply(y)))
        nodes = [weakref.ref(node) for node in ag.tape.nodes_behind([z.node]) if node is not x.node]
        (g,) = ag.autograd.grad(z, x, create_graph=True)
        g.sum().backward()
        del y, z, g
        assert [ref for ref in nodes if ref() is not None] == []
    finally:
        gc.enable()
