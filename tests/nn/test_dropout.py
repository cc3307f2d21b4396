"""Dropouts: what they draw, what they leave as it is, and what the tape keeps of them."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import nn
from autograd_ops.autograd import gradcheck, gradgradcheck

from .conftest import DEVICES, made, near

ALL = [
    (F.dropout, (3, 5)),
    (F.dropout1d, (2, 3, 4)),
    (F.dropout2d, (2, 3, 2, 2)),
    (F.dropout3d, (2, 3, 2, 1, 2)),
    (F.alpha_dropout, (3, 5)),
    (F.feature_alpha_dropout, (2, 3, 4)),
]


def named(case: Any) -> str:
    return getattr(case, "__name__", "")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("function", "shape"), ALL, ids=named)
def test_drawn_anew_and_by_seed(function: Any, shape: tuple, device: str) -> None:
    x = made(shape, device=device)
    ag.manual_seed(5)
    first, second = (function(x, 0.5, training=True).tolist() for _ in range(2))
    assert first != second
    ag.manual_seed(5)
    assert [function(x, 0.5, training=True).tolist() for _ in range(2)] == [first, second]


@pytest.mark.parametrize(("function", "shape"), ALL, ids=named)
def test_derivatives(function: Any, shape: tuple) -> None:
    def seeded(x: ag.Tensor) -> ag.Tensor:
        ag.manual_seed(1)
        return function(x, 0.4, training=True) ** 2

    x = made(shape).requires_grad_()
    assert gradcheck(seeded, (x,))
    assert gradgradcheck(seeded, (x,))


@pytest.mark.parametrize(("function", "shape"), ALL, ids=named)
def test_in_place_is_the_same(function: Any, shape: tuple) -> None:
    x = made(shape).requires_grad_()
    ag.manual_seed(2)
    want = function(x * 2, 0.5, training=True)
    (grad,) = ag.autograd.grad(want.sum(), x)
    ag.manual_seed(2)
    y = x * 2
    assert function(y, 0.5, training=True, inplace=True) is y
    near(y, want.tolist())
    near(ag.autograd.grad(y.sum(), x)[0], grad.tolist())


@pytest.mark.parametrize(("function", "shape"), ALL, ids=named)
def test_probabilities_at_the_ends(function: Any, shape: tuple) -> None:
    x = made(shape)
    assert function(x, 0.0, training=True) is x
    assert function(x, 0.5, training=False) is x
    assert function(x, 1.0, training=True).abs().sum() == 0
    assert function(ag.zeros((0, *shape[1:])), 0.5, training=True).shape == (0, *shape[1:])
    with pytest.raises(ValueError, match=rf"{function.__name__}: p .* 1\.5"):
        function(x, 1.5, training=True)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("device", DEVICES)
def test_alpha_dropout_keeps_mean_and_variance(p: float, device: str) -> None:
    ag.manual_seed(0)
    y = F.alpha_dropout(ag.randn(200_000, device=device), p, training=True)
    assert abs(float(y.mean())) < 0.02
    assert float(y.var()) == pytest.approx(1.0, abs=0.03)


def test_alpha_dropout_values() -> None:
    # PyTorch 2.13, of zeros.
    for p, kept, dropped in ((0.5, 0.7791939, -0.7791939), (0.2, 0.30904, -1.2361598)):
        values = sorted(set(F.alpha_dropout(ag.zeros(200), p, training=True).tolist()))
        assert values == pytest.approx([dropped, kept], rel=1e-6)


def test_numbers_without_a_place_drop_with_a_warning() -> None:
    ag.manual_seed(0)
    with pytest.warns(UserWarning, match="dropout2d: expected 3 or 4 dimensions, got shape"):
        y = F.dropout2d(ag.ones(50, 40), 0.25)
    assert set(y.flatten().tolist()) == {0.0, ag.tensor(1 / 0.75).item()}
    assert abs((y == 0).float().mean().item() - 0.25) < 0.05


def test_whole_channels_drop() -> None:
    ag.manual_seed(0)
    for function, shape in ((F.dropout3d, (4, 8, 2, 3, 2)), (F.feature_alpha_dropout, (4, 8, 2, 3))):
        y = function(ag.ones(shape), 0.5, training=True).reshape(4, 8, -1)
        assert (y == y[..., :1]).all()
        assert len(set(y[..., 0].flatten().tolist())) == 2
    assert F.dropout3d(ag.ones(8, 2, 2, 2)).shape == (8, 2, 2, 2)
    with pytest.raises(ValueError, match="dropout3d: expected 4 or 5 dimensions"):
        F.dropout3d(ag.ones(2))
    with pytest.raises(ValueError, match="dropout1d: expected 2 or 3 dimensions"):
        F.dropout1d(ag.ones(2, 2, 2, 2))
    with pytest.raises(ValueError, match="feature_alpha_dropout"):
        F.feature_alpha_dropout(ag.ones(2), training=True)


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (nn.Dropout(0.3), F.dropout),
        (nn.Dropout3d(0.3), F.dropout3d),
        (nn.AlphaDropout(0.3), F.alpha_dropout),
        (nn.FeatureAlphaDropout(0.3), F.feature_alpha_dropout),
    ],
    ids=named,
)
def test_modules_are_the_functions(layer: nn.Module, function: Any) -> None:
    assert repr(layer) == f"{type(layer).__name__}(p=0.3, inplace=False)"
    x = made((2, 6, 2, 2, 2))
    ag.manual_seed(3)
    got = layer(x)
    ag.manual_seed(3)
    near(got, function(x, 0.3, training=True).tolist())
    assert layer.eval()(x) is x


@pytest.mark.parametrize("function", [F.dropout, F.alpha_dropout])
def test_the_tape_keeps_a_bit_an_element(function: Any) -> None:
    count = 1 << 20
    x = ag.ones(count, requires_grad=True)
    function(x, 0.5, training=True)  # what a first call alone makes
    gc.collect()
    tracemalloc.start()
    y = function(x, 0.5, training=True)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert y.requires_grad
    assert kept - y.numel() * 4 <= count // 8 + 10_000
