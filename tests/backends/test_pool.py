"""Pools against loops over every window, and numbers from PyTorch 2.13."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from autograd_backends import ShapeError
from autograd_backends.shapes import pool_output_shape

from .conftest import Lane, batch_last, close

Sizes = tuple[int, ...]

# x, kernel_size, stride, padding, dilation, ceil_mode
GRID: list[tuple[Sizes, Sizes, Sizes, Sizes, Sizes, bool]] = [
    ((2, 3, 7), (3,), (2,), (1,), (1,), False),
    ((2, 3, 8), (2,), (3,), (0,), (2,), True),
    ((2, 2, 6, 8), (2, 2), (2, 2), (0, 0), (1, 1), False),
    ((3, 2, 7, 6), (3, 3), (2, 2), (1, 1), (1, 1), True),
    ((2, 2, 7, 9), (3, 2), (1, 3), (1, 0), (2, 1), False),
    ((1, 2, 5, 5), (2, 3), (1, 2), (1, 1), (1, 2), True),
    ((2, 1, 4, 5, 6), (2, 3, 2), (2, 1, 2), (1, 1, 0), (1, 1, 2), True),
    ((0, 2, 4, 4), (2, 2), (2, 2), (0, 0), (1, 1), False),
]


def window(x_shape: Sizes, position: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Any:
    """The indices of the elements of a plane that a window meets, in order."""
    for cell in product(*map(range, kernel)):
        at = [p * s - b + k * d for p, s, b, k, d in zip(position, stride, padding, cell, dilation, strict=True)]
        if all(0 <= a < n for a, n in zip(at, x_shape[2:], strict=True)):
            yield tuple(at)


CONTENTS: dict[str, Any] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: np.round(rng.normal(size=shape)),
    "special": lambda rng, shape: rng.choice(
        [np.nan, -np.inf, -np.inf, np.inf, 1.0], p=[0.1, 0.4, 0.3, 0.1, 0.1], size=shape
    ),
}


def max_by_loops(x: np.ndarray, *sizes: Sizes, out: Sizes) -> tuple[np.ndarray, np.ndarray]:
    values, indices = np.empty(out, x.dtype), np.empty(out, np.int64)
    for n, c, *position in product(*map(range, out)):
        best, where = None, None
        for at in window(x.shape, tuple(position), *sizes):
            value = x[(n, c, *at)]
            if best is None or value > best or (np.isnan(value) and not np.isnan(best)):
                best, where = value, np.ravel_multi_index(at, x.shape[2:])
        values[(n, c, *position)], indices[(n, c, *position)] = best, where
    return values, indices


@pytest.mark.parametrize(("x_shape", "kernel", "stride", "padding", "dilation", "ceil_mode"), GRID)
@pytest.mark.parametrize("content", CONTENTS)
def test_max_pool(
    x_shape: Sizes,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    content: str,
    lane: Lane,
    dtype: str,
    rng: Any,
) -> None:
    x = CONTENTS[content](rng, x_shape).astype(dtype)
    sizes = (kernel, stride, padding, dilation)
    out = pool_output_shape("max_pool", x_shape, *sizes, ceil_mode)
    values, indices = max_by_loops(x, *sizes, out=out)
    name = f"max_pool{len(kernel)}d"

    given = lane.array(x)
    got = getattr(lane.ops, f"{name}_with_indices")(given, *sizes, ceil_mode)
    assert lane.host(got.indices).dtype == np.int64
    np.testing.assert_array_equal(lane.host(got.output), values)
    np.testing.assert_array_equal(lane.host(got.indices), indices)
    gathered = lane.ops.gather_planes(given, got.indices)
    np.testing.assert_array_equal(lane.host(gathered), values)

    grad = rng.normal(size=out)
    want = np.zeros(x_shape)
    for n, c, *position in product(*map(range, out)):
        at = np.unravel_index(indices[(n, c, *position)], x_shape[2:])
        want[(n, c, *at)] += grad[(n, c, *position)]
    close(lane.host(lane.ops.scatter_planes(x_shape, lane.array(grad, dtype), got.indices)), want, dtype, 10)


@pytest.mark.parametrize(("x_shape", "kernel", "stride", "padding", "dilation", "ceil_mode"), GRID)
@pytest.mark.parametrize("count_include_pad", [True, False])
def test_avg_pool(
    x_shape: Sizes,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    lane: Lane,
    dtype: str,
    rng: Any,
) -> None:
    ones = (1,) * len(kernel)
    x = rng.normal(size=x_shape)
    shape = pool_output_shape("avg_pool", x_shape, kernel, stride, padding, ones, ceil_mode)
    grad = rng.normal(size=shape)
    want, x_grad = np.zeros(shape), np.zeros(x_shape)
    for n, c, *position in product(*map(range, shape)):
        cells = list(window(x_shape, tuple(position), kernel, stride, padding, ones))
        count = len(cells)
        if count_include_pad:
            starts = [p * s - b for p, s, b in zip(position, stride, padding, strict=True)]
            ends = [min(a + k, z + b) for a, k, z, b in zip(starts, kernel, x_shape[2:], padding, strict=True)]
            count = int(np.prod([b - a for a, b in zip(starts, ends, strict=True)]))
        for at in cells:
            want[(n, c, *position)] += x[(n, c, *at)] / count
            x_grad[(n, c, *at)] += grad[(n, c, *position)] / count
    name = f"avg_pool{len(kernel)}d"
    rest = (kernel, stride, padding, count_include_pad, ceil_mode)
    close(lane.host(getattr(lane.ops, name)(lane.array(x, dtype), *rest)), want, dtype)
    got = getattr(lane.ops, f"{name}_backward")(x_shape, lane.array(grad, dtype), *rest)
    close(lane.host(got), x_grad, dtype)


@pytest.mark.parametrize(
    ("x_shape", "output_size"),
    [
        ((2, 3, 7), (3,)),
        ((2, 3, 3), (5,)),
        ((2, 2, 6, 7), (3, 4)),
        ((1, 2, 4, 5, 6), (2, 3, 1)),
        ((0, 2, 4, 4), (2, 2)),
    ],
)
def test_adaptive_avg_pool(x_shape: Sizes, output_size: Sizes, lane: Lane, dtype: str, rng: Any) -> None:
    x, grad = rng.normal(size=x_shape), rng.normal(size=(*x_shape[:2], *output_size))
    want, x_grad = np.zeros(grad.shape), np.zeros(x_shape)
    for position in product(*map(range, output_size)):
        part = tuple(
            slice(int(np.floor(p * n / o)), int(np.ceil((p + 1) * n / o)))
            for p, n, o in zip(position, x_shape[2:], output_size, strict=True)
        )
        area = np.prod([p.stop - p.start for p in part])
        at = (slice(None), slice(None))
        want[(*at, *position)] = x[(*at, *part)].sum(tuple(range(2, x.ndim))) / area
        x_grad[(*at, *part)] += (grad[(*at, *position)] / area).reshape(*x_shape[:2], *(1,) * len(part))
    name = f"adaptive_avg_pool{len(output_size)}d"
    close(lane.host(getattr(lane.ops, name)(lane.array(x, dtype), output_size)), want, dtype)
    got = getattr(lane.ops, f"{name}_backward")(x_shape, lane.array(grad, dtype))
    close(lane.host(got), x_grad, dtype)


@pytest.mark.parametrize(
    ("x_shape", "output_size"),
    [
        ((2, 3, 7), (3,)),
        ((2, 3, 3), (5,)),
        ((2, 3, 8), (4,)),
        ((2, 2, 6, 7), (3, 4)),
        ((2, 1, 6, 4), (3, 1)),
        ((1, 2, 4, 5, 6), (2, 3, 1)),
        ((0, 2, 4, 4), (2, 2)),
        ((0, 2, 5, 4), (2, 2)),
    ],
)
@pytest.mark.parametrize("content", CONTENTS)
def test_adaptive_max_pool(x_shape: Sizes, output_size: Sizes, content: str, lane: Lane, dtype: str, rng: Any) -> None:
    x = CONTENTS[content](rng, x_shape).astype(dtype)
    values, indices = np.empty((*x_shape[:2], *output_size), dtype), np.empty((*x_shape[:2], *output_size), np.int64)
    for n, c, *position in product(*map(range, values.shape)):
        part = tuple(
            slice(int(np.floor(p * n / o)), int(np.ceil((p + 1) * n / o)))
            for p, n, o in zip(position, x_shape[2:], output_size, strict=True)
        )
        plane = np.arange(np.prod(x_shape[2:])).reshape(x_shape[2:])
        # NumPy's argmax takes the first NaN, or the first of equals.
        where = plane[part].reshape(-1)[np.argmax(x[n, c][part])]
        values[(n, c, *position)], indices[(n, c, *position)] = x[n, c].reshape(-1)[where], where
    got = getattr(lane.ops, f"adaptive_max_pool{len(output_size)}d_with_indices")(lane.array(x), output_size)
    assert lane.host(got.indices).dtype == np.int64
    np.testing.assert_array_equal(lane.host(got.output), values)
    np.testing.assert_array_equal(lane.host(got.indices), indices)


def test_pytorch_max_pool_with_nan_and_a_partial_window(lane: Lane) -> None:
    # F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True)
    x = np.sin(np.arange(1.0, 17)).reshape(1, 1, 4, 4)
    x[0, 0, 1, 1] = np.nan
    got = lane.ops.max_pool2d_with_indices(lane.array(x), (3, 3), (2, 2), (1, 1), (1, 1), True)
    assert lane.host(got.indices).tolist() == [[[[5, 5, 7], [5, 5, 7], [13, 13, 15]]]]


# F.avg_pool2d(sin(1 ... 25), 3, 2, 1, ceil_mode=True, count_include_pad=True and False)
PYTORCH_AVG = {
    True: [
        [0.23648216801704905, 0.26134203001794976, -0.2052921550687422],
        [-0.2675880925084331, 0.1522396973463026, 0.28575722562166156],
        [-0.04683294214433001, -0.36923973382894215, 0.0027658164762425683],
    ],
    False: [
        [0.5320848780383604, 0.39201304502692463, -0.46190734890466995],
        [-0.40138213876264955, 0.1522396973463026, 0.42863583843249237],
        [-0.10537411982474251, -0.5538596007434132, 0.006223087071545778],
    ],
}


@pytest.mark.parametrize("count_include_pad", [True, False])
def test_pytorch_avg_pool(count_include_pad: bool, lane: Lane) -> None:
    x = lane.array(np.sin(np.arange(1.0, 26)).reshape(1, 1, 5, 5))
    got = lane.ops.avg_pool2d(x, (3, 3), (2, 2), (1, 1), count_include_pad, True)
    close(lane.host(got), [[PYTORCH_AVG[count_include_pad]]], "float64")


def test_avg_pool_divisor_override(lane: Lane) -> None:
    # F.avg_pool2d(sin(1 ... 25), 2, 2, divisor_override=3)
    x = lane.array(np.sin(np.arange(1.0, 26)).reshape(1, 1, 5, 5))
    want = [[0.7094465040511472, 0.2619314148723591], [-0.9286213110319202, 0.2698881184709292]]
    got = lane.ops.avg_pool2d(x, (2, 2), (2, 2), (0, 0), True, False, 3)
    close(lane.host(got), [[want]], "float64")


def test_order_in_memory_does_not_matter(numpy_lane: Lane, rng: Any) -> None:
    x = rng.normal(size=(4, 3, 7, 6))
    sizes = ((3, 2), (2, 2), (1, 0), (1, 1))
    want = numpy_lane.ops.max_pool2d_with_indices(x, *sizes, False)
    grad = rng.normal(size=want.output.shape)
    want_grad = numpy_lane.ops.scatter_planes(x.shape, grad, want.indices)
    for order in (batch_last, np.asfortranarray):
        got = numpy_lane.ops.max_pool2d_with_indices(order(x), *sizes, False)
        np.testing.assert_array_equal(got.output, want.output)
        np.testing.assert_array_equal(got.indices, want.indices)
        scattered = numpy_lane.ops.scatter_planes(x.shape, order(grad), got.indices)
        np.testing.assert_allclose(scattered, want_grad, rtol=1e-12)
        np.testing.assert_allclose(
            numpy_lane.ops.avg_pool2d(order(x), *sizes[:3], True, False),
            numpy_lane.ops.avg_pool2d(x, *sizes[:3], True, False),
            rtol=1e-12,
        )


def test_half_precision_stays_half(numpy_lane: Lane, rng: Any) -> None:
    x = rng.normal(size=(2, 2, 6)).astype(np.float16)
    pooled = numpy_lane.ops.max_pool1d_with_indices(x, (3,), (1,), (1,), (1,), False)
    assert pooled.output.dtype == np.float16
    # 4096 windows share the one element: in half precision the sum would stop at 2048.
    grad, indices = np.ones((1, 1, 4096), np.float16), np.zeros((1, 1, 4096), np.int64)
    got = numpy_lane.ops.scatter_planes((1, 1, 2), grad, indices)
    assert got.dtype == np.float16
    assert got.tolist() == [[[4096.0, 0.0]]]
    ones = np.ones((1, 1, 4096), np.float16)
    assert numpy_lane.ops.avg_pool1d(ones, (4096,), (1,), (0,), True, False).tolist() == [[[1.0]]]


def test_refuses_windows_of_padding_alone(lane: Lane) -> None:
    x = lane.array(np.zeros((1, 1, 1)))
    with pytest.raises(ShapeError, match=r"max_pool1d: .* nothing but padding"):
        lane.ops.max_pool1d_with_indices(x, (2,), (1,), (2,), (3,), False)
