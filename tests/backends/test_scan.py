"""Running extremes on every backend."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_backends import Backend, get_backend


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
@pytest.mark.parametrize("name", ["running_max", "running_min"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((7,), 0), ((2, 5), 1), ((4, 3, 2), 0), ((1,), 0), ((0, 2), 0), ((2, 0), 1)]
)
def test_it_goes_along(name: str, device: str, shape: tuple[int, ...], axis: int) -> None:
    backend = get_backend(device)
    x = np.random.default_rng(0).integers(-4, 5, shape).astype(float)
    if x.size > 6:
        x.reshape(-1)[5] = np.nan
    want = (np.maximum if name == "running_max" else np.minimum).accumulate(x, axis)
    given = backend.xp.asarray(x.tolist(), dtype=backend.xp.float64)
    given = backend.xp.reshape(given, shape)
    for function in (getattr(backend, name), getattr(Backend, name)):
        np.testing.assert_array_equal(backend.to_host(function(given, axis)), want)
