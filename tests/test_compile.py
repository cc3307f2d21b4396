"""Recorded steps against the same steps run as they are: every number is equal, bit for bit."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, optim
from autograd_ops.nn import functional as F


def numbers(seed: int, *shape: int) -> ag.Tensor:
    return ag.tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def classes(seed: int, *shape: int, count: int = 3) -> ag.Tensor:
    return ag.tensor(np.random.default_rng(seed).integers(0, count, shape))


def as_it_is(function: Any) -> Any:
    return function


def both(run: Callable[[Any], list[Any]]) -> None:
    """What `run` gives with ``compile`` and without is the same."""
    results = []
    for compiler in (as_it_is, ag.compile):
        ag.manual_seed(3)
        results.append([value.detach().numpy() if isinstance(value, ag.Tensor) else value for value in run(compiler)])
    plain, compiled = results
    assert len(plain) == len(compiled)
    for one, other in zip(plain, compiled, strict=True):
        np.testing.assert_array_equal(one, other)


def state(net: nn.Module, optimizer: Any = None) -> list[Any]:
    """Copies of all numbers that training changes."""
    found = [value.array.copy() for value in net.state_dict().values()]
    if optimizer is not None:
        kept = optimizer.state_dict()["state"]
        found += [np.array(getattr(v, "array", v)) for s in kept.values() for v in s.values() if v is not None]
    return found


def trained(
    compiler: Any,
    net: nn.Module,
    optimizer: Any,
    loss_of: Any,
    batch: Callable[[int], tuple[Any, Any]],
    between: Callable[[int], None] = lambda i: None,
    steps: int = 6,
) -> list[Any]:
    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    again = compiler(step)
    results = []
    for i in range(steps):
        between(i)
        results.append(again(*batch(i)).detach().numpy().copy())
    if compiler is not as_it_is:
        assert again.source(), "it was not replayed"
    return [*results, *state(net, optimizer)]


ACTIVATIONS = (nn.Tanh, nn.ReLU, nn.GELU, nn.Sigmoid, nn.SiLU, nn.ELU, lambda: nn.ReLU(inplace=True), nn.Softplus)
OPTIMIZERS: tuple[Callable[[Any], Any], ...] = (
    lambda p: optim.SGD(p, lr=0.1),
    lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    lambda p: optim.Adam(p, lr=0.01),
    lambda p: optim.AdamW(p, lr=0.01, amsgrad=True),
    lambda p: optim.RMSprop(p, lr=0.01),
)


@pytest.mark.parametrize("seed", range(12))
def test_random_networks(seed):
    chosen = random.Random(seed)
    widths = [chosen.randint(1, 9) for _ in range(chosen.randint(1, 3))]
    regression = chosen.random() < 0.5

    def run(compiler: Any) -> list[Any]:
        draw = random.Random(seed + 100)
        layers: list[nn.Module] = []
        before = 4
        for width in widths:
            layers += [nn.Linear(before, width, bias=draw.random() < 0.8), draw.choice(ACTIVATIONS)()]
            extra = draw.choice((None, nn.BatchNorm1d, nn.LayerNorm, "dropout"))
            if extra is not None:
                layers.append(nn.Dropout(0.3) if extra == "dropout" else extra(width))
            before = width
        net = nn.Sequential(*layers, nn.Linear(before, 1 if regression else 3))
        optimizer = draw.choice(OPTIMIZERS)(net.parameters())

        def batch(i: int) -> tuple[Any, Any]:
            size = 7 if i % 3 else 5  # two shapes, in turn
            return numbers(i, size, 4), numbers(50 + i, size, 1) if regression else classes(i, size)

        loss_of = nn.MSELoss() if regression else nn.CrossEntropyLoss()
        return trained(compiler, net, optimizer, loss_of, batch)

    both(run)


def test_convolutions():
    def run(compiler: Any) -> list[Any]:
        net = nn.Sequential(
            nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 3)
        )
        optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        return trained(
            compiler, net, optimizer, nn.CrossEntropyLoss(), lambda i: (numbers(i, 2, 1, 4, 4), classes(i, 2))
        )

    both(run)


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.places = nn.Embedding(7, 4), nn.Embedding(5, 4)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.norm, self.head = nn.LayerNorm(4), nn.Linear(4, 7)

    def forward(self, x: Any) -> Any:
        x = self.embedding(x) + self.places(ag.arange(5))
        hidden = ag.triu(ag.ones(5, 5, dtype=ag.bool), 1)
        y = self.norm(x)
        x = x + self.attention(y, y, y, attn_mask=hidden, need_weights=False)[0]
        return self.head(x).reshape(-1, 7)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(2, 3, batch_first=True), nn.Linear(3, 1)

    def forward(self, x: Any) -> Any:
        return self.head(self.lstm(x)[0][:, -1])


def test_a_transformer_and_an_lstm():
    def run(compiler: Any) -> list[Any]:
        net = Transformer()
        found = trained(
            compiler,
            net,
            optim.AdamW(net.parameters(), lr=0.01),
            lambda scores, y: F.cross_entropy(scores, y.reshape(-1)),
            lambda i: (classes(i, 2, 5, count=7), classes(i + 9, 2, 5, count=7)),
            steps=4,
        )
        lstm = Recurrent()
        return found + trained(
            compiler,
            lstm,
            optim.Adam(lstm.parameters(), lr=0.01),
            nn.MSELoss(),
            lambda i: (numbers(i, 3, 4, 2), numbers(i, 3, 1)),
            steps=4,
        )

    both(run)


def small(dropout: float = 0.0) -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Dropout(dropout), nn.Linear(4, 1))


def batch(i: int) -> tuple[Any, Any]:
    return numbers(i, 5, 3), numbers(i + 70, 5, 1)


@pytest.mark.parametrize("change", ["frozen", "loaded", "in place", "rate", "evaluated", "data", "state", "replaced"])
def test_what_changes_from_outside_is_seen(change):
    def run(compiler: Any) -> list[Any]:
        net = small(0.2)
        optimizer = optim.Adam(net.parameters(), lr=0.01)

        def between(i: int) -> None:
            if change == "frozen" and i == 3:
                net[0].requires_grad_(False)
                net[0].zero_grad()
            elif change == "loaded" and i == 3:
                net.load_state_dict({name: value * 2 for name, value in net.state_dict().items()})
            elif change == "in place" and i in (2, 4):
                with ag.no_grad():
                    net[0].weight.mul_(0.5)
            elif change == "rate":
                optimizer.param_groups[0]["lr"] *= 0.5
            elif change == "evaluated":
                net.train(i % 2 == 0)
            elif change == "data" and i == 3:
                net[0].weight.data = numbers(99, 4, 3)
            elif change == "state" and i == 3:
                optimizer.load_state_dict(optimizer.state_dict())
            elif change == "replaced" and i == 3:
                net[1] = nn.Sigmoid()

        return trained(compiler, net, optimizer, nn.MSELoss(), batch, between)

    both(run)


def test_a_scheduler_clipping_and_gradients_set_to_zero_inside_of_the_step():
    def run(compiler: Any) -> list[Any]:
        net = small()
        optimizer = optim.SGD(net.parameters(), lr=0.5)
        scheduler = optim.lr_scheduler.StepLR(optimizer, 2, 0.5)

        def step(x: Any, y: Any) -> Any:
            optimizer.zero_grad(set_to_none=False)
            loss = F.mse_loss(net(x), y)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            optimizer.step()
            scheduler.step()
            return {"loss": loss, "norm": norm}

        again = compiler(step)
        results = [value for i in range(6) for value in again(*batch(i)).values()]
        return [*results, *state(net), optimizer.param_groups[0]["lr"]]

    both(run)


def test_gradients_accumulate():
    def run(compiler: Any) -> list[Any]:
        net = small()
        optimizer = optim.SGD(net.parameters(), lr=0.1)

        def part(x: Any, y: Any) -> Any:
            loss = F.mse_loss(net(x), y) / 2
            loss.backward()
            return loss

        again = compiler(part)
        results = []
        for i in range(8):
            results.append(again(*batch(i)))
            if i % 2:
                optimizer.step()
                optimizer.zero_grad()
        return [*results, *state(net)]

    both(run)


def test_a_step_by_hand():
    def run(compiler: Any) -> list[Any]:
        net = small()

        def step(x: Any, y: Any) -> Any:
            net.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            with ag.no_grad():
                for parameter in net.parameters():
                    parameter -= 0.1 * parameter.grad
            return loss

        again = compiler(step)
        return [*[again(*batch(i)) for i in range(5)], *state(net)]

    both(run)


def _tensors_of_arrays(compiler: Any) -> list[Any]:
    again = compiler(lambda x, y: ag.tensor(x) * 2 + ag.as_tensor(y))
    return [again(numbers(i, 3).numpy(), numbers(i + 1, 3).numpy()) for i in range(3)]


def _parts_of_a_buffer(compiler: Any) -> list[Any]:
    buffer = ag.zeros(4, 3)

    def step(x: Any) -> Any:
        buffer[0] = x[0]
        buffer[1:3] += x[1:3]
        buffer[3, 0] = 2.0
        return buffer * 1

    again = compiler(step)
    return [*[again(numbers(i, 4, 3)) for i in range(3)], buffer]


def _other_layouts(compiler: Any) -> list[Any]:
    again = compiler(lambda x, y: F.mse_loss(x, y))
    return [again(numbers(i, 5, 7).T if i % 2 else numbers(i, 7, 5), numbers(i + 9, 7, 5)) for i in range(4)]


def _one_argument_twice(compiler: Any) -> list[Any]:
    again = compiler(lambda x, y: x * y)
    x = numbers(0, 3)
    return [again(x, x), again(x, numbers(1, 3)), again(numbers(2, 3), numbers(3, 3)), again(x, x)]


def _changed_arguments(compiler: Any) -> list[Any]:
    again = compiler(lambda x, y: x.add_(y))
    given = [numbers(i, 3) for i in range(3)]
    return [*[again(x, numbers(7, 3)) is x for x in given], *given]


def _zeros_with_signs(compiler: Any) -> list[Any]:
    again = compiler(lambda x, k: (x * k).copysign(x * 0 + k))
    return [np.signbit(again(ag.ones(1), k).numpy()) for k in (0.0, -0.0, 0.0)]


def _two_players(compiler: Any) -> list[Any]:
    maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
    optimizers = [optim.Adam(net.parameters()) for net in (maker, judge)]
    loss_of = nn.BCEWithLogitsLoss()
    average = optim.swa_utils.AveragedModel(judge)

    def step(x: Any) -> Any:
        optimizers[1].zero_grad()
        made = maker(ag.randn(4, 2))
        judged = loss_of(judge(x), ag.ones(4, 1)) + loss_of(judge(made.detach()), ag.zeros(4, 1))
        judged.backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        fooled = loss_of(judge(made), ag.ones(4, 1))
        fooled.backward()
        optimizers[0].step()
        average.update_parameters(judge)
        return judged, fooled

    again = compiler(step)
    return [value for i in range(4) for value in again(numbers(i, 4, 3))] + state(maker) + state(judge) + state(average)


def _tied_weights_and_views(compiler: Any) -> list[Any]:
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight = first.weight
    optimizer = optim.SGD([*first.parameters(), second.bias], lr=0.1)

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        left, right = second(first(x).tanh()).chunk(2, 0)
        loss = sum([(left[:, i] * right[:, i]).abs().mean() for i in range(3)]) + first.weight.T[0].sum()
        loss.backward()
        optimizer.step()
        return loss

    again = compiler(step)
    return [*[again(numbers(i, 4, 3)) for i in range(4)], *state(first), *state(second)]


@pytest.mark.parametrize(
    "program",
    [
        _tensors_of_arrays,
        _parts_of_a_buffer,
        _other_layouts,
        _one_argument_twice,
        _changed_arguments,
        _zeros_with_signs,
        _two_players,
        _tied_weights_and_views,
    ],
)
def test_programs(program):
    both(program)


def test_random_numbers_are_drawn_anew_from_the_same_stream():
    def run(compiler: Any) -> list[Any]:
        again = compiler(lambda x: x + ag.randn_like(x) + F.dropout(x, 0.5))
        return [value for i in range(4) for value in (again(numbers(i, 6)), ag.rand(2))]

    both(run)


def test_a_module_is_the_same_module():
    def run(compiler: Any) -> list[Any]:
        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.2), nn.Linear(4, 1))
        fast = compiler(net)
        optimizer = optim.Adam(fast.parameters(), lr=0.05)
        results = []
        for i in range(6):
            fast.train(i < 4)
            x, y = batch(i)
            x.requires_grad_(i % 2 == 0)
            loss = F.mse_loss(fast(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            results += [loss, *([x.grad] if x.grad is not None else [])]
        return [*results, *state(fast)]

    both(run)
    net = small()
    fast = ag.compile(net, mode="max-autotune")
    assert isinstance(fast, nn.Sequential)
    assert fast[0] is net[0]
    assert list(fast.state_dict()) == list(net.state_dict())
    fast.eval()
    assert not net.training
    fast(numbers(0, 2, 3))
    assert "linear" in fast.source()


def test_a_result_whose_gradient_comes_later():
    w = ag.ones(3, requires_grad=True)
    again = ag.compile(lambda x: (x * w).sum())
    for _ in range(2):
        first, second = again(numbers(0, 3)), again(numbers(1, 3))
        w.grad = None
        first.backward()
        second.backward()
        np.testing.assert_array_equal(w.grad.numpy(), (numbers(0, 3) + numbers(1, 3)).numpy())
    loss = again(numbers(2, 3))
    with ag.no_grad():
        w.mul_(2)
    x = numbers(2, 3).requires_grad_()
    again(x), again(x)
    loss = again(x)
    with ag.no_grad():
        w.mul_(2)
    with pytest.raises(ag.TapeError, match="changed"):
        loss.backward()
    with pytest.raises(ag.TapeError, match="cannot be differentiated again"):
        ag.autograd.grad(again(x), x, create_graph=True)


def test_a_loss_whose_tape_is_used_up():
    w = ag.ones(2, requires_grad=True)

    @ag.compile
    def step(x):
        loss = (w * x).sum() * (w * w).sum()
        loss.backward()
        return loss

    for _ in range(3):
        loss = step(numbers(0, 2))
        assert loss.requires_grad
        with pytest.raises(ag.TapeError, match="second time"):
            loss.backward()


def test_gradients_that_a_user_keeps_stay_as_they_are():
    net = small()

    def step(x: Any, y: Any) -> Any:
        net.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss, net[0](x)

    again = ag.compile(step)
    kept = []
    for i in range(4):
        loss, hidden = again(*batch(i))
        kept.append((loss, hidden, net[0].weight.grad))
    for i, (loss, hidden, gradient) in enumerate(kept):
        expected = step(*batch(i))
        np.testing.assert_array_equal(loss.detach().numpy(), expected[0].detach().numpy())
        np.testing.assert_array_equal(hidden.detach().numpy(), expected[1].detach().numpy())
        np.testing.assert_array_equal(gradient.numpy(), net[0].weight.grad.numpy())


# ---------------------------------------------------------------- gradients side by side, and one step for all

STEPPERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1),
    "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1, dampening=0.1),
    "maximize": lambda p: optim.SGD(p, lr=0.01, maximize=True),
    "Adam": lambda p: optim.Adam(p, lr=0.01),
    "amsgrad": lambda p: optim.AdamW(p, lr=0.01, amsgrad=True),
    "Adadelta": lambda p: optim.Adadelta(p, lr=0.1),
    "Adagrad": lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.01),
    "Adamax": lambda p: optim.Adamax(p, lr=0.01),
    "Adafactor": lambda p: optim.Adafactor(p, lr=0.01),
    "ASGD": lambda p: optim.ASGD(p, lr=0.01),
    "Muon": lambda p: optim.Muon([q for q in p if q.ndim == 2], lr=0.01),
    "NAdam": lambda p: optim.NAdam(p, lr=0.01),
    "RAdam": lambda p: optim.RAdam(p, lr=0.01),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    "Rprop": lambda p: optim.Rprop(p, lr=0.01),
}


@pytest.mark.parametrize("name", STEPPERS)
def test_optimizers(name):
    def run(compiler: Any) -> list[Any]:
        net = small()
        optimizer = STEPPERS[name](list(net.parameters()))
        scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

        def between(i: int) -> None:
            if i % 2 and i > 2:
                scheduler.step()

        return trained(compiler, net, optimizer, nn.MSELoss(), batch, between, steps=9)

    both(run)


def _keeps(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    """A gradient and a view of one that are looked at later."""
    return [net[0].weight.grad, net[3].bias.grad.detach()[:1], net[0].bias.grad.numpy()[1:]] if i in (3, 5) else []


def _resumes(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    if i in (4, 8):
        optimizer.load_state_dict(optimizer.state_dict())
    return []


def _replaces_state(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    if i == 5:
        for kept in optimizer.state.values():
            kept.update({k: v * 2 for k, v in kept.items() if isinstance(v, ag.Tensor)})
    if i == 7:
        for kept in optimizer.state.values():
            for value in kept.values():
                if isinstance(value, ag.Tensor):
                    value.data = value.data * 3
    if i == 9:
        optimizer.state.clear()
    return []


def _adds_hooks(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    if i == 5:
        optimizer.register_step_pre_hook(lambda o, *_: o.param_groups[0].update(lr=o.param_groups[0]["lr"] / 2))
    return []


def _adds_a_group(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    if i == 5:
        optimizer.param_groups[0]["params"].pop()
        optimizer.add_param_group({"params": [net[3].bias], "lr": 0.5})
    return []


def _exchanges_a_parameter(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    if i == 5:
        optimizer.param_groups[0]["params"][-1] = ag.ones(1, requires_grad=True)
    return []


def _sets_options(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    options = optimizer.param_groups[0]
    options["weight_decay"] = 0.1 * (i % 3)
    if "momentum" in options and i > 3:
        options["momentum"] = 0.5
    return []


def _writes_gradients(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    needed = net[0].bias.grad.requires_grad
    net[0].weight.grad.mul_(2)
    net[0].bias.grad.requires_grad_(i % 2 == 0)
    if i % 3:
        net[3].weight.grad = None
        net[3].bias.grad = ag.ones(1)
    return [needed]


def _adds_to_gradients(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    if i in (3, 6, 7):
        F.mse_loss(net(batch(i)[0]), batch(i)[1]).backward()
    return []


def _writes_parameters(net: nn.Module, optimizer: Any, i: int) -> list[Any]:
    net[0].weight.detach().numpy()[0, :] = i
    net[3].weight.data = net[3].weight.data * 1.5
    return []


@pytest.mark.parametrize("name", ["SGD", "momentum", "Adam"])
@pytest.mark.parametrize(
    "between",
    [
        _keeps,
        _resumes,
        _replaces_state,
        _adds_hooks,
        _adds_a_group,
        _exchanges_a_parameter,
        _sets_options,
        _writes_gradients,
        _adds_to_gradients,
        _writes_parameters,
    ],
)
@pytest.mark.parametrize("cleared", ["before", "after", "never", "by the module"])
def test_what_is_done_between_steps(name, between, cleared):
    def run(compiler: Any) -> list[Any]:
        net = small()
        optimizer = STEPPERS[name](net.parameters())

        def step(x: Any, y: Any) -> Any:
            if cleared == "before":
                optimizer.zero_grad()
            elif cleared == "by the module":
                net.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            return loss

        again = compiler(step)
        found = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for i in range(13):
                found.append(again(*batch(i)))
                found += [p.grad for p in net.parameters() if p.grad is not None] if i == 7 else []
                found += between(net, optimizer, i)
                if cleared == "after":
                    optimizer.zero_grad()
        texts = [str(warning.message).partition(":")[0] for warning in caught]
        return [*found, *texts, *state(net, optimizer), *[p._version for p in net.parameters()]]

    both(run)


def test_gradients_of_a_loop_share_one_memory_and_one_that_is_kept_does_not():
    net = small()
    optimizer = optim.Adam(net.parameters())

    @ag.compile
    def again(x: Any, y: Any) -> None:
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()

    for i in range(6):
        again(*batch(i))
    places = {p.grad.data_ptr() for p in net.parameters()}
    again(*batch(6))
    assert {p.grad.data_ptr() for p in net.parameters()} == places
    kept = net[0].weight.grad
    before = kept.numpy().copy()
    again(*batch(7))
    assert net[0].weight.grad is not kept
    np.testing.assert_array_equal(kept.numpy(), before)
    window = net[0].bias.grad.numpy()[:1]
    before = window.copy()
    again(*batch(8))
    np.testing.assert_array_equal(window, before)
    assert optimizer.state_dict()["state"][0]["step"] == 9


def test_two_batch_shapes_and_evaluation_in_turn():
    def run(compiler: Any) -> list[Any]:
        net = small(0.2)
        optimizer = optim.Adam(net.parameters(), lr=0.01)

        def step(x: Any, y: Any, train: bool) -> Any:
            loss = F.mse_loss(net(x), y)
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return loss

        again = compiler(step)
        found = []
        for i in range(12):
            x, y = batch(i)
            size = 5 - i % 2
            net.train(i % 3 > 0)
            found.append(again(x[:size].clone(), y[:size].clone(), train=i % 3 > 0))
        return [*found, *state(net, optimizer)]

    both(run)


# ---------------------------------------------------------------- what is not replayed, and says so

seen: list[Any] = []


def _item(x: Any) -> Any:
    return x * x.sum().item()


def _branch(x: Any) -> Any:
    return x if x.sum() > 0 else -x


def _masked(x: Any) -> Any:
    return x[x > 0]


def _listed(x: Any) -> Any:
    seen.append(x)
    return x * 2


def _printed(x: Any) -> Any:
    print("step")
    return x * 2


def _clock(x: Any) -> Any:
    return x * (time.perf_counter() * 0 + 1)


def _chance(x: Any) -> Any:
    return x * (1 if random.random() >= 0 else 2)


def _hooked(x: Any) -> Any:
    y = x.requires_grad_() * 2
    y.register_hook(lambda g: g * 2)
    y.sum().backward()
    return x * 1


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (_item, "reads a value"),
        (_branch, "reads a value"),
        (_masked, "numbers that no op made"),
        (_listed, "changes seen"),
        (_printed, "calls print"),
        (_clock, "calls perf_counter"),
        (_chance, "calls random"),
        (_hooked, "hook"),
    ],
)
def test_what_cannot_be_replayed_runs_as_it_is(function, reason, capsys):
    again = ag.compile(function)
    with pytest.warns(UserWarning, match=reason) as caught:
        first = again(numbers(0, 4))
    assert __file__ in str(caught[0].message)
    np.testing.assert_array_equal(first.detach().numpy(), function(numbers(0, 4)).detach().numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = again(numbers(1, 4))
    np.testing.assert_array_equal(second.detach().numpy(), function(numbers(1, 4)).detach().numpy())
    assert again.source() == ""


def test_recordings_are_bounded():
    again = ag.compile(lambda x, k: x * k)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(16):
            assert again(ag.ones(1), k).item() == k
    with pytest.warns(UserWarning, match="recorded 16 times"):
        again(ag.ones(1), 16)
    assert again(ag.ones(1), 17).item() == 17


def test_numbers_around_a_step_are_watched():
    options = {"scale": 1.0}
    again = ag.compile(lambda x: x * options["scale"])
    for scale in (1.0, 1.0, 2.0, 2.0, 1.0):
        options["scale"] = scale
        assert again(ag.ones(1)).item() == scale


def test_numbers_of_an_optimizer_are_watched_and_what_else_is_read_of_it_is_not_replayed():
    net = small()

    class Scaled(optim.SGD):
        scale = 2.0

    optimizer = Scaled(net.parameters(), lr=0.1)
    again = ag.compile(lambda x: x * optimizer.scale)
    by_name = ag.compile(lambda x: x * getattr(optimizer, "sca" + "le"))
    for scale in (1.0, 1.0, 3.0, 3.0, 1.0):
        optimizer.scale = scale
        assert again(ag.ones(1)).item() == by_name(ag.ones(1)).item() == scale
    assert again.source()
    assert by_name.source()

    def sets(x: Any) -> Any:
        optimizer.scale = 5.0
        return x * 1

    for function, reason in (
        (lambda x: x * optimizer.param_groups[0]["lr"], "param_groups"),
        (lambda x: x * getattr(optimizer, "param_" + "groups")[0]["lr"], "reads .param_groups of Scaled"),
        (lambda x: x * optimizer.defaults["lr"], "reads .defaults of Scaled"),
        (sets, "sets .scale of Scaled"),
    ):
        with pytest.warns(UserWarning, match=reason):
            ag.compile(function)(ag.ones(1))


def test_large_data_around_a_step_matters_only_where_it_is_read():
    class Trainer:
        def __init__(self) -> None:
            self.net, self.images, self.names = small(), np.zeros((100, 100)), [str(i) for i in range(5000)]
            self.scale = 1.0

        def step(self, x: Any) -> Any:
            return self.net(x) * self.scale

        def other(self, x: Any) -> Any:
            return self.net(x) * len(self.names)

    trainer = Trainer()
    again = ag.compile(trainer.step)
    for i in range(6):
        trainer.scale = float(i // 3)
        x = numbers(i, 2, 3)
        np.testing.assert_array_equal(again(x).detach().numpy(), trainer.step(x).detach().numpy())
    assert again.source().count("def step_again") == 2
    with pytest.warns(UserWarning, match="more Python values"):
        ag.compile(trainer.other)(numbers(0, 2, 3))


def test_a_step_that_imports_is_replayed(tmp_path, monkeypatch):
    (tmp_path / "imported_within_a_step.py").write_text("TWO = 2.0")
    monkeypatch.syspath_prepend(str(tmp_path))

    @ag.compile
    def again(x: Any) -> Any:
        from imported_within_a_step import TWO

        return x * TWO

    assert again(ag.ones(1)).item() == again(ag.ones(1)).item() == 2.0
    assert again.source()


def test_an_op_first_called_by_another_of_its_names_within_a_recording():
    program = """
import autograd_ops as ag
from autograd_ops.nn import functional as F
w = ag.ones(3, requires_grad=True)
for function in (lambda x: (x * w).relu(), lambda x: F.relu(F.relu(x * w) * w)):
    again = ag.compile(lambda x: function(x).sum().backward())
    again(ag.ones(3))
    assert again.source(), "it was not replayed"
"""
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_program_that_is_imported_is_watched(tmp_path, monkeypatch):
    program = """
import autograd_ops as ag
scale, found = 1.0, []
again = ag.compile(lambda x: x * scale)
for scale in (1.0, 2.0, 2.0):
    found.append(again(ag.ones(1)).item())
"""
    (tmp_path / "imported_with_a_step.py").write_text(program)
    monkeypatch.syspath_prepend(str(tmp_path))
    import imported_with_a_step

    assert imported_with_a_step.found == [1.0, 2.0, 2.0]


def test_errors_are_those_of_the_step_and_leave_nothing_behind():
    net = small()
    again = ag.compile(lambda x: net(x))
    with pytest.raises(ValueError, match="features"):
        again(ag.ones(2, 4))
    assert again(ag.ones(2, 3)).shape == (2, 1)
    assert ag.exp(ag.zeros(1)).item() == 1.0


def test_steps_of_two_threads():
    again = ag.compile(lambda x: (x * x + 1).tanh().sum())
    results: dict[int, list[float]] = {}

    def work(number: int) -> None:
        results[number] = [again(ag.full((4,), float(number + i))).item() for i in range(50)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, found in results.items():
        plain = [ag.full((4,), float(number + i)) for i in range(50)]
        assert found == [(x * x + 1).tanh().sum().item() for x in plain]


def test_what_a_step_does_not_read_may_change():
    class Trainer:
        def __init__(self) -> None:
            self.net, self.losses, self.scale = small(), [], 1.0

        def step(self, x: Any) -> Any:
            return self.net(x) * self.scale

    trainer = Trainer()
    again = ag.compile(trainer.step)
    for i in range(30):
        trainer.scale = float(i // 15)
        trainer.losses.append(again(numbers(i, 2, 3)).sum().item())
        assert trainer.losses[-1] == trainer.step(numbers(i, 2, 3)).sum().item()
    assert again.source().count("def step_again") == 2


def test_a_step_that_calls_itself_meanwhile():
    net = small()
    optimizer = optim.SGD(net.parameters(), lr=0.1)

    @ag.compile
    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
        return loss

    first = [step(numbers(i, 2, 3)).item() for i in range(3)]
    found: list[float] = []
    with optimizer.register_step_post_hook(lambda *_: found or found.append(1.0) or step(numbers(5, 2, 3))):
        step(numbers(3, 2, 3))
    assert len(first) == 3
    assert found


def test_large_arrays_are_let_go_of():
    again = ag.compile(lambda x: (x.tanh().exp() + x).sum())
    for i in range(6):
        x = numbers(i, *((200, 200) if i % 2 else (128, 128)))
        assert again(x).item() == (x.tanh().exp() + x).sum().item()
    assert "del v1" in again.source()


def test_methods_decorators_and_options():
    class Trainer:
        def __init__(self) -> None:
            self.net = small()

        @ag.compile
        def step(self, x: Any) -> Any:
            """Forward."""
            return self.net(x)

    trainer = Trainer()
    x = numbers(0, 2, 3)
    np.testing.assert_array_equal(trainer.step(x).detach().numpy(), trainer.net(x).detach().numpy())
    np.testing.assert_array_equal(trainer.step(x).detach().numpy(), trainer.net(x).detach().numpy())
    assert Trainer.step.__doc__ == "Forward."
    assert ag.compile(trainer.net, disable=True) is trainer.net
    again = ag.compile(fullgraph=True)(lambda x: {"twice": [x * 2, None, "text"]})
    for i in range(2):
        found = again(numbers(i, 2))
        np.testing.assert_array_equal(found["twice"][0].numpy(), (numbers(i, 2) * 2).numpy())
        assert found["twice"][1:] == [None, "text"]


def test_other_backends():
    net = small().to("strict")
    again = ag.compile(lambda x, y: F.mse_loss(net(x), y))
    for i in range(3):
        x, y = (value.to("strict") for value in batch(i))
        assert again(x, y).item() == F.mse_loss(net(x), y).item()
    assert again.source()


def test_a_profile_sees_the_ops_of_a_compiled_step():
    net = small()
    again = ag.compile(lambda x, y: F.mse_loss(net(x), y))
    wanted = [again(*batch(0)).item() for _ in range(3)]
    with ag.profiler.profile() as seen:
        assert again(*batch(0)).item() == wanted[0]
    assert "linear" in seen.table()
    assert again(*batch(0)).item() == wanted[0]


def test_a_collection_of_garbage_is_no_part_of_a_step():
    def called(phase: str, about: dict[str, int]) -> None:
        seen.append(time.perf_counter())

    seen: list[float] = []
    again = ag.compile(lambda x: [(x * i).sum() for i in range(200)][-1])
    thresholds = gc.get_threshold()
    gc.callbacks.append(called)
    gc.set_threshold(1)
    try:
        again(numbers(0, 3))
        assert gc.isenabled()
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(called)
    assert again.source()
