"""interpolate, grid_sample and affine_grid against numbers from PyTorch 2.13, and what they refuse."""

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

CASES = json.loads((Path(__file__).parent / "torch_resampling.json").read_text())["cases"]


def inputs(name: str, shapes: list[Any], device: str = "cpu") -> list[Tensor]:
    """Those of a recorded case; a grid reaches beyond the edges."""
    given = [made(tuple(shape), float(i), device) for i, shape in enumerate(shapes)]
    if name == "grid_sample":
        given[1] = given[1] * 1.6
    return [x.detach().requires_grad_() for x in given]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "shapes", "options", "shape", "output", "grads"), CASES)
def test_value_and_gradients(
    name: str, shapes: list, options: dict, shape: list, output: list, grads: list, device: str
) -> None:
    xs = inputs(name, shapes, device)
    y = getattr(F, name)(*xs, **options)
    assert list(y.shape) == shape
    near(y, output)
    (y * made(tuple(shape), 0.5, device)).sum().backward()
    for x, grad in zip(xs, grads, strict=True):
        near(x.grad, grad)


@pytest.mark.parametrize(
    ("name", "shapes", "options"),
    [
        ("interpolate", [(1, 1, 3, 2)], {"scale_factor": 1.7, "mode": "bicubic"}),
        ("interpolate", [(1, 1, 4, 2)], {"size": 3, "mode": "bilinear", "antialias": True}),
        ("grid_sample", [(1, 1, 2, 3), (1, 1, 2, 2)], {"mode": "bicubic", "padding_mode": "reflection"}),
        ("affine_grid", [(1, 2, 3)], {"size": (1, 1, 2, 2)}),
    ],
)
def test_second_derivatives(name: str, shapes: list, options: dict) -> None:
    xs = inputs(name, shapes)
    assert gradcheck(lambda *xs: (getattr(F, name)(*xs, **options) ** 2).sum(), xs)
    assert gradgradcheck(lambda *xs: (getattr(F, name)(*xs, **options) ** 2).sum(), xs)


@pytest.mark.parametrize("dtype", [ag.float16, ag.float32])
def test_dtype_stays(dtype: Any) -> None:
    x = made((1, 2, 3, 4)).to(dtype).requires_grad_()
    theta = made((1, 2, 3)).to(dtype).requires_grad_()
    y = F.grid_sample(F.interpolate(x, scale_factor=2, mode="bicubic"), F.affine_grid(theta, (1, 2, 2, 2)))
    y.sum().backward()
    assert y.dtype is x.grad.dtype is theta.grad.dtype is dtype


# ---------------------------------------------------------------- interpolate


@pytest.mark.parametrize(("n", "scale", "out"), [(11, 15 / 11, 14), (5, 1.5, 7), (10, 0.999, 9), (3, 2, 6)])
def test_the_output_has_the_floor_of_the_scaled_size(n: int, scale: float, out: int) -> None:
    assert F.interpolate(ag.ones(1, 1, n), scale_factor=scale).shape == (1, 1, out)
    assert nn.Upsample(scale_factor=scale)(ag.ones(1, 1, n)).shape == (1, 1, out)


def test_nearest_cells_are_exact() -> None:
    # PyTorch's ratio, in float32, puts cell 41 of 82 in the first half.
    assert F.interpolate(ag.tensor([[[0.0, 1.0]]]), size=82).sum().item() == 41


def test_a_scale_of_ones_copies() -> None:
    x = made((1, 1, 3, 3))
    y = F.interpolate(x, scale_factor=1.2, mode="bilinear")
    near(y, x.tolist())
    y += 1
    near(x, made((1, 1, 3, 3)).tolist())


x1, x2, x3 = ag.ones(1, 1, 4), ag.ones(1, 1, 4, 4), ag.ones(1, 1, 2, 2, 2)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (x1, {}, "one of size and scale_factor must be given"),
        (x1, {"size": 3, "scale_factor": 2}, "size and scale_factor exclude each other"),
        (x1, {"size": (3, 3)}, r"size=\(3, 3\) has 2 entries for 1 spatial dimensions"),
        (x2, {"scale_factor": (2.0,)}, r"scale_factor=\(2.0,\) has 1 entries for 2 spatial dimensions"),
        (x1, {"size": 3, "mode": "bilinear"}, "mode 'bilinear' takes an input of 4 dimensions, .*, not 3"),
        (x3, {"size": 3, "mode": "bicubic"}, "mode 'bicubic' takes an input of 4 dimensions, .*, not 5"),
        (ag.ones(4, 4), {"size": 3}, "mode 'nearest' takes an input of 3 or 4 or 5 dimensions, .*, not 2"),
        (x1, {"size": 3, "mode": "cubic"}, "mode='cubic' is not there; there are 'nearest'"),
        (x1, {"size": 3, "align_corners": False}, "align_corners has no meaning for mode 'nearest'"),
        (x1, {"size": 3, "mode": "linear", "antialias": True}, "antialias=True goes with mode"),
        (x2, {"size": 3, "mode": "lanczos"}, "mode 'lanczos' goes with antialias=True"),
        (x1, {"size": 3, "recompute_scale_factor": True}, "recompute_scale_factor means nothing beside a size"),
        (x1, {"size": 0}, "output_size=.* must be positive"),
        (x1, {"scale_factor": 0.1}, "output_size=.* must be positive"),
        (x1, {"scale_factor": -1}, "scale_factor=-1 must be positive"),
        (x1, {"scale_factor": float("inf")}, "scale_factor=inf must be positive and finite"),
        (ag.ones(1, 1, 0), {"size": 3}, "a spatial dimension of size 0"),
    ],
)
def test_interpolate_refuses(x: Tensor, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"interpolate: .*{message}"):
        F.interpolate(x, **options)


def test_sizes_are_ints() -> None:
    with pytest.raises(TypeError, match=r"interpolate: a size is an int, not 3\.5"):
        F.interpolate(x1, size=3.5)  # type: ignore[arg-type]


def test_integers_take_the_nearest_cell_only() -> None:
    x = ag.tensor([[[1, 2]]])
    assert F.interpolate(x, size=4).tolist() == [[[1, 1, 2, 2]]]
    with pytest.raises(TypeError, match="mode 'linear' gives fractions, and x has dtype int64"):
        F.interpolate(x, size=4, mode="linear")


def test_an_empty_batch() -> None:
    x = ag.zeros(0, 2, 3, 3, requires_grad=True)
    F.interpolate(x, size=5, mode="bicubic").sum().backward()
    assert x.grad.shape == (0, 2, 3, 3)


def test_modules() -> None:
    x = made((1, 2, 3, 4))
    near(
        nn.Upsample(size=(2, 5), mode="bicubic", align_corners=True)(x),
        F.interpolate(x, (2, 5), mode="bicubic", align_corners=True).tolist(),
    )
    near(
        nn.Upsample(scale_factor=1.7, mode="bilinear", recompute_scale_factor=True)(x),
        F.interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True).tolist(),
    )
    near(nn.UpsamplingNearest2d(size=5)(x), F.interpolate(x, 5).tolist())
    near(
        nn.UpsamplingBilinear2d(scale_factor=2)(x),
        F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True).tolist(),
    )
    near(F.upsample(x, scale_factor=2), F.interpolate(x, scale_factor=2).tolist())


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (nn.Upsample(3), "Upsample(size=3, mode='nearest')"),
        (nn.Upsample(scale_factor=(2, 3)), "Upsample(scale_factor=(2.0, 3.0), mode='nearest')"),
        (nn.UpsamplingNearest2d(scale_factor=2), "UpsamplingNearest2d(scale_factor=2.0, mode='nearest')"),
        (nn.UpsamplingBilinear2d((3, 3)), "UpsamplingBilinear2d(size=(3, 3), mode='bilinear')"),
    ],
)
def test_repr(module: nn.Module, text: str) -> None:
    assert repr(module) == text
    assert not module.state_dict()


# ---------------------------------------------------------------- grid_sample and affine_grid


def test_the_identity_gives_the_image_back() -> None:
    x = made((1, 2, 3, 4))
    for align_corners in (True, False):
        theta = ag.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], dtype=ag.float64)
        grid = F.affine_grid(theta, (1, 2, 3, 4), align_corners)
        near(F.grid_sample(x, grid, align_corners=align_corners), x.tolist())


@pytest.mark.parametrize(
    ("x", "grid", "options", "message"),
    [
        (x2, ag.zeros(2, 3, 3, 2), {}, r"grid \(2, 3, 3, 2\) is for a batch of 2 .* but x \(1, 1, 4, 4\) has 1"),
        (x2, ag.zeros(1, 3, 3, 3), {}, r"grid has shape \(1, 3, 3, 3\); it must have 4 dimensions, \[N, ..., 2\]"),
        (x3, ag.zeros(1, 3, 3, 2), {}, "it must have 5 dimensions"),
        (x1, ag.zeros(1, 3, 1), {}, r"the input is \[N, C, H, W\] or \[N, C, D, H, W\], not of shape \(1, 1, 4\)"),
        (ag.ones(1, 1, 0, 4), ag.zeros(1, 1, 1, 2), {}, "a spatial dimension of size 0"),
        (x2, ag.zeros(1, 1, 1, 2), {"mode": "linear"}, "mode='linear' is not there; there are 'bilinear', 'nearest'"),
        (x2, ag.zeros(1, 1, 1, 2), {"padding_mode": "edge"}, "padding_mode='edge' is not there; there are 'zeros'"),
        (x3, ag.zeros(1, 1, 1, 1, 3), {"mode": "bicubic"}, "mode 'bicubic' takes images"),
    ],
)
def test_grid_sample_refuses(x: Tensor, grid: Tensor, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        F.grid_sample(x, grid, **options)


@pytest.mark.parametrize(
    ("shape", "size", "message"),
    [
        ((1, 2, 3), (1, 1, 2), r"size is \(N, C, H, W\) or \(N, C, D, H, W\), not \(1, 1, 2\)"),
        ((1, 2, 3), (1, 1, 2, 0), r"size=\(1, 1, 2, 0\) must be positive"),
        ((1, 2, 3), (2, 1, 2, 2), r"theta has shape \(1, 2, 3\) but size \(2, 1, 2, 2\) expects \(2, 2, 3\)"),
        ((1, 2, 3), (1, 1, 2, 2, 2), r"expects \(1, 3, 4\)"),
    ],
)
def test_affine_grid_refuses(shape: Any, size: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"affine_grid: .*{message}"):
        F.affine_grid(ag.zeros(shape), size)


def test_affine_grid_takes_floats() -> None:
    with pytest.raises(ValueError, match=r"theta must have floats, and has dtype .*int64"):
        F.affine_grid(ag.ones(1, 2, 3, dtype=ag.int64), (1, 1, 2, 2))
