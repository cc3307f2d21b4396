"""MyGrad: tensors that record NumPy's functions, with a few layers and losses, and no optimizers."""

from __future__ import annotations

from typing import Any

import mygrad as mg
import numpy as np
from mygrad.nnet.activations import relu
from mygrad.nnet.layers import conv_nd, max_pool
from mygrad.nnet.losses import softmax_crossentropy

from ..workloads import WORKLOADS
from .by_hand import ByHand

__all__ = ["open_session"]


def linear(w: Any, layer: int, x: Any) -> Any:
    return mg.matmul(x, w[f"{layer}.weight"].T) + w[f"{layer}.bias"]


def tiny_mlp(w: Any, batch: Any) -> Any:
    h = mg.tanh(linear(w, 0, batch["x"]))
    h = mg.tanh(linear(w, 2, h))
    return mg.mean((linear(w, 4, h) - batch["y"]) ** 2)


def mlp(w: Any, batch: Any) -> Any:
    return softmax_crossentropy(linear(w, 2, relu(linear(w, 0, batch["x"]))), batch["y"])


def mnist_cnn(w: Any, batch: Any) -> Any:
    h = relu(conv_nd(batch["x"], w["0.weight"], stride=1) + w["0.bias"].reshape(1, -1, 1, 1))
    h = relu(conv_nd(h, w["2.weight"], stride=1) + w["2.bias"].reshape(1, -1, 1, 1))
    h = max_pool(h, (2, 2), 2)
    h = relu(linear(w, 6, h.reshape(h.shape[0], -1)))
    return softmax_crossentropy(linear(w, 8, h), batch["y"])


def chain(w: Any, batch: Any) -> Any:
    y = w["x"]
    for _ in batch["links"]:
        y = y * batch["factor"]
    return mg.mean(y**2)


LOSSES = {"tiny-mlp-sgd": tiny_mlp, "tiny-mlp-adam": tiny_mlp, "mlp": mlp, "mnist-cnn": mnist_cnn, "chain": chain}


def open_session(workload: str, **sizes: int) -> ByHand:
    """The session of one of `LOSSES`."""

    def with_gradients(weights: dict[str, np.ndarray], batch: dict[str, np.ndarray]) -> Any:
        tensors = {name: mg.tensor(weight, copy=False) for name, weight in weights.items()}
        loss = LOSSES[workload](tensors, batch)
        loss.backward()
        return loss, {name: tensor.grad for name, tensor in tensors.items()}

    return ByHand(WORKLOADS[workload], with_gradients, **sizes)
