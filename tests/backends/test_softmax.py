"""softmax, log_softmax and logsumexp against math.exp, and numbers from PyTorch 2.13."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from .conftest import Lane, close

#: The last two are large enough for the kernels that work in blocks.
SHAPES = [((5,), 0), ((3, 4), -1), ((3, 4), 0), ((2, 3, 4), 1), ((90, 100), 1), ((2, 50, 100), -1)]


def by_rows(x: np.ndarray, axis: int, row: Any) -> np.ndarray:
    return np.apply_along_axis(lambda v: np.array(row(v.tolist())), axis, x)


def softmax_row(row: list[float]) -> list[float]:
    total = math.fsum(math.exp(v) for v in row)
    return [math.exp(v) / total for v in row]


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_forward(shape: Any, axis: int, lane: Lane, dtype: str, rng: Any) -> None:
    x = rng.normal(size=shape).astype(dtype).astype(np.float64) * 3
    given = lane.array(x, dtype)
    x = lane.host(given).astype(np.float64)
    want = by_rows(x, axis, softmax_row)
    close(lane.host(lane.ops.softmax(given, axis)), want, dtype)
    close(lane.host(lane.ops.log_softmax(given, axis)), np.log(want), dtype, 10)
    lse = by_rows(x, axis, lambda row: [math.log(math.fsum(map(math.exp, row)))])
    close(lane.host(lane.ops.logsumexp(given, axis, True)), lse, dtype)
    close(lane.host(lane.ops.logsumexp(given, axis, False)), lse.squeeze(axis), dtype)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_backward(shape: Any, axis: int, lane: Lane, dtype: str, rng: Any) -> None:
    x, grad = rng.normal(size=shape), rng.normal(size=shape)
    soft = by_rows(x, axis, softmax_row)
    ag = lane.array(grad, dtype)
    want = soft * (grad - (grad * soft).sum(axis, keepdims=True))
    close(lane.host(lane.ops.softmax_backward(lane.array(soft, dtype), ag, axis)), want, dtype)
    want = grad - soft * grad.sum(axis, keepdims=True)
    close(lane.host(lane.ops.log_softmax_backward(lane.array(np.log(soft), dtype), ag, axis)), want, dtype, 10)


def test_logsumexp_over_all_and_several_axes(lane: Lane, rng: Any) -> None:
    x = rng.normal(size=(2, 3, 4))
    given = lane.array(x)
    want = np.log(np.exp(x).sum())
    assert float(lane.ops.logsumexp(given, None, False)) == pytest.approx(want, rel=1e-14)
    close(lane.host(lane.ops.logsumexp(given, (0, 2), False)), np.log(np.exp(x).sum((0, 2))), "float64")


def test_logsumexp_of_infinities(lane: Lane, dtype: str) -> None:
    inf = math.inf
    x = lane.array([[-inf, -inf], [inf, 1.0], [inf, -inf], [-inf, 2.0], [math.nan, 1.0]], dtype)
    got = lane.host(lane.ops.logsumexp(x, 1, False))
    np.testing.assert_array_equal(got, np.array([-inf, inf, inf, 2.0, math.nan], dtype))


@pytest.mark.parametrize("rows", [1, 9000])
def test_large_numbers_do_not_overflow(rows: int, lane: Lane, dtype: str) -> None:
    x = lane.array([[30000.0, 30000.0]] * rows, dtype)
    close(lane.host(lane.ops.softmax(x, 1)), [[0.5, 0.5]] * rows, dtype)
    close(lane.host(lane.ops.log_softmax(x, 1)), [[-math.log(2)] * 2] * rows, dtype)


@pytest.mark.parametrize("rows", [2, 9000])
def test_a_row_without_a_maximum_is_nan_without_a_warning(rows: int) -> None:
    ops = Lane("cpu", "cpu").ops
    x = np.full((rows, 2), -np.inf)
    x[1] = [-np.inf, 0.0]
    for axis in (1, -1):
        assert np.isnan(ops.softmax(x, axis)[0]).all()
        assert ops.softmax(x, axis)[1].tolist() == [0.0, 1.0]
        assert ops.log_softmax(x, axis)[1].tolist() == [-np.inf, 0.0]


def test_half_precision(numpy_lane: Lane) -> None:
    # In half precision the sum of 5000 equal terms would stop at 2048.
    for shape in ((5000,), (4, 5000)):
        x = np.zeros(shape, np.float16)
        soft = numpy_lane.ops.softmax(x, -1)
        assert soft.dtype == np.float16
        np.testing.assert_allclose(soft, 1 / 5000, rtol=1e-3)
        logs = numpy_lane.ops.log_softmax(x, -1)
        assert logs.dtype == np.float16
        np.testing.assert_allclose(logs, -math.log(5000), rtol=1e-3)
        assert numpy_lane.ops.softmax_backward(soft, np.ones_like(soft), -1).dtype == np.float16
        assert numpy_lane.ops.log_softmax_backward(logs, np.ones_like(soft), -1).dtype == np.float16


def test_pytorch(lane: Lane) -> None:
    # x = 3 sin(1 ... 6): F.softmax(x, 1), F.log_softmax(x, 0), torch.logsumexp(x, 1)
    x = lane.array(3 * np.sin(np.arange(1.0, 7)).reshape(2, 3))
    soft = [
        [0.42589666798968573, 0.5220044326404579, 0.052098899369856344],
        [0.17442666332906748, 0.09511998053864079, 0.7304533561322917],
    ]
    logs = [
        [-0.008238454645473303, -0.003673895944073962, -0.24935594256379956],
        [-4.803058894992947, -5.608339000410534, -1.5109624613401786],
    ]
    close(lane.host(lane.ops.softmax(x, 1)), soft, "float64")
    close(lane.host(lane.ops.log_softmax(x, 0)), logs, "float64")
    close(lane.host(lane.ops.logsumexp(x, 1, False)), [3.37797147996421, -0.5241565927918106], "float64")
