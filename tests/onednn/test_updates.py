"""oneDNN's updates are the default's, up to rounding; what it declines NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_backends import Backend
from autograd_backends.numpy_backend.onednn import library as door
from autograd_backends.options import AdamStep

if door.why_not() is not None:
    pytest.skip(f"oneDNN: {door.why_not()}", allow_module_level=True)

from autograd_backends.numpy_backend.onednn import updates

from . import numbers

common = settings(max_examples=40, deadline=None)
shapes = st.lists(st.integers(1, 40), min_size=1, max_size=3)


@common
@given(shapes, st.sampled_from([0.0, 0.5, 0.9]), st.sampled_from([0.5, 0.999]), st.sampled_from([1.0, 0.9]))
def test_adam(shape: Any, beta1: float, beta2: float, shrink: float) -> None:
    array, grad, mean, square = (numbers(*shape) for _ in range(4))
    arrays = [array, grad, mean, abs(square)]
    exact = [x.astype("float64") for x in arrays]
    step = AdamStep(beta1, beta2, 0.1, 1e-8, shrink)
    for _ in range(2):
        assert updates.adam_step(*arrays, None, step)
        Backend.adam_step(*exact, None, step)
    for got, want in zip(arrays, exact, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@common
@given(shapes, st.floats(0.0, 2.0))
def test_descend(shape: Any, rate: float) -> None:
    array, grad = numbers(*shape), numbers(*shape)
    exact = array.astype("float64")
    assert updates.descend(array, grad, np.array(rate, np.float32))
    Backend.descend([exact], [grad.astype("float64")], rate)
    np.testing.assert_allclose(array, exact, rtol=1e-5, atol=1e-6)


def test_an_infinite_second_moment_stays_so() -> None:
    array, grad, mean, square = (np.full(3, value, np.float32) for value in (1.0, 1e30, 0.0, 0.0))
    step = AdamStep(0.9, 0.999, 0.1, 1e-8)
    for _ in range(2):
        assert updates.adam_step(array, grad, mean, square, None, step)
    assert np.isinf(square).all()
    assert (array == 1.0).all()


def test_what_it_declines() -> None:
    step = AdamStep(0.9, 0.999, 0.1, 1e-8)
    even = [numbers(4, 4) for _ in range(4)]
    turned = [numbers(4, 4).T, *even[1:]]
    double = [x.astype("float64") for x in even]
    assert updates.adam_step(*turned, None, step) is None
    assert updates.adam_step(*double, None, step) is None
    assert updates.adam_step(*even, even[3], step) is None
    assert updates.descend(turned[0], even[1], np.array(0.1, np.float32)) is None
