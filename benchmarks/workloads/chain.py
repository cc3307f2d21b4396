"""A chain of 10,000 multiplications of 8 x 8 numbers: what the tape costs, an op after the other."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, length: int = 10_000) -> dict[str, np.ndarray]:
    factors = rng.uniform(-1e-4, 1e-4, (8, 8)) + 1
    return {"factor": factors.astype("float32"), "links": np.zeros(length)}


def model(lib: Any) -> Any:
    class Chain(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.x = lib.nn.Parameter(lib.ones(8, 8))

        def forward(self, factor, length):
            y = self.x
            for _ in range(length):
                y = y * factor
            return y

    return Chain()


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return model(batch["factor"], len(batch["links"])).square().mean()


workload = Workload("chain", "chain of 10,000 ops", model, data, loss, lambda lib, p: lib.optim.SGD(p, lr=0.1))
