"""F.pad against PyTorch, and what it refuses."""

from __future__ import annotations

import math
import random

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F

from .conftest import DEVICES, made, near

# PyTorch 2.13, float64: F.pad(torch.arange(5.0).reshape(1, 1, 5), pad, mode).
ROWS = [
    ("constant", (-1, 1), [1, 2, 3, 4, 0]),
    ("constant", (1, -2), [0, 0, 1, 2]),
    ("constant", (-5, 3), [0, 0, 0]),
    ("constant", (-2, -3), []),
    ("reflect", (-2, 3), [2, 3, 4, 3, 2, 1]),
    ("reflect", (1, -2), [1, 0, 1, 2]),
    ("reflect", (-5, 3), [3, 2, 1]),
    ("reflect", (4, 4), [4, 3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0]),
    ("replicate", (-3, 3), [3, 4, 4, 4, 4]),
    ("replicate", (-5, 3), [4, 4, 4]),
    ("replicate", (5, 0), [0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
    ("circular", (-2, 3), [2, 3, 4, 2, 3, 4]),
    ("circular", (1, -2), [2, 0, 1, 2]),
    ("circular", (5, 5), [0, 1, 2, 3, 4] * 3),
]

# PyTorch 2.13, float64: F.pad(torch.arange(6.0).reshape(1, 1, 2, 3), (2, 1, 1, 0), mode), and the gradient of the sum.
PLANES = {
    "constant": (
        [[0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 2, 0], [0, 0, 3, 4, 5, 0]],
        [[1, 1, 1], [1, 1, 1]],
    ),
    "reflect": (
        [[5, 4, 3, 4, 5, 4], [2, 1, 0, 1, 2, 1], [5, 4, 3, 4, 5, 4]],
        [[1, 3, 2], [2, 6, 4]],
    ),
    "replicate": (
        [[0, 0, 0, 1, 2, 2], [0, 0, 0, 1, 2, 2], [3, 3, 3, 4, 5, 5]],
        [[6, 2, 4], [3, 1, 2]],
    ),
    "circular": (
        [[4, 5, 3, 4, 5, 3], [1, 2, 0, 1, 2, 0], [4, 5, 3, 4, 5, 3]],
        [[2, 2, 2], [4, 4, 4]],
    ),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("mode", "pad", "row"), ROWS)
def test_rows(mode: str, pad: tuple[int, int], row: list[int], device: str) -> None:
    x = ag.arange(5.0, device=device).reshape(1, 1, 5)
    assert F.pad(x, pad, mode).tolist() == [[row]]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("mode", PLANES)
def test_the_last_dimension_comes_first(mode: str, device: str) -> None:
    plane, gradient = PLANES[mode]
    x = ag.arange(6.0, device=device).reshape(1, 1, 2, 3).requires_grad_()
    padded = F.pad(x, (2, 1, 1, 0), mode)
    assert padded.tolist() == [[plane]]
    padded.sum().backward()
    assert x.grad.tolist() == [[gradient]]


@pytest.mark.parametrize("mode", PLANES)
def test_no_padding_is_a_copy(mode: str) -> None:
    x = made((2, 3))
    for pad in ((), (0, 0)):
        padded = F.pad(x, pad, mode)
        padded.zero_()
        assert float(x.abs().sum()) > 0


@pytest.mark.parametrize("mode", PLANES)
def test_empty_batches(mode: str) -> None:
    x = ag.zeros(0, 2, 3, requires_grad=True)
    padded = F.pad(x, (1, 2, 1, 0), mode)
    assert padded.shape == (0, 3, 6)
    padded.sum().backward()
    assert x.grad.shape == (0, 2, 3)


def test_constants() -> None:
    assert F.pad(ag.ones(1), (1, 0), value=math.inf).tolist() == [math.inf, 1]
    assert F.pad(ag.arange(2), (1, 1), value=1.5).tolist() == [1, 0, 1, 1]
    assert F.pad(ag.tensor([False]), (1, 0), value=2).tolist() == [True, False]
    assert F.pad(ag.ones(1, dtype=ag.float16), (1, 0), value=0.5).dtype is ag.float16


def test_sums_of_half_precision_gradients() -> None:
    # 2048 + 1 is 2048 in half precision.
    x = ag.zeros(1, dtype=ag.float16, requires_grad=True)
    F.pad(x.reshape(1, 1, 1), (4095, 0), "replicate").backward(ag.ones(1, 1, 4096, dtype=ag.float16))
    assert x.grad.tolist() == [4096]


def test_what_it_refuses() -> None:
    x = made((2, 3))
    for pad, mode, message in [
        ((1,), "constant", "expected pairs"),
        ((0, 0, 0, 0, 1, 1), "constant", "padding has 3 pairs but x .2, 3. has 2 dimensions"),
        ((-2, -2), "constant", "cuts off more than there is in dimension 1"),
        ((0, 3), "reflect", "reflect padding .0, 3. must be less than dimension 1 of x .2, 3., which is 3 long"),
        ((0, 0, 4, 0), "circular", "circular padding .4, 0. is more than is left of dimension 0"),
        ((3, -1), "circular", "circular padding"),
        ((1, 1), "edge", "mode must be one of 'constant', 'reflect', 'replicate', 'circular', not 'edge'"),
    ]:
        with pytest.raises(ValueError, match=f"^pad: .*{message}"):
            F.pad(x, pad, mode)
    with pytest.raises(ValueError, match=r"edge padding .1, 0. has nothing to repeat in dimension 0"):
        F.pad(ag.zeros(0), (1, 0), "replicate")
    with pytest.raises(ValueError, match=r"value=1.0 is for mode 'constant'"):
        F.pad(x, (1, 1), "reflect", 1.0)
    with pytest.raises(ValueError, match=r"mode must be one of .*'edge'.*, not 'replicate'"):
        ag.ops.pad(x, [(1, 1)], "replicate")
    with pytest.raises(ValueError, match=r"pad: padding=\(1, 1\) must be pairs"):
        ag.ops.pad(x, (1, 1))


def test_random_padding_is_undone_by_cutting_it_off() -> None:
    rng = random.Random(0)
    for mode in PLANES:
        for _ in range(20):
            x = made(tuple(rng.randint(4, 6) for _ in range(3)))
            pad = [rng.randint(0, 3) for _ in range(6)]
            near(F.pad(F.pad(x, pad, mode), [-n for n in pad]), x.tolist())
