"""What optimizers do to parameters: NumPy's kernels against the default, bit for bit."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest

from autograd_backends import Backend, get_backend
from autograd_backends.numpy_backend import blocks, updates
from autograd_backends.options import AdamStep

from .conftest import Lane, close

CPU = get_backend("cpu")
SHAPES = [(), (0,), (5,), (3, 4), (7, 2, 3)]


def drawn(shape: Any, dtype: str, count: int) -> list[np.ndarray]:
    draw = np.random.default_rng(len(shape))
    return [np.array(abs(draw.standard_normal(shape)), dtype) for _ in range(count)]


@pytest.mark.parametrize("block", [2**16, 4])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("shrink", [1.0, 0.9])
@pytest.mark.parametrize("amsgrad", [False, True])
def test_adam_is_the_default(shape: Any, shrink: float, amsgrad: bool, block: int, dtype: str) -> None:
    given = drawn(shape, dtype, 5 if amsgrad else 4)
    others = [x.copy() for x in given]
    step = AdamStep(0.9, 0.99, 0.1, 1e-8, shrink)
    with mock.patch.object(blocks, "BLOCK", block):
        for arrays, ops in ((given, CPU), (others, Backend)):
            ops.adam_step(*(arrays if amsgrad else [*arrays, None]), step)
    for got, want in zip(given, others, strict=True):
        np.testing.assert_array_equal(got, want)


def test_adam(lane: Lane, dtype: str) -> None:
    """By hand: the first step, in which the moments are those of one gradient."""
    array, grad = np.array([1.0, -2.0]), np.array([0.5, -3.0])
    arrays = [lane.array(x, dtype) for x in (array, grad, 0 * grad, 0 * grad)]
    lane.ops.adam_step(*arrays, None, AdamStep(0.9, 0.99, 0.2, 0.1, 0.5))
    mean, square = 0.1 * grad, 0.01 * grad**2
    moved = 0.5 * array - 0.2 * mean / (np.sqrt(square) + 0.1)
    for got, want in zip(arrays, (moved, grad, mean, square), strict=True):
        close(lane.host(got), want, dtype)


@pytest.mark.parametrize("block", [2**16, 4])
def test_descend(block: int, lane: Lane, dtype: str) -> None:
    arrays, grads = ([np.array(x, "float64") for x in drawn((3, 4), dtype, 3)] for _ in range(2))
    given = [lane.array(x, dtype) for x in arrays]
    with mock.patch.object(updates, "BLOCK", block), mock.patch.object(blocks, "BLOCK", block):
        lane.ops.descend(given, [lane.array(x, dtype) for x in grads], 0.5)
    for got, array, grad in zip(given, arrays, grads, strict=True):
        close(lane.host(got), array - 0.5 * grad, dtype)
