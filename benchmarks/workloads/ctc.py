"""Two 1-d convolutions over spectra and the CTC loss: a small recognizer of speech."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload

BANDS, CHANNELS, SYMBOLS = 40, 128, 29


def data(rng: np.random.Generator, batch: int = 16, length: int = 160) -> dict[str, np.ndarray]:
    frames = length // 2
    return {
        "x": rng.standard_normal((batch, BANDS, length)).astype("float32"),
        "y": rng.integers(1, SYMBOLS, (batch, frames // 4)),
        "frames": rng.integers(3 * frames // 4, frames + 1, batch),
        "symbols": rng.integers(frames // 8, frames // 4 + 1, batch),
    }


def model(lib: Any) -> Any:
    nn = lib.nn
    return nn.Sequential(
        nn.Conv1d(BANDS, CHANNELS, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv1d(CHANNELS, CHANNELS, 5, padding=2),
        nn.ReLU(),
        nn.Conv1d(CHANNELS, SYMBOLS, 1),
    )


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    scores = model(batch["x"]).permute(2, 0, 1).log_softmax(2)
    return lib.nn.functional.ctc_loss(scores, batch["y"], batch["frames"], batch["symbols"])


workload = Workload("conv1d-ctc", "conv1d + CTC", model, data, loss, lambda lib, p: lib.optim.Adam(p, lr=1e-3))
