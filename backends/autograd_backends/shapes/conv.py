"""Shapes of convolutions, plain, transposed and deformable."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from ..array_types import Shape
from ..errors import ShapeError
from ..options import (
    ConvOptions,
    ConvTransposeOptions,
    DeformConvOptions,
    per_dimension,
)
from ..windows import Window
from .common import check_output_grad, check_rank
from .hints import channels_hint

__all__ = [
    "check_bias_backward",
    "conv_output_shape",
    "conv_transpose_output_shape",
    "conv_transpose_windows",
    "conv_transpose_x_shape",
    "conv_windows",
    "deform_conv_output_shape",
]


@lru_cache(maxsize=4096)
def conv_output_shape(
    op_name: str, x_shape: Shape, weight_shape: Shape, bias_shape: Shape | None, options: ConvOptions
) -> Shape:
    """The shape [N, C_out, ...] that a convolution of these shapes gives.

    Parameters
    ----------
    op_name
        For messages; it ends in the number of spatial dimensions: ``"conv2d"``.
    x_shape, weight_shape, bias_shape
        [N, C_in, ...], [C_out, C_in / groups, ...] and [C_out] or None.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    rank = int(op_name[-2])
    check_rank(op_name, x_shape, rank)
    groups = options.groups
    _check_weight(op_name, x_shape, weight_shape, "[C_out, C_in / groups, ...]", groups)
    if x_shape[1] != weight_shape[1] * groups:
        raise ShapeError(
            f"{op_name}: x has {x_shape[1]} channels (dimension 1 of {x_shape}) "
            f"but weight {weight_shape} with groups={groups} expects {weight_shape[1] * groups}"
            f"{channels_hint(x_shape, weight_shape[1] * groups)}"
        )
    if bias_shape is not None and bias_shape != weight_shape[:1]:
        raise ShapeError(f"{op_name}: bias has shape {bias_shape} but weight {weight_shape} expects {weight_shape[:1]}")
    sizes = []
    stride = per_dimension(op_name, "stride", options.stride, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    padding = options.padding_pairs(op_name, rank)
    for d in range(rank):
        padded = x_shape[2 + d] + sum(padding[d])
        extent = dilation[d] * (weight_shape[2 + d] - 1) + 1
        if padded < extent:
            raise ShapeError(
                f"{op_name}: the kernel spans {extent} (dimension {2 + d} of weight {weight_shape}, "
                f"dilation={dilation[d]}) but x {x_shape} with padding {padding[d]} is {padded} long there"
            )
        sizes.append((padded - extent) // stride[d] + 1)
    return (x_shape[0], weight_shape[0], *sizes)


@lru_cache(maxsize=4096)
def conv_windows(op_name: str, x_shape: Shape, weight_shape: Shape, options: ConvOptions) -> tuple[Window, ...]:
    """The kernel's positions in each spatial dimension, after the checks of ``conv_output_shape``."""
    out = conv_output_shape(op_name, x_shape, weight_shape, None, options)
    rank = len(out) - 2
    stride = per_dimension(op_name, "stride", options.stride, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    before = [pair[0] for pair in options.padding_pairs(op_name, rank)]
    return tuple(
        Window(x_shape[2 + d], weight_shape[2 + d], stride[d], before[d], dilation[d], out[2 + d]) for d in range(rank)
    )


@lru_cache(maxsize=4096)
def conv_transpose_output_shape(
    op_name: str, x_shape: Shape, weight_shape: Shape, bias_shape: Shape | None, options: ConvTransposeOptions
) -> Shape:
    """The shape [N, C_out, ...] that a transposed convolution of these shapes gives.

    Parameters
    ----------
    op_name
        For messages; it ends in the number of spatial dimensions: ``"conv_transpose2d"``.
    x_shape, weight_shape, bias_shape
        [N, C_in, ...], [C_in, C_out / groups, ...] and [C_out] or None.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    rank = int(op_name[-2])
    check_rank(op_name, x_shape, rank)
    groups = options.groups
    _check_weight(op_name, x_shape, weight_shape, "[C_in, C_out / groups, ...]", groups)
    if x_shape[1] != weight_shape[0]:
        raise ShapeError(
            f"{op_name}: x has {x_shape[1]} channels (dimension 1 of {x_shape}) "
            f"but weight {weight_shape} expects {weight_shape[0]} (its dimension 0)"
        )
    channels = weight_shape[1] * groups
    if bias_shape is not None and bias_shape != (channels,):
        raise ShapeError(
            f"{op_name}: bias has shape {bias_shape} but weight {weight_shape} with groups={groups} "
            f"expects ({channels},)"
        )
    if 0 in x_shape[2:]:
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0")
    least = _transposed_sizes(op_name, weight_shape, options)
    stride = per_dimension(op_name, "stride", options.stride, rank)
    sizes = tuple((n - 1) * s + start for n, s, start in zip(x_shape[2:], stride, least, strict=True))
    if min(sizes) < 1:
        raise ShapeError(
            f"{op_name}: x {x_shape} with weight {weight_shape} and padding={options.padding} "
            f"leaves an output of size {sizes}"
        )
    return (x_shape[0], channels, *sizes)


@lru_cache(maxsize=4096)
def conv_transpose_x_shape(
    op_name: str, weight_shape: Shape, output_grad_shape: Shape, options: ConvTransposeOptions
) -> Shape:
    """The shape [N, C_in, ...] of the x that gives an output of `output_grad_shape` [N, C_out, ...].

    Raises
    ------
    ShapeError
        If there is none.
    """
    rank = int(op_name[-2])
    if len(output_grad_shape) != rank + 2 or len(weight_shape) != rank + 2:
        raise ShapeError(
            f"{op_name}: output_grad {output_grad_shape} and weight {weight_shape} must both have {rank + 2} dimensions"
        )
    least = _transposed_sizes(op_name, weight_shape, options)
    stride = per_dimension(op_name, "stride", options.stride, rank)
    sizes = [(n - start) // s + 1 for n, s, start in zip(output_grad_shape[2:], stride, least, strict=True)]
    x_shape = (output_grad_shape[0], weight_shape[0], *sizes)
    made = conv_transpose_output_shape(op_name, x_shape, weight_shape, None, options)
    check_output_grad(op_name, output_grad_shape, made)
    return x_shape


@lru_cache(maxsize=4096)
def conv_transpose_windows(
    op_name: str, x_shape: Shape, weight_shape: Shape, options: ConvTransposeOptions
) -> tuple[Window, ...]:
    """The kernel's positions over the output, one for each cell of x, after the checks of the output's shape."""
    out = conv_transpose_output_shape(op_name, x_shape, weight_shape, None, options)
    rank = len(out) - 2
    stride = per_dimension(op_name, "stride", options.stride, rank)
    padding = per_dimension(op_name, "padding", options.padding, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    return tuple(
        Window(out[2 + d], weight_shape[2 + d], stride[d], padding[d], dilation[d], x_shape[2 + d]) for d in range(rank)
    )


def _transposed_sizes(op_name: str, weight_shape: Shape, options: ConvTransposeOptions) -> tuple[int, ...]:
    """The size of the output for an x of size 1, in each spatial dimension."""
    rank = len(weight_shape) - 2
    padding = per_dimension(op_name, "padding", options.padding, rank)
    padding_out = per_dimension(op_name, "padding_out", options.padding_out, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    return tuple(
        d * (k - 1) + 1 + more - 2 * p
        for k, p, more, d in zip(weight_shape[2:], padding, padding_out, dilation, strict=True)
    )


@lru_cache(maxsize=4096)
def deform_conv_output_shape(
    x_shape: Shape,
    offset_shape: Shape,
    weight_shape: Shape,
    mask_shape: Shape | None,
    bias_shape: Shape | None,
    options: DeformConvOptions,
) -> Shape:
    """The shape [N, C_out, H', W'] that a deformable convolution of these shapes gives.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    name = "deform_conv2d"
    plain = ConvOptions(options.stride, options.padding, options.dilation, options.weight_groups)
    out = conv_output_shape(name, x_shape, weight_shape, bias_shape, plain)
    groups = options.offset_groups
    if x_shape[1] % groups:
        raise ShapeError(
            f"{name}: x has {x_shape[1]} channels (dimension 1 of {x_shape}), "
            f"which offset_groups={groups} does not divide"
        )
    cells = groups * prod(weight_shape[2:])
    for argument, shape, per_cell in (("offset", offset_shape, 2), ("mask", mask_shape, 1)):
        expected = (x_shape[0], per_cell * cells, *out[2:])
        if shape is not None and shape != expected:
            raise ShapeError(
                f"{name}: {argument} has shape {shape} but x {x_shape}, weight {weight_shape} and "
                f"offset_groups={groups} expect {expected}"
            )
    return out


def check_bias_backward(op_name: str, x_shape: Shape, bias_shape: Shape, output_grad_shape: Shape) -> None:
    """Refuse a gradient output_grad [N, C_out, ...] that is not beside x [N, C_in, ...] and bias [C_out]."""
    if len(output_grad_shape) != len(x_shape) or output_grad_shape[:2] != (*x_shape[:1], *bias_shape):
        raise ShapeError(
            f"{op_name}: output_grad has shape {output_grad_shape} but x {x_shape} and bias {bias_shape} expect "
            f"{len(x_shape)} dimensions, [N, C_out, ...] with N, C_out = {(*x_shape[:1], *bias_shape)}"
        )


def _check_weight(op_name: str, x_shape: Shape, weight_shape: Shape, layout: str, groups: int) -> None:
    """What holds for the weight of every convolution."""
    rank = len(x_shape) - 2
    if len(weight_shape) != rank + 2:
        raise ShapeError(
            f"{op_name}: weight has {len(weight_shape)} dimensions {weight_shape}; "
            f"for x {x_shape} it needs {rank + 2}, {layout}"
        )
    if weight_shape[0] % groups:
        raise ShapeError(
            f"{op_name}: dimension 0 of weight {weight_shape}, {layout}, is {weight_shape[0]}, "
            f"which groups={groups} does not divide"
        )
    if 0 in weight_shape[2:]:
        raise ShapeError(f"{op_name}: weight {weight_shape} has a kernel with no cells")
