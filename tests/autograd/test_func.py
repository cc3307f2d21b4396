"""autograd_ops.func and autograd.functional, held against derivatives by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import func, nn
from autograd_ops.autograd import functional
from autograd_ops.pytree import flatten, unflatten

A = np.array([1.0, -2.0, 0.5])
B = np.array([0.3, 2.0, -1.5])


def of(values: Any) -> ag.Tensor:
    return ag.tensor(np.asarray(values), dtype=ag.float64)


def close(got: ag.Tensor, want: Any) -> None:
    np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-12, atol=1e-12)
    assert got.dtype is ag.float64


# ---------------------------------------------------------------- grad


def test_grad_of_one_argument_of_several_and_of_trees() -> None:
    close(func.grad(lambda x: (x**3).sum())(of(A)), 3 * A**2)
    x, y = func.grad(lambda x, y: (x * y).sum(), argnums=(0, -1))(of(A), of(B))
    close(x, B)
    close(y, A)
    tree = func.grad(lambda p: (p["a"] * p["b"][0]).sum())({"a": of(A), "b": [of(B)]})
    close(tree["a"], B)
    close(tree["b"][0], A)


def test_value_and_aux_come_along() -> None:
    def with_aux(x: ag.Tensor, power: int) -> Any:
        return (x**power).sum(), {"twice": 2 * x}

    gradient, aux = func.grad(with_aux, has_aux=True)(of(A), power=2)
    close(gradient, 2 * A)
    close(aux["twice"], 2 * A)
    assert not aux["twice"].requires_grad
    gradient, (value, _) = func.grad_and_value(with_aux, has_aux=True)(of(A), 2)
    (value_again, _), gradient_again = func.value_and_grad(with_aux, has_aux=True)(of(A), 2)
    close(value, np.sum(A**2))
    assert (gradient.tolist(), value.tolist()) == (gradient_again.tolist(), value_again.tolist())
    value, gradient = func.value_and_grad(lambda x: (x**2).sum())(of(A))
    close(gradient, 2 * A)
    assert not value.requires_grad


def test_nested_gradients_do_not_mix() -> None:
    # The inner derivative is by y at y = x, for x fixed: 2 x y. Taken for x as a whole it would be 3 x^2.
    close(func.grad(lambda x: func.grad(lambda y: (x * y**2).sum())(x).sum())(of(A)), 4 * A)
    close(func.grad(func.grad(func.grad(lambda x: x**4)))(of(2.0)), 48.0)
    # An inner derivative by a constant.
    close(func.grad(lambda x: func.grad(lambda y: (x * y**2).sum())(of(B)).sum())(of(A)), 2 * B)


def test_gradients_are_on_the_tape_where_something_of_the_users_came_in() -> None:
    w = of(B).requires_grad_()
    gradient = func.grad(lambda x: (w * x**2).sum())(of(A))
    gradient.sum().backward()
    close(w.grad, 2 * A)
    x = of(A).requires_grad_()
    (second,) = ag.autograd.grad(func.grad(lambda x: (x**3).sum())(x).sum(), x)
    close(second, 6 * A)
    assert x.grad is None
    assert not func.grad(lambda x: (x**3).sum())(of(A)).requires_grad


def test_under_no_grad_gradients_are_found_and_not_recorded() -> None:
    with ag.no_grad():
        close(func.grad(func.grad(lambda x: x**3))(of(2.0).requires_grad_()), 12.0)
        assert not func.grad(lambda x: (x**3).sum())(of(A).requires_grad_()).requires_grad


def test_a_constant_has_zeros() -> None:
    close(func.grad(lambda x: of(3.0))(of(A)), np.zeros(3))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: func.grad(lambda x: x)(of(A)), ValueError, r"shape \(\), and gave \(3,\)"),
        (lambda: func.grad(lambda x: 1.0)(of(A)), TypeError, "gave a float"),
        (lambda: func.grad(lambda x: x)(ag.tensor(1)), TypeError, "leaf 0 is int64"),
        (lambda: func.grad(lambda x: x)(1.0), TypeError, "leaf 0 is a float"),
        (lambda: func.grad(lambda x: x, argnums=1)(of(1.0)), ValueError, "argnums has 1"),
        (lambda: func.grad(lambda x: x, has_aux=True)(of(1.0)), TypeError, r"tuple \(result, aux\)"),
        (lambda: func.jvp(lambda x: x, of(1.0), of(1.0)), TypeError, "are tuples"),
        (lambda: func.jvp(lambda x: x, (of(1.0),), (of(A),)), ValueError, r"shape \(3,\), but must be like \(\)"),
        (lambda: func.vjp(lambda x: x, of(1.0))[1]((of(1.0), of(1.0))), ValueError, "must be None|must be tensor"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# ---------------------------------------------------------------- products and Jacobians


def test_vjp_can_be_pulled_more_than_once() -> None:
    (product, total), back = func.vjp(lambda x, y: (x * y, x.sum()), of(A), of(B))
    close(product, A * B)
    close(total, A.sum())
    for v in (A, B):
        x, y = back((of(v), of(2.0)))
        close(x, v * B + 2)
        close(y, v * A)


def test_jvp_is_exact() -> None:
    value, along = func.jvp(lambda x, y: {"a": ag.sin(x * y), "b": x.sum()}, (of(A), of(B)), (of(B), of(A)))
    close(value["a"], np.sin(A * B))
    close(along["a"], np.cos(A * B) * (B * B + A * A))
    close(along["b"], B.sum())
    _, along = func.jvp(lambda x: ag.ops.relu(x), (of(A),), (of(B),))
    close(along, np.where(A > 0, B, 0))


@pytest.mark.parametrize("jacobian", [func.jacrev, func.jacfwd])
def test_jacobians(jacobian: Any) -> None:
    x, y = jacobian(lambda x, y: x * y, argnums=(0, 1))(of(A), of(B))
    close(x, np.diag(B))
    close(y, np.diag(A))
    outer = jacobian(lambda x: {"o": x.reshape(3, 1) * of(B), "s": (x.sum(),)})(of(A))
    close(outer["o"], np.einsum("ik,j->ijk", np.eye(3), B))
    close(outer["s"][0], np.ones(3))
    found, aux = jacobian(lambda x: (x**2, x + 1), has_aux=True)(of(A))
    close(found, np.diag(2 * A))
    close(aux, A + 1)
    assert jacobian(lambda x: x[:0])(of(A)).shape == (0, 3)


@pytest.mark.parametrize("outer", [func.jacrev, func.jacfwd])
@pytest.mark.parametrize("inner", [func.jacrev, func.jacfwd])
def test_jacobians_of_jacobians(outer: Any, inner: Any) -> None:
    close(outer(inner(lambda x: (x**3).sum() + x[0] * x[1]))(of(A)), np.diag(6 * A) + _pair())


def _pair() -> np.ndarray:
    pair = np.zeros((3, 3))
    pair[0, 1] = pair[1, 0] = 1
    return pair


def test_hessian() -> None:
    (xx, xy), (yx, yy) = func.hessian(lambda x, y: (x**2 * y).sum(), argnums=(0, 1))(of(A), of(B))
    for got, want in ((xx, np.diag(2 * B)), (xy, np.diag(2 * A)), (yx, np.diag(2 * A)), (yy, np.zeros((3, 3)))):
        close(got, want)


PIECEWISE_LINEAR = {
    "relu": ag.ops.relu,
    "leaky_relu": lambda x: ag.ops.leaky_relu(x, 0.1),
    "relu6": nn.functional.relu6,
    "abs": ag.ops.abs,
    "hardtanh": nn.functional.hardtanh,
    "clamp": lambda x: x.clamp(-1, 1),
    "max": lambda x: x.max(),
    "max_pool1d": lambda x: nn.functional.max_pool1d(x.reshape(1, 1, 3), 2, 1),
}


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_second_derivatives_of_what_is_piecewise_linear_are_zeros(name: str) -> None:
    function = PIECEWISE_LINEAR[name]
    x = of(A).requires_grad_()
    w = of(2.0).requires_grad_()
    for factor in (1.0, w):  # alone, and where the gradient depends on something else
        (first,) = ag.autograd.grad((function(x) * factor).sum(), x, create_graph=True)
        (second,) = ag.autograd.grad(first.sum(), x)
        close(second, np.zeros(3))
    close(func.hessian(lambda x: function(x).sum())(of(A)), np.zeros((3, 3)))
    close(functional.hessian(lambda x: function(x).sum(), of(A)), np.zeros((3, 3)))


def test_a_gradient_that_nothing_chose_does_not_require_grad() -> None:
    x = of(A).requires_grad_()
    (first,) = ag.autograd.grad((2 * x).sum(), x, create_graph=True)
    assert not first.requires_grad


def test_a_network_of_relus_differentiated_twice_by_its_input() -> None:
    model = nn.Sequential(nn.Linear(1, 4), nn.ReLU(), nn.Linear(4, 1)).double()
    t = ag.linspace(0, 1, 5, dtype=ag.float64).reshape(-1, 1).requires_grad_()
    u = model(t)
    (first,) = ag.autograd.grad(u.sum(), t, create_graph=True)
    (second,) = ag.autograd.grad(first.sum(), t, create_graph=True)
    close(second, np.zeros((5, 1)))
    (second + first).sum().backward()
    active = (t * model[0].weight.reshape(-1) + model[0].bias > 0).double()
    close(model[2].weight.grad, (active * model[0].weight.reshape(-1)).sum(0, keepdim=True).detach().numpy())


# ---------------------------------------------------------------- autograd.functional


def test_functional_results_are_arranged_like_the_arguments() -> None:
    jacobian = functional.jacobian
    assert isinstance(jacobian(lambda x: x**2, of(A)), ag.Tensor)
    (one,) = jacobian(lambda x: x**2, (of(A),))
    (other,) = jacobian(lambda x: (x**2,), of(A))
    close(one, np.diag(2 * A))
    close(other, np.diag(2 * A))
    ((xx, xy), (sx, sy)) = jacobian(lambda x, y: (x * y, x.sum()), (of(A), of(B)), strategy="forward-mode")
    for got, want in ((xx, np.diag(B)), (xy, np.diag(A)), (sx, np.ones(3)), (sy, np.zeros(3))):
        close(got, want)
    ((h,),) = functional.hessian(lambda x: (x**3).sum(), (of(A),))
    close(h, np.diag(6 * A))


def test_functional_products() -> None:
    value, back = functional.vjp(lambda x, y: x * y, (of(A), of(B)), of(B))
    close(value, A * B)
    close(back[0], B * B)
    close(back[1], A * B)
    _, along = functional.jvp(lambda x: x**2, of(A), of(B))
    close(along, 2 * A * B)
    for product in (functional.vhp, functional.hvp):
        value, along = product(lambda x: (x**3).sum(), of(A), of(B))
        close(value, np.sum(A**3))
        close(along, 6 * A * B)


def test_functional_results_are_on_the_tape_if_asked() -> None:
    x = of(A).requires_grad_()
    assert not functional.jacobian(lambda x: x**3, x).requires_grad
    jacobian = functional.jacobian(lambda x: x**3, x, create_graph=True)
    (gradient,) = ag.autograd.grad(jacobian.sum(), x)
    close(gradient, 6 * A)
    hessian = functional.hessian(lambda x: (x**3).sum(), x, create_graph=True)
    (gradient,) = ag.autograd.grad(hessian.sum(), x)
    close(gradient, np.full(3, 6.0))


def test_strict_refuses_what_does_not_depend() -> None:
    assert functional.jacobian(lambda x, y: 2 * x, (of(A), of(B)))[1].tolist() == np.zeros((3, 3)).tolist()
    with pytest.raises(RuntimeError, match="output 0 of the function does not depend on input 1"):
        functional.jacobian(lambda x, y: 2 * x, (of(A), of(B)), strict=True)
    with pytest.raises(RuntimeError, match="does not depend"):
        functional.hessian(lambda x: x.sum(), of(A), strict=True)
    with pytest.raises(ValueError, match="v can be left out"):
        functional.vjp(lambda x: x**2, of(A))
    with pytest.raises(RuntimeError, match="single element"):
        functional.hessian(lambda x: x**2, of(A))


def test_grad_for_a_batch_of_gradients() -> None:
    x = of(A).requires_grad_()
    y = x**2
    (rows,) = ag.autograd.grad(y, x, of(np.eye(3)), is_grads_batched=True)
    close(rows, np.diag(2 * A))


# ---------------------------------------------------------------- vmap


def test_vmap_slices_and_stacks() -> None:
    rows = of(np.arange(6.0).reshape(2, 3))
    close(func.vmap(lambda x, y: x * y, in_dims=(0, None))(rows, of(A)), rows.numpy() * A)
    whole, sums = func.vmap(lambda x: (x, x.sum()), in_dims=1, out_dims=(1, 0))(rows)
    close(whole, rows.numpy())
    close(sums, rows.numpy().sum(0))
    tree = func.vmap(lambda d, k: {"p": d["a"] * d["b"] + k}, in_dims=({"a": 0, "b": None}, None))
    close(tree({"a": rows, "b": of(A)}, 1.0)["p"], rows.numpy() * A + 1)
    close(func.vmap(func.vmap(lambda x: 2 * x))(rows), 2 * rows.numpy())


def test_gradients_for_each_example() -> None:
    model = nn.Linear(3, 1).double()
    parameters = {name: p.detach() for name, p in model.named_parameters()}
    x = of(np.stack([A, B]))

    def loss(parameters: Any, x: ag.Tensor) -> ag.Tensor:
        return func.functional_call(model, parameters, (x,)).squeeze() ** 2

    gradients = func.vmap(func.grad(loss), in_dims=(None, 0))(parameters, x)
    out = (x @ parameters["weight"].T + parameters["bias"]).numpy()
    close(gradients["weight"], (2 * out * x.numpy())[:, None, :])
    close(gradients["bias"], 2 * out)


def test_vmap_and_random_numbers() -> None:
    rows = of(np.zeros((3, 2)))
    with pytest.raises(RuntimeError, match="drew random numbers"):
        func.vmap(lambda x: x + ag.rand(2, dtype=ag.float64))(rows)
    ag.manual_seed(0)
    same = func.vmap(lambda x: x + ag.rand(2, dtype=ag.float64), randomness="same")(rows)
    assert (same == same[0]).all()
    different = func.vmap(lambda x: x + ag.rand(2, dtype=ag.float64), randomness="different")(rows)
    assert len({tuple(row) for row in different.tolist()}) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: func.vmap(lambda x, y: x)(of(A), of(A[:2])), "lengths differ"),
        (lambda: func.vmap(lambda x: x)(of(A[:0])), "no slices"),
        (lambda: func.vmap(lambda x: x)(1.0), "in_dims has 0 for a float"),
        (lambda: func.vmap(lambda x: x, in_dims=1)(of(A)), "has 1 for a tensor of 1 dim"),
        (lambda: func.vmap(lambda x: x, in_dims=(0, 0))(of(A)), "is not like"),
        (lambda: func.vmap(lambda x: 1.0)(of(A)), "gave a float"),
        (lambda: func.vmap(lambda x: x, randomness="some"), "'some'"),
    ],
)
def test_a_vmap_that_cannot_be_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# ---------------------------------------------------------------- modules


def test_functional_call_has_other_parameters_for_one_call() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    before = dict(model.named_parameters())
    weight = ag.eye(2).requires_grad_()
    out = func.functional_call(model, {"0.weight": weight, "0.bias": ag.zeros(2)}, (ag.rand(4, 2),))
    out.sum().backward()
    assert weight.grad is not None
    assert all(p is before[name] and p.grad is None for name, p in model.named_parameters() if name.startswith("0"))
    with pytest.raises(KeyError, match="no parameter or buffer 'weight'"):
        func.functional_call(model, {"weight": weight}, (ag.rand(4, 2),))
    with pytest.raises(KeyError, match=r"nothing for '0.bias'"):
        func.functional_call(model, {"0.weight": weight}, (ag.rand(4, 2),), strict=True)
    assert model[0].weight is before["0.weight"]


def test_tied_weights_are_replaced_together() -> None:
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    out = func.functional_call(model, {"0.weight": 2 * ag.eye(2)}, ag.ones(2))
    assert out.tolist() == [4.0, 4.0]


def test_the_state_of_several_models() -> None:
    models = [nn.Linear(2, 3) for _ in range(4)]
    parameters, buffers = func.stack_module_state(models)
    assert (parameters["bias"].shape, buffers) == ((4, 3), {})
    assert parameters["weight"].is_leaf
    assert parameters["weight"].requires_grad
    x = ag.rand(2)
    out = func.vmap(lambda p: func.functional_call(models[0], p, x))(parameters)
    np.testing.assert_allclose(out.detach().numpy(), np.stack([m(x).detach().numpy() for m in models]), rtol=1e-6)
    with pytest.raises(ValueError, match="different classes"):
        func.stack_module_state([nn.Linear(1, 1), nn.ReLU()])


def test_trees() -> None:
    tree = {"b": [1, (2, None)], "a": np.float64(3)}
    leaves, shape = flatten(tree)
    assert leaves == [1, 2, None, 3]
    assert unflatten(leaves, shape) == tree
