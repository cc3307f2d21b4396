"""Norms: their values, their gradients at 0, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.autograd import gradcheck, gradgradcheck

INF = math.inf
X = np.array([[3.0, -4.0, 0.5], [-1.0, 2.0, 2.5]])
DEVICES = ["cpu", "strict:device1"]


def tensor(data: Any, device: str = "cpu") -> ag.Tensor:
    return ag.tensor(data, dtype=ag.float64, device=device, requires_grad=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("ord", [1, 2, 2.0, 3, 1.5, 0.5, 0, -1, -2, INF, -INF])
@pytest.mark.parametrize("dim", [None, 0, 1, -1, (0, 1)])
def test_vector_norm(ord: float, dim: Any, device: str) -> None:
    x = tensor(X, device)
    flat = X.reshape(-1) if dim in (None, (0, 1)) else X
    want = np.linalg.norm(flat, ord, None if flat.ndim == 1 else dim)
    np.testing.assert_allclose(ag.linalg.vector_norm(x, ord, dim).tolist(), want, rtol=1e-12)
    kept = ag.linalg.vector_norm(x, ord, dim, keepdim=True)
    np.testing.assert_allclose(np.squeeze(kept.tolist()), want, rtol=1e-12)
    assert kept.ndim == 2


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, INF, -INF])
def test_matrix_norm(ord: Any, device: str) -> None:
    x = tensor(X, device)
    np.testing.assert_allclose(ag.linalg.matrix_norm(x, ord).tolist(), np.linalg.norm(X, ord), rtol=1e-12)
    np.testing.assert_allclose(ag.linalg.norm(x, ord).tolist(), np.linalg.norm(X, ord), rtol=1e-12)
    cube = np.stack([X, 2 * X, -X[::-1]])
    got = ag.linalg.matrix_norm(tensor(cube, device), ord, dim=(2, 0))
    np.testing.assert_allclose(got.tolist(), np.linalg.norm(cube, ord, (2, 0)), rtol=1e-12)
    assert ag.linalg.matrix_norm(tensor(cube, device), ord, (0, -1), True).shape == (1, 2, 1)


def test_norm_chooses() -> None:
    x = tensor(X)
    assert ag.linalg.norm(x).item() == pytest.approx(np.sqrt((X**2).sum()))
    assert ag.linalg.norm(x, dim=(0, 1)).item() == pytest.approx(np.sqrt((X**2).sum()))
    np.testing.assert_allclose(ag.linalg.norm(x, 1, 1).tolist(), np.abs(X).sum(1))
    np.testing.assert_allclose(ag.linalg.norm(x[0], 3).tolist(), np.linalg.norm(X[0], 3))
    assert ag.linalg.norm(ag.tensor([3, 4]), dtype=ag.float64).item() == 5.0
    assert ag.linalg.norm(ag.tensor([3, 4])).dtype is ag.float32


@pytest.mark.parametrize("ord", [1.5, 2, 3, 1, INF])
def test_derivatives(ord: float) -> None:
    x = tensor(X)
    assert gradcheck(lambda x: ag.linalg.vector_norm(x, ord, 1), (x,))
    assert gradgradcheck(lambda x: ag.linalg.vector_norm(x, ord, 1), (x,))


@pytest.mark.parametrize("ord", ["nuc", 2, -2])
def test_derivatives_of_norms_by_singular_values(ord: Any) -> None:
    x = tensor(X)
    assert gradcheck(lambda x: ag.linalg.matrix_norm(x, ord), (x,))
    assert gradgradcheck(lambda x: ag.linalg.matrix_norm(x, ord), (x,))
    # Where singular values repeat, the sum of them is smooth, and the largest shares its gradient.
    one = tensor(np.eye(2))
    (gradient,) = ag.autograd.grad(ag.linalg.matrix_norm(one, ord), one)
    np.testing.assert_allclose(gradient.tolist(), np.eye(2) * (1.0 if ord == "nuc" else 0.5), atol=1e-12)
    assert ag.linalg.matrix_norm(ag.zeros(2, 0), ord).item() == 0.0


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("ord", [2, 1, 3, 1.5, 0.5, INF, 0])
def test_gradients_at_zero_are_zero(ord: float, device: str) -> None:
    x = tensor([[0.0, 0.0], [3.0, 0.0]], device)
    y = ag.linalg.vector_norm(x, ord, 1)
    assert y.tolist() == pytest.approx([0.0, 1.0 if ord == 0 else 3.0])
    if ord == 0:
        return
    y.sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), [[0.0, 0.0], [1.0, 0.0]], rtol=1e-12)
    z = tensor([0.0, 0.0], device)
    (ag.linalg.norm(z, ord) ** 2).backward()
    assert z.grad.tolist() == [0.0, 0.0]
    assert ag.norm(z, ord).item() == z.norm(ord).item() == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ag.linalg.vector_norm(x, "fro"), "vector_norm: ord must be a number"),
        (lambda x: ag.linalg.matrix_norm(x, 3), "matrix_norm: ord must be"),
        (lambda x: ag.linalg.matrix_norm(x, dim=(0,)), "matrix_norm: a matrix has two dimensions"),
        (lambda x: ag.linalg.matrix_norm(x, dim=(0, 0)), "twice"),
        (lambda x: ag.linalg.norm(ag.ones(2, 2, 2), 1), "matrix_norm: a matrix has two dimensions"),
        (lambda x: ag.norm(x, "nuc"), "norm: p must be"),
    ],
)
def test_refuses(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(tensor(X))


# ---------------------------------------------------------------- cumprod


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("row", [[0.0, 3.0, 5.0], [4.0, 3.0, 0.0], [3.0, 0.0, 0.0, 2.0], [5.0], [0.0], [2.0, -1.0] * 5])
def test_cumprod_with_zeros(row: list[float], device: str) -> None:
    x = tensor(row, device)
    y = x.cumprod(0)
    assert y.tolist() == np.cumprod(row).tolist()
    weights = np.arange(1.0, len(row) + 1)
    (y * ag.tensor(weights, dtype=ag.float64, device=device)).sum().backward()
    want = [
        sum(weights[j] * np.prod([row[k] for k in range(j + 1) if k != i]) for j in range(i, len(row)))
        for i in range(len(row))
    ]
    np.testing.assert_allclose(x.grad.tolist(), want, rtol=1e-12)
    assert gradgradcheck(lambda x: ag.cumprod(x, dim=0), (x.detach().requires_grad_(),))


def test_cumprod_as_pytorch_names_it() -> None:
    x = ag.tensor([[1, 2], [3, 4]])
    assert ag.cumprod(x, dim=1).tolist() == ag.cumprod(x, axis=-1).tolist() == [[1, 2], [3, 12]]
    assert ag.cumprod(x, 0, dtype=ag.float64).dtype is ag.float64
    assert ag.cumprod(x > 1, 0).dtype is ag.int64
    assert ag.cumprod(ag.tensor(3.0), 0).item() == 3.0
    # Steps between that float16 could not hold without float32's digits.
    assert ag.cumprod(ag.full((10,), 1.25).half(), 0)[-1].item() == pytest.approx(1.25**10, rel=1e-3)
    with pytest.raises(TypeError, match="cumprod: give dim"):
        ag.cumprod(x)
    with pytest.raises(IndexError, match="cumprod"):
        ag.cumprod(x, 2)
