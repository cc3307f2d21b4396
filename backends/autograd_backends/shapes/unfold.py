"""Shapes of windows laid side by side, and of what they are folded back to."""

from __future__ import annotations

from math import prod

from ..array_types import IntPair, Shape
from ..errors import ShapeError
from ..options import (
    UnfoldOptions,
    per_dimension,
)
from ..windows import Window
from .common import check_rank

__all__ = ["fold4d_output_shape", "unfold4d_windows", "unfold_output_shape"]


def unfold4d_windows(
    op_name: str, image_shape: Shape, kernel_size: IntPair, options: UnfoldOptions
) -> tuple[Window, ...]:
    """The kernel's positions down and across images [N, C, H, W].

    Raises
    ------
    ShapeError
        If the images have other dimensions, or the kernel does not fit into them.
    """
    check_rank(op_name, image_shape, 2)
    kernel = per_dimension(op_name, "kernel_size", kernel_size, 2)
    if min(kernel) < 1:
        raise ShapeError(f"{op_name}: kernel_size={kernel_size} must be positive")
    stride = per_dimension(op_name, "stride", options.stride, 2)
    padding = per_dimension(op_name, "padding", options.padding, 2)
    dilation = per_dimension(op_name, "dilation", options.dilation, 2)
    windows = []
    for d, size in enumerate(image_shape[2:]):
        extent = dilation[d] * (kernel[d] - 1) + 1
        room = size + 2 * padding[d] - extent
        if room < 0:
            raise ShapeError(
                f"{op_name}: the kernel spans {extent} (kernel_size={kernel_size}, dilation={options.dilation}) but "
                f"images {image_shape} with padding={options.padding} are {size + 2 * padding[d]} long in dimension "
                f"{2 + d}"
            )
        windows.append(Window(size, kernel[d], stride[d], padding[d], dilation[d], room // stride[d] + 1))
    return tuple(windows)


def fold4d_output_shape(x_shape: Shape, output_size: IntPair, kernel_size: IntPair, options: UnfoldOptions) -> Shape:
    """The shape [N, C, *output_size] of the images that the columns x [N, C * kH * kW, positions] are folded to.

    Raises
    ------
    ShapeError
        If kH * kW does not divide the channels, or the kernel has another number of positions in such an image.
    """
    if len(x_shape) != 3:
        raise ShapeError(f"fold4d: x has {len(x_shape)} dimensions {x_shape}; it needs 3, [N, C * kH * kW, positions]")
    size = per_dimension("fold4d", "output_size", output_size, 2)
    if min(size) < 1:
        raise ShapeError(f"fold4d: output_size={output_size} must be positive")
    windows = unfold4d_windows("fold4d", (*x_shape[:2], *size), kernel_size, options)
    cells, positions = prod(w.kernel for w in windows), prod(w.out for w in windows)
    if x_shape[1] % cells:
        raise ShapeError(
            f"fold4d: x has {x_shape[1]} channels (dimension 1 of {x_shape}), which the {cells} cells of "
            f"kernel_size={kernel_size} do not divide"
        )
    if x_shape[2] != positions:
        raise ShapeError(
            f"fold4d: x has {x_shape[2]} blocks (dimension 2 of {x_shape}), but kernel_size={kernel_size} with "
            f"{options} has {positions} positions in output_size={output_size}"
        )
    return (x_shape[0], x_shape[1] // cells, *size)


def unfold_output_shape(x_shape: Shape, dim: int, size: int, step: int) -> Shape:
    """The shape of the windows of `size` cells, `step` apart, along dimension `dim` of x.

    Raises
    ------
    ShapeError
        If there is no such dimension, or it is shorter than a window.
    """
    rank = len(x_shape)
    if not -rank <= dim < rank:
        raise ShapeError(f"unfold: dim={dim} is none of the {rank} dimensions of x {x_shape}")
    if step < 1:
        raise ShapeError(f"unfold: step={step} must be positive")
    if not 0 <= size <= x_shape[dim]:
        raise ShapeError(
            f"unfold: size={size} must be from 0 to {x_shape[dim]}, the length of dimension {dim} of x {x_shape}"
        )
    axis = dim % rank
    return (*x_shape[:axis], (x_shape[axis] - size) // step + 1, *x_shape[axis + 1 :], size)
