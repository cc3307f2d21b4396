"""Shapes of pools, and of indices into planes."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from ..array_types import Shape
from ..errors import ShapeError
from ..options import (
    per_dimension,
)
from ..windows import Window
from .common import check_rank

__all__ = ["adaptive_pool_output_shape", "check_planes", "pool_output_shape", "pool_windows"]


@lru_cache(maxsize=4096)
def pool_output_shape(
    op_name: str,
    x_shape: Shape,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> Shape:
    """The shape [N, C, ...] that a pool over `x_shape` [N, C, ...] gives.

    The rule is PyTorch's: with `ceil_mode` a last, partial window counts, if it starts inside the input or
    the padding before it; it may be the only one.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    rank = len(kernel_size)
    check_rank(op_name, x_shape, rank)
    fields = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    for field, value in fields.items():
        least = 0 if field == "padding" else 1
        if min(per_dimension(op_name, field, value, rank)) < least:
            raise ShapeError(f"{op_name}: {field}={value} must be {'positive' if least else 'zero or more'}")
    sizes = []
    for d in range(rank):
        size = x_shape[2 + d]
        extent = dilation[d] * (kernel_size[d] - 1) + 1
        if padding[d] > extent // 2:
            raise ShapeError(
                f"{op_name}: padding={padding} is more than half of what the kernel spans, {extent} "
                f"(kernel_size={kernel_size}, dilation={dilation})"
            )
        room = size + 2 * padding[d] - extent
        out = (room + (stride[d] - 1 if ceil_mode else 0)) // stride[d] + 1
        if out < 1 or not size:
            raise ShapeError(
                f"{op_name}: the kernel spans {extent} (kernel_size={kernel_size}, dilation={dilation}) "
                f"but x {x_shape} with padding={padding} is {size + 2 * padding[d]} long in dimension {2 + d}"
            )
        if ceil_mode and (out - 1) * stride[d] >= size + padding[d]:
            out -= 1
        if Window(size, kernel_size[d], stride[d], padding[d], dilation[d], out).misses():
            raise ShapeError(
                f"{op_name}: with padding={padding} and dilation={dilation} a window meets nothing but "
                f"padding in dimension {2 + d} of x {x_shape}"
            )
        sizes.append(out)
    return (*x_shape[:2], *sizes)


@lru_cache(maxsize=4096)
def pool_windows(
    op_name: str,
    x_shape: Shape,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> tuple[Window, ...]:
    """The windows of a pool in each spatial dimension, after the checks of ``pool_output_shape``."""
    out = pool_output_shape(op_name, x_shape, kernel_size, stride, padding, dilation, ceil_mode)
    return tuple(
        Window(x_shape[2 + d], kernel_size[d], stride[d], padding[d], dilation[d], out[2 + d])
        for d in range(len(kernel_size))
    )


def adaptive_pool_output_shape(op_name: str, x_shape: Shape, output_size: Shape) -> Shape:
    """The shape [N, C, *output_size] that an adaptive pool over `x_shape` [N, C, ...] gives."""
    rank = len(output_size)
    check_rank(op_name, x_shape, rank)
    if min(per_dimension(op_name, "output_size", output_size, rank)) < 1:
        raise ShapeError(f"{op_name}: output_size={output_size} must be positive")
    if not prod(x_shape[2:]):
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0; there is nothing to pool")
    return (*x_shape[:2], *output_size)


def check_planes(op_name: str, x_shape: Shape, grad_shape: Shape, indices_shape: Shape) -> None:
    """Refuse indices [N, C, ...] into the planes of x that are not those of a gradient of their shape."""
    if grad_shape != indices_shape or len(x_shape) < 3 or indices_shape[:2] != x_shape[:2]:
        raise ShapeError(
            f"{op_name}: output_grad has shape {grad_shape} and indices {indices_shape}; "
            f"for x {x_shape} both must be [N, C, ...] with N, C = {x_shape[:2]}"
        )
