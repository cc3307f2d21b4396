"""Inverses, systems, determinants, products: values, derivatives, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import Tensor, linalg
from autograd_ops.autograd import grad, gradcheck, gradgradcheck

from ..op_calls import host
from ..op_samples.linalg import OBLONG, hermitian, inv, square

DEVICES = ["cpu", "strict:device1"]
on_devices = pytest.mark.parametrize("device", DEVICES)


def tensor(x: Any, device: str = "cpu") -> Tensor:
    x = np.asarray(x)
    return ag.tensor(x, dtype=x.dtype.name, device=device, requires_grad=True)


def same(got: Tensor, want: Any) -> None:
    np.testing.assert_allclose(host(got), want, rtol=1e-10, atol=1e-10)


# ---------------------------------------------------------------- systems

A, B = square(2, 3, 3, seed=1), square(2, 3, 3, seed=2)


@on_devices
def test_solve_takes_vectors_matrices_and_either_side(device: str) -> None:
    a, b = tensor(A, device), tensor(B, device)
    same(linalg.solve(a, b), inv(A) @ B)
    same(linalg.solve(a, b, left=False), B @ inv(A))
    same(linalg.solve(a, tensor(B[:, 0], device)), (inv(A) @ B[:, 0, :, None])[..., 0])
    same(linalg.solve(a[0], tensor(B[0, 0], device)), inv(A[0]) @ B[0, 0])
    same(linalg.solve(a, tensor(B[0, 0], device)), inv(A) @ B[0, 0])
    result, info = linalg.solve_ex(a, b)
    same(result, inv(A) @ B)
    assert info.tolist() == [0, 0]
    with pytest.raises(ValueError, match="solve: left=False needs a matrix"):
        linalg.solve(a, tensor(B[:, 0], device), left=False)


@on_devices
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_solve_triangular(upper: bool, unit: bool, device: str) -> None:
    a, b = tensor(A, device), tensor(B, device)
    whole = (
        (np.triu(A) if upper else np.tril(A)) if not unit else (np.triu(A, 1) if upper else np.tril(A, -1)) + np.eye(3)
    )
    options = {"upper": upper, "unitriangular": unit}
    same(linalg.solve_triangular(a, b, **options), inv(whole) @ B)
    same(linalg.solve_triangular(a, b, left=False, **options), B @ inv(whole))
    same(ag.triangular_solve(b, a, upper, False, unit).solution, inv(whole) @ B)
    turned = np.swapaxes(whole, -1, -2)
    same(ag.triangular_solve(b, ag.ops.matrix_transpose(a), not upper, True, unit).solution, inv(whole) @ B)
    assert turned.shape == whole.shape


@on_devices
def test_a_zero_on_a_triangles_diagonal_is_divided_by(device: str) -> None:
    with np.errstate(divide="ignore", invalid="ignore"):
        out = linalg.solve_triangular(tensor(np.diag([1.0, 0.0]), device), tensor([[1.0], [1.0]], device), upper=False)
    assert not np.isfinite(host(out)[1]).any()


@on_devices
@pytest.mark.parametrize("device_batch", [0, 1])
def test_singular_matrices_are_named(device_batch: int, device: str) -> None:
    x = np.stack([np.eye(2), np.eye(2)])
    x[device_batch, 1, 1] = 0.0
    bad = tensor(x, device)
    for name, call in {
        "inv": lambda: linalg.inv(bad),
        "solve": lambda: linalg.solve(bad, bad),
        "inv_ex": lambda: linalg.inv_ex(bad, check_errors=True),
        "solve_ex": lambda: linalg.solve_ex(bad, bad, check_errors=True),
    }.items():
        with pytest.raises(linalg.LinAlgError, match=rf"^{name}: \(batch element {device_batch}\): .*singular"):
            call()
    with pytest.raises(linalg.LinAlgError, match=r"^matrix_power: inv: the matrix is singular"):
        linalg.matrix_power(bad[device_batch], -1)
    good = 1 - device_batch
    for out, info in (
        linalg.inv_ex(bad),
        linalg.solve_ex(bad, ag.eye(2, dtype=ag.float64, device=device).expand(2, 2, 2)),
    ):
        assert info.tolist() == [int(i == device_batch) for i in range(2)]
        same(out[good], np.eye(2))
        assert np.isnan(host(out)[device_batch]).all()
    (gradient,) = grad(linalg.inv_ex(bad).inverse[good].sum(), bad)
    same(gradient[good], -np.ones((2, 2)))


# ---------------------------------------------------------------- least squares

TALL = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
RIGHT = np.array([[1.0], [0.0], [2.0]])


@on_devices
@pytest.mark.parametrize("driver", [None, "gelsy", "gels", "gelsd", "gelss"])
def test_lstsq(driver: Any, device: str) -> None:
    a, b = tensor(TALL, device), tensor(RIGHT, device)
    solution, residuals, rank, values = linalg.lstsq(a, b, driver=driver)
    # The normal equations.
    want = inv(TALL.T @ TALL) @ TALL.T @ RIGHT
    same(solution, want)
    same(linalg.lstsq(a, b[:, 0], driver=driver).solution, want[:, 0])
    if driver in ("gels", "gelsd", "gelss"):
        same(residuals, ((TALL @ want - RIGHT) ** 2).sum(0))
    else:
        assert residuals.shape == (0,)
    assert rank.tolist() == ([] if driver == "gels" else 2)
    assert values.shape == ((2,) if driver in ("gelsd", "gelss") else (0,))
    assert gradcheck(lambda a, b: linalg.lstsq(a, b, driver=driver).solution, (a, b))


def test_lstsq_of_too_few_equations_and_of_a_lower_rank() -> None:
    x = np.diag([1.0, 0.0, 2.0])
    got = linalg.lstsq(tensor(x), tensor(np.ones((3, 1))))
    same(got.solution, [[1.0], [0.0], [0.5]])
    assert got.rank.item() == 2
    assert linalg.lstsq(tensor(x), tensor(np.ones((3, 1))), rcond=0.75).solution.tolist() == [[0.0], [0.0], [0.5]]
    wide = TALL.T
    same(linalg.lstsq(tensor(wide), tensor(np.ones((2, 1)))).solution, wide.T @ inv(wide @ wide.T) @ np.ones((2, 1)))
    with pytest.raises(ValueError, match="lstsq: driver must be one of"):
        linalg.lstsq(tensor(x), tensor(x), driver="svd")


# ---------------------------------------------------------------- pseudoinverse and rank


@on_devices
def test_tolerances(device: str) -> None:
    x = tensor(np.diag([4.0, 1.0, 1e-20]), device)
    assert linalg.matrix_rank(x).item() == 2
    assert linalg.matrix_rank(x, atol=2.0).item() == linalg.matrix_rank(x, rtol=0.5).item() == 1
    assert linalg.matrix_rank(x, atol=1e-30).item() == 3
    assert linalg.matrix_rank(-x, hermitian=True).item() == 2
    assert linalg.matrix_rank(ag.zeros(2, 0, 3, device=device)).tolist() == [0, 0]
    assert linalg.matrix_rank(x).dtype is ag.int64
    same(linalg.pinv(x), np.diag([0.25, 1.0, 0.0]))
    same(linalg.pinv(-x, hermitian=True), np.diag([-0.25, -1.0, 0.0]))
    same(linalg.pinv(x, atol=2.0), np.diag([0.25, 0.0, 0.0]))
    same(ag.pinverse(x, 0.5), np.diag([0.25, 0.0, 0.0]))
    both = ag.stack([x, x])
    each = ag.tensor([0.5, 0.1], dtype=ag.float64, device=device)
    assert linalg.matrix_rank(both, rtol=each).tolist() == [1, 2]
    same(linalg.pinv(both, rtol=each), np.stack([np.diag([0.25, 0.0, 0.0]), np.diag([0.25, 1.0, 0.0])]))
    with pytest.raises(TypeError, match=r"matrix_rank: A must be of float32, .* is of int64"):
        linalg.matrix_rank(ag.ones(2, 2, dtype=ag.int64, device=device))


@pytest.mark.parametrize("complex", [False, True])
def test_derivatives_of_pinv(complex: bool) -> None:
    x = tensor(hermitian(2, 2, seed=1, complex=complex))

    def of_hermitian(x: Tensor) -> Tensor:
        return linalg.pinv((x + ag.ops.conj(ag.ops.matrix_transpose(x))) * 0.5, hermitian=True)

    assert gradcheck(of_hermitian, x)
    assert gradgradcheck(of_hermitian, x)


# ---------------------------------------------------------------- determinants and condition


@on_devices
def test_determinants_of_singular_matrices_have_right_derivatives(device: str) -> None:
    for values in ([2.0, 3.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]):
        x = tensor(np.diag(values), device)
        (first,) = grad(linalg.det(x), x, create_graph=True)
        a, b, c = values
        same(first, np.diag([b * c, a * c, a * b]))
        # d^2 det / dx_00 dx_11 is x_22, and so on; d^2 det / dx_01 dx_10 is -x_22.
        (second,) = grad(first[0, 0], x, retain_graph=True)
        same(second, np.diag([0.0, c, b]))
        (second,) = grad(first[0, 1], x)
        assert second[1, 0].item() == pytest.approx(-c)
    full = tensor(np.arange(9.0).reshape(3, 3), device)
    assert gradgradcheck(linalg.det, full) if device == "cpu" else gradcheck(linalg.det, full)


def test_third_derivatives_of_determinants() -> None:
    def second(x: Tensor) -> Tensor:
        (first,) = grad(linalg.det(x), x, create_graph=True)
        return grad((first**2).sum(), x, create_graph=True)[0]

    assert gradcheck(second, tensor(square(3, 3, seed=1)))
    assert gradcheck(second, tensor(np.ones((2, 2))))


@on_devices
def test_logarithms_of_determinants(device: str) -> None:
    x = tensor(np.diag([2.0, -3.0]), device)
    assert linalg.slogdet(x).sign.item() == -1.0
    assert linalg.slogdet(x).logabsdet.item() == pytest.approx(math.log(6))
    assert math.isnan(ag.logdet(x).item())
    assert ag.logdet(-x[1:, 1:]).item() == pytest.approx(math.log(3))
    singular = tensor(np.zeros((2, 2)), device)
    assert linalg.slogdet(singular).logabsdet.item() == ag.logdet(singular).item() == -math.inf
    turned = tensor(np.array([[1j, 0], [0, 2]]), device)
    assert linalg.slogdet(turned).sign.tolist() == pytest.approx(1j)
    assert ag.logdet(turned).tolist() == pytest.approx(np.log(2) + 0.5j * np.pi)


@on_devices
@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, math.inf, -math.inf, "fro", "nuc"])
def test_cond(p: Any, device: str) -> None:
    x = square(2, 3, 3, seed=1)
    want = [np.linalg.cond(a, p) if p != "nuc" else np.linalg.norm(a, p) * np.linalg.norm(inv(a), p) for a in x]
    same(linalg.cond(tensor(x, device), p), want)
    assert gradcheck(lambda x: linalg.cond(x, p), tensor(x[0], device))
    if p not in (None, 2, -2):
        assert linalg.cond(ag.zeros(2, 2, device=device), p).item() == math.inf


# ---------------------------------------------------------------- products


@on_devices
@pytest.mark.parametrize("n", [0, 1, 2, 5, 7, -1, -3])
def test_matrix_power(n: int, device: str) -> None:
    same(linalg.matrix_power(tensor(A, device), n), np.linalg.matrix_power(A, n))
    assert gradgradcheck(lambda x: ag.matrix_power(x, n) + x, tensor(A[0]))


@on_devices
def test_products(device: str) -> None:
    rng = np.random.default_rng(0)
    chain = [rng.normal(size=s) for s in ((3,), (3, 5), (5, 2), (2, 4), (4,))]
    for part in (chain, chain[1:], chain[:-1], chain[1:-1], chain[1:3]):
        same(linalg.multi_dot([tensor(x, device) for x in part]), np.linalg.multi_dot(part))
    matrices = [tensor(x, device) for x in chain[1:-1]]
    same(ag.chain_matmul(*matrices), np.linalg.multi_dot(chain[1:-1]))
    same(ag.chain_matmul(matrices[0]), chain[1])
    x, y = rng.normal(size=(2, 3)), rng.normal(size=(1, 3))
    same(linalg.cross(tensor(x, device), tensor(y, device)), np.cross(x, y))
    same(ag.cross(tensor(x.T, device), tensor(x.T + 1, device)), np.cross(x.T, x.T + 1, axis=0))
    same(linalg.vecdot(tensor(x, device), tensor(y[0], device)), x @ y[0])
    z = x + 1j * x[::-1]
    same(linalg.vecdot(tensor(z, device), tensor(z, device), dim=0), (np.conj(z) * z).sum(0))
    same(linalg.diagonal(tensor(A, device), offset=1), np.diagonal(A, 1, -2, -1))
    same(linalg.vander(tensor(y[0], device), N=4), np.vander(y[0], 4, increasing=True))
    same(linalg.vander(tensor(x, device)), np.stack([np.vander(r, increasing=True) for r in x]))
    for a, b in ((x, y[0]), (y[0], x), (x, A)):
        same(ag.kron(tensor(a, device), tensor(b, device)), np.kron(a, b))
    same(ag.ger(tensor(x[0], device), tensor(x[1], device)), np.outer(x[0], x[1]))
    same(tensor(A, device).inverse(), inv(A))
    same(ag.inverse(tensor(A, device)), inv(A))


@on_devices
def test_tensors_as_maps(device: str) -> None:
    a = np.concatenate([A.reshape(2, 9), A.reshape(2, 9)[::-1] ** 2]).reshape(4, 9)[:, :8].reshape(4, 2, 4)[:, :, :2]
    same(linalg.tensorinv(tensor(a, device), ind=1), np.linalg.tensorinv(a, 1))
    same(linalg.tensorsolve(tensor(a, device), tensor(np.ones(4), device)), np.linalg.tensorsolve(a, np.ones(4)))
    b = np.moveaxis(a, 0, 1)
    same(
        linalg.tensorsolve(tensor(b, device), tensor(np.ones(4), device), dims=(0, 2)),
        np.linalg.tensorsolve(b, np.ones(4), (0, 2)),
    )


def test_exponentials_of_large_and_small_matrices() -> None:
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    for angle in (1e-9, 0.5, 3.0, 100.0):
        want = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        np.testing.assert_allclose(linalg.matrix_exp(tensor(angle * turn)).tolist(), want, rtol=1e-11, atol=1e-13)
    # Each matrix of a batch is scaled by itself.
    both = linalg.matrix_exp(tensor(np.stack([100 * turn, np.zeros((2, 2))])))
    assert both[1].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with np.errstate(invalid="ignore"):
        assert np.isnan(host(linalg.matrix_exp(tensor(np.full((2, 2), np.nan))))).all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: linalg.matrix_power(ag.eye(2), 0.5), TypeError, "matrix_power: n must be an int, not 0.5"),
        (lambda: linalg.matrix_power(ag.ones(2, 3), 2), ValueError, "matrix_power: A must be a batch of square"),
        (lambda: linalg.multi_dot([ag.eye(2)]), ValueError, "multi_dot: expected two tensors or more, got 1"),
        (
            lambda: linalg.multi_dot([ag.eye(2), ag.ones(2), ag.eye(2)]),
            ValueError,
            "multi_dot: tensor 1 must be a matrix",
        ),
        (lambda: linalg.multi_dot([ag.eye(2), ag.eye(3)]), ValueError, "multi_dot: tensors 0 and 1 do not fit"),
        (
            lambda: linalg.cross(ag.ones(2), ag.ones(2)),
            ValueError,
            "cross: dimension -1 of shape .* have length 3",
        ),
        (lambda: linalg.cross(ag.ones(2, 3), ag.ones(3)), ValueError, "cross: tensors of 2 and 1 dimensions"),
        (lambda: linalg.vander(ag.tensor(1.0)), ValueError, "vander: x must have a dimension"),
        (lambda: linalg.vander(ag.ones(2), 0), ValueError, "vander: N must be at least 1"),
        (lambda: linalg.tensorinv(ag.ones(2, 3), ind=1), ValueError, r"tensorinv: the lengths \(2,\) and \(3,\)"),
        (lambda: linalg.tensorinv(ag.ones(2, 2), ind=0), ValueError, "tensorinv: ind must be positive"),
        (lambda: linalg.tensorsolve(ag.ones(2, 3), ag.ones(2)), ValueError, r"tensorsolve: A \(2, 3\) is not of the"),
        (lambda: linalg.solve(ag.eye(3), ag.ones(2, 1)), ValueError, "solve: b must have as many rows as a"),
        (lambda: linalg.det(ag.ones(2, 2).long()), TypeError, "det: x must be of float32, .* int64"),
    ],
)
def test_refuses(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_oblong_samples_are_of_full_rank() -> None:
    assert all((linalg.matrix_rank(tensor(x)) == 2).all() for x in OBLONG)
