"""oneDNN's products are NumPy's, up to the rounding of sums of that length, whatever the shapes and layouts."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_backends import get_backend, namespace
from autograd_backends.numpy_backend.onednn import library as door

if door.why_not() is not None:
    pytest.skip(f"oneDNN: {door.why_not()}", allow_module_level=True)

from autograd_backends.numpy_backend.onednn import products

from . import numbers
from .layouts import LAYOUTS, close_as_sum

common = settings(max_examples=40, deadline=None)
sizes = st.integers(1, 40)
layouts = st.sampled_from(LAYOUTS)


def check_linear(x: Any, weight: Any, bias: Any) -> None:
    got = products.linear(x, weight, bias)
    exact = x.astype("float64") @ weight + (0 if bias is None else bias)
    bound = abs(x).astype("float64") @ abs(weight) + (0 if bias is None else abs(bias))
    close_as_sum(got, exact, bound, x.shape[-1] + 1)


@common
@given(st.lists(sizes, max_size=2), sizes, sizes, sizes, layouts, layouts, layouts, st.booleans())
def test_linear(lead: Any, rows: int, k: int, m: int, of_x: Any, of_weight: Any, of_bias: Any, has_bias: bool) -> None:
    x, weight = of_x(numbers(*lead, rows, k)), of_weight(numbers(k, m))
    check_linear(x, weight, of_bias(numbers(m)) if has_bias else None)
    check_linear(x, of_weight(numbers(m, k)).T, None)


@common
@given(st.lists(sizes, max_size=2), sizes, sizes, sizes, layouts, layouts)
def test_gradients_of_linear(lead: Any, rows: int, k: int, m: int, of_x: Any, of_grad: Any) -> None:
    x, grad, weight = of_x(numbers(*lead, rows, k)), of_grad(numbers(*lead, rows, m)), numbers(k, m)
    wide, flat = x.astype("float64").reshape(-1, k), grad.astype("float64").reshape(-1, m)
    close_as_sum(products.linear_weight_backward(x, grad), wide.T @ flat, abs(wide).T @ abs(flat), len(wide))
    exact = grad.astype("float64") @ weight.T
    close_as_sum(products.linear_x_backward(weight, grad), exact, abs(grad).astype("float64") @ abs(weight.T), m)


@st.composite
def batches(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Leading dimensions of two factors that broadcast."""
    both = draw(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["both", "first", "second"])), max_size=3))
    first = tuple(n if which != "second" else 1 for n, which in both)
    second = tuple(n if which != "first" else 1 for n, which in both)
    return first, second[draw(st.integers(0, len(second))) :]


@common
@given(batches(), sizes, sizes, sizes, layouts, layouts)
def test_matmul(batch: Any, n: int, k: int, m: int, of_x: Any, of_y: Any) -> None:
    first, second = batch
    x, y = of_x(numbers(*first, n, k)), of_y(numbers(*second, k, m))
    exact = np.matmul(x.astype("float64"), y.astype("float64"))
    close_as_sum(products.matmul(x, y), exact, np.matmul(abs(x).astype("float64"), abs(y)), k)


@common
@given(batches(), sizes, sizes, sizes, layouts, layouts)
def test_matmul_into_a_part_of_an_array(batch: Any, n: int, k: int, m: int, of_x: Any, of_y: Any) -> None:
    first, second = batch
    x, y = of_x(numbers(*first, n, k)), of_y(numbers(*second, k, m))
    exact = np.matmul(x.astype("float64"), y.astype("float64"))
    whole = np.full((*exact.shape[:-2], 2, n, m), 7, np.float32)
    out = products.matmul_into(x, y, whole[..., 1, :, :])
    assert np.shares_memory(out, whole)
    close_as_sum(out, exact, np.matmul(abs(x).astype("float64"), abs(y)), k)
    assert (whole[..., 0, :, :] == 7).all()


@pytest.mark.usefixtures("onednn_does_all")
@pytest.mark.parametrize("n", [1, 3, 16])
def test_matmul_into_of_rows_that_overlap(n: int) -> None:
    # As a correlation has its columns: each window is a matrix, which shares rows with the next.
    rows = numbers(9, 4, 8)
    windows = np.lib.stride_tricks.as_strided(rows, (7, 12, 8), rows.strides)
    weight, out = numbers(n, 12), np.empty((n, 7, 8), np.float32)
    namespace(rows).matmul_into(weight, windows, out.swapaxes(0, 1))
    np.testing.assert_allclose(out, np.einsum("nk,wkp->nwp", weight, windows), rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("onednn_does_all")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_onednn_declines_numpy_writes_into_the_same_array(dtype: str) -> None:
    x, y = numbers(1000, 4, 2).astype(dtype), np.broadcast_to(numbers(1, 2, 4).astype(dtype), (1000, 2, 4))
    out = np.empty((1000, 4, 4), dtype)
    assert products.matmul_into(x, y, out) is None
    assert namespace(x).matmul_into(x, y, out) is out
    np.testing.assert_allclose(out, x @ y, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("x", "y"), [((7,), (7,)), ((7,), (7, 3)), ((3, 7), (7,)), ((2, 3, 7), (7,)), ((7,), (2, 7, 3))]
)
def test_vectors(x: Any, y: Any) -> None:
    a, b = numbers(*x), numbers(*y)
    close_as_sum(products.matmul(a, b), np.matmul(a.astype("f8"), b), np.matmul(abs(a).astype("f8"), abs(b)), 7)


def test_dense_views_of_heads_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "run_copied", None)
    q, k = (numbers(2, 16, 4, 8, seed=seed).transpose(0, 2, 1, 3) for seed in (0, 1))
    np.testing.assert_allclose(products.matmul(q, k.swapaxes(-1, -2)), q @ k.swapaxes(-1, -2), rtol=1e-4, atol=1e-5)


def test_what_was_broadcast_is_not_copied() -> None:
    x = np.broadcast_to(numbers(1, 3, 4), (1000, 3, 4))
    assert products.matmul(x, numbers(1000, 4, 2)) is None


@pytest.mark.usefixtures("onednn_does_all")
def test_errors_are_numpys_kernels() -> None:
    backend = get_backend("cpu")
    with pytest.raises(ValueError, match="linear"):
        backend.linear(numbers(2, 3), numbers(4, 5), None)
    with pytest.raises(ValueError, match="bias"):
        backend.linear(numbers(2, 3), numbers(3, 5), numbers(4))
    with pytest.raises(ValueError, match="broadcast"):
        namespace(numbers(1)).matmul(numbers(2, 2, 3), numbers(3, 3, 5))


def test_other_dtypes_are_numpys() -> None:
    x = np.ones((128, 128))
    out = namespace(x).matmul(x, x)
    assert out.dtype == np.float64
    assert (out == 128).all()
    mixed = namespace(x).matmul(x.astype(np.float32), x)
    assert mixed.dtype == np.float64


@pytest.mark.usefixtures("onednn_does_all")
def test_arrays_that_were_pickled_are_onednns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    x = pickle.loads(pickle.dumps(numbers(3, 4)))  # with a float32 that is another object than NumPy's own
    called = []
    monkeypatch.setitem(namespace(x).matmul.__globals__, "fast", lambda *factors: called.append(factors))
    namespace(x).matmul(x, x.T)
    assert len(called) == 1
