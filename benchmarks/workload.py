"""What a workload is: a network, its data, its loss and its optimizer, written once for libraries of PyTorch's names.

A workload is told which library to use: ``lib`` is the module ``autograd_ops``, or ``torch``. The numbers that it
starts from are NumPy's, drawn by name: processes that use two libraries begin with the same weights and data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

__all__ = ["Batch", "Library", "Session", "Workload", "fingerprint", "initial"]

#: Module, Tensor and optimizer are those of the library in use.
Library = Any
Batch = Mapping[str, Any]


@dataclass(frozen=True)
class Workload:
    """One training job.

    Attributes
    ----------
    name
        What ``--only`` takes.
    title
        What a table shows.
    model
        ``model(lib)`` makes the network; its own initial weights are replaced by `initial`.
    data
        ``data(rng, **sizes)`` makes the arrays of one batch. The default sizes are those that are compared.
    loss
        ``loss(lib, model, batch)`` is the Tensor to go back from; `batch` has Tensors where `data` has arrays.
    optimizer
        ``optimizer(lib, parameters)``.
    tolerance
        How far the losses of two libraries may be apart, relative to the first loss, over the steps that are compared.
        They compute in float32 and add up in different orders.
    """

    name: str
    title: str
    model: Callable[[Library], Any]
    data: Callable[..., dict[str, np.ndarray]]
    loss: Callable[[Library, Any, Batch], Any]
    optimizer: Callable[[Library, Any], Any]
    tolerance: float = 1e-3


def initial(name: str, array: np.ndarray) -> np.ndarray:
    """What the entry `name` of a network's state begins as, where the library made it `array`.

    Matrices and kernels are normal, scaled by what enters a unit; biases are small. The rest keeps its value: the ones
    of a normalization's weight, running statistics, counters.
    """
    rng = np.random.default_rng(crc32(name.encode()))
    if array.ndim >= 2:
        return (rng.standard_normal(array.shape) / np.sqrt(array[0].size)).astype(array.dtype)
    if "bias" in name:
        return rng.uniform(-0.1, 0.1, array.shape).astype(array.dtype)
    return array


def fingerprint(*groups: Mapping[str, np.ndarray]) -> int:
    """A number of named arrays."""
    total = 0
    for group in groups:
        for name, array in sorted(group.items()):
            total = crc32(np.ascontiguousarray(array).tobytes(), crc32(name.encode(), total))
    return total


class Session:
    """A workload on one library: weights, data and optimizer are there, and `step` takes a training step.

    Parameters
    ----------
    workload, lib
        What is trained, on which library.
    compiled
        Whether steps go through the library's ``compile``.
    **sizes
        Those of the data.
    """

    def __init__(self, workload: Workload, lib: Library, compiled: bool = False, **sizes: int) -> None:
        self.workload = workload
        self.lib = lib
        self.compiled = compiled
        self.arrays = workload.data(np.random.default_rng(0), **sizes)
        self.batch = {name: lib.from_numpy(array.copy()) for name, array in self.arrays.items()}
        self.start()

    def start(self) -> None:
        """Begin the training again, from the first weights."""
        lib, loss_of = self.lib, self.workload.loss
        model = self.workload.model(lib)
        state = model.state_dict()
        self.state = {name: initial(name, np.array(value.numpy())) for name, value in state.items()}
        model.load_state_dict({name: lib.from_numpy(np.array(array)) for name, array in self.state.items()})
        optimizer = self.workload.optimizer(lib, model.parameters())

        def take(batch: Batch) -> Any:
            optimizer.zero_grad()
            loss = loss_of(lib, model, batch)
            loss.backward()
            optimizer.step()
            return loss

        self.model, self.optimizer = model, optimizer
        self._take = lib.compile(take) if self.compiled else take

    def step(self) -> Any:
        """Forward, backward, update; the loss before the update, a Tensor."""
        return self._take(self.batch)

    def fingerprint(self) -> int:
        """A number of all weights and data: equal where two processes start from the same."""
        return fingerprint(self.arrays, self.state)
