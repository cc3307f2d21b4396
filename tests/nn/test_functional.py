"""Functions against numbers from PyTorch, on NumPy and on the strict device, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import Tensor
from autograd_ops.autograd import gradcheck, gradgradcheck

from .conftest import DEVICES, made, near

CASES = json.loads((Path(__file__).parent / "torch_layers.json").read_text())["cases"]
POINTS = [-7.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, 7.0]
IN_PLACE = ["relu", "leaky_relu", "elu", "hardtanh", "relu6", "silu"]


def inputs(shapes: list[Any], device: str = "cpu") -> list[Tensor]:
    given = [
        ag.tensor(POINTS, dtype=ag.float64, device=device) if s == "points" else made(tuple(s), float(i), device)
        for i, s in enumerate(shapes)
    ]
    return [x.requires_grad_() for x in given]


def called(name: str, xs: list[Tensor], options: dict[str, Any]) -> Tensor:
    options = dict(options)
    first, *rest = xs
    between = [options.pop(key) for key in ("normalized_shape", "pad") if key in options]
    return getattr(F, name)(first, *between, *rest, **options)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "shapes", "options", "shape", "output", "grads"), CASES)
def test_value_and_gradients(
    name: str, shapes: list, options: dict, shape: list, output: list, grads: list, device: str
) -> None:
    xs = inputs(shapes, device)
    y = called(name, xs, options)
    assert list(y.shape) == shape
    near(y, output)
    (y * made(tuple(shape), 0.5, device)).sum().backward()
    for x, grad in zip(xs, grads, strict=True):
        near(x.grad, grad)


@pytest.mark.parametrize(("name", "shapes", "options"), [case[:3] for case in CASES if case[1] != ["points"]])
def test_second_derivatives(name: str, shapes: list, options: dict) -> None:
    xs = inputs(shapes)
    assert gradcheck(lambda *xs: (called(name, list(xs), options) ** 2).sum(), xs)
    assert gradgradcheck(lambda *xs: (called(name, list(xs), options) ** 2).sum(), xs)


@pytest.mark.parametrize(("name", "shapes", "options"), [case[:3] for case in CASES])
def test_float32_stays_float32(name: str, shapes: list, options: dict) -> None:
    xs = [x.detach().float().requires_grad_() for x in inputs(shapes)]
    y = called(name, xs, options)
    assert y.dtype is ag.float32
    y.sum().backward()
    assert all(x.grad.dtype is ag.float32 for x in xs)


# ---------------------------------------------------------------- activations


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(name: str) -> None:
    function = getattr(F, name)
    x = made((6,)).requires_grad_()
    expected = function(x * 3)
    (grad,) = ag.autograd.grad(expected.sum(), (x,))
    y = x * 3
    assert function(y, inplace=True) is y
    near(y, expected.tolist())
    y.sum().backward()
    near(x.grad, grad.tolist())


@pytest.mark.parametrize(("shape", "dim"), [((3,), 0), ((2, 3), 1), ((2, 2, 2), 0), ((1, 2, 1, 2), 1)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_without_dim_chooses_one_and_warns(name: str, shape: tuple, dim: int) -> None:
    x = made(shape)
    with pytest.warns(UserWarning, match=f"dimension {dim}") as caught:
        y = getattr(F, name)(x)
    assert caught[0].filename == __file__
    near(y, getattr(F, name)(x, dim).tolist())


def test_softmax_of_another_dtype() -> None:
    assert F.softmax(ag.tensor([1, 2]), 0, dtype=ag.float64).dtype is ag.float64
    with pytest.raises(IndexError, match=r"softmax.*2"):
        F.softmax(made((2, 3)), 2)


def test_hardtanh_bounds() -> None:
    with pytest.raises(ValueError, match="min_val"):
        F.hardtanh(made((2,)), 1.0, -1.0)


# ---------------------------------------------------------------- linear and convolution


def test_linear_says_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"in_features, 4, and the input has shape \(2, 3\)"):
        F.linear(made((2, 3)), made((5, 4)))


def test_conv2d_refuses() -> None:
    x, w = made((1, 2, 4, 4)), made((2, 2, 3, 3))
    with pytest.raises(ValueError, match="stride must be 1"):
        F.conv2d(x, w, padding="same", stride=2)
    with pytest.raises(ValueError, match="'same' or 'valid'"):
        F.conv2d(x, w, padding="full")
    with pytest.raises(ValueError, match="stride"):
        F.conv2d(x, w, stride=(1, 1, 1))
    with pytest.raises(ValueError, match="conv2d"):
        F.conv2d(x, made((2, 3, 3, 3)))


def test_conv2d_takes_lists() -> None:
    x, w = made((1, 2, 5, 5)), made((2, 2, 3, 3))
    near(F.conv2d(x, w, stride=[2, 1], padding=[1]), F.conv2d(x, w, stride=(2, 1), padding=1).tolist())


# ---------------------------------------------------------------- pools


@pytest.mark.parametrize("device", DEVICES)
def test_max_pool_indices(device: str) -> None:
    x = ag.tensor([[[1.0, 5.0, 2.0, 0.0], [3.0, 4.0, 2.0, 2.0]]], device=device)
    output, indices = F.max_pool2d(x, 2, return_indices=True)
    assert output.tolist() == [[[5.0, 2.0]]]
    assert indices.tolist() == [[[1, 2]]]
    assert indices.dtype is ag.int64
    batched, _ = F.max_pool2d(x.reshape(1, 1, 2, 4), 2, return_indices=True)
    assert batched.shape == (1, 1, 1, 2)


def test_pools_refuse() -> None:
    x = made((1, 1, 4, 4))
    with pytest.raises(ValueError, match="divisor_override"):
        F.avg_pool2d(x, 2, divisor_override=0)
    with pytest.raises(ValueError, match="max_pool2d"):
        F.max_pool2d(x, 5)


# ---------------------------------------------------------------- norms


@pytest.mark.parametrize("device", DEVICES)
def test_batch_norm_mixes_running_statistics_in_place(device: str) -> None:
    x = ag.tensor([[1.0], [3.0]], device=device)
    mean, var = ag.tensor([10.0], device=device), ag.tensor([4.0], device=device)
    F.batch_norm(x, mean, var, training=True, momentum=0.25)
    near(mean, [0.75 * 10.0 + 0.25 * 2.0], 1e-6)
    near(var, [0.75 * 4.0 + 0.25 * 2.0], 1e-6)
    near(F.batch_norm(x, mean, var), [[(1 - 8) / 3.5**0.5], [(3 - 8) / 3.5**0.5]], 1e-5)


def test_batch_norm_refuses() -> None:
    with pytest.raises(ValueError, match="running_mean"):
        F.batch_norm(made((2, 3)), None, None)
    with pytest.raises(ValueError, match="batch_norm"):
        F.batch_norm(made((3,)), None, None, training=True)
    with pytest.raises(ValueError, match="one value"):
        F.batch_norm(made((1, 3)), None, None, training=True)


def test_layer_norm_refuses() -> None:
    with pytest.raises(ValueError, match=r"normalized_shape \(3,\).*\(2, 4\)"):
        F.layer_norm(made((2, 4)), (3,))
    with pytest.raises(ValueError, match=r"weight must have shape \(3, 4\)"):
        F.layer_norm(made((2, 3, 4)), (3, 4), made((4,)))


def test_normalize_of_zeros() -> None:
    x = ag.zeros(1, 3, requires_grad=True)
    y = F.normalize(x)
    assert y.tolist() == [[0.0, 0.0, 0.0]]
    y.sum().backward()
    assert x.grad.isfinite().all()


# ---------------------------------------------------------------- dropout


@pytest.mark.parametrize("device", DEVICES)
def test_dropout(device: str) -> None:
    ag.manual_seed(3)
    x = ag.ones(10_000, dtype=ag.float64, device=device, requires_grad=True)
    y = F.dropout(x, 0.2)
    kept = y != 0
    near(y[kept], [1.25] * int(kept.sum()))
    assert abs(float(kept.double().mean()) - 0.8) < 0.02
    y.sum().backward()
    near(x.grad, y.tolist())


def test_dropout_by_seed_and_in_place() -> None:
    x = made((50,))
    ag.manual_seed(1)
    first = F.dropout(x)
    ag.manual_seed(1)
    y = x.clone()
    assert F.dropout(y, inplace=True) is y
    assert y.tolist() == first.tolist()


def test_dropout_that_drops_nothing_or_all() -> None:
    x = ag.tensor([1.0, float("nan"), float("inf")])
    assert F.dropout(x, 0.5, training=False) is x
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 1.0).tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"dropout: p .* 1\.5"):
        F.dropout(x, 1.5)


@pytest.mark.parametrize(
    ("function", "shape", "channels"),
    [
        (F.dropout1d, (4, 8, 5), 2),
        (F.dropout1d, (8, 5), 1),
        (F.dropout2d, (4, 8, 3, 2), 2),
        (F.dropout2d, (8, 3, 2), 1),
    ],
)
def test_dropout_of_channels(function: Any, shape: tuple, channels: int) -> None:
    ag.manual_seed(0)
    y = function(ag.ones(shape), 0.5).reshape(*shape[:channels], -1)
    whole = y[..., 0]
    assert (y == whole.unsqueeze(-1)).all()
    assert {0.0, 2.0} == set(whole.flatten().tolist())
    with pytest.raises(ValueError, match="dimensions"):
        function(ag.ones(3))


# ---------------------------------------------------------------- embedding, one_hot


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("padding_idx", [None, 1, -2])
def test_embedding(padding_idx: int | None, device: str) -> None:
    weight = made((3, 2), device=device).requires_grad_()
    rows = F.embedding(ag.tensor([[0, 1], [1, 2]], device=device), weight, padding_idx)
    near(rows, [weight.tolist()[i] for i in (0, 1, 1, 2)])
    rows.sum().backward()
    near(weight.grad, [[1, 1], [2, 2] if padding_idx is None else [0, 0], [1, 1]])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("index", [-1, 3])
def test_embedding_out_of_range(index: int, device: str) -> None:
    with pytest.raises(IndexError, match=f"{index} .*3"):
        F.embedding(ag.tensor([0, index], device=device), made((3, 2), device=device))
    with pytest.raises(IndexError, match="padding_idx"):
        F.embedding(ag.tensor([0]), made((3, 2)).requires_grad_(), padding_idx=3)
    with pytest.raises(IndexError, match="embedding: padding_idx=-4 is none of the 3 rows"):
        F.embedding(ag.tensor([0]), made((3, 2)), padding_idx=-4)
    with pytest.raises(TypeError, match=r"embedding: padding_idx is an int, not 1\.5"):
        F.embedding(ag.tensor([0]), made((3, 2)), padding_idx=1.5)


@pytest.mark.parametrize("device", DEVICES)
def test_one_hot(device: str) -> None:
    hot = F.one_hot(ag.tensor([[0, 2]], dtype=ag.uint8, device=device))
    assert hot.tolist() == [[[1, 0, 0], [0, 0, 1]]]
    assert hot.dtype is ag.int64
    assert F.one_hot(ag.tensor(1, device=device), 4).tolist() == [0, 1, 0, 0]
    for classes in (2, -1):
        with pytest.raises(IndexError, match="one_hot"):
            F.one_hot(ag.tensor([0, 2, -1], device=device), classes)
    with pytest.raises(ValueError, match="empty"):
        F.one_hot(ag.zeros(0, dtype=ag.int64))
