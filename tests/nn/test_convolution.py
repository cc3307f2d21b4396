"""Convolutions, plain, transposed and deformable: functions and modules."""

from __future__ import annotations

import math
from typing import Any

import pytest

import autograd_ops as ag
from autograd_ops import nn
from autograd_ops.nn import functional as F

from .conftest import DEVICES, made, near

# Function, shapes of input and weight, options; the output's shape, the output, and the gradient of the weight for the
# sum of its squares. PyTorch 2.13, float64.
CASES: list[tuple[Any, ...]] = [
    (
        "conv1d",
        (1, 2, 5),
        (2, 1, 2),
        {"stride": 2, "padding": 1, "groups": 2},
        (1, 2, 3),
        [0.7857705998, 1.2191272293, -0.1057001797, -0.9924038272, -0.2903030384, 0.0512048028],
        [1.44368615, -0.2081539603, -0.2633048865, -1.4582462563],
    ),
    (
        "conv1d",
        (1, 1, 4),
        (1, 1, 4),
        {"padding": "same"},
        (1, 1, 4),
        [0.6739613059, 2.8464843667, 2.0598245119, 0.0391911376],
        [7.5552826691, 1.3309326853, -6.8600983947, -5.9565352898],
    ),
    (
        "conv2d",
        (1, 1, 3, 4),
        (1, 1, 2, 3),
        {"padding": "same", "dilation": (1, 2)},
        (1, 1, 3, 4),
        [
            1.8694628072,
            1.5170252558,
            1.7466461761,
            0.1172360918,
            0.8406202498,
            1.9482431133,
            2.0363769241,
            1.5231255033,
            -0.2249928177,
            0.6606374369,
            0.0446799362,
            1.1593643538,
        ],
        [8.3109682172, 6.823403591, -8.24274692, -0.8378296669, 9.4577715675, 0.7602793308],
    ),
    (
        "conv2d",
        (1, 2, 4, 3),
        (2, 2, 2, 2),
        {"stride": (2, 1), "padding": (0, 1), "dilation": (2, 1)},
        (1, 2, 1, 4),
        [
            0.1892652897,
            0.0156587121,
            1.6189493676,
            1.0546370957,
            0.0811827056,
            1.3101171489,
            0.1922921026,
            -0.6425673554,
        ],
        [
            0.248629991,
            -1.8460367636,
            -4.2776572462,
            -2.3723625873,
            -0.7102355825,
            1.5900331213,
            4.2010151271,
            2.5439443988,
            3.6068740547,
            1.2426788942,
            1.4969950413,
            -2.4103356211,
            -3.4453320606,
            -1.5027802385,
            -1.8687837219,
            2.2481693416,
        ],
    ),
    (
        "conv3d",
        (1, 1, 2, 3, 2),
        (2, 1, 2, 2, 1),
        {"padding": (0, 1, 0), "stride": (1, 2, 1)},
        (1, 2, 1, 2, 2),
        [
            0.610047745,
            1.223012169,
            0.2665747032,
            -0.5322951196,
            0.1091325335,
            0.8465988534,
            -1.5497328403,
            -0.3025888907,
        ],
        [
            0.5738350838,
            1.4882134932,
            -0.8535568217,
            -1.2241698177,
            2.6663547352,
            -0.1878964342,
            2.1074662123,
            -4.4557018076,
        ],
    ),
    (
        "conv_transpose1d",
        (1, 2, 3),
        (2, 1, 2),
        {"stride": 2, "output_padding": 1, "groups": 2},
        (1, 2, 7),
        [
            1.6840640683,
            0.7857705998,
            1.2477250018,
            0.7671401007,
            0.0759257675,
            0.7171074397,
            0.7457052122,
            0.3981768393,
            0.0439852632,
            -0.6472290701,
            -0.5609839107,
            -1.3927363616,
            -0.9924038272,
            -0.4425204433,
        ],
        [4.4273569887, 1.3187904762, -3.7634214361, -2.3009921506],
    ),
    (
        "conv_transpose2d",
        (1, 1, 2, 2),
        (1, 2, 2, 3),
        {"stride": (1, 2), "padding": (0, 1), "output_padding": (0, 1), "dilation": (2, 1)},
        (1, 2, 4, 4),
        [
            0.7857705998,
            0.3308010343,
            0.7671401007,
            0.2551530377,
            0.7171074397,
            0.5398346921,
            0.7089705824,
            1.5864024947,
            1.3787500271,
            1.3311211146,
            1.0843827051,
            1.2107760301,
            0.2938520625,
            0.6117276616,
            0.1652873428,
            -0.0513226946,
            -1.4016811932,
            -0.8775608953,
            -0.9556691974,
            -0.6271881297,
            0.2421069254,
            -0.0421326593,
            0.4369023492,
            -0.1260411161,
            0.3170062884,
            -0.3963165102,
            -0.0361754212,
            -0.639478783,
            -0.9846535401,
            -0.889851746,
            -1.1389054021,
            -0.104977671,
        ],
        [
            -0.6127821702,
            0.0661037527,
            -2.6450338348,
            0.2915222199,
            3.0787625387,
            3.0627700789,
            -0.8303231028,
            -4.791493068,
            -2.0571365942,
            1.1636839264,
            3.9403763762,
            -0.0135465551,
        ],
    ),
    (
        "conv_transpose3d",
        (1, 1, 1, 2, 2),
        (1, 1, 2, 2, 1),
        {"stride": 2, "padding": (1, 0, 0), "output_padding": 1},
        (1, 1, 1, 5, 4),
        [
            -0.1712187554,
            0.7457052122,
            0.2551530377,
            0.7457052122,
            0.21508765,
            0.7457052122,
            0.4618260595,
            0.7457052122,
            1.4001849156,
            0.7457052122,
            1.5864024947,
            0.7457052122,
            1.1244480927,
            0.7457052122,
            1.2322109186,
            0.7457052122,
            0.7457052122,
            0.7457052122,
            0.7457052122,
            0.7457052122,
        ],
        [0.0, 0.0, -4.7959239274, -2.8332767717],
    ),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "x_shape", "weight_shape", "options", "shape", "output", "weight_grad"), CASES)
def test_functions(
    name: str,
    x_shape: Any,
    weight_shape: Any,
    options: Any,
    shape: Any,
    output: Any,
    weight_grad: Any,
    device: str,
) -> None:
    x, weight = made(x_shape, device=device), made(weight_shape, 0.5, device).requires_grad_()
    y = getattr(F, name)(x, weight, made((shape[1],), 1.0, device), **options)
    assert y.shape == shape
    near(y, output)
    (y * y).sum().backward()
    near(weight.grad, weight_grad)
    # One input without its batch, and sizes as lists.
    lists = {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
    alone = getattr(F, name)(x[0], weight, made((shape[1],), 1.0, device), **lists)
    assert alone.shape == shape[1:]
    near(alone, output)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_same_padding_keeps_the_size(rank: int) -> None:
    x = made((1, 1, *range(5, 5 + rank)))
    for kernel in (1, 2, 3, 4):
        weight = made((1, 1, *(kernel,) * rank))
        for dilation in (1, 2):
            y = getattr(F, f"conv{rank}d")(x, weight, padding="same", dilation=dilation)
            assert y.shape == x.shape
            # The cell that an even kernel needs more comes last.
            total = dilation * (kernel - 1)
            padded = F.pad(x, (total // 2, total - total // 2) * rank)
            near(y, getattr(F, f"conv{rank}d")(padded, weight, padding="valid", dilation=dilation).tolist())


@pytest.mark.parametrize("name", ["conv1d", "conv2d", "conv3d"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"padding": "same", "stride": 2}, "stride must be 1"),
        ({"padding": "full"}, "'same' or 'valid'"),
        ({"stride": (1, 1, 1, 1)}, "stride has one int or"),
        ({"stride": 0}, "stride"),
        ({"padding": -1}, "padding"),
        ({"dilation": 0}, "dilation"),
        ({"groups": 0}, "groups"),
        ({"groups": 2}, "with groups=2 expects 4"),
        ({"dilation": 9}, "the kernel spans"),
    ],
)
def test_convolution_refuses(name: str, options: Any, message: str) -> None:
    rank = int(name[4])
    with pytest.raises(ValueError, match=message) as caught:
        getattr(F, name)(made((1, 2, *(4,) * rank)), made((2, 2, *(2,) * rank)), **options)
    assert name in str(caught.value) or "ConvOptions" in str(caught.value)


@pytest.mark.parametrize("name", ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"])
def test_the_number_of_dimensions_is_that_of_the_name(name: str) -> None:
    rank = int(name[-2]) + 1
    with pytest.raises(ValueError, match=f"{name}: x has"):
        getattr(F, name)(made((1, 2, *(4,) * rank)), made((2, 2, *(2,) * rank)))
    with pytest.raises(ValueError, match=f"{name}: weight has"):
        getattr(F, name)(made((1, 2, *(4,) * (rank - 1))), made((2, 2, *(2,) * rank)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output_padding": 2, "stride": 2}, r"output_padding=\(2, 2\) must be less than stride"),
        ({"output_padding": -1}, "padding_out=.* must be zero or more"),
        ({"padding": 5}, "leaves an output of size"),
        ({"groups": 3}, "groups=3 does not divide"),
        ({"bias": made((3,))}, r"bias has shape \(3,\)"),
        ({"stride": (1, 2, 3)}, "stride has one int or 2"),
    ],
)
def test_transposed_convolution_refuses(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        F.conv_transpose2d(made((1, 2, 3, 3)), made((2, 2, 2, 2)), **options)


def test_output_padding_may_be_less_than_the_dilation_alone() -> None:
    y = F.conv_transpose2d(ag.ones(1, 1, 3, 3), ag.ones(1, 1, 2, 2), output_padding=1, dilation=2)
    assert y.shape == (1, 1, 6, 6)  # as in PyTorch 2.13


def test_groups_come_before_dilation_in_transposed_convolution() -> None:
    x, weight = made((1, 2, 3)), made((2, 1, 2))
    near(
        F.conv_transpose1d(x, weight, None, 1, 0, 0, 2, 3),
        F.conv_transpose1d(x, weight, groups=2, dilation=3).tolist(),
    )


# ---------------------------------------------------------------- deformable


@pytest.mark.parametrize("device", DEVICES)
def test_deform_conv2d_without_offsets_is_conv2d(device: str) -> None:
    x, weight, bias = made((2, 4, 5, 4), device=device), made((4, 2, 3, 2), device=device), made((4,), device=device)
    options: dict[str, Any] = {"stride": (2, 1), "padding": [1, 0], "dilation": (1, 2)}
    plain = F.conv2d(x, weight, bias, **options, groups=2)
    offset = ag.zeros(2, 2 * 6, *plain.shape[2:], device=device, dtype=ag.float64)
    near(F.deform_conv2d(x, offset, weight, bias, **options), plain.tolist())
    mask = ag.full((2, 6, *plain.shape[2:]), 2.0, device=device, dtype=ag.float64)
    near(F.deform_conv2d(x, offset, weight, **options, mask=mask), (plain - bias.reshape(-1, 1, 1)).mul(2).tolist())


def test_whole_offsets_take_other_pixels_and_zeros_outside() -> None:
    x = ag.arange(12.0).reshape(1, 1, 3, 4)
    offset = ag.stack([ag.ones(3, 4), -2 * ag.ones(3, 4)]).unsqueeze(0)
    moved = F.deform_conv2d(x, offset, ag.ones(1, 1, 1, 1))
    near(moved, [[[[0, 0, 4, 5], [0, 0, 8, 9], [0, 0, 0, 0]]]])


def test_samples_far_away_are_zero_and_nan_offsets_show() -> None:
    x, weight = made((1, 1, 2, 3)), ag.ones(1, 1, 1, 1, dtype=ag.float64)
    x[0, 0, 0, 0] = math.inf  # a pixel that no sample below takes
    offset = ag.zeros(1, 2, 2, 3, dtype=ag.float64)
    offset[0, 0, 0] = ag.tensor([-1.0, math.inf, -math.inf], dtype=ag.float64)
    offset[0, 1, 1, 0] = 1e30
    offset[0, 0, 1, 1] = math.nan
    offset.requires_grad_()
    y = F.deform_conv2d(x, offset, weight)
    near(y[0, 0, 0], [0.0, 0.0, 0.0])
    assert y[0, 0, 1, 0] == 0.0
    assert y[0, 0, 1, 1].isnan()
    y[0, 0, 0].sum().backward()
    near(offset.grad[0, :, 0], [[0.0] * 3] * 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offset": (1, 6, 2, 2)}, "offset has shape"),
        ({"offset": (1, 8, 3, 2)}, "offset has shape"),
        ({"mask": (1, 3, 2, 2)}, "mask has shape"),
        ({"offset": (1, 24, 2, 2)}, "offset_groups=3 does not divide"),
        ({"weight": (2, 3, 2, 2)}, "x has 2 channels"),
        ({"weight": (3, 1, 2, 2)}, "groups=2 does not divide"),
        ({"bias": (3,)}, "bias has shape"),
        ({"input": (2, 3, 3)}, "x has 3 dimensions"),
        ({"weight": (2, 2, 5, 2), "offset": (1, 20, 2, 2)}, "the kernel spans"),
    ],
)
def test_deform_conv2d_refuses(changes: Any, message: str) -> None:
    shapes = {"input": (1, 2, 3, 3), "offset": (1, 8, 2, 2), "weight": (2, 2, 2, 2)} | changes
    with pytest.raises(ValueError, match=message) as caught:
        F.deform_conv2d(**{name: made(shape) for name, shape in shapes.items()})
    assert str(caught.value).startswith("deform_conv2d: ")


# ---------------------------------------------------------------- modules


@pytest.mark.parametrize(
    ("layer", "text", "shapes"),
    [
        (nn.Conv1d(2, 4, 3, padding="same"), "Conv1d(2, 4, kernel_size=(3,), stride=(1,), padding=same)", (4, 2, 3)),
        (
            nn.Conv3d(2, 4, (1, 2, 3), padding=1, groups=2),
            "Conv3d(2, 4, kernel_size=(1, 2, 3), stride=(1, 1, 1), padding=(1, 1, 1), groups=2)",
            (4, 1, 1, 2, 3),
        ),
        (
            nn.Conv2d(2, 4, 3, padding=1, padding_mode="circular"),
            "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), padding_mode=circular)",
            (4, 2, 3, 3),
        ),
        (
            nn.ConvTranspose2d(2, 4, 3, stride=2, output_padding=1, dilation=2, groups=2, bias=False),
            "ConvTranspose2d(2, 4, kernel_size=(3, 3), stride=(2, 2), dilation=(2, 2), output_padding=(1, 1), "
            "groups=2, bias=False)",
            (2, 2, 3, 3),
        ),
        (nn.ConvTranspose1d(2, 4, 3), "ConvTranspose1d(2, 4, kernel_size=(3,), stride=(1,))", (2, 4, 3)),
        (
            nn.ConvTranspose3d(2, 4, 2),
            "ConvTranspose3d(2, 4, kernel_size=(2, 2, 2), stride=(1, 1, 1))",
            (2, 4, 2, 2, 2),
        ),
    ],
)
def test_modules_look_like_pytorchs(layer: Any, text: str, shapes: Any) -> None:
    assert repr(layer) == text
    assert layer.weight.shape == shapes
    assert list(layer.state_dict()) == (["weight"] if layer.bias is None else ["weight", "bias"])
    assert layer.bias is None or layer.bias.shape == (4,)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_modules_are_the_functions(rank: int, device: str) -> None:
    x = made((2, 2, *(4,) * rank), device=device)
    options: dict[str, Any] = {"stride": 2, "padding": 1, "dilation": 2, "groups": 2}
    for transposed in ("", "Transpose"):
        layer = getattr(nn, f"Conv{transposed}{rank}d")(2, 4, 2, **options, device=device, dtype=ag.float64)
        function = getattr(F, f"conv{'_transpose' if transposed else ''}{rank}d")
        near(layer(x), function(x, layer.weight, layer.bias, **options).tolist())
        layer(x).sum().backward()
        assert layer.weight.grad.shape == layer.weight.shape
        near(layer(x[0]), layer(x)[0].tolist())


# PyTorch 2.13, float64: the output for made inputs and weights.
PADDING_MODES: list[tuple[Any, ...]] = [
    (
        "Conv2d",
        {"padding": 1, "padding_mode": "reflect"},
        (1, 1, 3, 3),
        [
            1.5471466527,
            -3.0318805308,
            -1.3329056272,
            -0.3300512125,
            4.1843537055,
            1.913881255,
            0.651583865,
            -3.6264910828,
            -1.8538268012,
        ],
    ),
    (
        "Conv2d",
        {"padding": (1, 2), "padding_mode": "circular"},
        (1, 1, 3, 5),
        [
            -1.7229606329,
            2.1641199777,
            -0.2288224507,
            -1.7229606329,
            2.1641199777,
            0.0855443019,
            -1.9447485417,
            4.1843537055,
            0.0855443019,
            -1.9447485417,
            1.5844390037,
            -0.4105315935,
            -3.643399962,
            1.5844390037,
            -0.4105315935,
        ],
    ),
    (
        "Conv1d",
        {"padding": "same", "padding_mode": "replicate"},
        (1, 1, 4),
        [0.9597937446, 0.4734220172, -0.7065140745, -0.8970848533],
    ),
]


@pytest.mark.parametrize(("name", "options", "shape", "output"), PADDING_MODES)
def test_padding_modes(name: str, options: Any, shape: Any, output: Any) -> None:
    layer = getattr(nn, name)(1, 1, 2 if name == "Conv1d" else 3, bias=False, dtype=ag.float64, **options)
    with ag.no_grad():
        layer.weight.copy_(made(layer.weight.shape, 0.5))
    y = layer(made((1, 1, 4) if name == "Conv1d" else (1, 1, 3, 3)))
    assert y.shape == shape
    near(y, output)
    near(layer(made((1, 4) if name == "Conv1d" else (1, 3, 3))), output)


def test_output_size() -> None:
    layer = nn.ConvTranspose2d(2, 4, 3, stride=(2, 3), padding=1, dtype=ag.float64)
    x = made((1, 2, 3, 3))
    assert layer(x).shape == (1, 4, 5, 7)
    for size in ((6, 9), [5, 8], (1, 4, 6, 8)):
        assert layer(x, output_size=size).shape == (1, 4, *size[-2:])
    assert layer(x[0], (4, 6, 8)).shape == (4, 6, 8)
    # The first cells are those of the smallest output.
    near(layer(x, (6, 9))[:, :, :5, :7], layer(x).tolist())
    with pytest.raises(ValueError, match=r"output_size=\(7, 8\) is not between \(5, 7\) and \(6, 9\)"):
        layer(x, output_size=(7, 8))
    with pytest.raises(ValueError, match="has 2 entries, or 4"):
        layer(x, output_size=(6,))


@pytest.mark.parametrize("name", ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose3d"])
def test_modules_refuse(name: str) -> None:
    layer = getattr(nn, name)
    for options, message in [
        ({"groups": 3}, f"{name}: in_channels=4 is not divisible by groups=3"),
        ({"groups": 0}, "groups must be positive"),
        ({"padding_mode": "mirror"}, "not 'mirror'"),
        ({"dilation": (1, 2, 3, 4)}, "dilation"),
    ]:
        with pytest.raises(ValueError, match=message):
            layer(4, 6, 3, **options)


def test_transposed_modules_pad_with_zeros_only() -> None:
    with pytest.raises(ValueError, match="padding_mode is 'zeros'"):
        nn.ConvTranspose2d(1, 1, 2, padding_mode="reflect")


@pytest.mark.parametrize(("layer", "fan_in"), [(nn.Conv1d(8, 40, 6, groups=2), 24), (nn.ConvTranspose2d(40, 6, 2), 24)])
def test_initialisation(layer: Any, fan_in: int) -> None:
    ag.manual_seed(0)
    layer.reset_parameters()
    bound = 1 / math.sqrt(fan_in)
    assert 0.9 * bound < float(layer.weight.detach().abs().max()) <= bound
    assert float(layer.bias.detach().abs().max()) <= bound
    assert float(layer.weight.detach().std()) == pytest.approx(bound / math.sqrt(3), rel=0.05)
