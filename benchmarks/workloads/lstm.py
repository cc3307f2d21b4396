"""An LSTM over 20 sequences of 35 steps and 32 features, with a class at each step."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload

FEATURES, HIDDEN, CLASSES = 32, 128, 32


def data(rng: np.random.Generator, batch: int = 20, length: int = 35) -> dict[str, np.ndarray]:
    return {
        "x": rng.standard_normal((batch, length, FEATURES)).astype("float32"),
        "y": rng.integers(0, CLASSES, (batch, length)),
    }


def model(lib: Any) -> Any:
    nn = lib.nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(FEATURES, HIDDEN, batch_first=True)
            self.head = nn.Linear(HIDDEN, CLASSES)

        def forward(self, x):
            return self.head(self.lstm(x)[0])

    return Tagger()


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    scores = model(batch["x"])
    return lib.nn.functional.cross_entropy(scores.reshape(-1, CLASSES), batch["y"].reshape(-1))


workload = Workload("lstm", "LSTM 20x35x32, hidden 128", model, data, loss, lambda lib, p: lib.optim.Adam(p, lr=1e-3))
