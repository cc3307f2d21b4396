"""What the libraries without modules or optimizers are given: weights by name, and two optimizers in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..workload import Workload, fingerprint, initial

__all__ = ["SHAPES", "ByHand", "Loss", "optim"]

Arrays = dict[str, np.ndarray]


def _layers(*sizes: int) -> dict[str, tuple[int, ...]]:
    """The shapes of a Sequential of linear layers with one module between two of them."""
    shapes: dict[str, tuple[int, ...]] = {}
    for i, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        shapes |= {f"{2 * i}.weight": (outputs, inputs), f"{2 * i}.bias": (outputs,)}
    return shapes


#: The weights of each workload, under the names that PyTorch gives them.
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "tiny-mlp-sgd": _layers(2, 16, 16, 1),
    "tiny-mlp-adam": _layers(2, 16, 16, 1),
    "mlp": _layers(784, 128, 10),
    "wide-mlp": {
        "0.weight": (1024, 512),
        "0.bias": (1024,),
        "1.weight": (1024,),
        "1.bias": (1024,),
        "3.weight": (512, 1024),
        "3.bias": (512,),
    },
    "mnist-cnn": {
        "0.weight": (32, 1, 3, 3),
        "0.bias": (32,),
        "2.weight": (64, 32, 3, 3),
        "2.bias": (64,),
        "6.weight": (128, 64 * 12 * 12),
        "6.bias": (128,),
        "8.weight": (10, 128),
        "8.bias": (10,),
    },
    "chain": {"x": (8, 8)},
}

#: From weights and a batch to the loss, and to what its library has for the gradients of the weights.
Loss = Callable[[Any, Any], Any]


class _SGD:
    def __init__(self, weights: Arrays, lr: float) -> None:
        self.weights, self.lr = weights, lr

    def step(self, gradients: Mapping[str, np.ndarray]) -> None:
        for name, weight in self.weights.items():
            weight -= self.lr * gradients[name]


class _Adam:
    def __init__(self, weights: Arrays, lr: float) -> None:
        self.weights, self.lr, self.steps = weights, lr, 0
        self.first = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self.second = {name: np.zeros_like(weight) for name, weight in weights.items()}

    def step(self, gradients: Mapping[str, np.ndarray]) -> None:
        self.steps += 1
        rate, root = self.lr / (1 - 0.9**self.steps), float(np.sqrt(1 - 0.999**self.steps))
        for name, weight in self.weights.items():
            gradient, m, v = gradients[name], self.first[name], self.second[name]
            m += 0.1 * (gradient - m)
            v += 0.001 * (gradient * gradient - v)
            weight -= rate * m / (np.sqrt(v) / root + 1e-8)


class optim:  # stands where a workload finds ``lib.optim``
    """SGD and Adam, of weights by name."""

    SGD, Adam = _SGD, _Adam


class ByHand:
    """A workload written for one library: has what `Session` has."""

    optim: Any = optim

    def __init__(self, workload: Workload, loss: Loss, **sizes: int) -> None:
        self.workload, self.loss = workload, loss
        self.arrays = workload.data(np.random.default_rng(0), **sizes)
        self.start()

    def start(self) -> None:
        """Begin the training again, from the first weights."""
        shapes = SHAPES[self.workload.name]
        self.weights = {name: initial(name, np.ones(shape, "float32")) for name, shape in shapes.items()}
        self.begun = fingerprint(self.arrays, self.weights)
        self.optimizer = self.workload.optimizer(self, self.parameters())

    def parameters(self) -> Any:
        """What the optimizer is given."""
        return self.weights

    def step(self) -> Any:
        """Forward, backward, update; the loss before the update."""
        loss, gradients = self.loss(self.weights, self.arrays)
        self.optimizer.step(gradients)
        return loss

    def fingerprint(self) -> int:
        """A number of all weights and data."""
        return self.begun
