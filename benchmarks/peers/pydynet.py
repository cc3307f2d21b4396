"""PyDyNet: PyTorch's layers and optimizers in NumPy, without ``state_dict``, and with its linear weights transposed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pydynet as pdn
import pydynet.nn
import pydynet.optim

from ..workloads import WORKLOADS
from .by_hand import ByHand

__all__ = ["open_session"]


def linear(w: Any, layer: int, x: Any) -> Any:
    return pdn.nn.functional.linear(x, w[f"{layer}.weight"], w[f"{layer}.bias"])


def tiny_mlp(w: Any, batch: Any) -> Any:
    h = pdn.tanh(linear(w, 0, batch["x"]))
    h = pdn.tanh(linear(w, 2, h))
    return pdn.nn.functional.mse_loss(linear(w, 4, h), batch["y"])


def mlp(w: Any, batch: Any) -> Any:
    h = pdn.nn.functional.relu(linear(w, 0, batch["x"]))
    return pdn.nn.functional.cross_entropy_loss(linear(w, 2, h), batch["y"])


def chain(w: Any, batch: Any) -> Any:
    y = w["x"]
    for _ in range(len(batch["links"])):
        y = y * batch["factor"]
    return pdn.mean(y * y)


LOSSES = {"tiny-mlp-sgd": tiny_mlp, "tiny-mlp-adam": tiny_mlp, "mlp": mlp, "chain": chain}


class _Optimizers:
    SGD = partial(pdn.optim.SGD, momentum=0, nesterov=False)  # it is 0.5 and True by default
    Adam = pdn.optim.Adam


class PyDyNet(ByHand):
    """A workload with PyDyNet's tensors and its own optimizers."""

    optim = _Optimizers

    def __init__(self, name: str, **sizes: int) -> None:
        super().__init__(WORKLOADS[name], LOSSES[name], **sizes)

    def parameters(self) -> list[Any]:
        turned = {name: w.T.copy() if name.endswith("weight") else w for name, w in self.weights.items()}
        self.tensors = {name: pdn.nn.Parameter(pdn.Tensor(w, dtype=np.float32)) for name, w in turned.items()}
        self.batch = {name: pdn.Tensor(array, dtype=array.dtype) for name, array in self.arrays.items()}
        return list(self.tensors.values())

    def step(self) -> Any:
        self.optimizer.zero_grad()
        loss = self.loss(self.tensors, self.batch)
        loss.backward()
        self.optimizer.step()
        return loss


def open_session(workload: str, **sizes: int) -> PyDyNet:
    """The session of one of `LOSSES`."""
    return PyDyNet(workload, **sizes)
