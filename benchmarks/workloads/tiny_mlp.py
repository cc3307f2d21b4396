"""A network of 2-16-16-1, as small as they get: what is measured is the cost of an op, not of arithmetic."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, batch: int = 32) -> dict[str, np.ndarray]:
    x = rng.uniform(-2, 2, (batch, 2)).astype("float32")
    return {"x": x, "y": x[:, :1] * x[:, 1:]}


def model(lib: Any) -> Any:
    nn = lib.nn
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return lib.nn.functional.mse_loss(model(batch["x"]), batch["y"])


sgd = Workload(
    "tiny-mlp-sgd", "tiny MLP 2-16-16-1, SGD", model, data, loss, lambda lib, p: lib.optim.SGD(p, lr=0.05), 1e-5
)
adam = Workload(
    "tiny-mlp-adam", "tiny MLP 2-16-16-1, Adam", model, data, loss, lambda lib, p: lib.optim.Adam(p, lr=0.01), 1e-5
)
