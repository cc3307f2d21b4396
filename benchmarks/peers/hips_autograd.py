"""HIPS autograd: NumPy's functions, differentiated. It has no layers; these are the losses in its idiom."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np
from autograd import value_and_grad
from autograd.scipy.special import erf

from ..workloads import WORKLOADS
from .by_hand import ByHand

__all__ = ["open_session"]


def linear(w: Any, layer: int, x: Any) -> Any:
    return np.dot(x, w[f"{layer}.weight"].T) + w[f"{layer}.bias"]


def cross_entropy(scores: Any, classes: Any) -> Any:
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    picked = shifted[np.arange(len(classes)), classes]
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - picked)


def tiny_mlp(w: Any, batch: Any) -> Any:
    h = np.tanh(linear(w, 0, batch["x"]))
    h = np.tanh(linear(w, 2, h))
    return np.mean((linear(w, 4, h) - batch["y"]) ** 2)


def mlp(w: Any, batch: Any) -> Any:
    h = np.maximum(linear(w, 0, batch["x"]), np.float32(0))
    return cross_entropy(linear(w, 2, h), batch["y"])


def wide_mlp(w: Any, batch: Any) -> Any:
    h = linear(w, 0, batch["x"])
    centred = h - np.mean(h, axis=1, keepdims=True)
    h = centred / np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + np.float32(1e-5))
    h = h * w["1.weight"] + w["1.bias"]
    h = np.float32(0.5) * h * (1 + erf(h * np.float32(0.5**0.5)))
    return np.mean((linear(w, 3, h) - batch["y"]) ** 2)


def chain(w: Any, batch: Any) -> Any:
    y = w["x"]
    for _ in batch["links"]:
        y = y * batch["factor"]
    return np.mean(y**2)


LOSSES = {"tiny-mlp-sgd": tiny_mlp, "tiny-mlp-adam": tiny_mlp, "mlp": mlp, "wide-mlp": wide_mlp, "chain": chain}


def open_session(workload: str, **sizes: int) -> ByHand:
    """The session of one of `LOSSES`."""
    return ByHand(WORKLOADS[workload], value_and_grad(LOSSES[workload]), **sizes)
