"""The extensions: linear algebra, Fourier transforms, and special functions where SciPy looks for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import array_api as xp
from autograd_ops.autograd import gradcheck

from .test_functions import as_strict, check, many

rng = np.random.default_rng(0)
SQUARE = rng.normal(size=(2, 3, 3)) + 3 * np.eye(3)
POSITIVE = SQUARE @ SQUARE.swapaxes(-1, -2)
WIDE = rng.normal(size=(2, 3, 4))
VECTOR = rng.normal(size=6)

Call = Callable[..., Any]


def symmetric(n: Any, x: Any) -> Any:
    """Whatever x is, half the sum of it and its transpose: what a step of x leaves symmetric."""
    return (x + n.matrix_transpose(x)) / 2


#: What is the same whichever vectors are chosen among those that would do.
LINALG: list[tuple[str, Call, tuple[np.ndarray, ...]]] = [
    (
        "cholesky",
        lambda n, x: [n.linalg.cholesky(symmetric(n, x)), n.linalg.cholesky(symmetric(n, x), upper=True)],
        (POSITIVE,),
    ),
    ("cross", lambda n, x, y: [n.linalg.cross(x, y), n.linalg.cross(x, y[0, ...], axis=-2)], (SQUARE, SQUARE[:1] + 1)),
    ("det", lambda n, x: n.linalg.det(x), (SQUARE,)),
    ("diagonal", lambda n, x: [n.linalg.diagonal(x), n.linalg.diagonal(x, offset=-1)], (WIDE,)),
    ("eigh", lambda n, x: n.linalg.eigh(symmetric(n, x)).eigenvalues, (POSITIVE,)),
    ("eigvalsh", lambda n, x: n.linalg.eigvalsh(symmetric(n, x)), (POSITIVE,)),
    ("inv", lambda n, x: n.linalg.inv(x), (SQUARE,)),
    *[
        (f"matrix_norm {ord}", lambda n, x, ord=ord: n.linalg.matrix_norm(x, ord=ord, keepdims=True), (WIDE,))
        for ord in ("fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf"))
    ],
    ("matrix_power", lambda n, x: [n.linalg.matrix_power(x, k) for k in (0, 3, -2)], (SQUARE,)),
    ("matrix_rank", lambda n, x: [n.linalg.matrix_rank(x), n.linalg.matrix_rank(x, rtol=0.5)], (WIDE,)),
    ("outer", lambda n, x, y: n.linalg.outer(x, y), (VECTOR, VECTOR[:2])),
    ("pinv", lambda n, x: [n.linalg.pinv(x), n.linalg.pinv(x, rtol=1e-3)], (WIDE,)),
    ("slogdet", lambda n, x: [*n.linalg.slogdet(x)], (SQUARE,)),
    ("solve", lambda n, x, y: n.linalg.solve(x, y), (SQUARE, WIDE)),
    ("solve of a vector", lambda n, x, y: n.linalg.solve(x, y), (SQUARE, VECTOR[:3])),
    ("solve of one matrix", lambda n, x, y: n.linalg.solve(x, y), (SQUARE, SQUARE[0, :, :2])),
    ("svdvals", lambda n, x: [n.linalg.svdvals(x), n.linalg.svd(x, full_matrices=False).S], (WIDE,)),
    ("trace", lambda n, x: [n.linalg.trace(x), n.linalg.trace(x, offset=1, dtype=n.float32)], (WIDE,)),
    ("trace of integers", lambda n, x: n.linalg.trace(x), (np.arange(9, dtype=np.int8).reshape(3, 3),)),
    *[
        (f"vector_norm {kw}", lambda n, x, kw=kw: n.linalg.vector_norm(x, **kw), (WIDE,))
        for kw in ({}, {"axis": 1}, {"axis": (0, 2), "keepdims": True}, {"ord": 3}, {"ord": float("inf"), "axis": -1})
    ],
    (
        "products",
        lambda n, x, y: [
            n.linalg.matmul(x, y),
            n.linalg.tensordot(x, y, axes=((2,), (1,))),
            n.linalg.vecdot(x, x),
            n.linalg.matrix_transpose(y),
        ],
        (SQUARE, WIDE),
    ),
]
FFT: list[tuple[str, Call, tuple[np.ndarray, ...]]] = [
    *[
        (f"{name} {kw}", lambda n, x, name=name, kw=kw: getattr(n.fft, name)(n.astype(x, n.complex128), **kw), (WIDE,))
        for name in ("fft", "ifft", "irfft", "hfft")
        for kw in ({}, {"axis": 1, "norm": "ortho"}, {"n": 6}, {"n": 3, "axis": -1, "norm": "forward"})
    ],
    *[
        (f"{name} {kw}", lambda n, x, name=name, kw=kw: getattr(n.fft, name)(x, **kw), (WIDE,))
        for name in ("rfft", "ihfft")
        for kw in ({}, {"axis": 1, "norm": "ortho"}, {"n": 6}, {"n": 3, "axis": -1, "norm": "forward"})
    ],
    *[
        (f"{name} {kw}", lambda n, x, name=name, kw=kw: getattr(n.fft, name)(n.astype(x, n.complex128), **kw), (WIDE,))
        for name in ("fftn", "ifftn", "irfftn")
        for kw in ({}, {"axes": (0, 2)}, {"s": (4, 6), "axes": (1, 2), "norm": "ortho"})
    ],
    *[
        (f"rfftn {kw}", lambda n, x, kw=kw: n.fft.rfftn(x, **kw), (WIDE,))
        for kw in ({}, {"axes": (0, 2)}, {"s": (4, 6), "axes": (1, 2), "norm": "ortho"})
    ],
    *[
        (f"{name} {kw}", lambda n, x, name=name, kw=kw: getattr(n.fft, name)(x, **kw), (WIDE,))
        for name in ("fftshift", "ifftshift")
        for kw in ({}, {"axes": 1}, {"axes": (0, 2)})
    ],
]
CALLS = LINALG + FFT


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
@pytest.mark.parametrize(("call", "arrays"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_means_what_the_standard_says(call: Call, arrays: tuple[np.ndarray, ...], device: str) -> None:
    given = [ag.tensor(a, device=device) for a in arrays]
    check(call(xp, *given), call(strict, *map(as_strict, arrays)), device)


@pytest.mark.parametrize(("call", "arrays"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_is_differentiable(call: Call, arrays: tuple[np.ndarray, ...]) -> None:
    given = [ag.tensor(a, requires_grad=a.dtype == np.float64) for a in arrays]
    following = lambda *xs: tuple(y for y in many(call(xp, *xs)) if y.requires_grad and y.dtype != "float32")  # noqa: E731
    if all(x.requires_grad for x in given) and following(*given):
        assert gradcheck(following, given)


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
def test_decompositions_multiply_to_what_they_are_of(device: str) -> None:
    x, wide = ag.tensor(POSITIVE, device=device), ag.tensor(WIDE, device=device)
    values, vectors = xp.linalg.eigh(x)
    products = [(x, vectors * xp.expand_dims(values, 1) @ vectors.mT)]
    values, vectors = xp.linalg.eig(ag.tensor(SQUARE, device=device))
    products.append((ag.tensor(SQUARE, device=device), vectors * xp.expand_dims(values, 1) @ xp.linalg.inv(vectors)))
    for mode in ("reduced", "complete"):
        found = xp.linalg.qr(wide.mT, mode=mode)
        assert found.Q.shape[-1] == found.R.shape[-2] == (3 if mode == "reduced" else 4)
        products.append((wide.mT, found.Q @ found.R))
    found = xp.linalg.svd(wide)
    assert found.Vh.shape == (2, 4, 4)
    products.append((wide, found.U * xp.expand_dims(found.S, 1) @ found.Vh[:, :3]))
    for wanted, product in products:
        np.testing.assert_allclose(product.cpu().numpy(), wanted.cpu().numpy(), atol=1e-12)
    np.testing.assert_allclose(
        np.sort_complex(xp.linalg.eigvals(ag.tensor(SQUARE, device=device)).cpu().numpy()),
        np.sort_complex(np.linalg.eigvals(SQUARE)),
    )


def test_frequencies() -> None:
    for name in ("fftfreq", "rfftfreq"):
        for n in (5, 6):
            got = getattr(xp.fft, name)(n, d=0.5, dtype=xp.float64)
            np.testing.assert_allclose(got.numpy(), getattr(np.fft, name)(n, 0.5))
        assert getattr(xp.fft, name)(4).dtype == "float32"


@pytest.mark.parametrize("extension", ["linalg", "fft"])
def test_has_every_name_and_takes_the_arguments_of_the_standard(extension: str) -> None:
    theirs = getattr(strict, extension)
    names = set(theirs.__all__) - {"__all__"}
    assert len(names) > 13
    for name in names:
        ours = list(inspect.signature(getattr(getattr(xp, extension), name)).parameters.values())
        for i, wanted in enumerate(inspect.signature(getattr(theirs, name)).parameters.values()):
            mine = next(p for p in ours if p.name == wanted.name) if wanted.kind is wanted.KEYWORD_ONLY else ours[i]
            assert mine.kind in (wanted.kind, wanted.POSITIONAL_OR_KEYWORD), (name, wanted)


def test_special_functions_are_where_scipy_looks() -> None:
    x = ag.tensor([0.3, 0.6], requires_grad=True)
    for name in xp.special.__all__:
        assert callable(getattr(xp.special, name))
    xp.special.expit(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1 / (2 + 2 * np.cosh([0.3, 0.6])), rtol=1e-6)
