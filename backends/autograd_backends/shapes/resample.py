"""Shapes of interpolation and of sampling at points of a grid."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from ..array_types import Shape
from ..errors import ShapeError
from ..options import (
    InterpolateOptions,
    per_dimension,
)
from ..resampling import Resize
from .common import check_output_grad, check_rank

__all__ = ["grid_sample_output_shape", "interpolate_resizes"]


@lru_cache(maxsize=4096)
def interpolate_resizes(
    op_name: str,
    x_shape: Shape,
    output_size: Shape,
    options: InterpolateOptions,
    grad_shape: Shape | None = None,
) -> tuple[Resize, ...]:
    """What is done to each spatial dimension of x [N, C, ...] that is resized to `output_size`.

    Raises
    ------
    ShapeError
        If a size is 0, or their numbers do not fit; or if `grad_shape` is not that of the output.
    """
    rank = len(x_shape) - 2
    if rank < 1:
        raise ShapeError(f"{op_name}: x has shape {x_shape}; it must be [N, C, ...]")
    sizes = per_dimension(op_name, "output_size", output_size, rank)
    if min(sizes) < 1:
        raise ShapeError(f"{op_name}: output_size={sizes} must be positive")
    if not prod(x_shape[2:]):
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0; there is nothing to resize")
    if grad_shape is not None:
        check_output_grad(op_name, grad_shape, (*x_shape[:2], *sizes))
    scales = (None,) * rank if options.scales is None else options.scales
    if len(scales) != rank:
        raise ShapeError(f"{op_name}: scales={scales} has {len(scales)} entries for {rank} spatial dimensions")
    return tuple(
        Resize(
            size,
            out,
            options.mode,
            options.align_corners,
            options.antialias,
            None if scale is None or _is_plain(size, out, scale, options) else scale,
        )
        for size, out, scale in zip(x_shape[2:], sizes, scales, strict=True)
    )


def _is_plain(size: int, out: int, scale: float, options: InterpolateOptions) -> bool:
    """Whether `scale` says no more than the sizes do, from which positions are exact.

    In these modes PyTorch copies a dimension that keeps its size, whatever its scale; and with the nearest cell it
    repeats each cell of an image whose size doubles, as its gradients do in every rank.
    """
    copied = options.antialias or options.mode in ("nearest", "linear", "bilinear", "trilinear")
    return size * scale == out or (size == out and copied) or (2 * size == out and options.mode == "nearest")


def grid_sample_output_shape(op_name: str, x_shape: Shape, grid_shape: Shape) -> Shape:
    """x [N, C, ...], grid [N, ..., rank] -> [N, C, ...], of the grid's spatial shape; `op_name` ends in the rank."""
    rank = int(op_name.removesuffix("_backward")[-2])
    check_rank(op_name, x_shape, rank)
    if len(grid_shape) != rank + 2 or grid_shape[-1] != rank:
        raise ShapeError(
            f"{op_name}: grid has shape {grid_shape}; it must have {rank + 2} dimensions, [N, ..., {rank}]"
        )
    if grid_shape[0] != x_shape[0]:
        raise ShapeError(
            f"{op_name}: grid {grid_shape} is for a batch of {grid_shape[0]} (dimension 0) "
            f"but x {x_shape} has {x_shape[0]}"
        )
    if not prod(x_shape[2:]):
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0; there is nothing to read")
    return (*x_shape[:2], *grid_shape[1:-1])
