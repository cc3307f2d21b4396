"""Resizing: what holds for every mode and size, and where a number that is none may go."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from autograd_backends import ShapeError
from autograd_backends.options import InterpolateOptions
from autograd_backends.resampling import MODES, SMOOTH_MODES, Resize, taps, taps_of_adjoint

from .conftest import Lane, close

ALL = [
    *[InterpolateOptions(mode, corners) for mode in MODES for corners in (True, False)],
    *[InterpolateOptions(mode, corners, antialias=True) for mode in SMOOTH_MODES for corners in (True, False)],
]
SIZES = [(1, 1), (1, 7), (7, 1), (2, 5), (5, 2), (6, 6), (3, 40), (40, 3)]

over_options = pytest.mark.parametrize("options", ALL, ids=lambda o: f"{o.mode} {o.align_corners} {o.antialias}")
over_sizes = pytest.mark.parametrize(("size", "out"), SIZES)


def dense(size: int, out: int, options: InterpolateOptions) -> np.ndarray:
    """The weights as a matrix [out, size]."""
    weights = np.zeros((out, size))
    for o, row in enumerate(taps(Resize(size, out, options.mode, options.align_corners, options.antialias, None))):
        for cell, weight in row:
            weights[o, cell] = weight
    return weights


# ---------------------------------------------------------------- weights


@over_options
@over_sizes
def test_weights_add_up_to_one(options: InterpolateOptions, size: int, out: int) -> None:
    np.testing.assert_allclose(dense(size, out, options).sum(1), 1, rtol=1e-14)


@over_options
@over_sizes
def test_weights_are_as_symmetric_as_the_sizes(options: InterpolateOptions, size: int, out: int) -> None:
    if options.mode.startswith("nearest") or (options.align_corners and (options.antialias or out == 1)):
        return  # the first of two cells that are as near; PyTorch's positions
    weights = dense(size, out, options)
    np.testing.assert_allclose(weights, weights[::-1, ::-1], atol=1e-13)


def test_nearest_is_exact() -> None:
    for size in range(1, 40):
        for out in range(1, 90):
            nearest, exact = (
                [row[0][0] for row in taps(Resize(size, out, mode, True, False, None))]
                for mode in ("nearest", "nearest_exact")
            )
            assert nearest == [math.floor(Fraction(o * size, out)) for o in range(out)]
            assert exact == [math.floor(Fraction(2 * o + 1, 2) * Fraction(size, out)) for o in range(out)]


def test_the_adjoint_has_the_same_weights() -> None:
    resize = Resize(5, 8, "bicubic", False, False, None)
    forth = {(o, cell): w for o, row in enumerate(taps(resize)) for cell, w in row}
    back = {(o, cell): w for cell, row in enumerate(taps_of_adjoint(resize)) for o, w in row}
    assert forth == back


def test_weights_are_worked_out_once() -> None:
    resize = Resize(9, 4, "bicubic", False, False, None)
    assert taps(resize) is taps(resize)


# ---------------------------------------------------------------- arrays


@over_options
@over_sizes
def test_it_is_the_product_with_the_weights(
    lane: Lane, options: InterpolateOptions, size: int, out: int, rng: np.random.Generator
) -> None:
    x, g = rng.normal(size=(2, 3, size)), rng.normal(size=(2, 3, out))
    weights = dense(size, out, options)
    close(lane.host(lane.ops.interpolate(lane.array(x), (out,), options)), x @ weights.T, "float64")
    back = lane.ops.interpolate_backward(x.shape, lane.array(g), (out,), options)
    close(lane.host(back), g @ weights, "float64")


@over_options
def test_a_dimension_after_the_other(lane: Lane, options: InterpolateOptions, rng: np.random.Generator) -> None:
    x = rng.normal(size=(1, 2, 3, 6, 2))
    got = lane.host(lane.ops.interpolate(lane.array(x), (5, 2, 2), options))
    weights = [dense(size, out, options) for size, out in ((3, 5), (6, 2), (2, 2))]
    close(got, np.einsum("ncdhw,ad,bh,ew->ncabe", x, *weights), "float64")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [np.inf, np.nan])
@over_options
@pytest.mark.parametrize(("size", "out"), [(6, 9), (9, 6), (4, 4), (12, 2)])
def test_what_is_no_number_goes_where_it_has_a_weight(
    lane: Lane, options: InterpolateOptions, size: int, out: int, value: float
) -> None:
    weights = dense(size, out, options)
    x, g = np.ones((1, 1, 2, size)), np.ones((1, 1, 2, out))
    x[..., 1, 2] = value
    g[..., 1, 1] = value
    got = lane.host(lane.ops.interpolate(lane.array(x), (2, out), options))
    np.testing.assert_array_equal(np.isfinite(got[0, 0, 1]), weights[:, 2] == 0)
    back = lane.host(lane.ops.interpolate_backward(x.shape, lane.array(g), (2, out), options))
    np.testing.assert_array_equal(np.isfinite(back[0, 0, 1]), weights[1] == 0)
    assert np.isfinite(got[0, 0, 0]).all()
    assert np.isfinite(back[0, 0, 0]).all()


def test_half_precision_is_summed_in_single(numpy_lane: Lane) -> None:
    g = np.full((1, 1, 4096), 1.0, np.float16)
    back = numpy_lane.ops.interpolate_backward((1, 1, 1), g, (4096,), InterpolateOptions("nearest"))
    assert back.dtype == np.float16
    assert back[0, 0, 0] == 4096  # one by one in float16 it would stop at 2048


def test_a_kept_size_is_a_copy(numpy_lane: Lane) -> None:
    x = np.arange(6.0).reshape(1, 1, 2, 3)
    y = numpy_lane.ops.interpolate(x, (2, 3), InterpolateOptions("bilinear"))
    np.testing.assert_array_equal(y, x)
    assert not np.shares_memory(y, x)


def test_integers(lane: Lane) -> None:
    x = lane.array(np.array([[[1, 2]]]))
    assert lane.host(lane.ops.interpolate(x, (4,), InterpolateOptions("nearest"))).tolist() == [[[1, 1, 2, 2]]]
    with pytest.raises(TypeError, match="mode 'area' gives fractions, and x has dtype"):
        lane.ops.interpolate(x, (4,), InterpolateOptions("area"))


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("shape", "output_size", "scales", "message"),
    [
        ((2, 3), (), None, r"x has shape \(2, 3\); it must be \[N, C, ...\]"),
        ((1, 1, 2, 2), (3,), None, r"output_size=\(3,\) has 1 entries for 2 spatial dimensions"),
        ((1, 1, 2, 2), (3, 0), None, r"output_size=\(3, 0\) must be positive"),
        ((1, 1, 0, 2), (3, 3), None, r"x \(1, 1, 0, 2\) has a spatial dimension of size 0"),
        ((1, 1, 2, 2), (3, 3), (2.0,), r"scales=\(2\.0,\) has 1 entries for 2 spatial dimensions"),
    ],
)
def test_shapes(lane: Lane, shape: Any, output_size: Any, scales: Any, message: str) -> None:
    options = InterpolateOptions("bilinear", False, scales)
    with pytest.raises(ShapeError, match=f"interpolate: {message}"):
        lane.ops.interpolate(lane.array(np.zeros(shape)), output_size, options)


def test_the_shape_of_the_gradient(lane: Lane) -> None:
    with pytest.raises(ShapeError, match=r"interpolate_backward: the gradient has shape \(1, 1, 3\)"):
        lane.ops.interpolate_backward((1, 1, 2), lane.array(np.zeros((1, 1, 3))), (4,), InterpolateOptions("nearest"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "cubic"}, "mode='cubic' is not there; there are 'nearest', 'nearest_exact', 'linear'"),
        ({"mode": "nearest", "antialias": True}, "antialias=True needs one of the modes 'linear', .*, not 'nearest'"),
        ({"mode": "area", "scales": (1.0, 0.0)}, r"scales=\(1\.0, 0\.0\) must be positive and finite"),
        ({"mode": "area", "scales": (math.nan,)}, ".* must be positive and finite"),
    ],
)
def test_options(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"InterpolateOptions: {message}"):
        InterpolateOptions(**arguments)


def test_options_are_hashable() -> None:
    options = InterpolateOptions("area", scales=[1, 2])  # type: ignore[arg-type]
    assert hash(options) == hash(InterpolateOptions("area", scales=(1.0, 2.0)))
