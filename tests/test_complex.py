"""Gradients of complex Tensors: PyTorch's at every end of the tape, C-linear in between."""

from __future__ import annotations

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import ops

devices = pytest.mark.parametrize("device", ["cpu", "strict:device1"])


def leaf(*values: complex, device: str = "cpu") -> ag.Tensor:
    return ag.tensor(list(values), dtype=ag.complex128, device=device, requires_grad=True)


def host(tensor: ag.Tensor) -> np.ndarray:
    return np.asarray(tensor.tolist())


def squared(z: ag.Tensor) -> ag.Tensor:
    """|z|^2, summed."""
    return ops.real(z * ops.conj(z)).sum()


@devices
def test_a_gradient_points_where_the_loss_grows(device: str) -> None:
    z = leaf(1 + 2j, 3 - 1j, device=device)
    squared(z).backward()
    assert z.grad.tolist() == [2 + 4j, 6 - 2j]


@devices
def test_gradients_given_and_got_are_conjugates_of_what_the_walk_carries(device: str) -> None:
    z = leaf(1 + 2j, device=device)
    (z * 3j).backward(ag.tensor([1 + 1j], dtype=ag.complex128, device=device))
    assert z.grad.tolist() == [(1 + 1j) * -3j]
    (found,) = ag.autograd.grad(z * z, z, ag.tensor([1j], dtype=ag.complex128, device=device))
    assert found.tolist() == [1j * np.conj(2 * (1 + 2j))]


def test_hooks_and_retained_gradients() -> None:
    z = leaf(1 + 2j)
    w = z * 1j
    seen = []
    w.register_hook(lambda g: seen.append(g.tolist()) or g * 2)
    w.retain_grad()
    z.register_hook(lambda g: seen.append(g.tolist()))
    squared(w).backward()
    assert seen == [[2 * 1j * (1 + 2j)], [4 * (1 + 2j)]]
    assert w.grad.tolist() == [4 * 1j * (1 + 2j)]
    assert z.grad.tolist() == [4 * (1 + 2j)]


def test_gradients_add_up() -> None:
    z = leaf(1 + 2j)
    squared(z).backward()
    squared(z).backward(inputs=[z])
    assert z.grad.tolist() == [4 + 8j]


@devices
def test_real_inputs_of_complex_results_get_real_gradients(device: str) -> None:
    x = ag.tensor([1.0, 2.0], dtype=ag.float64, device=device, requires_grad=True)
    z = leaf(1 + 2j, 3 - 1j, device=device)
    squared(x * z + 1j).backward()
    w = np.array([1.0, 2.0]) * [1 + 2j, 3 - 1j] + 1j
    np.testing.assert_allclose(host(x.grad), 2 * np.real(w * np.conj([1 + 2j, 3 - 1j])))
    assert x.grad.dtype == ag.float64


@devices
def test_second_derivatives(device: str) -> None:
    # PyTorch 2.13, float64.
    z = leaf(1 + 2j, 3 - 1j, device=device)
    x = ag.tensor([1.0, 2.0], dtype=ag.float64, device=device, requires_grad=True)
    squared(z * z * x + 2j * z * x).backward(create_graph=True)
    assert z.grad.tolist() == [44 + 108j, 480 + 0j]
    assert x.grad.tolist() == [170, 400]
    by_z, by_x = ag.autograd.grad(ops.imag(z.grad).sum() + x.grad.sum(), [z, x])
    assert by_z.tolist() == [112 + 324j, 480 + 128j]
    assert by_x.tolist() == [386, 200]


def test_a_recorded_gradient_is_on_the_tape_under_no_grad_too() -> None:
    z = leaf(1 + 2j)
    loss = squared(z * z)
    with ag.no_grad():
        (found,) = ag.autograd.grad(loss, z, create_graph=True)
    assert found.requires_grad


def test_only_real_scalars_have_an_implicit_gradient() -> None:
    z = leaf(1 + 2j)
    with pytest.raises(ag.TapeError, match="grad can be implicitly created only for real scalar outputs"):
        z.sum().backward()
    with pytest.raises(ag.TapeError, match="a complex128 tensor takes a complex gradient, and this one is float64"):
        z.backward(ag.ones(1, dtype=ag.float64))
    with pytest.raises(ag.TapeError, match="a float64 tensor takes a real gradient"):
        squared(z).backward(ag.tensor(1j))


def test_gradcheck_takes_complex_inputs_and_outputs() -> None:
    z = leaf(0.5 + 2j, 3 - 1j)
    x = ag.tensor([0.3, 2.0], dtype=ag.float64, requires_grad=True)

    def mixed(z: ag.Tensor, x: ag.Tensor) -> tuple[ag.Tensor, ag.Tensor]:
        return z * z * x * ops.conj(z), ops.imag(z) * x

    assert ag.autograd.gradcheck(mixed, (z, x))
    assert ag.autograd.gradgradcheck(mixed, (z, x))


def test_gradcheck_says_which_part_is_wrong() -> None:
    @ag.registry.op(name="wrong_conj", formula="dx = g, which is wrong")
    def wrong(x):
        return ops.conj(x)

    wrong.backward(x=lambda g: g)
    with pytest.raises(ag.autograd.GradcheckError, match=r"d output 0 \[0\]\.imag / d input 0 \[0\]\.imag"):
        ag.autograd.gradcheck(wrong, leaf(1 + 2j))
