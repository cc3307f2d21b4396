"""Group, instance and RMS norm and their like, against numbers from PyTorch, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import Tensor, nn
from autograd_ops.autograd import gradcheck, gradgradcheck

from .conftest import DEVICES, made, near

RECORDED = json.loads((Path(__file__).parent / "torch_norms.json").read_text())
FUNCTIONS, LAYERS = RECORDED["functions"], RECORDED["layers"]


def inputs(shapes: list[Any], device: str = "cpu") -> list[Tensor]:
    return [made(tuple(s), float(i), device).requires_grad_() for i, s in enumerate(shapes)]


def called(name: str, xs: list[Tensor], options: dict[str, Any]) -> Tensor:
    """The function, whose parameters PyTorch knows as weight and bias."""
    parameters = dict(zip(("weight", "bias"), xs[1:], strict=False))
    return getattr(F, name)(xs[0], **parameters, **options)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "shapes", "options", "shape", "output", "grads"), FUNCTIONS)
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


@pytest.mark.parametrize(("name", "shapes", "options"), [case[:3] for case in FUNCTIONS])
def test_second_derivatives(name: str, shapes: list, options: dict) -> None:
    xs = inputs(shapes)
    assert gradcheck(lambda *xs: (called(name, list(xs), options) ** 2).sum(), xs)
    assert gradgradcheck(lambda *xs: (called(name, list(xs), options) ** 2).sum(), xs)


@pytest.mark.parametrize(("name", "shapes", "options"), [case[:3] for case in FUNCTIONS])
@pytest.mark.parametrize("dtype", [ag.float32, ag.float16])
def test_dtypes_stay(name: str, shapes: list, options: dict, dtype: Any) -> None:
    xs = [x.detach().to(dtype).requires_grad_() for x in inputs(shapes)]
    y = called(name, xs, options)
    assert y.dtype is dtype
    y.sum().backward()
    assert all(x.grad.dtype is dtype for x in xs)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("name", "shape", "options", "output", "grad", "weight_grad", "mean", "variance", "evaluated"), LAYERS
)
def test_layers(
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
    layer = getattr(nn, name)(2, **options, dtype=ag.float64, device=device)
    if layer.affine:
        layer.weight.data.copy_(made((2,), 2.0))
        layer.bias.data.copy_(made((2,), 3.0))
    for start in (0.0, 1.0):
        x = made(tuple(shape), start, device).requires_grad_()
        y = layer(x)
        (y * made(tuple(shape), 0.5, device)).sum().backward()
    near(y, output)
    near(x.grad, grad)
    if weight_grad is not None:
        near(layer.weight.grad, weight_grad)
    if mean is None:
        assert layer.running_mean is None
    else:
        near(layer.running_mean, mean)
        near(layer.running_var, variance)
    layer.eval()
    near(layer(made(tuple(shape), 2.0, device)), evaluated)


#: As PyTorch 2.13 prints them, and the keys of its state_dict.
TEXTS = [
    (nn.GroupNorm(2, 4), "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)", ["weight", "bias"]),
    (nn.GroupNorm(2, 4, bias=False), "GroupNorm(2, 4, eps=1e-05, affine=True, bias=False)", ["weight"]),
    (nn.GroupNorm(2, 4, affine=False), "GroupNorm(2, 4, eps=1e-05, affine=False, bias=False)", []),
    (
        nn.InstanceNorm2d(3),
        "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)",
        [],
    ),
    (
        nn.InstanceNorm1d(3, affine=True, track_running_stats=True),
        "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
        ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"],
    ),
    (nn.RMSNorm(4), "RMSNorm((4,), eps=None, elementwise_affine=True)", ["weight"]),
    (nn.RMSNorm((2, 3), 0.1, False), "RMSNorm((2, 3), eps=0.1, elementwise_affine=False)", []),
    (nn.LocalResponseNorm(3), "LocalResponseNorm(3, alpha=0.0001, beta=0.75, k=1.0)", []),
    (
        nn.BatchNorm3d(2, affine=False, track_running_stats=False),
        "BatchNorm3d(2, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)",
        [],
    ),
]


@pytest.mark.parametrize(("layer", "text", "keys"), TEXTS)
def test_repr_and_keys(layer: nn.Module, text: str, keys: list[str]) -> None:
    assert repr(layer) == text
    assert list(layer.state_dict()) == keys


def test_layers_are_the_functions() -> None:
    x = made((2, 4, 3))
    group = nn.GroupNorm(2, 4, eps=0.1, dtype=ag.float64)
    near(group(x), F.group_norm(x, 2, eps=0.1).tolist())
    near(nn.RMSNorm((4, 3), dtype=ag.float64)(x), F.rms_norm(x, (4, 3)).tolist())
    near(nn.LocalResponseNorm(2, 0.5)(x), F.local_response_norm(x, 2, 0.5).tolist())
    group.weight.data.fill_(3)
    group.reset_parameters()
    near(group.weight, [1.0] * 4)


@pytest.mark.parametrize("channels", [1, 3])
def test_instance_norm_of_one_sample(channels: int) -> None:
    x = made((channels, 4))
    layer = nn.InstanceNorm1d(channels)
    assert layer(x).shape == x.shape
    near(layer(x), layer(x.unsqueeze(0)).squeeze(0).tolist())


@pytest.mark.parametrize("mean", [0.0, 1e4])
@pytest.mark.parametrize(
    "norm",
    [
        lambda x: F.batch_norm(x, None, None, training=True),
        lambda x: F.layer_norm(x, (64,)),
        lambda x: F.group_norm(x, 2),
        F.instance_norm,
    ],
    ids=["batch", "layer", "group", "instance"],
)
def test_far_from_zero(norm: Any, mean: float) -> None:
    # The same numbers in float64, so that only what the norm does in float32 is seen.
    ag.manual_seed(0)
    x = (ag.randn(40, 4, 64) + mean).requires_grad_()
    wide = x.detach().double().requires_grad_()
    y, expected = norm(x), norm(wide)
    near(y.double(), expected.tolist(), 1e-5)
    g = made((40, 4, 64), dtype=ag.float32)
    y.backward(g)
    expected.backward(g.double())
    near(x.grad.double(), wide.grad.tolist(), 1e-5 if mean == 0 else 2e-3)


def test_half_precision_has_single_statistics() -> None:
    # The squares of these overflow half precision.
    x = (made((2, 4, 8), dtype=ag.float64) * 1000).half()
    for norm in (lambda x: F.group_norm(x, 2), F.instance_norm, lambda x: F.rms_norm(x, (8,))):
        near(norm(x), norm(x.double()).tolist(), 2e-3)


def test_rms_norm_adds_what_the_computing_dtype_resolves() -> None:
    # PyTorch 2.13: 0.9452 in float32 and float16, 0.5572 in float64.
    near(F.rms_norm(ag.full((4,), 1e-3), (4,)), [0.9452] * 4, 1e-4)
    near(F.rms_norm(ag.full((4,), 1e-3).half(), (4,)), [0.9453] * 4, 1e-3)
    near(F.rms_norm(ag.full((4,), 1e-8, dtype=ag.float64), (4,)), [0.5572] * 4, 1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_empty_batches(device: str) -> None:
    for norm in (lambda x: F.group_norm(x, 2), F.instance_norm, lambda x: F.rms_norm(x, (3,))):
        x = ag.zeros(0, 4, 3, device=device, requires_grad=True)
        y = norm(x)
        y.sum().backward()
        assert y.shape == x.grad.shape == (0, 4, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.group_norm(made((2, 4)), 3), r"group_norm: x \(2, 4\) has 4 channels .* num_groups=3"),
        (lambda: F.group_norm(made((2, 4)), 0), "num_groups=0"),
        (lambda: F.group_norm(made((4,)), 2), r"group_norm: x has shape \(4,\)"),
        (lambda: F.group_norm(made((1, 4)), 4), r"group_norm: .*one value"),
        (lambda: F.group_norm(made((2, 4)), 2, made((3,))), r"group_norm: gamma has shape \(3,\)"),
        (lambda: F.group_norm(made((2, 4)), 2, None, made((1,))), r"group_norm: beta has shape \(1,\)"),
        (lambda: F.instance_norm(made((2, 4))), "instance_norm: .*third dimension"),
        (lambda: F.instance_norm(made((2, 4, 1))), "instance_norm: .*one value"),
        (lambda: F.instance_norm(made((2, 4, 3)), weight=made((3,))), "instance_norm: gamma"),
        (lambda: F.instance_norm(made((2, 4, 3)), use_input_stats=False), "instance_norm: running_mean"),
        (lambda: F.rms_norm(made((2, 4)), (3,)), r"rms_norm: .*normalized_shape \(3,\).*\(2, 4\)"),
        (lambda: F.rms_norm(made((2, 4)), ()), r"rms_norm: .*normalized_shape \(\)"),
        (lambda: F.rms_norm(made((2, 4)), (4,), made((3,))), r"rms_norm: weight must have shape \(4,\)"),
        (lambda: ag.ops.rms_norm(made(()), None, 0.1), r"rms_norm: x has shape \(\)"),
        (lambda: ag.ops.rms_norm(made((2, 4)), made((3,)), 0.1), r"rms_norm: gamma has shape \(3,\)"),
        (lambda: ag.ops.instance_norm(made((4,)), None, None, 0.1), "instance_norm: x has shape"),
        (lambda: F.batch_norm(made((3, 2)), made((1,)), made((2,))), r"batch_norm: mean has shape \(1,\)"),
        (
            lambda: F.batch_norm(made((3, 2)), None, made((1,)), training=True),
            r"batch_norm: running_var has shape \(1,\)",
        ),
        (lambda: F.instance_norm(made((2, 4, 3)), made((1,))), r"instance_norm: running_mean has shape \(1,\)"),
        (lambda: F.local_response_norm(made((2, 4)), 2), "local_response_norm: .*third dimension"),
        (lambda: F.local_response_norm(made((2, 4, 1)), 0), "local_response_norm: size"),
        (lambda: nn.GroupNorm(3, 4), "GroupNorm: num_groups=3 .*num_channels=4"),
        (lambda: nn.InstanceNorm1d(3, affine=True)(made((2, 4, 4))), "InstanceNorm1d: expected 3 channels"),
        (lambda: nn.InstanceNorm2d(3)(made((2, 4))), "InstanceNorm2d: expected 3-d or 4-d"),
        (lambda: nn.BatchNorm3d(3)(made((2, 3, 1, 1))), "BatchNorm3d: expected 5-d"),
    ],
)
def test_refuses(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_refused_statistics_stay_as_they_were() -> None:
    mean, variance = ag.zeros(2), ag.ones(3)
    with pytest.raises(ValueError, match="running_var"):
        F.batch_norm(made((3, 2)), mean, variance, training=True)
    assert mean.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("device", DEVICES)
def test_an_empty_batch_leaves_the_running_statistics(device: str) -> None:
    for norm, shape in ((F.batch_norm, (0, 2)), (F.instance_norm, (0, 2, 3)), (F.instance_norm, (2, 2, 0))):
        mean, variance = ag.ones(2, device=device), ag.ones(2, device=device)
        norm(ag.zeros(shape, device=device), mean, variance, None, None, True)
        assert mean.tolist() == variance.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("device", DEVICES)
def test_integers_are_normalised_as_floats(device: str) -> None:
    x = ag.tensor([[1, 2, 4], [3, 4, 9]], device=device)
    for norm in (
        lambda x: F.layer_norm(x, (3,)),
        lambda x: F.rms_norm(x, (3,), ag.ones(3, device=device)),
        lambda x: F.group_norm(x, 1),
        lambda x: F.batch_norm(x, None, None, training=True),
        lambda x: F.batch_norm(x, ag.zeros(3, device=device), ag.ones(3, device=device)),
    ):
        y = norm(x)
        assert y.dtype == ag.float32
        assert y.tolist() == norm(x.float()).tolist()


def test_instance_norm_of_another_number_of_channels_warns() -> None:
    with pytest.warns(UserWarning, match="InstanceNorm1d: expected 3 channels"):
        nn.InstanceNorm1d(3)(made((2, 4, 4)))
