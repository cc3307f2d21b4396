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


# ---------------------------------------------------------------- names


@devices
def test_creation_and_back(device: str) -> None:
    z = ag.tensor([[1 + 2j, 3], [0, -1j]], device=device)
    assert z.dtype is ag.complex64 is ag.cfloat
    assert z.tolist() == [[1 + 2j, 3 + 0j], [0j, -1j]]
    assert z[0, 0].item() == complex(z[0, 0]) == 1 + 2j
    assert ag.tensor([1.0], device=device).cdouble().dtype is ag.complex128 is ag.cdouble
    assert ag.zeros(2, dtype=complex, device=device).dtype is ag.complex64
    assert (ag.ones(2, device=device) * 1j).dtype is ag.complex64
    assert (ag.ones(2, dtype=ag.float64, device=device) * 1j).dtype is ag.complex128
    assert repr(ag.tensor([1 + 2j])) == "tensor([1.+2.j])"
    assert repr(ag.tensor([1 + 2j], dtype=ag.cdouble)) == "tensor([1.+2.j], dtype=autograd_ops.complex128)"


def test_the_default_complex_dtype_follows_the_default_dtype() -> None:
    ag.set_default_dtype(ag.float64)
    try:
        assert ag.tensor([1j]).dtype is ag.complex128
        assert ag.zeros(1, dtype=complex).dtype is ag.complex128
        assert (ag.tensor([1]) * 1j).dtype is ag.complex128
        assert (ag.ones(1, dtype=ag.float32) * 1j).dtype is ag.complex64
    finally:
        ag.set_default_dtype(ag.float32)


@devices
def test_random_complex_numbers(device: str) -> None:
    ag.manual_seed(0)
    z = ag.randn(2000, dtype=ag.complex64, device=device)
    assert z.dtype is ag.complex64
    # Of 2000: the mean of |z|^2 is 1, with a deviation of 1 / sqrt(2000); five times that.
    assert abs(float((z.abs() ** 2).mean()) - 1) < 0.12
    assert abs(float((z.real**2).mean()) - 0.5) < 0.1
    u = ag.rand(100, dtype=ag.complex128, device=device)
    assert bool(((u.real >= 0) & (u.real < 1) & (u.imag >= 0) & (u.imag < 1)).all())


@devices
def test_parts_can_be_set(device: str) -> None:
    z = ag.tensor([1 + 2j, 3 - 1j], dtype=ag.complex128, device=device)
    z.real = 5.0
    z.imag = ag.tensor([1.0, -2.0], device=device)
    assert z.tolist() == [5 + 1j, 5 - 2j]
    x = ag.tensor([1.0], device=device)
    x.real = 2.0
    assert x.tolist() == [2]
    with pytest.raises(TypeError, match=r"imag: only a complex tensor has .* and this one is float32"):
        x.imag = 1.0


def test_setting_a_part_is_recorded() -> None:
    z = leaf(1 + 2j)
    x = ag.tensor([3.0], dtype=ag.float64, requires_grad=True)
    w = z * 1
    w.real = x * x
    squared(w).backward()
    assert x.grad.tolist() == [4 * 27]
    assert z.grad.tolist() == [4j]


@devices
def test_parts_are_views_or_copies_and_the_tape_knows_which(device: str) -> None:
    z = leaf(1 + 2j, device=device)
    w = z * 1
    w.real.mul_(3)
    ag.view_as_real(w).mul_(2)
    before = w.tolist()
    (w * ops.conj(w)).real.sum().backward()
    assert before == ([6 + 4j] if device == "cpu" else [1 + 2j])
    assert z.grad.tolist() == ([2 * 36 + 2 * 4 * 2j] if device == "cpu" else [2 + 4j])


def test_names() -> None:
    z = ag.tensor([[1 + 2j, 3 - 1j]])
    assert ag.is_complex(z)
    assert z.is_complex()
    assert not z.abs().is_complex()
    assert z.H.tolist() == z.mH.tolist() == ag.adjoint(z).tolist() == [[1 - 2j], [3 + 1j]]
    assert z.conj().tolist() == ag.conj_physical(z).tolist() == [[1 - 2j, 3 + 1j]]
    assert ag.vdot(z[0], z[0]).item() == 15
    assert ag.isreal(ag.tensor([1 + 1j, 2])).tolist() == [False, True]
    assert ag.isreal(ag.tensor([1.0, float("nan")])).tolist() == [True, True]
    x = ag.tensor([1.0])
    for same in (x.conj(), ag.real(x), x.real, x.resolve_conj(), x.resolve_neg()):
        assert same is x
    assert not z.is_conj()
    assert not z.is_neg()
    with pytest.raises(ValueError, match="H: expected a matrix"):
        _ = z[0].H
    with pytest.raises(TypeError, match="complex: real and imag must have one dtype"):
        ag.complex(x, x.double())
    with pytest.raises(ValueError, match="view_as_complex: the last dimension holds the two parts"):
        ag.view_as_complex(x)


@devices
def test_angles(device: str) -> None:
    z = ag.tensor([1j, -1, 1 - 1j, 0], dtype=ag.complex128, device=device, requires_grad=True)
    np.testing.assert_allclose(z.angle().tolist(), [np.pi / 2, np.pi, -np.pi / 4, 0])
    z.angle().sum().backward()
    np.testing.assert_allclose(host(z.grad), [-1, -1j, 0.5 + 0.5j, 0], atol=1e-15)
    x = ag.tensor([-2.0, 3.0, float("nan")], device=device, requires_grad=True)
    np.testing.assert_allclose(x.angle().tolist(), [np.pi, 0, np.nan], rtol=1e-6)
    x.angle().sum().backward()
    assert x.grad.tolist()[:2] == [0, 0]


def test_closeness() -> None:
    z = ag.tensor([1 + 2j, complex("inf")])
    assert ag.isclose(z, z + 1e-9).tolist() == [True, True]
    assert not ag.allclose(z, ag.conj(z))


REAL_ONLY = ["relu", "floor", "sign", "amax", "argmax", "gelu", "softplus", "erf", "trunc"]


@pytest.mark.parametrize("name", REAL_ONLY)
def test_ops_without_a_meaning_for_complex_numbers_refuse_them(name: str) -> None:
    for z in (ag.tensor([1j]), ag.tensor([1j]).array):
        with pytest.raises(TypeError, match=f"{name}: not implemented for complex numbers, and these are complex64"):
            getattr(ops, name)(z)


@devices
@pytest.mark.parametrize("name", ["less", "greater_equal", "maximum", "remainder", "atan2", "clamp"])
def test_so_do_those_of_two(name: str, device: str) -> None:
    z, x = ag.tensor([1j], device=device), ag.tensor([1.0], device=device)
    pairs = [(z, z), (z, 1.0), (z, x), (x, z), (x, 1j)] + ([] if name == "clamp" else [(2, z), (True, z), (1j, x)])
    for pair in pairs:
        with pytest.raises(TypeError, match=f"{name}: not implemented for complex numbers"):
            getattr(ops, name)(*pair)


def test_a_cast_to_real_numbers_takes_the_real_part() -> None:
    z = leaf(1 + 2j, 3 - 1j)
    x = z.double()
    assert x.tolist() == [1, 3]
    (x * x).sum().backward()
    assert z.grad.tolist() == [2, 6]
    assert ag.tensor([1j, 0]).bool().tolist() == [True, False]


@devices
def test_complex_numbers_do_not_fit_into_real_tensors(device: str) -> None:
    x = ag.zeros(2, device=device)
    for call in (
        lambda: ag.tensor([1j], dtype=ag.float32, device=device),
        lambda: ag.full((2,), 1j, dtype=ag.float32, device=device),
        lambda: x.fill_(1j),
        lambda: x.add_(1j),
        lambda: x.__setitem__(0, 1j),
    ):
        with pytest.raises(TypeError, match=r"complex.* fit"):
            call()


@devices
def test_of_complex_tensors_real_ones_take_the_real_parts(device: str) -> None:
    z = ag.tensor([1 + 2j, 3 - 1j], device=device)
    x = ag.zeros(2, device=device)
    x[0] = z[1]
    assert x.tolist() == [3, 0]
    assert x.copy_(z).tolist() == [1, 3]
    assert ag.tensor(z, dtype=ag.float64).tolist() == z.to("cpu", ag.float64).tolist() == [1, 3]
