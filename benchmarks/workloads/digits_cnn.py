"""The network of ``examples/digits_cnn.py``: two convolutions with batch norm on images of 8 x 8."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, batch: int = 32, size: int = 8) -> dict[str, np.ndarray]:
    return {
        "x": rng.random((batch, 1, size, size)).astype("float32"),
        "y": rng.integers(0, 10, batch),
    }


def block(nn: Any, in_channels: int, out_channels: int) -> Any:
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


def model(lib: Any) -> Any:
    nn = lib.nn
    return nn.Sequential(block(nn, 1, 32), block(nn, 32, 64), nn.Flatten(), nn.Linear(64 * 2 * 2, 10))


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return lib.nn.functional.cross_entropy(model(batch["x"]), batch["y"])


workload = Workload(
    "digits-cnn", "digits CNN 8x8, batch norm", model, data, loss, lambda lib, p: lib.optim.Adam(p, lr=1e-3)
)
