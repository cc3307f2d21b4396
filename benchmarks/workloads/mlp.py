"""A network of 784-128-10 on vectors of the size of MNIST's images."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, batch: int = 64) -> dict[str, np.ndarray]:
    return {
        "x": rng.random((batch, 784)).astype("float32"),
        "y": rng.integers(0, 10, batch),
    }


def model(lib: Any) -> Any:
    nn = lib.nn
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return lib.nn.functional.cross_entropy(model(batch["x"]), batch["y"])


workload = Workload("mlp", "MLP 784-128-10", model, data, loss, lambda lib, p: lib.optim.SGD(p, lr=0.05))
