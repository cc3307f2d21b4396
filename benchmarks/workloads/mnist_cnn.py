"""The network of PyTorch's MNIST example, without its dropout: two convolutions and two linear layers, 28 x 28."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, batch: int = 64) -> dict[str, np.ndarray]:
    return {
        "x": rng.random((batch, 1, 28, 28)).astype("float32"),
        "y": rng.integers(0, 10, batch),
    }


def model(lib: Any) -> Any:
    nn = lib.nn
    return nn.Sequential(
        nn.Conv2d(1, 32, 3),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * 12 * 12, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return lib.nn.functional.cross_entropy(model(batch["x"]), batch["y"])


workload = Workload("mnist-cnn", "MNIST CNN 28x28", model, data, loss, lambda lib, p: lib.optim.Adam(p, lr=1e-3))
