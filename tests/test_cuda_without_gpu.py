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
from autograd_ops.utils.checkpoint import checkpoint
from autograd_ops.utils.data import DataLoader, TensorDataset

from .cuda_stand_in import stand_in
from .op_calls import arrays, close, float_inputs, gradients, host, leaves, outputs, over, tensors
from .op_samples import SAMPLES, Sample
from .vector_calls import Vector, lanes_of, read_vectors, run

CUDA = "cuda:0"
OPS = list(TABLE.values())


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


def forward_and_back(op: Op, sample: Sample, dtype: str, device: str) -> tuple[list[Any], list[Tensor]]:
    """The outputs, and the gradients of all float inputs."""
    names = float_inputs(op, sample) if (sample.dtype or "float").startswith("float") else []
    given = tensors(sample, dtype, device, op, names)
    return outputs(op.function(*given)), gradients(op, given) if names else []


#: What waits for the device beside what moves to another: its values decide how many results there are, or how many
#: squarings bring a matrix into range, or CuPy has no routine for it and the host's is used.
WAITING = ("unique", "matrix_exp", "eig", "eigvals")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@over(OPS)
def test_values_and_gradients_are_those_of_the_cpu(op: Op, sample: Sample, dtype: str, watch: Any) -> None:
    watch.waits.clear()
    there = forward_and_back(op, sample, dtype, CUDA)
    assert not watch.waits or sample.device is not None or op.name in WAITING
    here = forward_and_back(op, sample, dtype, "cpu")
    for results, references, device in zip(there, here, (sample.device or CUDA, CUDA), strict=True):
        for got, want in zip(results, references, strict=True):
            assert (got.device, got.dtype) == (device, want.dtype)
            close(got, host(want))


@over(OPS, lambda op, sample: sample.has_floats() and sample.half)
def test_half_precision_has_the_dtypes_that_it_has_on_the_cpu(op: Op, sample: Sample) -> None:
    results = [outputs(op.function(*arrays(sample, "float16", device))) for device in (CUDA, "cpu")]
    for got, want in zip(*results, strict=True):
        close(got, host(want))


@pytest.mark.parametrize(
    ("vector", "lane"),
    [
        pytest.param(vector, lane, id=f"{vector.name} {lane}")
        for vector in read_vectors()
        for lane in lanes_of(vector)
        if lane != "twice"
    ],
)
def test_vectors(vector: Vector, lane: str) -> None:
    assert run(vector, lane, CUDA, "float32") == ""


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
        ([0, 1], [3, 4], "cross_entropy: target: index 4 is out of range for size 4"),
        ([0, 1], [-1, 0], "cross_entropy: target: index -1 is out of range for size 4"),
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


def scores(*shape: int, positive: bool = False) -> Tensor:
    values = np.cos(1.3 * np.arange(np.prod(shape)) + 0.4).reshape(shape)
    return ag.tensor(0.5 + 0.4 * values if positive else values, dtype="float32", device=CUDA, requires_grad=True)


def labels(*values: int) -> Tensor:
    return ag.tensor(list(values), device=CUDA)


WITHOUT_WAITS: dict[str, Callable[[], Any]] = {
    "probabilities": lambda: F.binary_cross_entropy(scores(3, positive=True), scores(3, positive=True).detach()),
    "mse": lambda: F.mse_loss(scores(3, 2), scores(3, 2, positive=True)),
    "l1": lambda: F.l1_loss(scores(3, 2), scores(3, 2, positive=True)),
    "smooth l1": lambda: F.smooth_l1_loss(scores(3, 2), scores(3, 2, positive=True)),
    "huber": lambda: F.huber_loss(scores(3, 2), scores(3, 2, positive=True)),
    "logits": lambda: F.binary_cross_entropy_with_logits(scores(3), scores(3, positive=True).detach()),
    "cross entropy": lambda: F.cross_entropy(scores(3, 4), labels(0, 3, 1), weight=scores(4, positive=True).detach()),
    "cross entropy, smoothed": lambda: F.cross_entropy(scores(3, 4), labels(0, -100, 1), label_smoothing=0.1),
    "nll": lambda: F.nll_loss(F.log_softmax(scores(3, 4), 1), labels(0, 3, 1)),
    "embedding": lambda: F.embedding(labels(0, 2, 2), scores(3, 2), padding_idx=1).sum(),
    "dropout": lambda: F.dropout(scores(3, 4), 0.5).sum(),
    "batch norm": lambda: nn.BatchNorm1d(2).to(CUDA)(scores(3, 2)).sum(),
    "batch norm, averaged": lambda: nn.BatchNorm1d(2, momentum=None).to(CUDA)(scores(3, 2)).sum(),
    "convolution": lambda: F.max_pool2d(F.conv2d(scores(1, 2, 5, 5), scores(3, 2, 2, 2)), 2).sum(),
    "indices": lambda: scores(4, 3)[labels(0, 3, -1)].sum() + scores(4, 3)[1:, labels(2, 0)].mean(),
    "gather": lambda: ag.gather(scores(2, 3), 1, ag.tensor([[0, 2], [1, 1]], device=CUDA)).sum(),
    "where": lambda: ag.where(scores(3) > 0, scores(3), 0.0).sum(),
    "masked fill": lambda: scores(3).masked_fill(scores(3) > 0, 1.0).sum(),
    "sort": lambda: ag.sort(scores(3, 4), dim=1).values.sum() + ag.topk(scores(5), 2).values.sum(),
    "max": lambda: scores(3, 4).max(dim=1).values.sum() + scores(3, 4).max(),
    "clamp": lambda: scores(3, 4).clamp(-0.5, 0.5).norm(),
}


@pytest.mark.parametrize("name", WITHOUT_WAITS)
def test_forward_and_backward_do_not_wait(name: str, watch: Any) -> None:
    loss = WITHOUT_WAITS[name]()
    if loss.requires_grad:
        loss.backward()
    assert watch.waits == []
    assert np.isfinite(loss.item())


def test_clipping_gradients_does_not_wait_unless_it_is_to_refuse_some(watch: Any) -> None:
    w = scores(3, 4)
    (w * w).sum().backward()
    nn.utils.clip_grad_value_([w], 0.5)
    norm = nn.utils.clip_grad_norm_([w], 0.1)
    assert watch.waits == []
    nn.utils.clip_grad_norm_([w], 0.1, error_if_nonfinite=True)
    assert watch.waits == ["get"]
    assert norm.device == CUDA
    assert w.grad is not None
    np.testing.assert_allclose(w.grad.norm().item(), 0.1, rtol=1e-4)


@pytest.mark.parametrize("shuffle", [False, True])
def test_loading_batches_of_what_is_on_the_device_does_not_wait(shuffle: bool, watch: Any) -> None:
    x, y = ag.arange(10, device=CUDA), scores(10, 2).detach()
    batches = list(DataLoader(TensorDataset(x, y), batch_size=4, shuffle=shuffle))
    assert watch.waits == []
    assert [len(a) for a, _ in batches] == [4, 4, 2]
    assert {t.device for batch in batches for t in batch} == {CUDA}
    assert sorted(i for a, _ in batches for i in a.tolist()) == list(range(10))


def test_printing_and_looking_wait(watch: Any) -> None:
    x = scores(2)
    for look in (repr, bool_of_sum, float_of_sum, list_of, host):
        watch.reset()
        look(x)
        assert watch.waits == ["get"]


def bool_of_sum(x: Tensor) -> bool:
    return bool(x.sum() > 0)


def float_of_sum(x: Tensor) -> float:
    return float(x.sum())


def list_of(x: Tensor) -> Any:
    return x.tolist()


# ---------------------------------------------------------------- two devices


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a + b,
        lambda a, b: a @ b,
        lambda a, b: ops.linear(a, b),
        lambda a, b: ops.concat([a, b], 0),
        lambda a, b: ops.where(a > 0, a, b),
        lambda a, b: F.mse_loss(a, b),
        lambda a, b: F.embedding(ag.tensor([0, 1], device=b.device), a),
    ],
)
@pytest.mark.parametrize(("first", "second"), [(CUDA, "cuda:1"), ("cuda:1", CUDA), (CUDA, "cpu"), ("cpu", CUDA)])
def test_operands_on_two_devices_are_refused(call: Any, first: str, second: str) -> None:
    a, b = ag.ones(2, 2, device=first), ag.ones(2, 2, device=second)
    with pytest.raises(ag.DeviceError, match=rf"^(\w+: )+operands are on two devices, '{first}' and '{second}'"):
        call(a, b)


def test_probabilities_out_of_range_are_said_at_the_next_wait(watch: Any) -> None:
    loss = F.binary_cross_entropy(scores(3) * 2.0, scores(3, positive=True).detach())
    assert watch.waits == []
    with pytest.raises(ValueError, match=r"binary_cross_entropy: the input must be probabilities"):
        loss.item()


def first_samples(op: Op, sample: Sample) -> bool:
    return sample in SAMPLES[op.name][:4]


@over(OPS, first_samples)
def test_the_second_device_works_alone(op: Op, sample: Sample, cupy: Any) -> None:
    # The current device is another one: a result that lands there, or an operand that is read from there, is a fault.
    for device in ("cuda:1", CUDA):
        given = tensors(sample, "float32", device, op, float_inputs(op, sample) if sample.dtype is None else [])
        cupy.cuda.Device(1 if device == CUDA else 0).use()
        results = outputs(op.function(*given))
        cupy.cuda.Device(1 if device == CUDA else 0).use()
        carrying = [out for out in results if out.requires_grad]
        if carrying and sample.device is None:
            ag.autograd.backward(carrying, [ag.ones_like(out) for out in carrying])
            assert {leaf.grad.device for leaf in leaves(given) if leaf.grad is not None} == {device}
        assert {out.device for out in results} == {sample.device or device}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_on_the_second_device(name: str) -> None:
    words, classes = [0, 4, 1, 1], [3, 0, 2, 2]
    got = train("cuda:1", OPTIMIZERS[name], words, classes)
    np.testing.assert_allclose(got, train("cpu", OPTIMIZERS[name], words, classes), rtol=1e-5)


def test_numbers_go_with_any_device() -> None:
    for number in (2, 2.0, True, np.float64(2.0), np.int64(2)):
        x = ag.tensor([1.5, -1.0], device="cuda:1")
        assert (x * number).device == (number * x).device == "cuda:1"
        assert (x * number).dtype == ag.float32
        assert ag.ops.mul(x.array, number).device.id == 1


def test_a_network_on_two_devices() -> None:
    results = []
    for first, second in ((CUDA, "cuda:1"), ("cpu", "cpu")):
        ag.manual_seed(0)
        bottom, top = nn.Linear(3, 4).to(first), nn.Linear(4, 2).to(second)
        x = ag.tensor([[0.5, -1.0, 2.0]], device=first, requires_grad=True)
        # x goes both ways, so that gradients from two devices meet in it.
        out = top(bottom(x).tanh().to(second)).sum() + (x.to(second) * 2.0).sum() + (x * 3.0).sum().to(second)
        out.backward()
        optimizer = optim.SGD([*bottom.parameters(), *top.parameters()], lr=0.1)
        nn.utils.clip_grad_norm_([*bottom.parameters(), *top.parameters()], 1.0)
        optimizer.step()
        assert x.grad is not None
        assert x.grad.device == ("cpu" if first == "cpu" else CUDA)
        assert bottom.weight.device == x.grad.device
        results.append([x.grad.tolist(), bottom.weight.tolist(), top.weight.tolist()])
    for got, want in zip(*results, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)


# ---------------------------------------------------------------- running again


def test_a_checkpoint_draws_the_same_again() -> None:
    ag.rand(3, device=CUDA)
    x = ag.ones(100, device=CUDA, requires_grad=True)
    y = checkpoint(lambda x: F.dropout(x, 0.5), x)
    y.sum().backward()
    assert x.grad.tolist() == y.tolist()
