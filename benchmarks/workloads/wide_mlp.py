"""One wide hidden layer, 512-1024-512, with LayerNorm and GELU: the feed-forward half of a transformer's block."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, batch: int = 256) -> dict[str, np.ndarray]:
    return {
        "x": rng.standard_normal((batch, 512)).astype("float32"),
        "y": rng.standard_normal((batch, 512)).astype("float32"),
    }


def model(lib: Any) -> Any:
    nn = lib.nn
    return nn.Sequential(nn.Linear(512, 1024), nn.LayerNorm(1024), nn.GELU(), nn.Linear(1024, 512))


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return lib.nn.functional.mse_loss(model(batch["x"]), batch["y"])


workload = Workload(
    "wide-mlp", "wide MLP 512-1024-512, GELU, LayerNorm", model, data, loss, lambda lib, p: lib.optim.Adam(p, lr=1e-3)
)
