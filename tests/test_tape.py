"""The tape: what is recorded, how it is walked back, and what is let go."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import ops
from autograd_ops.autograd import grad
from autograd_ops.registry import Array, op
from autograd_ops.tape import Leaf, Node, Port, TapeError, mode, nodes_behind


def leaf(*values: float) -> ag.Tensor:
    return ag.tensor(list(values), dtype=ag.float64, requires_grad=True)


# ---------------------------------------------------------------- recording


def test_a_node_knows_its_op_its_parents_and_its_place_in_the_order() -> None:
    x = leaf(1.0, 2.0)
    y = ops.exp(x)
    z = ops.mul(y, x)
    assert isinstance(x.node, Leaf)
    assert y.node is not None
    assert z.node is not None
    assert (y.node.op.name, z.node.op.name) == ("exp", "mul")
    assert z.node.parents == (y.node, x.node)
    assert x.node.seq < y.node.seq < z.node.seq
    assert z.node.shape == (2,)


def test_the_nodes_in_order_of_number_are_the_tape() -> None:
    x = leaf(1.0)
    loss = (x.exp() + x).sum()
    assert loss.node is not None
    tape = sorted(nodes_behind([loss.node]), key=lambda node: node.seq)
    assert [type(n).__name__ if type(n) is Leaf else n.op.name for n in tape] == ["Leaf", "exp", "add", "sum"]


def test_a_value_is_kept_only_if_an_input_whose_rule_names_it_needs_a_gradient() -> None:
    x, constant = leaf(1.0, 2.0), ag.ones(2, dtype=ag.float64)
    product = ops.mul(x, constant)
    assert product.node is not None
    assert product.node.saved[0] is constant.array
    assert all(value is not x.array for value in product.node.saved)
    total = ops.add(x, constant)
    assert total.node is not None
    assert total.node.saved == ()


def test_relu_keeps_its_output_and_lets_its_input_go() -> None:
    x = leaf(-1.0, 2.0)
    hidden = x * 3.0
    freed = weakref.ref(hidden)
    y = hidden.relu()
    assert y.node is not None
    assert y.node.saved[0] is y.array
    del hidden
    assert freed() is None


def test_what_needs_no_gradient_is_not_recorded() -> None:
    x = ag.ones(2)
    assert (x * 2).node is None
    with ag.no_grad():
        assert (leaf(1.0) * 2).node is None


def test_no_grad_and_enable_grad_nest_decorate_and_undo_themselves_after_an_error() -> None:
    x = leaf(1.0)

    @ag.no_grad()
    def off() -> bool:
        return (x * 2).requires_grad

    @ag.no_grad
    def off_too() -> bool:
        return (x * 2).requires_grad

    assert not off()
    assert not off_too()
    with ag.no_grad(), ag.enable_grad():
        assert (x * 2).requires_grad
    with pytest.raises(ZeroDivisionError), ag.no_grad():
        raise ZeroDivisionError
    assert ag.is_grad_enabled()


def test_set_grad_enabled_holds_from_the_call_on_or_for_a_block() -> None:
    with ag.set_grad_enabled(False):
        assert not ag.is_grad_enabled()
    assert ag.is_grad_enabled()
    ag.set_grad_enabled(False)
    try:
        assert not ag.is_grad_enabled()
    finally:
        ag.set_grad_enabled(True)


def test_the_observer_is_told_of_every_node_with_its_arguments_and_result() -> None:
    seen: list[tuple[str, tuple[Any, ...], Any]] = []
    x = leaf(1.0, 2.0)
    mode.observer = lambda node, arguments, result: seen.append((node.op.name, arguments, result))
    try:
        y = x * 2.0
        total = ops.sum(y, (0,), True)
        ag.ones(2) * 3.0
        normed = ops.layer_norm(x, None, None, 1e-5)
    finally:
        mode.observer = None
    assert [name for name, _, _ in seen] == ["mul", "sum", "layer_norm"]
    assert seen[0][1] == (x, 2.0)
    assert seen[0][2] is y
    assert seen[1][1][1:] == ((0,), True)
    assert seen[1][2] is total
    assert seen[2][1:] == ((x, None, None, 1e-5), normed)


# ---------------------------------------------------------------- walking back


def test_a_diamond_adds_up_both_ways() -> None:
    x = leaf(1.5)
    u = x * 2.0
    v = u + x
    (u * v + v * x).sum().backward()
    # u = 2x, v = 3x: 6x^2 + 3x^2, whose derivative is 18x.
    assert x.grad is not None
    assert x.grad.tolist() == [27.0]


def test_gradients_add_up_over_backwards_until_they_are_zeroed() -> None:
    x = leaf(1.0, 2.0)
    for expected in ([2.0, 4.0], [4.0, 8.0]):
        (x * x).sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == expected


def test_a_gradient_is_never_the_memory_of_another() -> None:
    a, b = leaf(1.0), leaf(2.0)
    seed = ag.ones(1, dtype=ag.float64)
    (a + b).backward(seed)
    assert a.grad is not None
    assert b.grad is not None
    assert not np.shares_memory(a.grad.array, b.grad.array)
    assert not np.shares_memory(a.grad.array, seed.array)
    ga, gb = grad(a + b, (a, b))
    assert ga is not None
    assert gb is not None
    assert not np.shares_memory(ga.array, gb.array)


def test_the_gradient_of_a_sum_is_a_whole_array_and_not_a_stretched_one() -> None:
    x = ag.ones(3, 4, requires_grad=True)
    x.sum().backward()
    assert x.grad is not None
    x.grad.add_(1.0)
    assert x.grad.tolist() == [[2.0] * 4] * 3


def test_a_second_backward_needs_retain_graph() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [4.0, 8.0]
    with pytest.raises(TapeError, match=r"mul a second time.*retain_graph=True"):
        y.backward()
    assert x.grad.tolist() == [4.0, 8.0]


def test_what_kept_no_array_can_run_again() -> None:
    x = leaf(1.0, 2.0)
    y = (x.reshape(1, 2) + 1.0).sum()
    y.backward()
    y.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]


def test_saved_values_are_freed_node_by_node() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()
    z = y * y
    z.sum().backward()
    assert y.node is not None
    assert z.node is not None
    assert y.node.saved == z.node.saved == ("freed",)


def test_create_graph_gives_higher_derivatives() -> None:
    x = ag.tensor([-1.0, 0.0, 2.0], dtype=ag.float64, requires_grad=True)
    y = x**4
    expected = [[-4.0, 0.0, 32.0], [12.0, 0.0, 48.0], [-24.0, 0.0, 48.0], [24.0] * 3, [0.0] * 3]
    for derivative in expected:
        (y,) = grad(y.sum(), x, create_graph=True)  # type: ignore[assignment]
        assert y.tolist() == derivative


def test_a_retained_grad_with_a_graph_can_be_differentiated() -> None:
    x = leaf(3.0)
    (x**3).sum().backward(create_graph=True)
    assert x.grad is not None
    first = x.grad
    x.grad = None
    first.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [18.0]


def test_grad_leaves_every_grad_alone_and_runs_only_what_leads_to_the_inputs() -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = x * w
    called: list[str] = []
    w.register_hook(lambda g: called.append("w"))
    (gx,) = grad(y.sum(), x)
    assert gx is not None
    assert gx.tolist() == [3.0, 4.0]
    assert x.grad is None
    assert w.grad is None
    assert called == []


def test_grad_with_respect_to_a_tensor_in_the_middle() -> None:
    x = leaf(2.0)
    y = x * 3.0
    z = y * y
    gy, gx = grad(z, (y, x))
    assert gy is not None
    assert gx is not None
    assert (gy.tolist(), gx.tolist()) == ([12.0], [36.0])


def test_an_unused_input_is_an_error_or_none_or_zeros() -> None:
    x, unused = leaf(1.0), leaf(2.0, 3.0)
    y = x * 2.0
    with pytest.raises(TapeError, match=r"input 1 was not used.*allow_unused=True"):
        grad(y, (x, unused), retain_graph=True)
    assert grad(y, (x, unused), retain_graph=True, allow_unused=True)[1] is None
    zeros = grad(y, (x, unused), materialize_grads=True)[1]
    assert zeros is not None
    assert zeros.tolist() == [0.0, 0.0]


def test_backward_for_some_inputs_only() -> None:
    x, w = leaf(1.0), leaf(2.0)
    (x * w).backward(ag.ones(1, dtype=ag.float64), inputs=[w])
    assert x.grad is None
    assert w.grad is not None
    assert w.grad.tolist() == [1.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ag.ones(2).sum().backward(), "does not require grad"),
        (lambda: (ag.ones(2, requires_grad=True) * 2).backward(), "single element.*shape \\(2,\\)"),
        (lambda: (ag.ones(2, requires_grad=True) * 2).backward(ag.ones(3)), "shape \\(3,\\).*\\(2,\\)"),
        (lambda: grad(ag.ones(1, requires_grad=True), ag.ones(1)), "input 0 does not require grad"),
    ],
)
def test_a_backward_that_cannot_be_is_refused(call: Any, message: str) -> None:
    with pytest.raises(TapeError, match=message):
        call()


def test_a_gradient_on_another_device_is_refused() -> None:
    y = ag.ones(2, requires_grad=True) * 2
    with pytest.raises(ag.DeviceError, match=r"'strict'.*'cpu'"):
        y.backward(ag.ones(2, device="strict"))


def test_an_integer_tensor_cannot_require_grad() -> None:
    with pytest.raises(TypeError, match=r"int64.*x.float()"):
        ag.tensor([1, 2], requires_grad=True)
    with pytest.raises(TypeError, match=r"bool"):
        ag.tensor([True]).requires_grad_()


# ---------------------------------------------------------------- hooks


def test_a_hook_sees_the_whole_gradient_once_and_may_replace_it() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2.0
    seen: list[Any] = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    handle = y.register_hook(lambda g: g * 10.0)
    (y + y * 3.0).sum().backward(retain_graph=True)
    assert seen == [[4.0, 4.0]]
    assert x.grad is not None
    assert x.grad.tolist() == [80.0, 80.0]
    handle.remove()
    handle.remove()
    x.grad = None
    (y * 1.0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_hook_on_a_leaf() -> None:
    x = leaf(1.0)
    x.register_hook(lambda g: g + 1.0)
    (x * 2.0 + x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [4.0]


def test_retain_grad_leaves_a_gradient_in_the_middle() -> None:
    x = leaf(3.0)
    y = x * 2.0
    assert not y.retains_grad
    y.retain_grad()
    (y * y).sum().backward()
    assert y.retains_grad
    assert y.grad is not None
    assert y.grad.tolist() == [12.0]
    with pytest.raises(TapeError, match=r"does not require grad"):
        ag.ones(1).retain_grad()


# ---------------------------------------------------------------- several outputs


class Pair(NamedTuple):
    total: Any
    difference: Any


@op(formula="dx = g0 + g1, dy = g0 - g1", outputs=("total", "difference"))
def both(x: Array, y: Array) -> Pair:
    """x + y and x - y"""
    return Pair(x + y, x - y)


both.backward(x=lambda g: g[0] + g[1], y=lambda g: g[0] - g[1])


def test_an_op_of_several_outputs_gets_the_gradients_of_all_with_zeros_where_none_came() -> None:
    x, y = leaf(5.0, 1.0), leaf(2.0, 3.0)
    outputs = both(x, y)
    assert isinstance(outputs, Pair)
    assert isinstance(outputs.total.node, Port)
    (outputs.total * 2.0 + outputs.difference * 3.0).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.tolist(), y.grad.tolist()) == ([5.0, 5.0], [-1.0, -1.0])
    (gx, gy) = grad(both(x, y).difference.sum(), (x, y))
    assert gx is not None
    assert gy is not None
    assert (gx.tolist(), gy.tolist()) == ([1.0, 1.0], [-1.0, -1.0])


def test_second_derivatives_through_several_outputs() -> None:
    x, y = leaf(0.5), leaf(2.0)

    def f(x: ag.Tensor, y: ag.Tensor) -> ag.Tensor:
        outputs = both(x, y)
        return (outputs.total**2 * outputs.difference).sum()

    assert ag.autograd.gradcheck(f, (x, y))
    assert ag.autograd.gradgradcheck(f, (x, y))


# ---------------------------------------------------------------- size and memory


def test_a_chain_of_100_000_ops_runs_backward_without_recursion() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y * 1.0
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0]


def test_a_long_chain_is_dropped_without_recursion() -> None:
    y = leaf(1.0)
    for _ in range(100_000):
        y = y + 1.0
    last = weakref.ref(y.node)
    del y
    assert last() is None


def _network() -> tuple[list[ag.Tensor], ag.Tensor]:
    x, w = ag.ones(4, 3), ag.ones(3, 2, requires_grad=True)
    h = ops.tanh(ops.matmul(x, w))
    h.retain_grad()
    values = h.max(1).values
    normed = ops.layer_norm(h, None, None, 1e-5)
    parts = both(h, normed)
    return [x, w, h], (values.sum() + parts.difference.exp().sum() + h[[0, 0, 1]].sum() + h.T.reshape(-1).sum())


@pytest.mark.parametrize("run", ["forward", "backward", "create_graph"])
def test_with_gc_off_dropping_the_loss_frees_every_node(run: str) -> None:
    _network()  # the first call of an op may import, and leave garbage
    gc.collect()
    gc.disable()
    try:
        tensors, loss = _network()
        assert loss.node is not None
        nodes = [weakref.ref(node) for node in nodes_behind([loss.node]) if not isinstance(node, Leaf)]
        if run == "backward":
            loss.backward()
        elif run == "create_graph":
            loss.backward(create_graph=True)
            tensors[1].grad = None
        assert len(nodes) > 10
        del loss, tensors
        assert [ref for ref in nodes if ref() is not None] == []
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_an_op_on_the_tape_is_at_most_three_objects_for_the_collector() -> None:
    y, c = ag.ones(2, requires_grad=True), ag.ones(2)
    y = y * c  # compiles, and fills caches
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(1000):
        y = y * c
    assert y.requires_grad
    gc.collect()  # which stops tracking tuples of numbers
    # The Node and its two tuples.
    assert len(gc.get_objects()) - before <= 3 * 1000 + 50


# ---------------------------------------------------------------- threads


def test_threads_record_and_switch_recording_independently() -> None:
    results: dict[int, list[float]] = {}
    ready = threading.Barrier(4)

    def work(i: int) -> None:
        ready.wait()
        with ag.set_grad_enabled(i % 2 == 0):
            x = leaf(float(i + 1))
            y = (x * x).sum()
            for _ in range(200):
                y = y + 0.0
        if y.requires_grad:
            y.backward()
        results[i] = [] if x.grad is None else x.grad.tolist()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {0: [2.0], 1: [], 2: [6.0], 3: []}
    assert ag.is_grad_enabled()


def test_threads_share_a_leaf() -> None:
    w = leaf(1.0, 1.0)

    def work(found: list[Any]) -> None:
        (g,) = grad((w * 3.0).sum(), w)
        found.append(g)

    found: list[Any] = []
    threads = [threading.Thread(target=work, args=(found,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [g.tolist() for g in found] == [[3.0, 3.0]] * 8


def test_node_and_tensor_print_readably() -> None:
    x = leaf(1.0)
    y = x * 2.0
    assert isinstance(y.node, Node)
    assert repr(y.node).startswith("<mul #")
    assert "grad_fn=<mul #" in repr(y)
    assert repr(x) == "tensor([1.], dtype=autograd_ops.float64, requires_grad=True)"


def test_gradients_by_a_rule_and_by_the_user_meet_at_one_of_several_outputs() -> None:
    # The rule of svd names its outputs, and so does the product, which is the matrix itself.
    x = ag.tensor([[3.0, 1.0], [0.5, -2.0]], dtype=ag.float64, requires_grad=True)
    u, s, vh = ag.ops.svd(x)
    loss = (ag.matmul(u * s, vh) ** 3).sum()
    (first,) = ag.autograd.grad(loss, x, create_graph=True)
    (second,) = ag.autograd.grad(first.sum(), x)
    np.testing.assert_allclose(second.tolist(), (6 * x.detach()).tolist(), rtol=1e-12)


def test_a_hook_on_one_of_several_outputs_sees_second_derivatives_too() -> None:
    x = ag.tensor([[3.0, 1.0], [0.5, -2.0]], dtype=ag.float64, requires_grad=True)
    u, s, vh = ag.ops.svd(x)
    seen: list[Any] = []
    s.register_hook(lambda g: seen.append(g))
    (first,) = ag.autograd.grad((ag.matmul(u * s, vh) ** 3).sum(), x, create_graph=True)
    assert len(seen) == 1
    ag.autograd.grad(first.sum(), x)
    assert len(seen) == 2
