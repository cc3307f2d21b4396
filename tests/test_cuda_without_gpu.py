"""The CuPy backend on a stand-in for CuPy: values, waits for the device, index errors, two devices.

`fake_cupy/README.md` says what of CuPy the stand-in keeps, and where CuPy's documentation has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import Tensor, nn, ops, optim
from autograd_ops.nn import functional as F
from autograd_ops.registry import TABLE, Op
from autograd_ops.utils.data import DataLoader, TensorDataset

from .cuda_stand_in import stand_in
from .op_calls import arrays, close, float_inputs, gradients, host, leaves, outputs, tensors
from .op_samples import SAMPLES, Sample

CUDA = "cuda:0"


@pytest.fixture(scope="module", autouse=True)
def cupy() -> Iterator[Any]:
    with stand_in() as cupy:
        yield cupy


@pytest.fixture(autouse=True)
def watch(cupy: Any) -> Iterator[Any]:
    """What the stand-in sees. No test hands NumPy's values to an op, so none may arrive at CuPy."""
    cupy.watch.reset()
    yield cupy.watch
    assert cupy.watch.leaks == []


# ---------------------------------------------------------------- every op


def over(choose: Callable[[Op, Sample], Any] = lambda op, sample: True) -> Any:
    """Parametrise by op and sample, of those that `choose` wants."""
    chosen = [
        pytest.param(op, sample, id=f"{op.name} {sample.label()}")
        for op in TABLE.values()
        for sample in SAMPLES.get(op.name, ())
        if choose(op, sample)
    ]
    return pytest.mark.parametrize(("op", "sample"), chosen)


def forward_and_back(op: Op, sample: Sample, dtype: str, device: str) -> tuple[list[Any], list[Tensor]]:
    """The outputs, and the gradients of all float inputs."""
    names = float_inputs(op, sample) if (sample.dtype or "float").startswith("float") else []
    given = tensors(sample, dtype, device, op, names)
    return outputs(op.function(*given)), gradients(op, given) if names else []


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@over()
def test_values_and_gradients_are_those_of_the_cpu(op: Op, sample: Sample, dtype: str, watch: Any) -> None:
    there = forward_and_back(op, sample, dtype, CUDA)
    assert not watch.waits or sample.device is not None  # an op that moves to another device waits
    here = forward_and_back(op, sample, dtype, "cpu")
    for results, references, device in zip(there, here, (sample.device or CUDA, CUDA), strict=True):
        for got, want in zip(results, references, strict=True):
            assert (got.device, got.dtype) == (device, want.dtype)
            close(got, host(want))


@over(lambda op, sample: sample.has_floats() and sample.half)
def test_half_precision_has_the_dtypes_that_it_has_on_the_cpu(op: Op, sample: Sample) -> None:
    results = [outputs(op.function(*arrays(sample, "float16", device))) for device in (CUDA, "cpu")]
    for got, want in zip(*results, strict=True):
        close(got, host(want))


# ---------------------------------------------------------------- waits for the device

OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1),
    "SGD with momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "Adam": lambda p: optim.Adam(p, lr=0.1),
    "Adam with amsgrad": lambda p: optim.Adam(p, lr=0.1, amsgrad=True, weight_decay=0.1),
    "AdamW": lambda p: optim.AdamW(p, lr=0.1),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.1, momentum=0.5, centered=True),
    "Adagrad": lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.1),
}


class Classifier(nn.Module):
    """Embedding -> Linear: a score for each of 4 classes, of one of 5 words."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(5, 3)
        self.layer = nn.Linear(3, 4)

    def forward(self, words: Tensor) -> Tensor:
        return self.layer(self.table(words))


def classifier(device: str) -> Classifier:
    ag.manual_seed(3)
    return Classifier().to(device)


def train(device: str, make: Callable[[Any], Any], words: Any, classes: Any, steps: int = 3) -> list[float]:
    """The losses of a few steps, each looked at once."""
    net = classifier("cpu").to(device)
    optimizer = make(net.parameters())
    x, y = ag.tensor(words, device=device), ag.tensor(classes, device=device)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_training_step_waits_once_where_its_loss_is_looked_at(name: str, watch: Any) -> None:
    words, classes = [0, 4, 1, 1], [3, 0, 2, 2]
    got = train(CUDA, OPTIMIZERS[name], words, classes)
    assert watch.waits == ["get"] * 3
    np.testing.assert_allclose(got, train("cpu", OPTIMIZERS[name], words, classes), rtol=1e-5)


@pytest.mark.parametrize(
    ("words", "classes", "message"),
    [
        ([0, 5], [3, 0], "embedding: index 5 is out of range for size 5"),
        ([0, -1], [3, 0], "embedding: index -1 is out of range for size 5"),
        ([0, 1], [3, 4], "target: index 4 is out of range for size 4"),
        ([0, 1], [-1, 0], "target: index -1 is out of range for size 4"),
    ],
)
def test_what_is_out_of_range_is_said_at_the_next_wait(words: Any, classes: Any, message: str, watch: Any) -> None:
    net = classifier(CUDA)
    loss = F.cross_entropy(net(ag.tensor(words, device=CUDA)), ag.tensor(classes, device=CUDA))
    loss.backward()
    assert watch.waits == []
    with pytest.raises(IndexError, match=message):
        loss.item()
    assert np.isfinite(F.cross_entropy(net(ag.tensor([1], device=CUDA)), ag.tensor([1], device=CUDA)).item())
