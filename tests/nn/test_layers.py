"""Layers: their parameters, what they print, what they compute in training and in evaluation."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import nn

from .conftest import DEVICES, made, near

BATCH_NORMS = json.loads((Path(__file__).parent / "torch_batch_norm.json").read_text())["cases"]

#: As PyTorch 2.13 prints them.
REPRS = [
    (nn.Linear(2, 3), "Linear(in_features=2, out_features=3, bias=True)"),
    (nn.Linear(2, 3, bias=False), "Linear(in_features=2, out_features=3, bias=False)"),
    (nn.Identity(54, unused=1), "Identity()"),
    (nn.Flatten(), "Flatten(start_dim=1, end_dim=-1)"),
    (nn.Unflatten(1, (2, 3)), "Unflatten(dim=1, unflattened_size=(2, 3))"),
    (nn.Conv2d(1, 2, 3), "Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1))"),
    (
        nn.Conv2d(2, 4, (3, 1), stride=2, padding=(1, 0), dilation=2, groups=2, bias=False),
        "Conv2d(2, 4, kernel_size=(3, 1), stride=(2, 2), padding=(1, 0), dilation=(2, 2), groups=2, bias=False)",
    ),
    (nn.Conv2d(1, 2, 3, padding="same"), "Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), padding=same)"),
    (
        nn.BatchNorm2d(4),
        "BatchNorm2d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
    (nn.LayerNorm(4), "LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)"),
    (nn.Embedding(5, 2, padding_idx=-1), "Embedding(5, 2, padding_idx=4)"),
    (nn.Dropout(0.25), "Dropout(p=0.25, inplace=False)"),
    (nn.MaxPool2d(2), "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    (nn.AvgPool2d((2, 1)), "AvgPool2d(kernel_size=(2, 1), stride=(2, 1), padding=0)"),
    (nn.AdaptiveAvgPool2d((None, 3)), "AdaptiveAvgPool2d(output_size=(None, 3))"),
    (nn.ReLU(), "ReLU()"),
    (nn.ReLU(inplace=True), "ReLU(inplace=True)"),
    (nn.ReLU6(), "ReLU6()"),
    (nn.LeakyReLU(0.2), "LeakyReLU(negative_slope=0.2)"),
    (nn.ELU(), "ELU(alpha=1.0)"),
    (nn.Hardtanh(), "Hardtanh(min_val=-1.0, max_val=1.0)"),
    (nn.GELU("tanh"), "GELU(approximate='tanh')"),
    (nn.SiLU(), "SiLU()"),
    (nn.Sigmoid(), "Sigmoid()"),
    (nn.Softplus(), "Softplus(beta=1.0, threshold=20.0)"),
    (nn.Softmax(dim=1), "Softmax(dim=1)"),
    (nn.CrossEntropyLoss(), "CrossEntropyLoss()"),
]

ACTIVATIONS = [
    (nn.ReLU(), F.relu),
    (nn.ReLU6(), F.relu6),
    (nn.LeakyReLU(), F.leaky_relu),
    (nn.ELU(), F.elu),
    (nn.Hardtanh(), F.hardtanh),
    (nn.GELU(), F.gelu),
    (nn.SiLU(), F.silu),
    (nn.Sigmoid(), F.sigmoid),
    (nn.Tanh(), F.tanh),
    (nn.Softplus(), F.softplus),
    (nn.LogSigmoid(), F.logsigmoid),
    (nn.Softmax(0), lambda x: F.softmax(x, 0)),
    (nn.LogSoftmax(0), lambda x: F.log_softmax(x, 0)),
]


@pytest.mark.parametrize(("layer", "text"), REPRS)
def test_repr(layer: nn.Module, text: str) -> None:
    assert repr(layer) == text


@pytest.mark.parametrize(("layer", "function"), ACTIVATIONS)
def test_activations_are_the_functions(layer: nn.Module, function: Any) -> None:
    x = made((8,)) * 10
    near(layer(x), function(x).tolist())


# ---------------------------------------------------------------- linear, convolution


@pytest.mark.parametrize("device", DEVICES)
def test_linear(device: str) -> None:
    layer = nn.Linear(3, 2, device=device, dtype=ag.float64)
    x = made((4, 3), device=device)
    near(layer(x), (x @ layer.weight.T + layer.bias).tolist())
    layer(x).sum().backward()
    assert layer.weight.grad.shape == (2, 3)
    near(layer.bias.grad, [4.0, 4.0])


@pytest.mark.parametrize(("layer", "fan_in"), [(nn.Linear(50, 400), 50), (nn.Conv2d(4, 40, 5, groups=2), 50)])
def test_default_initialisation(layer: Any, fan_in: int) -> None:
    ag.manual_seed(0)
    layer.reset_parameters()
    bound = 1 / math.sqrt(fan_in)
    for parameter in (layer.weight, layer.bias):
        assert float(parameter.abs().max()) <= bound
        assert float(parameter.abs().max()) > 0.9 * bound
    # Of numbers spread evenly over [-bound, bound].
    assert float(layer.weight.std()) == pytest.approx(bound / math.sqrt(3), rel=0.05)


def test_conv2d_keys_and_shapes() -> None:
    layer = nn.Conv2d(4, 6, (3, 2), groups=2)
    assert {k: tuple(v.shape) for k, v in layer.state_dict().items()} == {"weight": (6, 2, 3, 2), "bias": (6,)}
    assert list(nn.Conv2d(1, 1, 1, bias=False).state_dict()) == ["weight"]
    x = made((2, 4, 5, 5), dtype=ag.float32)
    near(layer(x), F.conv2d(x, layer.weight, layer.bias, groups=2).tolist())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": 3}, "in_channels=4 is not divisible by groups=3"),
        ({"groups": 0}, "groups must be positive"),
        ({"padding_mode": "mirror"}, "not 'mirror'"),
        ({"padding": "full"}, "not 'full'"),
        ({"padding": "same", "stride": 2}, "stride must be 1"),
        ({"stride": (1, 2, 3)}, "stride"),
    ],
)
def test_conv2d_refuses(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nn.Conv2d(4, 6, 3, **options)


def test_flatten_and_unflatten() -> None:
    x = made((2, 3, 4))
    assert nn.Flatten()(x).shape == (2, 12)
    assert nn.Flatten(0, 1)(x).shape == (6, 4)
    assert nn.Unflatten(-1, (2, -1))(x).shape == (2, 3, 2, 2)


def test_pools_are_the_functions() -> None:
    x = made((1, 2, 6, 6))
    near(nn.MaxPool2d(3, 2, 1)(x), F.max_pool2d(x, 3, 2, 1).tolist())
    output, indices = nn.MaxPool2d(2, return_indices=True)(x)
    assert output.shape == indices.shape == (1, 2, 3, 3)
    near(nn.AvgPool2d(3, 2, 1, count_include_pad=False)(x), F.avg_pool2d(x, 3, 2, 1, False, False).tolist())
    near(nn.AdaptiveAvgPool2d(2)(x), F.adaptive_avg_pool2d(x, 2).tolist())


# ---------------------------------------------------------------- norms


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("name", "shape", "options", "output", "grad", "weight_grad", "mean", "variance", "evaluated"), BATCH_NORMS
)
def test_batch_norm(
    name: str,
    shape: list,
    options: dict,
    output: list,
    grad: list,
    weight_grad: list | None,
    mean: list | None,
    variance: list | None,
    evaluated: list,
    device: str,
) -> None:
    shape = tuple(shape)
    layer = getattr(nn, name)(2, **options, dtype=ag.float64, device=device)
    if layer.affine:
        layer.weight.data.copy_(made((2,), 2.0))
        layer.bias.data.copy_(made((2,), 3.0))
    for start in (0.0, 1.0):
        x = made(shape, start, device).requires_grad_()
        y = layer(x)
        (y * made(shape, 0.5, device)).sum().backward()
    near(y, output)
    near(x.grad, grad)
    if weight_grad is not None:
        near(layer.weight.grad, weight_grad)
    if mean is None:
        assert layer.running_mean is None
        assert layer.num_batches_tracked is None
    else:
        near(layer.running_mean, mean)
        near(layer.running_var, variance)
        assert layer.num_batches_tracked.item() == 2
        assert layer.num_batches_tracked.dtype is ag.int64
    layer.eval()
    near(layer(made(shape, 2.0, device)), evaluated)
    if mean is not None:
        assert layer.num_batches_tracked.item() == 2
        layer.reset_running_stats()
        near(layer.running_var, [1.0, 1.0])


def test_batch_norm_keys() -> None:
    keys = ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    assert list(nn.BatchNorm1d(2).state_dict()) == keys
    assert list(nn.BatchNorm1d(2, affine=False).state_dict()) == keys[2:]
    assert list(nn.BatchNorm1d(2, track_running_stats=False).state_dict()) == keys[:2]
    assert list(nn.BatchNorm1d(2, bias=False).state_dict()) == keys[:1] + keys[2:]


def test_batch_norm_refuses_other_ranks() -> None:
    with pytest.raises(ValueError, match=r"BatchNorm1d: expected 2-d or 3-d input, got shape \(2, 2, 1, 1\)"):
        nn.BatchNorm1d(2)(ag.ones(2, 2, 1, 1))
    with pytest.raises(ValueError, match=r"BatchNorm2d: expected 4-d input, got shape \(2, 2\)"):
        nn.BatchNorm2d(2)(ag.ones(2, 2))


def test_batch_norm_moves_with_its_counter() -> None:
    layer = nn.BatchNorm1d(2).double()
    assert layer.running_mean.dtype is ag.float64
    assert layer.num_batches_tracked.dtype is ag.int64


def test_layer_norm_parameters() -> None:
    layer = nn.LayerNorm((2, 3))
    assert {k: tuple(v.shape) for k, v in layer.state_dict().items()} == {"weight": (2, 3), "bias": (2, 3)}
    assert list(nn.LayerNorm(3, bias=False).state_dict()) == ["weight"]
    assert list(nn.LayerNorm(3, elementwise_affine=False).state_dict()) == []
    y = layer.double()(made((4, 2, 3))).reshape(4, 6)
    near(y.mean(1), [0.0] * 4)
    near(y.var(1, unbiased=False), [1.0] * 4, 1e-4)


# ---------------------------------------------------------------- embedding, dropout


def test_embedding() -> None:
    ag.manual_seed(0)
    layer = nn.Embedding(1000, 20, padding_idx=-1000)
    assert layer.padding_idx == 0
    assert layer.weight[0].tolist() == [0.0] * 20
    assert float(layer.weight[1:].std()) == pytest.approx(1.0, rel=0.02)
    layer(ag.tensor([0, 1, 1])).sum().backward()
    near(layer.weight.grad.sum(1)[:3], [0.0, 40.0, 0.0])
    with pytest.raises(IndexError, match="padding_idx"):
        nn.Embedding(3, 2, padding_idx=3)


def test_embedding_from_pretrained() -> None:
    table = made((3, 2))
    layer = nn.Embedding.from_pretrained(table)
    assert not layer.weight.requires_grad
    assert layer.weight.dtype is ag.float64
    near(layer(ag.tensor([2])), [table.tolist()[2]])
    assert nn.Embedding.from_pretrained(table, freeze=False).weight.requires_grad
    with pytest.raises(ValueError, match="matrix"):
        nn.Embedding.from_pretrained(made((3,)))


@pytest.mark.parametrize("cls", [nn.Dropout, nn.Dropout1d, nn.Dropout2d])
def test_dropout(cls: Any) -> None:
    x = ag.ones(4, 16, 3, 3) if cls is nn.Dropout2d else ag.ones(4, 16, 3)
    layer = cls(0.5)
    ag.manual_seed(0)
    assert set(layer(x).flatten().tolist()) == {0.0, 2.0}
    assert layer.eval()(x) is x
    with pytest.raises(ValueError, match=cls.__name__):
        cls(-0.1)


def test_hardtanh_refuses() -> None:
    with pytest.raises(ValueError, match="Hardtanh"):
        nn.Hardtanh(1.0, 1.0)
