"""bfloat16 on NumPy: what NumPy itself gets wrong about it, and a model trained in it.

Every op runs in bfloat16 in test_ops.
"""

from __future__ import annotations

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import nn, optim

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def test_numbers_are_weak_and_results_are_rounded_once() -> None:
    x = ag.tensor([1.0, 2.5, 3.0], dtype=ag.bfloat16)
    for y in (
        x + 1.5,
        1.5 - x,
        x / 3,
        2**x,
        x**2,
        x % 2,
        -x,
        x.exp(),
        x @ x,
        ag.where(x > 2, x, 0.5),
        x.sum(),
        x.mean(),
    ):
        assert y.dtype is ag.bfloat16
    # 1/3 to eight digits of binary, and a sum that bfloat16's own steps would lose.
    assert (ag.ones(1, dtype=ag.bfloat16) / 3).item() == 171 / 512
    assert ag.full((1000,), 1.0, dtype=ag.bfloat16).sum().item() == 1000


def test_beside_other_dtypes() -> None:
    x = ag.ones(2, dtype=ag.bfloat16)
    meets = {"float16": "float32", "float32": "float32", "float64": "float64", "int64": "bfloat16", "bool": "bfloat16"}
    for name, meet in meets.items():
        y = ag.ones(2, dtype=name)
        assert (x * y).dtype == (y * x).dtype == meet


def test_there_and_back() -> None:
    x = ag.tensor([1.0, 3.14159], requires_grad=True)
    y = x.bfloat16().float()
    assert y.tolist() == [1.0, 3.140625]
    y.sum().backward()
    assert x.grad is not None
    assert (x.grad.dtype, x.grad.tolist()) == ("float32", [1.0, 1.0])
    assert x.to("bfloat16").dtype is x.bfloat16().bfloat16().dtype is ag.bfloat16


def test_memory_is_that_of_numpy() -> None:
    array = np.array([1.0, 2.0], BFLOAT16)
    x = ag.from_numpy(array)
    assert x.dtype is ag.bfloat16
    x.add_(1)
    x[0] = 7
    assert array.tolist() == [7.0, 3.0]
    assert type(x.numpy()) is np.ndarray
    assert np.shares_memory(x[1:].reshape(1, 1).T.numpy(), array)
    assert ag.tensor(array).dtype is ag.as_tensor(array).dtype is ag.bfloat16


def test_printing_and_elements() -> None:
    x = ag.tensor([1.0, 3.14159], dtype=ag.bfloat16)
    assert repr(x) == "tensor([1.    , 3.1406], dtype=autograd_ops.bfloat16)"
    assert (x[1].item(), x.tolist(), float(x[1])) == (3.140625, [1.0, 3.140625], 3.140625)
    assert x[x > 2].tolist() == [3.140625]


def test_a_network_learns_in_it() -> None:
    ag.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
    )
    net.to(ag.bfloat16)
    optimizer = optim.Adam(net.parameters(), lr=1e-2)
    x, labels = ag.randn(16, 1, 8, 8, dtype=ag.bfloat16), ag.arange(16) % 3
    losses = []
    for _ in range(30):
        loss = F.cross_entropy(net(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 3
    assert {p.dtype for p in net.parameters()} == {p.grad.dtype for p in net.parameters()} == {ag.bfloat16}


def test_other_libraries_have_none() -> None:
    with pytest.raises(TypeError, match="'strict' has no dtype bfloat16"):
        ag.ones(2, dtype=ag.bfloat16, device="strict")


def test_without_its_package() -> None:
    program = """
import sys
sys.modules["ml_dtypes"] = None
import autograd_ops as ag
try:
    ag.ones(2, dtype=ag.bfloat16)
except TypeError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "ones: NumPy has no bfloat16 by itself: pip install autograd-ops[bfloat16]\n"


def test_nobody_imports_it_before_it_is_used() -> None:
    program = "import sys, autograd_ops as ag; ag.ones(2) + 1; print('ml_dtypes' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
