"""Samples of casting, copying and constants."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograd_ops as ag

from .base import Sample, distinct


def cast(x: np.ndarray, dtype: Any) -> np.ndarray:
    """NumPy's cast."""
    return x.astype(dtype.name)


ARRAYS = [distinct((2, 3)), distinct(()), np.zeros((0, 2)), np.array([[1, -2]]), np.array([True, False])]

SAMPLES: dict[str, list[Sample]] = {
    "astype": [
        *[Sample(cast, x, dtype, dtype=dtype.name) for x in ARRAYS[:3] for dtype in (ag.float32, ag.float64, ag.int64)],
        *[Sample(cast, x, dtype, dtype=dtype.name) for x in ARRAYS[3:] for dtype in (ag.float32, ag.int16, ag.bool_)],
    ],
    "to_device": [
        Sample(lambda x, _: x, x, ag.device(device), device=device, half=device == "cpu")
        for x in ARRAYS
        for device in ("cpu", "strict:device2")
    ],
    "clone": [Sample(np.copy, x) for x in ARRAYS],
    "zeros_like": [Sample(np.zeros_like, x) for x in ARRAYS],
    "ones_like": [Sample(np.ones_like, x) for x in ARRAYS],
}
