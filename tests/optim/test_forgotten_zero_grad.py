"""The warning for gradients that nobody cleared: when it comes, once, and where it must not."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable

import pytest

import autograd_ops as ag
from autograd_ops import nn, optim


def model() -> nn.Linear:
    return nn.Linear(2, 1)


def loss_of(net: nn.Module) -> ag.Tensor:
    return (net(ag.ones(3, 2)) ** 2).mean()


def train(between: Callable[[nn.Module, optim.Optimizer], None], steps: int = 4, backwards: int = 1) -> list[str]:
    """The warnings of a loop in which `between` clears the gradients, or does not."""
    net = model()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(steps):
            between(net, optimizer)
            for _ in range(backwards):
                loss_of(net).backward()
            optimizer.step()
    assert all(w.category is optim.ForgottenZeroGrad for w in caught)
    assert all(w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("backwards", [1, 2])
def test_it_comes_once(backwards: int) -> None:
    (message,) = train(lambda net, optimizer: None, backwards=backwards)
    assert message.startswith("SGD.step used gradients that still had those of the step before in them")
    assert "call optimizer.zero_grad() before each backward" in message


def test_it_comes_with_the_second_step() -> None:
    assert not train(lambda net, optimizer: None, steps=1)
    assert train(lambda net, optimizer: None, steps=2)


def test_it_comes_though_gradients_are_clipped() -> None:
    net = model()
    optimizer = optim.Adam(net.parameters())
    loss_of(net).backward()
    optimizer.step()
    loss_of(net).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    with pytest.warns(optim.ForgottenZeroGrad, match=r"^Adam\.step"):
        optimizer.step()


def each(change: Callable[[ag.Tensor], object]) -> Callable[[nn.Module, optim.Optimizer], None]:
    def between(net: nn.Module, optimizer: optim.Optimizer) -> None:
        for p in net.parameters():
            if p.grad is not None:
                change(p)

    return between


CLEARED: dict[str, Callable[[nn.Module, optim.Optimizer], None]] = {
    "zero_grad": lambda net, optimizer: optimizer.zero_grad(),
    "zero_grad to zeros": lambda net, optimizer: optimizer.zero_grad(set_to_none=False),
    "the model's": lambda net, optimizer: net.zero_grad(),
    "the model's to zeros": lambda net, optimizer: net.zero_grad(set_to_none=False),
    "None": each(lambda p: setattr(p, "grad", None)),
    "zero_": each(lambda p: p.grad.zero_()),
    "zero_ of data": each(lambda p: p.grad.data.zero_()),
    "zero_ of detached": each(lambda p: p.grad.detach().zero_()),
    "through NumPy": each(lambda p: p.grad.numpy().fill(0)),
    "scaled": each(lambda p: p.grad.mul_(0.5)),
    "clipped": lambda net, optimizer: nn.utils.clip_grad_norm_(net.parameters(), 0.1) and None,
}


@pytest.mark.parametrize("backwards", [1, 3])
@pytest.mark.parametrize("name", CLEARED)
def test_not_where_they_are_cleared_or_changed(name: str, backwards: int) -> None:
    assert not train(CLEARED[name], backwards=backwards)


@pytest.mark.parametrize("name", ["zero_grad", "zero_grad to zeros", "zero_", "zero_ of data"])
def test_not_where_another_loss_passes_between(name: str) -> None:
    """As in a GAN: the generator's loss leaves gradients in the discriminator, which clears them before its turn."""

    def between(net: nn.Module, optimizer: optim.Optimizer) -> None:
        loss_of(net).backward()
        CLEARED[name](net, optimizer)

    assert not train(between)


def test_not_without_a_backward() -> None:
    net = model()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    loss_of(net).backward()
    for _ in range(3):
        optimizer.step()


def test_not_for_a_closure_that_clears() -> None:
    net = model()
    optimizer = optim.LBFGS(net.parameters())

    def closure() -> ag.Tensor:
        optimizer.zero_grad()
        loss = loss_of(net)
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)


def test_it_can_be_switched_off() -> None:
    net = model()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=optim.ForgottenZeroGrad)
        for _ in range(3):
            loss_of(net).backward()
            optimizer.step()


def test_optimizers_and_models_are_copied_and_pickled_as_before() -> None:
    net = model()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    loss_of(net).backward()
    optimizer.step()
    pickle.loads(pickle.dumps(net))
    copied = copy.deepcopy(net)
    loss_of(copied).backward()
    copy.deepcopy(optimizer).step()
