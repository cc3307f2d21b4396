"""Norms, softmax, gelu and max pools against NumPy's kernels: shapes and layouts at random, and what is special."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograd_backends import get_backend
from autograd_backends.base import Backend
from autograd_backends.numpy_backend.onednn.gate import forced

CPU: Any = get_backend("cpu")
NEVER = 2**62


def layouts(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Normal numbers of `shape`: in order, with the axes reversed in memory, or of every other element."""
    kind = rng.integers(3)
    if kind == 0:
        return rng.standard_normal(shape, dtype=np.float32)
    if kind == 1:
        return rng.standard_normal(shape[::-1], dtype=np.float32).T
    return rng.standard_normal((*shape[:-1], 2 * shape[-1]), dtype=np.float32)[..., ::2]


def rows(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(n) for n in rng.integers(1, 40, rng.integers(1, 4)))


def planes(rng: np.random.Generator) -> tuple[int, ...]:
    spatial = (int(n) for n in rng.integers(1, 12, rng.integers(1, 4)))
    return (int(rng.integers(2, 5)), int(rng.integers(1, 20)), *spatial)


def of_rows(function: Callable[..., Any], arrays: int, *options: Any) -> Callable[[np.random.Generator], Any]:
    def draw(rng: np.random.Generator) -> Any:
        shape = rows(rng)
        given = [layouts(rng, shape) for _ in range(arrays)]
        return lambda: function(*given, *options)

    return draw


def layer_norm(rng: np.random.Generator) -> Any:
    x = layouts(rng, (*rows(rng), 16))
    gamma, beta = (layouts(rng, x.shape[-1:]) if rng.integers(2) else None for _ in range(2))
    return lambda: CPU.layer_norm(x, gamma, beta, 1e-5)


def layer_norm_backward(rng: np.random.Generator) -> Any:
    shape = (*rows(rng), 16)
    x, grad = layouts(rng, shape), layouts(rng, shape)
    gamma = layouts(rng, shape[-1:]) if rng.integers(2) else None
    _, mean, rstd = CPU.layer_norm(x, gamma, None, 1e-5)
    needs = (True, *(bool(n) for n in rng.integers(0, 2, 2)))
    return lambda: CPU.layer_norm_backward(x, gamma, mean, rstd, grad, needs)


def batch_norm_train(rng: np.random.Generator) -> Any:
    x = layouts(rng, planes(rng))
    gamma, beta = (layouts(rng, x.shape[1:2]) if rng.integers(2) else None for _ in range(2))
    return lambda: CPU.batch_norm_train(x, gamma, beta, 1e-5)


def batch_norm_train_backward(rng: np.random.Generator) -> Any:
    shape = planes(rng)
    x, grad = layouts(rng, shape), layouts(rng, shape)
    gamma = layouts(rng, shape[1:2]) if rng.integers(2) else None
    _, mean, variance = CPU.batch_norm_train(x, gamma, None, 1e-5)
    needs = tuple(bool(n) for n in rng.integers(0, 2, 3))
    return lambda: CPU.batch_norm_train_backward(x, gamma, mean, variance, 1e-5, grad, needs)


def max_pool(rng: np.random.Generator) -> Any:
    rank = int(rng.integers(1, 4))
    x = layouts(rng, (2, 3, *(int(n) for n in rng.integers(5, 12, rank))))
    x = np.round(x)  # equal elements, of which the first wins
    function = getattr(CPU, f"max_pool{rank}d_with_indices")
    sizes = pooled(rng, x)
    return lambda: function(x, *sizes)


def pooled(rng: np.random.Generator, x: np.ndarray) -> tuple[Any, ...]:
    """Sizes of a max pool of x."""
    rank = x.ndim - 2
    kernel = tuple(int(n) for n in rng.integers(1, 4, rank))
    stride = tuple(int(n) for n in rng.integers(1, 4, rank))
    padding = tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel)
    return kernel, stride, padding, tuple(int(n) for n in rng.integers(1, 3, rank)), bool(rng.integers(2))


def cells(rng: np.random.Generator) -> Any:
    """A max pool and its way back."""
    x = np.round(layouts(rng, (2, 3, *(int(n) for n in rng.integers(5, 12, int(rng.integers(1, 4)))))))
    sizes = pooled(rng, x)
    function = getattr(CPU, f"max_pool{x.ndim - 2}d")

    def call() -> Any:
        output, found = function(x, *sizes)
        values = layouts(np.random.default_rng(1), output.shape)
        return output, found, CPU.scatter_cells(x.shape, values, found, *sizes)

    return call


DRAWS: dict[str, Callable[[np.random.Generator], Any]] = {
    "gelu": of_rows(CPU.gelu, 1, "none"),
    "gelu of tanh": of_rows(CPU.gelu, 1, "tanh"),
    "gelu_backward": of_rows(CPU.gelu_backward, 2, "none"),
    "gelu_backward of tanh": of_rows(CPU.gelu_backward, 2, "tanh"),
    "softmax": of_rows(CPU.softmax, 1, -1),
    "log_softmax": of_rows(CPU.log_softmax, 1, -1),
    "softmax_backward": of_rows(CPU.softmax_backward, 2, -1),
    "log_softmax_backward": of_rows(CPU.log_softmax_backward, 2, -1),
    **{f.__name__: f for f in (layer_norm, layer_norm_backward, batch_norm_train, batch_norm_train_backward)},
    **{f.__name__: f for f in (max_pool, cells)},
}


def outputs(call: Callable[[], Any]) -> list[Any]:
    found = call()
    return [found] if isinstance(found, np.ndarray) else list(found)


def compare(found: list[Any], want: list[Any]) -> None:
    for a, b in zip(found, want, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            # Sums lose digits of their largest terms.
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5 * max(1.0, float(np.abs(b).max(initial=0))))


@pytest.mark.parametrize("name", DRAWS)
def test_as_numpy(name: str) -> None:
    for seed in range(25):
        with forced(NEVER):
            call = DRAWS[name](np.random.default_rng(seed))
            want = outputs(call)
        with forced():
            compare(outputs(call), want)


@pytest.mark.usefixtures("onednn_does_all")
class TestSpecial:
    def test_rows_far_from_zero_keep_their_digits(self) -> None:
        x = np.random.default_rng(0).standard_normal((4, 8, 16, 16), dtype=np.float32)
        far = x + np.float32(4096)
        exact = far.astype(np.float64)
        centred = exact - exact.mean((0, 2, 3), keepdims=True)
        want = centred / np.sqrt((centred**2).mean((0, 2, 3), keepdims=True) + 1e-5)
        np.testing.assert_allclose(CPU.batch_norm_train(far, None, None, 1e-5)[0], want, atol=2e-3)

    @pytest.mark.parametrize("shape", [(3, 2, 9000), (2, 3, 40, 40), (70, 4, 3, 3)])
    @pytest.mark.parametrize("far", [0.0, 3.5])
    def test_batch_norm_keeps_its_digits(self, shape: tuple[int, ...], far: float) -> None:
        rng = np.random.default_rng(0)
        x, grad = rng.standard_normal((2, *shape), dtype=np.float32)
        x += np.float32(far)
        exact = x.astype(np.float64), None, None, 1e-5
        want = Backend.batch_norm_train(*exact)
        found = CPU.batch_norm_train(x, None, None, 1e-5)
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
        want = Backend.batch_norm_train_backward(*exact[:2], *want[1:], 1e-5, grad.astype(np.float64))
        for a, b in zip(CPU.batch_norm_train_backward(x, None, *found[1:], 1e-5, grad), want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(b).max()))

    @pytest.mark.parametrize("value", [0.0, 5.0, np.inf, np.nan, 1e30])
    def test_batch_norm_of_equal_elements(self, value: float) -> None:
        x = np.full((4, 2, 8, 8), value, np.float32)
        with np.errstate(all="ignore"):
            with forced(NEVER):
                want = CPU.batch_norm_train(x, None, None, 1e-5)
            found = CPU.batch_norm_train(x, None, None, 1e-5)
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)

    def test_gelu_of_infinities(self) -> None:
        for special in (-np.inf, np.inf, np.nan):
            for place in (0, 9, 20):  # the last is behind the rows that are added up
                x = np.array([-1e30, 0.0, 1e30] * 7, np.float32)
                x[place] = special
                with forced(NEVER):
                    want = [CPU.gelu(x, kind) for kind in ("none", "tanh")]
                np.testing.assert_array_equal([CPU.gelu(x, kind) for kind in ("none", "tanh")], want)

    def test_softmax_of_hidden_elements(self) -> None:
        x = np.array([[0.0, -np.inf, 0.0], [-np.inf, -np.inf, -np.inf], [np.nan, 1.0, 2.0]], np.float32)
        want = np.array([[0.5, 0.0, 0.5], [np.nan] * 3, [np.nan] * 3], np.float32)
        np.testing.assert_allclose(CPU.softmax(x, -1), want)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(CPU.log_softmax(x, -1), np.log(want), rtol=1e-6)

    def test_log_softmax_keeps_what_softmax_cannot_hold(self) -> None:
        np.testing.assert_allclose(CPU.log_softmax(np.array([[0.0, -500.0]], np.float32), -1), [[0.0, -500.0]])

    @pytest.mark.parametrize("special", [np.nan, -np.inf, np.inf])
    def test_max_pool_of(self, special: float) -> None:
        x = np.full((1, 1, 4, 4), special, np.float32)
        x[0, 0, 2, 2] = 1.0
        sizes = (2, 2), (2, 2), (1, 1), (1, 1), False
        with forced(NEVER):
            want = CPU.max_pool2d_with_indices(x, *sizes)
        found = CPU.max_pool2d_with_indices(x, *sizes)
        np.testing.assert_array_equal(found[0], want[0])
        np.testing.assert_array_equal(found[1], want[1])

    def test_threads(self) -> None:
        x = np.random.default_rng(0).standard_normal((64, 96), dtype=np.float32)
        want = CPU.layer_norm(x, None, None, 1e-5)[0]
        wrong: list[int] = []

        def work() -> None:
            for n in range(20):
                part = np.ascontiguousarray(x[n:])
                if not np.array_equal(CPU.layer_norm(part, None, None, 1e-5)[0], want[n:]):
                    wrong.append(n)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
