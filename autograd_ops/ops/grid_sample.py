"""Reading an array at given points, differentiable in the array and in the points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autograd_backends import kernels, namespace
from autograd_backends.module_ops.grid_sample import Points, grid_sample_points, products, tap_slopes, tap_weights
from autograd_backends.options import GridSampleOptions
from autograd_backends.results import GridSampleBackward
from autograd_backends.shapes import grid_sample_output_shape

from ..registry import Array, op
from .compare import where
from .dtype import accumulator, astype, zeros_like
from .elementwise import add, mul, sub
from .indexing import add_rows, take_rows
from .reduce import sum
from .shape import concat, getitem, permute, reshape

__all__ = [
    "GridSample2dBackward",
    "GridSample3dBackward",
    "grid_sample_2d",
    "grid_sample_2d_backward",
    "grid_sample_3d",
    "grid_sample_3d_backward",
]

GridSample2dBackward = GridSample3dBackward = GridSampleBackward

Needs = tuple[bool, bool]


# ---------------------------------------------------------------- the gradients in ops

# The formulas of the kernels in `autograd_backends.module_ops.grid_sample`, whose points and weights they share. Which
# cells a point reads is constant, so only how far it is past them is a function of the grid.


def _array(x: Any) -> Any:
    return getattr(x, "array", x)


def _wide(x: Any) -> Any:
    dtype = accumulator(x)
    return x if _array(x).dtype == dtype else astype(x, dtype)


def _past(grid: Any, d: int, points: Points) -> Any:
    """``points.past[d]`` as a function of the grid, which it is to first order, and so, between cells, at all."""
    coordinate = (..., grid.shape[-1] - 1 - d)
    u = reshape(getitem(grid, coordinate), (-1, 1))
    finite = namespace(_array(u)).isfinite(_array(u))
    moved = sub(where(finite, u, 0.0), where(finite, _array(u), 0.0))
    return add(mul(moved, points.slopes[d]), points.past[d])


def _channels_last(x: Any) -> Any:
    """x [N, C, ...] as one row of channels for each cell of the batch."""
    last = permute(x, (0, *range(2, x.ndim), 1))
    return reshape(last, (math.prod(last.shape[:-1]), x.shape[1]))


def _x_grad(points: Points, weights: Sequence[Any], grads: Any, shape: tuple[int, ...]) -> Any:
    count = shape[0] * math.prod(shape[2:])
    total: Any = 0.0
    for numbers, rows in points.taps:
        part = mul(grads, products(weights, numbers)) if weights else grads
        total = add(add_rows((count + 1, shape[1]), part, rows), total)
    last = reshape(getitem(total, (slice(0, count), ...)), (shape[0], *shape[2:], shape[1]))
    return permute(last, (0, len(shape) - 1, *range(1, len(shape) - 1)))


def _grid_grad(points: Points, weights: Sequence[Any], slopes: Sequence[Any], grads: Any, x: Any) -> Any:
    outside = kernels(_array(x)).zeros_beside(_array(x), (1, x.shape[1]))
    cells = concat([_channels_last(x), outside], 0)
    totals: list[Any] = [0.0] * len(weights)
    for numbers, rows in points.taps:
        gain = sum(mul(grads, take_rows(cells, rows)), (1,), True)
        for d in range(len(weights)):
            factors = [*weights[:d], slopes[d], *weights[d + 1 :]]
            totals[d] = add(mul(gain, products(factors, numbers)), totals[d])
    moved = [mul(total, slope) for total, slope in zip(totals, points.slopes, strict=True)]
    return concat(moved[::-1], 1)


def _backward_recorded(
    x: Any, grid: Any, output_grad: Any, options: GridSampleOptions, needs: Needs = (True, True)
) -> GridSampleBackward:
    shape, wide_grid = tuple(x.shape), _wide(grid)
    points = grid_sample_points(_array(wide_grid), shape[2:], options)
    grads = _channels_last(_wide(output_grad))
    if options.mode == "nearest":
        x_grad = _x_grad(points, (), grads, shape) if needs[0] else None
        grid_grad = zeros_like(grid) if needs[1] else None
    else:
        past = [_past(wide_grid, d, points) for d in range(len(shape) - 2)]
        weights = [tap_weights(options.mode, t) for t in past]
        slopes = [tap_slopes(options.mode, t) for t in past]
        x_grad = _x_grad(points, weights, grads, shape) if needs[0] else None
        grid_grad = _grid_grad(points, weights, slopes, grads, _wide(x)) if needs[1] else None
    return GridSampleBackward(
        None if x_grad is None else astype(x_grad, _array(x).dtype),
        None if grid_grad is None else astype(reshape(grid_grad, tuple(grid.shape)), _array(grid).dtype),
    )


# ---------------------------------------------------------------- the ops


def _grid_sample(rank: int) -> tuple[Any, Any]:
    name = f"grid_sample_{rank}d"

    @op(
        name=name,
        real=True,
        formula="dx = g times the weights, added at the cells read; dgrid = slope of the weights times sum g x",
        promote=True,
    )
    def grid_sample(x: Array, grid: Array, options: GridSampleOptions) -> Array:
        """x read at the points of `grid`.

        Parameters
        ----------
        x
            [N, C, H, W], or [N, C, D, H, W] in three dimensions.
        grid
            [N, H', W', 2], or [N, D', H', W', 3]: for each cell of the output a point of x, as (x, y) or (x, y, z),
            where -1 and 1 are the ends of a dimension. A NaN is read as -1; what is far outside is safe.
        options
            The mode, what lies outside, and whether the ends are centres of cells or their outer edges.

        Returns
        -------
        Array
            [N, C, H', W'], or [N, C, D', H', W'].

        Raises
        ------
        ShapeError
            If the shapes do not fit.

        Notes
        -----
        Points where the derivative jumps have PyTorch's: with ``"border"`` and ``"reflection"`` a point on the first
        or last cell does not move, and the nearest mode gives the grid a gradient of 0.
        """
        grid_sample_output_shape(name, x.shape, grid.shape)
        return getattr(kernels(x), name)(x, grid, options)

    @op(
        name=f"{name}_backward",
        formula="that of the formula of grid_sample",
        outputs=("x_grad", "grid_grad"),
        recorded=_backward_recorded,
    )
    def backward(
        x: Array, grid: Array, output_grad: Array, options: GridSampleOptions, needs: Needs = (True, True)
    ) -> GridSampleBackward:
        """The gradients of x and grid, from that of the output; None for what `needs` does not ask for"""
        grid_sample_output_shape(f"{name}_backward", x.shape, grid.shape)
        return getattr(kernels(x), f"{name}_backward")(x, grid, output_grad, options, needs)

    grid_sample.joint(lambda g, x, grid, options, needs: backward(x, grid, g, options, needs))
    return grid_sample, backward


grid_sample_2d, grid_sample_2d_backward = _grid_sample(2)
grid_sample_3d, grid_sample_3d_backward = _grid_sample(3)
