"""cross_entropy as one kernel, against its definition in float64, class by class."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_backends import get_backend
from autograd_backends.base import Backend

BACKENDS = {"default": Backend, "cpu": get_backend("cpu")}


def definition(x: np.ndarray, target: np.ndarray, mean: bool, ignored: int = -100) -> tuple[float, np.ndarray]:
    """The loss, and its gradient."""
    loss, gradient, counted = 0.0, np.zeros(x.shape), [i for i, t in enumerate(target) if t != ignored]
    count = len(counted) if mean else 1
    for i in counted:
        powers = np.exp(x[i].astype(np.float64) - float(x[i].max()))
        loss += np.log(powers.sum()) - (float(x[i, target[i]]) - float(x[i].max()))
        gradient[i] = powers / powers.sum() / count
        gradient[i, target[i]] -= 1 / count
    return loss / count, gradient


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
@pytest.mark.parametrize(("rows", "classes"), [(1, 1), (5, 3), (32, 10), (7, 300), (600, 40), (3, 70000)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mean", [True, False])
def test_small_and_large(backend, rows, classes, dtype, mean):
    draw = np.random.default_rng(0)
    x = (draw.standard_normal((rows, classes)) * 5).astype(dtype)
    target = draw.integers(0, classes, rows)
    loss, *kept = backend.cross_entropy(x, target, -100, mean)
    gradient = backend.cross_entropy_backward(x, np.asarray(2.0, dtype), *kept)
    expected, expected_gradient = definition(x, target, mean)
    digits = 1e-6 if dtype == "float32" else 1e-13
    np.testing.assert_allclose(loss, expected, rtol=10 * digits, atol=10 * digits)
    np.testing.assert_allclose(gradient, 2 * expected_gradient, atol=4 * digits)
    assert loss.dtype == gradient.dtype == x.dtype


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_what_is_ignored_and_what_is_no_class(backend):
    x = np.random.default_rng(0).standard_normal((4, 3))
    for ignored, target in ((-100, [0, -100, 2, 1]), (2, [0, 1, 2, 2]), (7, [7, 7, 1, 0])):
        loss, *kept = backend.cross_entropy(x, np.array(target, np.int32), ignored, True)
        expected, gradient = definition(x, np.array(target), True, ignored)
        np.testing.assert_allclose(loss, expected)
        np.testing.assert_allclose(backend.cross_entropy_backward(x, np.asarray(1.0), *kept), gradient, atol=1e-15)
    for target in ([0, 1, 2, 3], [0, 1, 2, -1]):
        with pytest.raises(IndexError, match=f"target: index {target[-1]} is out of range for size 3"):
            backend.cross_entropy(x, np.array(target), -100, True)
    loss, *kept = backend.cross_entropy(x, np.full(4, -100), -100, True)
    assert np.isnan(loss)
    assert not backend.cross_entropy_backward(x, np.asarray(1.0), *kept).any()


def test_infinite_scores_do_not_warn():
    backend = BACKENDS["cpu"]
    x = np.array([[0.0, -np.inf], [1000.0, -1000.0]])
    loss, *kept = backend.cross_entropy(x, np.array([0, 0]), -100, False)
    assert loss == 0.0
    assert not backend.cross_entropy_backward(x, np.asarray(1.0), *kept).any()
    assert np.isinf(backend.cross_entropy(x, np.array([1, 0]), -100, False)[0])
    assert np.isnan(backend.cross_entropy(np.array([[np.inf, 0.0]]), np.array([0]), -100, False)[0])
