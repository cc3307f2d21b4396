"""Threads: several that compute at once, how many each computes on, and processes that are forked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autograd_ops as ag
from autograd_backends.numpy_backend.onednn import library as door

if door.why_not() is not None:
    pytest.skip(f"oneDNN: {door.why_not()}", allow_module_level=True)

from autograd_backends.numpy_backend.onednn import room, threads
from autograd_ops import nn, settings

from . import numbers
from .test_library import python


@pytest.fixture
def threads_put_back() -> Iterator[None]:
    """The number of threads is afterwards what it was."""
    set_before, before = settings._set["threads"], ag.get_num_threads()
    yield
    ag.set_num_threads(before)
    settings._set["threads"] = set_before


def losses_of_training(seed: int, steps: int = 6) -> list[float]:
    """A small CNN of which oneDNN does the convolutions and the first product."""
    layers = [nn.Conv2d(2, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.Flatten(), nn.Linear(8 * 36, 64)]
    net = nn.Sequential(*layers, nn.Tanh(), nn.Linear(64, 1))
    with ag.no_grad():
        for i, parameter in enumerate(net.parameters()):
            parameter.copy_(ag.tensor(numbers(*parameter.shape, seed=seed + i) * 0.1))
    x, y = ag.tensor(numbers(16, 2, 8, 8, seed=seed)), ag.tensor(numbers(16, 1, seed=seed))
    optimizer = ag.optim.SGD(net.parameters(), lr=0.01)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_two_threads_that_train_at_once_do_not_disturb_each_other() -> None:
    alone = [losses_of_training(seed) for seed in (1, 2)]
    found: list[list[float] | None] = [None, None]
    start = threading.Barrier(2)

    def train(i: int) -> None:
        start.wait()
        found[i] = losses_of_training(i + 1)

    workers = [threading.Thread(target=train, args=(i,)) for i in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    np.testing.assert_allclose(found, alone, rtol=1e-5)


@pytest.mark.usefixtures("threads_put_back", "onednn_does_all")
def test_the_number_of_threads_can_be_changed_at_any_time() -> None:
    x, weight = ag.tensor(numbers(200, 300)), ag.tensor(numbers(300, 100))
    want = x.numpy().astype("float64") @ weight.numpy()
    for number in (1, 2, 1):
        ag.set_num_threads(number)
        assert ag.get_num_threads() == number
        np.testing.assert_allclose((x @ weight).numpy(), want, rtol=1e-3, atol=1e-4)
        assert room.here().lib.threads() == (number if room.here().lib.threaded else 1)
        with ThreadPoolExecutor(1) as pool:
            product, seen = pool.submit(lambda: (x @ weight, room.here().lib.threads())).result()
        np.testing.assert_allclose(product.numpy(), want, rtol=1e-3, atol=1e-4)
        assert seen == (number if room.here().lib.threaded else 1)


@pytest.mark.usefixtures("threads_put_back")
def test_who_is_told_of_a_change() -> None:
    told: list[int | None] = []
    threads.on_change.append(lambda: told.append(threads.wanted()))
    try:
        ag.set_num_threads(3)
    finally:
        threads.on_change.pop()
    assert told == [3]


FORK = """
import os, signal, numpy as np, autograd_ops as ag
x = ag.ones(300, 300)
net = ag.nn.Conv2d(3, 8, 3)
image = ag.ones(4, 3, 20, 20)
total, before = (x @ x).sum().item(), net(image).detach().numpy()
child = os.fork()
if child == 0:
    signal.alarm(20)  # rather than to hang for ever
    out = net(image)
    out.sum().backward()
    same = np.allclose(out.detach().numpy(), before, atol=1e-5) and (x @ x).sum().item() == total
    os._exit(0 if same and net.weight.grad is not None else 1)
_, status = os.waitpid(child, 0)
print(status, (x @ x).sum().item())
"""

POOL = """
import multiprocessing, autograd_ops as ag
def work(n):
    x = ag.ones(n, n)
    return (x @ x).sum().item()
if __name__ == "__main__":
    first = work(256)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(first, pool.map(work, [256, 200, 256]))
"""


def test_a_forked_child_computes() -> None:
    assert python(FORK).split() == ["0", "27000000.0"]


def test_a_pool_of_forked_workers_computes() -> None:
    assert python(POOL).strip() == f"{256.0**3} [{256.0**3}, {200.0**3}, {256.0**3}]"
