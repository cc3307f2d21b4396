"""Decompositions: that they decompose, and derivatives of what does not depend on which vectors were given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import Tensor, linalg
from autograd_ops.autograd import grad, gradcheck, gradgradcheck

from ..op_calls import host
from ..op_samples.linalg import HERMITIAN, OBLONG, SQUARE, hermitian, square

DEVICES = ["cpu", "strict:device1"]
on_devices = pytest.mark.parametrize("device", DEVICES)


def tensor(x: Any, device: str = "cpu") -> Tensor:
    x = np.asarray(x)
    return ag.tensor(x, dtype=x.dtype.name, device=device, requires_grad=True)


def adjoint(x: Tensor) -> Tensor:
    return ag.ops.conj(ag.ops.matrix_transpose(x))


def same(got: Tensor, want: Any) -> None:
    np.testing.assert_allclose(host(got), want, rtol=1e-10, atol=1e-10)


# ---------------------------------------------------------------- they decompose


@on_devices
@pytest.mark.parametrize("x", [*HERMITIAN, *SQUARE[:5]], ids=lambda x: str(x.shape))
@pytest.mark.parametrize("side", ["L", "U"])
def test_eigh_reads_a_triangle(x: np.ndarray, side: str, device: str) -> None:
    values, vectors = linalg.eigh(tensor(x, device), UPLO=side)
    part = np.tril(x) if side == "L" else np.triu(x)
    whole = part + np.conj(np.swapaxes(part, -1, -2)) - part * np.eye(x.shape[-1])
    whole = np.where(np.eye(x.shape[-1]) != 0, whole.real, whole)
    v, w = host(vectors), host(values)
    np.testing.assert_allclose(v * w[..., None, :] @ np.conj(np.swapaxes(v, -1, -2)), whole, atol=1e-12)
    np.testing.assert_allclose(
        np.conj(np.swapaxes(v, -1, -2)) @ v, np.broadcast_to(np.eye(x.shape[-1]), v.shape), atol=1e-12
    )
    np.testing.assert_allclose(host(linalg.eigvalsh(tensor(x, device), side)), w, atol=1e-12)
    assert values.dtype is ag.float64


@on_devices
@pytest.mark.parametrize("x", SQUARE, ids=lambda x: str(x.shape))
def test_eig(x: np.ndarray, device: str) -> None:
    values, vectors = linalg.eig(tensor(x, device))
    v, w = host(vectors), host(values)
    np.testing.assert_allclose(x @ v, v * w[..., None, :], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(v, axis=-2), np.ones(w.shape), atol=1e-12)
    assert values.dtype is vectors.dtype is ag.complex128
    assert linalg.eig(ag.eye(2)).eigenvalues.dtype is linalg.eigvals(ag.eye(2)).dtype is ag.complex64


@on_devices
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("x", [*OBLONG, *SQUARE, np.zeros((3, 0)), np.zeros((0, 3))], ids=lambda x: str(x.shape))
def test_svd(x: np.ndarray, full: bool, device: str) -> None:
    u, s, vh = (host(part) for part in linalg.svd(tensor(x, device), full_matrices=full))
    k = s.shape[-1]
    np.testing.assert_allclose(u[..., :k] * s[..., None, :] @ vh[..., :k, :], x, atol=1e-12)
    assert (u.shape[-1], vh.shape[-2]) == ((x.shape[-2], x.shape[-1]) if full else (k, k))
    same(linalg.svdvals(tensor(x, device)), s)
    older = ag.svd(tensor(x, device), some=not full)
    same(older.V, np.conj(np.swapaxes(vh, -1, -2)))
    none = ag.svd(tensor(x, device), compute_uv=False)
    assert not host(none.U).any()
    assert none.V.shape[-1] == x.shape[-1]


@on_devices
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize("x", [*OBLONG, *SQUARE], ids=lambda x: str(x.shape))
def test_qr(x: np.ndarray, mode: str, device: str) -> None:
    q, r = linalg.qr(tensor(x, device), mode)
    if mode == "r":
        assert q.shape == (0,)
        same(r, host(linalg.qr(tensor(x, device)).R))
        return
    same(ag.matmul(q, r), x)
    same(ag.ops.tril(r, -1), np.zeros(r.shape))
    same(ag.qr(tensor(x, device), mode == "reduced").Q, host(q))


@on_devices
@pytest.mark.parametrize("x", [*OBLONG, *SQUARE[:6], np.array([[0.0, 1.0], [2.0, 3.0]])], ids=lambda x: str(x.shape))
def test_lu(x: np.ndarray, device: str) -> None:
    permutation, lower, upper = linalg.lu(tensor(x, device))
    same(ag.matmul(ag.matmul(permutation, lower), upper), x)
    same(ag.ops.triu(lower), np.broadcast_to(np.eye(*lower.shape[-2:]), lower.shape))
    if x.shape[-1] == x.shape[-2]:
        packed = linalg.lu_factor(tensor(x, device))
        b = square(*x.shape, seed=9, complex=np.iscomplexobj(x)) if x.size else x
        for left in (True, False):
            for turned in (True, False):
                solution = host(linalg.lu_solve(*packed, tensor(b, device), left=left, adjoint=turned))
                a = np.conj(np.swapaxes(x, -1, -2)) if turned else x
                np.testing.assert_allclose(a @ solution if left else solution @ a, b, atol=1e-12)


@on_devices
@pytest.mark.parametrize("x", HERMITIAN, ids=lambda x: str(x.shape))
def test_cholesky(x: np.ndarray, device: str) -> None:
    lower, upper = linalg.cholesky(tensor(x, device)), linalg.cholesky(tensor(x, device), upper=True)
    same(ag.matmul(lower, adjoint(lower)), x)
    same(upper, np.conj(np.swapaxes(host(lower), -1, -2)))
    b = np.ones((*x.shape[:-1], 2))
    for factor, up in ((lower, False), (upper, True)):
        same(ag.matmul(tensor(x, device), ag.cholesky_solve(tensor(b.astype(x.dtype), device), factor, up)), b)
        same(
            ag.matmul(tensor(x, device), ag.cholesky_inverse(factor, up)), np.broadcast_to(np.eye(x.shape[-1]), x.shape)
        )


def test_householder_product() -> None:
    x = square(3, 2, 2, seed=1)
    x = np.concatenate([x, x[:, :1]], axis=1)
    tau = np.array([[0.5, 1.5], [1.0, 0.25], [2.0, 0.0]])
    want = []
    for a, t in zip(x, tau, strict=True):
        q = np.eye(3)
        for i in range(2):
            v = np.concatenate([np.zeros(i), [1.0], a[i + 1 :, i]])
            q = q @ (np.eye(3) - t[i] * np.outer(v, v))
        want.append(q[:, :2])
    same(linalg.householder_product(tensor(x), tensor(tau)), np.stack(want))
    same(ag.orgqr(tensor(x), tensor(tau)), np.stack(want))
    assert gradcheck(linalg.householder_product, (tensor(x[0]), tensor(tau[0])))
    with pytest.raises(ValueError, match="householder_product: needs at least as many rows"):
        linalg.householder_product(ag.ones(2, 3), ag.ones(3))


# ---------------------------------------------------------------- derivatives


def weights(values: Tensor) -> Tensor:
    return ag.arange(1.0, values.shape[-1] + 1, dtype=ag.float64, device=values.device)


def symmetric(x: Tensor) -> Tensor:
    return (x + adjoint(x)) * 0.5


def spectral(x: Tensor) -> Any:
    values, vectors = linalg.eigh(symmetric(x))
    return values, ag.matmul(vectors * weights(values), adjoint(vectors))


def singular(x: Tensor) -> Any:
    u, s, vh = linalg.svd(x, full_matrices=False)
    return s, ag.matmul(u * weights(s), vh), ag.matmul(u * weights(s), adjoint(u))


def general(x: Tensor) -> Any:
    values, vectors = linalg.eig(x)
    lengths = vectors * ag.ops.conj(vectors)
    return values, lengths, ag.matmul(vectors * ag.ops.expand_dims(weights(values), -2), linalg.inv(vectors))


def positive(x: Tensor) -> Tensor:
    return ag.matmul(x, adjoint(x)) + ag.eye(x.shape[-1], dtype=x.dtype, device=x.device)


CALLS = {
    "eigh": (spectral, [square(2, 3, 3, seed=1), square(2, 2, seed=3, complex=True)]),
    "eigvalsh": (lambda x: linalg.eigvalsh(symmetric(x), "U"), [square(3, 3, seed=1), square(2, 2, complex=True)]),
    "eig": (general, [square(2, 2, seed=2), square(2, 2, 2, seed=3, complex=True)]),
    "svd": (singular, OBLONG),
    "cholesky": (lambda x: linalg.cholesky(positive(x)), [square(3, 3, seed=1), square(2, 2, complex=True)]),
    "cholesky upper": (lambda x: linalg.cholesky(positive(x), upper=True), [square(2, 2, complex=True)]),
    "lu": (lambda x: tuple(linalg.lu(x))[1:], OBLONG[:2]),
}


@on_devices
@pytest.mark.parametrize(
    ("call", "x"), [pytest.param(f, x, id=f"{n} {x.shape}") for n, (f, xs) in CALLS.items() for x in xs]
)
def test_derivatives(call: Any, x: np.ndarray, device: str) -> None:
    assert gradcheck(call, tensor(x, device))
    if device == "cpu":
        assert gradgradcheck(call, tensor(x))


@pytest.mark.parametrize("complex", [False, True])
def test_gradients_of_hermitian_matrices_are_hermitian(complex: bool) -> None:
    x = tensor(hermitian(3, 3, seed=1, complex=complex))
    weight = ag.tensor(np.arange(9.0).reshape(3, 3), dtype=ag.float64)
    for out in (linalg.eigh(x).eigenvectors, linalg.cholesky(x), linalg.eigvalsh(x)):
        square = out * ag.ops.conj(out)
        (gradient,) = grad((ag.ops.real(square) * weight).sum(), x)
        np.testing.assert_allclose(host(gradient), np.conj(host(gradient)).T, atol=1e-12)


def test_numbers_of_pytorch() -> None:
    # PyTorch 2.13, float64.
    x = tensor([[4.0, 1.0], [1.0, 3.0]])
    (gradient,) = grad((linalg.eigh(x).eigenvectors ** 2)[0, 0], x)
    np.testing.assert_allclose(gradient.tolist(), [[-0.178885, 0.089443], [0.089443, 0.178885]], atol=1e-6)


# ---------------------------------------------------------------- where values repeat


def test_values_that_repeat_have_gradients_and_their_vectors_none() -> None:
    x = tensor(np.eye(3))
    for values in (linalg.eigvalsh(x), linalg.eigh(x).eigenvalues, linalg.svdvals(x), linalg.svd(x).S):
        (gradient,) = grad((values**2).sum(), x)
        np.testing.assert_allclose(gradient.tolist(), 2 * np.eye(3), atol=1e-12)
    (gradient,) = grad(ag.ops.real(linalg.eigvals(x)).sum(), x)
    np.testing.assert_allclose(gradient.tolist(), np.eye(3), atol=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        for vectors in (linalg.eigh(x).eigenvectors, linalg.svd(x).U):
            (gradient,) = grad((vectors * ag.tensor(np.arange(9.0).reshape(3, 3), dtype=ag.float64)).sum(), x)
            assert not np.isfinite(host(gradient)).all()
        # No silent zeros for the second derivative of the trace of x^2 either.
        (first,) = grad((linalg.eigvalsh(x) ** 2).sum(), x, create_graph=True)
        (second,) = grad((first * ag.tensor(np.arange(9.0).reshape(3, 3), dtype=ag.float64)).sum(), x)
        assert np.isnan(host(second)).any()


def test_vectors_of_no_gradient() -> None:
    x = tensor(OBLONG[0])
    u, s, _ = linalg.svd(x)
    (gradient,) = grad(s.sum() + (u[..., :2] ** 3).sum(), x)
    reduced = linalg.svd(x, full_matrices=False)
    (want,) = grad(reduced.S.sum() + (reduced.U**3).sum(), x)
    same(gradient, host(want))
    with pytest.raises(ValueError, match="svd: the vectors that full_matrices=True gives beyond"):
        grad((linalg.svd(x).U ** 3).sum(), x)
    with pytest.raises(ValueError, match="qr: with mode='complete' the last 1 of 3 columns"):
        grad((linalg.qr(x, "complete").Q ** 3).sum(), x)


# ---------------------------------------------------------------- refusals

BAD = np.stack([np.eye(2), -np.eye(2)])


@on_devices
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: linalg.cholesky(tensor(BAD, d)), linalg.LinAlgError, r"cholesky: \(batch element 1\): .* not pos"),
        (lambda d: linalg.cholesky(tensor(-np.eye(2), d)), linalg.LinAlgError, r"^cholesky: the matrix is not pos"),
        (lambda d: linalg.cholesky_ex(tensor(BAD, d), check_errors=True), linalg.LinAlgError, "cholesky_ex: .* 1"),
        (lambda d: linalg.svd(tensor(np.full((2, 2), np.nan), d)), linalg.LinAlgError, "svd: the iteration"),
        (lambda d: linalg.eigvals(tensor(np.full((1, 2, 2), np.nan), d)), linalg.LinAlgError, "eigvals: .* element 0"),
        (lambda d: linalg.eigh(ag.ones(2, 3, device=d)), ValueError, "eigh: x must be a batch of square"),
        (lambda d: linalg.svd(ag.ones(3, device=d)), ValueError, "svd: x must have at least two dimensions"),
        (lambda d: linalg.qr(ag.ones(2, 2, device=d).long()), TypeError, "qr: x must be of float32, .* int64; cast"),
        (lambda d: linalg.eigh(ag.eye(2, device=d), "M"), ValueError, "eigh: UPLO must be 'L' or 'U', not 'M'"),
        (lambda d: linalg.qr(ag.eye(2, device=d), "full"), ValueError, "qr: mode must be"),
        (lambda d: linalg.lu(ag.eye(2, device=d), pivot=False), ValueError, "lu: pivot=False"),
    ],
)
def test_refuses(call: Any, error: type[Exception], message: str, device: str) -> None:
    with pytest.raises(error, match=message):
        call(device)


def test_half_precision_is_refused() -> None:
    with pytest.raises(TypeError, match=r"svd: x must be .* float16; half precision is too coarse"):
        linalg.svd(ag.eye(2).half())


@on_devices
def test_what_is_not_positive_definite_is_marked(device: str) -> None:
    factor, info = linalg.cholesky_ex(tensor(BAD, device))
    assert info.tolist() == [0, 1]
    assert np.isnan(host(factor)[1]).all()
    same(factor[0], np.eye(2))
