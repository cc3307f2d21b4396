"""Reading at points: coordinates of any kind are safe, and what is outside has no part."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_backends import ShapeError
from autograd_backends.options import GridSampleOptions
from autograd_ops import ops

from .conftest import Lane, close

OPTIONS = [
    GridSampleOptions(mode, padding, corners)
    for mode, padding, corners in product(
        ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (True, False)
    )
]
over_options = pytest.mark.parametrize("options", OPTIONS, ids=str)

IMAGE = np.array([[[[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]]])
FAR = [3e38, -1e38, np.inf, -np.inf, 1e6, -1e6]


def points(values: Any, others: float = 0.0) -> np.ndarray:
    """A grid [1, 1, n, 2] with these x, and one y."""
    return np.array([[[[value, others] for value in values]]])


@pytest.mark.filterwarnings("error")
@over_options
def test_far_coordinates(lane: Lane, options: GridSampleOptions, dtype: str) -> None:
    x = lane.array(IMAGE, dtype)
    for grid in (points(FAR), points(FAR)[..., ::-1].copy()):
        out = lane.host(lane.ops.grid_sample_2d(x, lane.array(grid, dtype), options))
        g = lane.array(np.ones(out.shape), dtype)
        back = lane.ops.grid_sample_2d_backward(x, lane.array(grid, dtype), g, options)
        x_grad, grid_grad = map(lane.host, back)
        assert np.isfinite(x_grad).all()
        assert np.isfinite(grid_grad).all()
        if options.padding_mode == "zeros":
            assert not out.any()
            assert not x_grad.any()
            assert not grid_grad.any()
        else:
            # Cubic weights overshoot between cells.
            slack = 0.0 if options.mode != "bicubic" else 20.0
            assert ((IMAGE.min() - slack <= out) & (out <= IMAGE.max() + slack)).all()
            np.testing.assert_allclose(x_grad.sum(), len(FAR), rtol=1e-5)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_border_goes_on_for_ever(lane: Lane, mode: str) -> None:
    options = GridSampleOptions(mode, "border", True)
    out = lane.ops.grid_sample_2d(lane.array(IMAGE), lane.array(points(FAR, -1.0)), options)
    close(lane.host(out)[0, 0, 0], [4.0, 1.0] * 3, "float64")


@pytest.mark.filterwarnings("error")
@over_options
def test_no_number_is_read_as_minus_one_and_does_not_move(lane: Lane, options: GridSampleOptions) -> None:
    x, g = lane.array(IMAGE), lane.array(np.ones((1, 1, 1, 2)))
    out, want = (
        lane.host(lane.ops.grid_sample_2d(x, lane.array(points([value, 0.1], 0.3)), options))
        for value in (np.nan, -1.0)
    )
    np.testing.assert_array_equal(out, want)
    back = lane.ops.grid_sample_2d_backward(x, lane.array(points([np.nan, 0.1], 0.3)), g, options)
    assert lane.host(back.grid_grad)[0, 0, 0, 0] == 0
    assert np.isfinite(lane.host(back.grid_grad)).all()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_second_derivatives_where_a_point_is_nowhere(options: GridSampleOptions) -> None:
    x = ag.tensor(IMAGE, requires_grad=True)
    grid = ag.tensor(points([np.nan, np.inf, 3e300, 0.1], 0.3), requires_grad=True)
    y = ops.grid_sample_2d(x, grid, options)
    gradients = ag.autograd.grad((y * y).sum(), (x, grid), create_graph=True)
    second = ag.autograd.grad(sum((g * g).sum() for g in gradients), (x, grid))
    for found in (*gradients, *second):
        assert np.isfinite(found.detach().numpy()).all()


def test_what_is_outside_has_no_part(lane: Lane) -> None:
    x = np.array([[[[np.inf, 1.0, 2.0, np.nan]]]])
    for mode in ("bilinear", "nearest"):
        grid = lane.array(points([0.0, 3.0]))
        out = lane.ops.grid_sample_2d(lane.array(x), grid, GridSampleOptions(mode, "zeros", False))
        # Halfway between two cells; the even one, number 2, is the nearest.
        assert lane.host(out)[0, 0, 0].tolist() == [{"bilinear": 1.5, "nearest": 2.0}[mode], 0.0]


def test_nearest_rounds_halves_to_even(lane: Lane) -> None:
    x = lane.array(np.arange(5.0).reshape(1, 1, 1, 5))
    grid = lane.array(points([-0.75, -0.25, 0.25, 0.75]))
    out = lane.ops.grid_sample_2d(x, grid, GridSampleOptions("nearest", "zeros", True))
    assert lane.host(out)[0, 0, 0].tolist() == [0.0, 2.0, 2.0, 4.0]


def test_reflection_at_the_outer_edge(lane: Lane) -> None:
    x = lane.array(np.array([[[[10.0, 20.0, 40.0, 80.0]]]]))
    cells = [3.3, 3.7, -0.4, 4.4, -1.3, 1.25]
    grid = lane.array(points([(2 * cell + 1) / 4 - 1 for cell in cells]))
    options = GridSampleOptions("bilinear", "reflection", False)
    close(lane.host(lane.ops.grid_sample_2d(x, grid, options))[0, 0, 0], [80, 80, 10, 64, 13, 25], "float64")
    g = lane.array(np.ones((1, 1, 1, 6)))
    slopes = lane.host(lane.ops.grid_sample_2d_backward(x, grid, g, options).grid_grad)[0, 0, :, 0]
    close(slopes, [0, 0, 0, -80, -20, 40], "float64")


def test_only_what_is_needed(lane: Lane) -> None:
    x, grid, g = lane.array(IMAGE), lane.array(points([0.1])), lane.array(np.ones((1, 1, 1, 1)))
    for needs in ((True, False), (False, True)):
        back = lane.ops.grid_sample_2d_backward(x, grid, g, GridSampleOptions(), needs)
        assert tuple(gradient is not None for gradient in back) == needs


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("x", "grid", "message"),
    [
        ((1, 1, 2), (1, 2, 1), "x has 3 dimensions"),
        ((1, 1, 2, 2, 2), (1, 1, 1, 1, 3), "x has 5 dimensions"),
        ((1, 1, 2, 2), (1, 3, 2), r"grid has shape \(1, 3, 2\); it must have 4 dimensions, \[N, ..., 2\]"),
        ((1, 1, 2, 2), (1, 3, 2, 3), r"grid has shape \(1, 3, 2, 3\)"),
        ((1, 1, 2, 2), (2, 3, 2, 2), r"is for a batch of 2 \(dimension 0\) but x \(1, 1, 2, 2\) has 1"),
        ((1, 1, 0, 2), (1, 3, 2, 2), "has a spatial dimension of size 0; there is nothing to read"),
    ],
)
def test_shapes(x: Any, grid: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=f"grid_sample_2d: .*{message}"):
        ops.grid_sample_2d(np.zeros(x), np.zeros(grid), GridSampleOptions())


def test_the_shape_of_the_gradient(lane: Lane) -> None:
    x, grid, g = (lane.array(np.zeros(shape)) for shape in ((1, 1, 2, 2), (1, 3, 2, 2), (1, 1, 2, 3)))
    with pytest.raises(ShapeError, match=r"grid_sample_2d_backward: the gradient has shape \(1, 1, 2, 3\)"):
        lane.ops.grid_sample_2d_backward(x, grid, g, GridSampleOptions())


def test_options() -> None:
    with pytest.raises(ValueError, match="GridSampleOptions: mode='cubic' is not there; there are 'bilinear', "):
        GridSampleOptions("cubic")
    with pytest.raises(ValueError, match="GridSampleOptions: padding_mode='edge' is not there; there are 'zeros', "):
        GridSampleOptions(padding_mode="edge")
