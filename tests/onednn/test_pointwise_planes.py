"""Activations, average pools, group norm and resizing against NumPy's kernels: shapes and options at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograd_backends import get_backend
from autograd_backends.numpy_backend.onednn import averages, group_norms, pointwise, resampling
from autograd_backends.numpy_backend.onednn.gate import forced
from autograd_backends.options import InterpolateOptions
from autograd_backends.resampling import MODES

from .layouts import LAYOUTS

CPU: Any = get_backend("cpu")
NEVER = 2**62

Rng = np.random.Generator


def numbers(rng: Rng, *shape: int) -> np.ndarray:
    """Normal numbers in a layout at random, in order as often as not."""
    x = rng.standard_normal(shape, dtype=np.float32)
    return x if rng.integers(2) else LAYOUTS[rng.integers(len(LAYOUTS))](x)


def some(rng: Rng, low: int, high: int, count: int) -> tuple[int, ...]:
    return tuple(int(n) for n in rng.integers(low, high, count))


def elementwise(name: str) -> Callable[[Rng], Any]:
    arrays = 2 if name.endswith("backward") else 1

    def draw(rng: Rng) -> Any:
        shape = some(rng, 1, 20, int(rng.integers(1, 4)))
        return [numbers(rng, *shape) for _ in range(arrays)]

    return draw


def windows(rng: Rng) -> tuple[int, tuple[int, ...], Any]:
    """The rank, the shape of x, and the other arguments of an average pool."""
    rank = int(rng.integers(1, 4))
    kernel = some(rng, 1, 4, rank)
    padding = tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel)
    divisor = None if rng.integers(3) else int(rng.integers(1, 9))
    sizes = kernel, some(rng, 1, 4, rank), padding, bool(rng.integers(2)), bool(rng.integers(2)), divisor
    return rank, (*some(rng, 1, 20, 2), *some(rng, 4, 10, rank)), sizes


def avg_pool(rng: Rng) -> Any:
    rank, shape, sizes = windows(rng)
    x = numbers(rng, *shape)
    return lambda: getattr(CPU, f"avg_pool{rank}d")(x, *sizes)


def avg_pool_backward(rng: Rng) -> Any:
    rank, shape, sizes = windows(rng)
    with forced(NEVER):
        out = getattr(CPU, f"avg_pool{rank}d")(np.zeros(shape, np.float32), *sizes).shape
    grad = numbers(rng, *out)
    return lambda: getattr(CPU, f"avg_pool{rank}d_backward")(shape, grad, *sizes)


def adaptive(rng: Rng, backward: bool) -> Any:
    rank = int(rng.integers(1, 4))
    size = some(rng, 1, 5, rank)
    # Windows side by side, and some that overlap.
    spatial = tuple(n * int(rng.integers(1, 4)) + int(rng.integers(5) == 0) for n in size)
    lead = some(rng, 1, 20, 2)
    if backward:
        grad = numbers(rng, *lead, *size)
        return lambda: getattr(CPU, f"adaptive_avg_pool{rank}d_backward")((*lead, *spatial), grad)
    x = numbers(rng, *lead, *spatial)
    return lambda: getattr(CPU, f"adaptive_avg_pool{rank}d")(x, size)


def resized(rng: Rng, backward: bool) -> Any:
    rank = int(rng.integers(1, 5))
    mode = MODES[rng.integers(len(MODES))]
    shape = (*some(rng, 1, 5, 2), *some(rng, 1, 7, rank))
    scales = None
    if rng.integers(2):  # whole multiples, which have ways of their own
        size = tuple(n * int(rng.integers(1, 4)) for n in shape[2:])
    else:
        size = some(rng, 1, 9, rank)
        if not rng.integers(3):
            scales = tuple(out / n * 1.01 for n, out in zip(shape[2:], size, strict=True))
    options = InterpolateOptions(mode, bool(rng.integers(2)), scales)
    if backward:
        grad = numbers(rng, *shape[:2], *size)
        return lambda: CPU.interpolate_backward(shape, grad, size, options)
    x = numbers(rng, *shape)
    return lambda: CPU.interpolate(x, size, options)


def grouped(rng: Rng) -> tuple[np.ndarray, int, np.ndarray | None]:
    """x, a number of groups, and gamma or None."""
    groups = int(rng.integers(1, 5))
    channels = groups * int(rng.integers(1, 5))
    x = numbers(rng, int(rng.integers(1, 4)), channels, *some(rng, 2, 9, int(rng.integers(1, 4))))
    return x + np.float32(rng.integers(2)), groups, numbers(rng, channels) if rng.integers(2) else None


def group_norm(rng: Rng) -> Any:
    x, groups, gamma = grouped(rng)
    beta = numbers(rng, x.shape[1]) if rng.integers(2) else None
    return lambda: CPU.group_norm(x, groups, gamma, beta, 1e-5)


def group_norm_backward(rng: Rng) -> Any:
    x, groups, gamma = grouped(rng)
    grad, needs = numbers(rng, *x.shape), tuple(bool(n) for n in rng.integers(0, 2, 3))
    with forced(NEVER):
        _, mean, rstd = CPU.group_norm(x, groups, gamma, None, 1e-5)
    return lambda: CPU.group_norm_backward(x, groups, gamma, mean, rstd, grad, needs)


DRAWS: dict[str, Callable[[Rng], Any]] = {
    **{f.__name__: f for f in (avg_pool, avg_pool_backward, group_norm, group_norm_backward)},
    "adaptive_avg_pool": lambda rng: adaptive(rng, False),
    "adaptive_avg_pool_backward": lambda rng: adaptive(rng, True),
    "interpolate": lambda rng: resized(rng, False),
    "interpolate_backward": lambda rng: resized(rng, True),
}
POINTWISE = ("relu", "relu_backward", "sigmoid", "sigmoid_backward", "silu", "silu_backward")


def outputs(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", DRAWS)
def test_as_numpy(name: str) -> None:
    for seed in range(60):
        call = DRAWS[name](np.random.default_rng(seed))
        with forced(NEVER):
            want = call()
        with forced():
            found = call()
        for a, b in zip(outputs(found), outputs(want), strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert (a.shape, a.dtype) == (b.shape, b.dtype)
                # Sums lose digits of their largest terms.
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=4e-6 * max(1.0, float(np.abs(b).max())))


@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise_as_numpy(name: str) -> None:
    for seed in range(40):
        given = elementwise(name)(np.random.default_rng(seed))
        with forced(NEVER):
            want = getattr(CPU, name)(*given)
        with forced():
            found = getattr(CPU, name)(*given)
        assert (found.shape, found.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-7)


class TestByOnednn:
    """These are what oneDNN does, not what it declines."""

    def test_pointwise(self) -> None:
        x = np.ones((3, 5, 7), np.float32)
        for name in POINTWISE:
            assert getattr(pointwise, name)(*[x] * (2 if name.endswith("backward") else 1)) is not None

    def test_averages(self) -> None:
        x, sizes = np.ones((2, 16, 8, 8), np.float32), ((3, 3), (2, 2), (1, 1))
        for counted in (True, False):
            assert averages.avg_pool(x, *sizes, counted, False) is not None
            assert averages.avg_pool_backward((2, 16, 16, 16), x, *sizes, counted, False) is not None
        assert averages.adaptive_avg_pool(x, (2, 4)) is not None
        assert averages.adaptive_avg_pool_backward((2, 16, 16, 24), x) is not None

    def test_group_norm(self) -> None:
        x = np.random.default_rng(0).standard_normal((2, 6, 5, 5), dtype=np.float32)
        found = group_norms.group_norm(x, 3, None, None, 1e-5)
        assert found is not None
        assert group_norms.group_norm_backward(x, 3, None, found[1], found[2], x) is not None

    def test_resizing(self) -> None:
        x = np.ones((2, 16, 8, 8), np.float32)
        for mode in ("nearest", "bilinear"):
            assert resampling.interpolate(x, (16, 16), InterpolateOptions(mode, False)) is not None
        assert resampling.interpolate_backward((2, 16, 4, 4), x, (8, 8), InterpolateOptions("nearest")) is not None


@pytest.mark.usefixtures("onednn_does_all")
class TestSpecial:
    def test_relu_of_a_nan(self) -> None:
        x = np.array([[np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, np.nan, 2.0]], np.float32)
        np.testing.assert_array_equal(CPU.relu(x), np.maximum(x, 0))

    @pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
    @pytest.mark.parametrize("at", [0, 8, 18])
    def test_relu_stops_what_is_not_finite(self, special: float, at: int) -> None:
        output, grad = np.ones(19, np.float32), np.arange(1, 20, dtype=np.float32)
        output[at] = 0.0
        grad[at] = special
        want = grad.copy()
        want[at] = 0.0
        np.testing.assert_array_equal(CPU.relu_backward(output, grad), want)

    def test_a_gradient_goes_on_where_the_output_is_nan(self) -> None:
        output = np.full(16, np.nan, np.float32)
        np.testing.assert_array_equal(CPU.relu_backward(output, np.ones_like(output)), np.ones_like(output))

    def test_group_norm_of_what_is_far_from_zero(self) -> None:
        x = np.random.default_rng(0).standard_normal((2, 6, 16, 16), dtype=np.float32)
        exact = (x + np.float32(4096)).astype(np.float64).reshape(2, 3, -1)
        want = (exact - exact.mean(2, keepdims=True)) / np.sqrt(exact.var(2, keepdims=True) + 1e-5)
        found = CPU.group_norm(x + np.float32(4096), 3, None, None, 1e-5)[0]
        np.testing.assert_allclose(found, want.reshape(x.shape), atol=2e-3)

    def test_group_norm_with_a_scale_of_zero(self) -> None:
        x = np.random.default_rng(0).standard_normal((2, 4, 5), dtype=np.float32)
        gamma = np.array([1.0, 0.0, 2.0, 1e-30], np.float32)
        _, mean, rstd = CPU.group_norm(x, 2, gamma, None, 1e-5)
        with forced(NEVER):
            want = CPU.group_norm_backward(x, 2, gamma, mean, rstd, x[::-1].copy())
        found = CPU.group_norm_backward(x, 2, gamma, mean, rstd, x[::-1].copy())
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize("special", [np.inf, np.nan, 3e38])
    @pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
    def test_resizing_leaves_what_has_no_part(self, special: float, mode: str) -> None:
        x, options = np.ones((1, 2, 6, 6), np.float32), InterpolateOptions(mode, False)
        x[0, 0, 2, 3] = special
        for size in ((2, 2), (12, 12)):
            with forced(NEVER):
                want = CPU.interpolate(x, size, options), CPU.interpolate_backward((1, 2, 3, 3), x, (6, 6), options)
            found = CPU.interpolate(x, size, options), CPU.interpolate_backward((1, 2, 3, 3), x, (6, 6), options)
            for a, b in zip(found, want, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5)

    def test_sigmoid_far_out(self) -> None:
        x = np.array([-200.0, -80.0, -20.0, 0.0, 20.0, 80.0, 200.0, np.inf, -np.inf, np.nan], np.float32)
        with forced(NEVER), np.errstate(under="ignore", invalid="ignore"):
            want = CPU.sigmoid(x)
        np.testing.assert_allclose(CPU.sigmoid(x), want, rtol=1e-6, atol=1e-37)
