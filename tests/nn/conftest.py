"""What the tests of nn share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import autograd_ops as ag
from autograd_ops import Tensor

#: The strict device refuses whatever would only fail on a GPU.
DEVICES = ["cpu", "strict:device1"]


def made(shape: tuple[int, ...], start: float = 0.0, device: str = "cpu", dtype: Any = ag.float64) -> Tensor:
    """Numbers between -1 and 1 that PyTorch can make too: ``sin(1.3 i + start)`` for i = 1, 2, ..."""
    numbers = [math.sin(1.3 * (i + 1) + start) for i in range(math.prod(shape))]
    return ag.tensor(np.array(numbers).reshape(shape), dtype=dtype, device=device)


def near(x: Tensor, expected: Any, tolerance: float = 1e-8) -> None:
    """Assert that `x` is close to `expected`, of the same shape or its flattened numbers."""
    given = np.asarray(x.detach().tolist(), dtype=float)
    wanted = np.asarray(expected, dtype=float)
    np.testing.assert_allclose(given.reshape(wanted.shape), wanted, rtol=tolerance, atol=tolerance)
