"""Deformable convolution in two dimensions, and its gradients.

The backward is fused and not linear in what it takes; where it is to be differentiated itself, it is run in a second
form, written in ops. Which pixels a sample lies between is a constant there, as it is in the gradient.
"""

from __future__ import annotations

from math import prod
from typing import Any

from autograd_backends import kernels
from autograd_backends.module_ops.deform_conv import (
    AROUND,
    BEFORE,
    DeformConv2dBackward,
    DeformSamples,
    deform_samples,
)
from autograd_backends.options import DeformConvOptions

from ..registry import Array, ShapeOf, op
from .compare import where
from .indexing import add_rows, take_rows
from .product import matmul
from .reduce import sum
from .shape import concat, getitem, matrix_transpose, permute, place, reshape, stack

__all__ = [
    "DeformConv2dBackward",
    "DeformSamples",
    "deform_conv2d",
    "deform_conv2d_backward",
    "deform_conv2d_samples",
]

Needs = tuple[bool, bool, bool, bool, bool]


@op(
    formula="of bilinear samples s at the offsets: dw = g slid over mask s, ds = mask (w^T g), dmask = s (w^T g), "
    "dx = ds shared out to four pixels, doffset = ds times the slope between them, db = sum g",
    promote=True,
    real=True,
)
def deform_conv2d(
    x: Array, offset: Array, weight: Array, mask: Array | None, bias: Array | None, options: DeformConvOptions
) -> Array:
    """A convolution, each cell of whose kernel takes a bilinear sample at its place plus an offset.

    J. Dai et al., Deformable Convolutional Networks, 2017; the mask: X. Zhu et al., Deformable ConvNets v2, 2019.

    Parameters
    ----------
    x
        [N, C_in, H, W]
    offset
        [N, 2 * offset_groups * kH * kW, H', W'], (dy, dx) for each cell of the kernel.
    weight
        [C_out, C_in / weight_groups, kH, kW]
    mask
        [N, offset_groups * kH * kW, H', W'], a factor for each sample, or None for 1.
    bias
        [C_out] or None.
    options
        Stride, padding and dilation as in `conv2d`, and two numbers of groups.

    Returns
    -------
    Array
        [N, C_out, H', W'] with H' and W' as in `conv2d`. A sample between the border of x and the cell beyond it is
        mixed with zeros, and one further out is 0.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule that they break.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> x = ag.tensor([[[[1.0, 2.0, 4.0]]]])
    >>> offset = ag.tensor([[[[0.0, 0.0, 0.0]], [[0.5, 0.5, 0.5]]]])
    >>> ops.deform_conv2d(x, offset, ag.ones(1, 1, 1, 1), None, None, ops.DeformConvOptions())
    tensor([[[[1.5, 3. , 2. ]]]])
    """
    return kernels(x).deform_conv2d(x, offset, weight, mask, bias, options)


deform_conv2d.joint(
    lambda g, x, offset, weight, mask, bias, options, needs: deform_conv2d_backward(
        x, offset, weight, mask, bias, g, options, needs
    )
)


@op(nondiff=True, outputs=DeformSamples._fields)
def deform_conv2d_samples(
    offset: Array, x: ShapeOf, kernel_size: tuple[int, int], options: DeformConvOptions
) -> DeformSamples:
    """Which pixels of x [N, C, H, W] the samples for `offset` lie between: what of them does not move with it"""
    return deform_samples(offset, x, kernel_size, options)


def _backward_recorded(
    x: Any,
    offset: Any,
    weight: Any,
    mask: Any,
    bias: Any,
    output_grad: Any,
    options: DeformConvOptions,
    needs: Needs = (True,) * 5,
) -> DeformConv2dBackward:
    n, channels, height, width = x.shape
    groups, weight_groups = options.offset_groups, options.weight_groups
    kernel = tuple(weight.shape[2:])
    grid = (n, groups, prod(kernel), *output_grad.shape[2:])
    per_group = channels // groups

    # The samples, as rows with the channels of a group: four pixels each, and how far between them.
    between = deform_conv2d_samples(offset, x, kernel, options)
    moves = reshape(offset, (*grid[:3], 2, *grid[3:]))
    fractions = [
        reshape(where(between.inside, getitem(moves, (*[slice(None)] * 3, d, ...)) + beyond, 0.0), (prod(grid), 1))
        for d, beyond in enumerate((between.y, between.x))
    ]
    (after_y, after_x), (before_y, before_x) = fractions, [1.0 - fraction for fraction in fractions]
    shares = (before_y * before_x, before_y * after_x, after_y * before_x, after_y * after_x)
    padded = (n, groups, height + AROUND, width + AROUND, per_group)
    inside = (slice(None), slice(None), slice(BEFORE, BEFORE + height), slice(BEFORE, BEFORE + width), ...)
    images = permute(reshape(x, (n, groups, per_group, height, width)), (0, 1, 3, 4, 2))
    rows = reshape(place(images, padded, inside), (prod(padded[:4]), per_group))
    first = reshape(between.row, (prod(grid),))
    corners = [first + step for step in (0, 1, padded[3], padded[3] + 1)]
    a, b, c, d = [take_rows(rows, corner) for corner in corners]
    samples = shares[0] * a + shares[1] * b + shares[2] * c + shares[3] * d
    factor = None if mask is None else reshape(mask, (prod(grid), 1))

    # Columns [weight_groups, channels * cells, positions], which the weight is multiplied with, and back.
    masked = samples if factor is None else samples * factor
    columns = permute(reshape(masked, (*grid, per_group)), (1, 5, 2, 0, 3, 4))
    positions = n * grid[3] * grid[4]
    columns = reshape(columns, (weight_groups, channels * grid[2] // weight_groups, positions))
    arriving = reshape(permute(output_grad, (1, 0, 2, 3)), (weight_groups, weight.shape[0] // weight_groups, positions))
    matrix = reshape(weight, (weight_groups, weight.shape[0] // weight_groups, prod(weight.shape[1:])))
    columns_grad = reshape(
        matmul(matrix_transpose(matrix), arriving), (groups, per_group, grid[2], n, grid[3], grid[4])
    )
    masked_grad = reshape(permute(columns_grad, (3, 0, 2, 4, 5, 1)), (prod(grid), per_group))
    samples_grad = masked_grad if factor is None else masked_grad * factor

    x_grad = offset_grad = mask_grad = None
    if needs[0]:
        given = concat([samples_grad * share for share in shares], 0)
        images_grad = getitem(reshape(add_rows(rows.shape, given, concat(corners, 0)), padded), inside)
        x_grad = reshape(permute(images_grad, (0, 1, 4, 2, 3)), x.shape)
    if needs[1]:
        slopes = (before_x * (c - a) + after_x * (d - b), before_y * (b - a) + after_y * (d - c))
        moves_grad = [reshape(sum(samples_grad * slope, (1,)), grid) for slope in slopes]
        offset_grad = reshape(stack(moves_grad, 3), offset.shape)
    if needs[3] and mask is not None:
        mask_grad = reshape(sum(masked_grad * samples, (1,)), mask.shape)
    return DeformConv2dBackward(
        x_grad,
        offset_grad,
        reshape(matmul(arriving, matrix_transpose(columns)), weight.shape) if needs[2] else None,
        mask_grad,
        sum(output_grad, (0, 2, 3)) if needs[4] and bias is not None else None,
    )


@op(
    formula="that of the formula of deform_conv2d",
    outputs=DeformConv2dBackward._fields,
    recorded=_backward_recorded,
)
def deform_conv2d_backward(
    x: Array,
    offset: Array,
    weight: Array,
    mask: Array | None,
    bias: Array | None,
    output_grad: Array,
    options: DeformConvOptions,
    needs: Needs = (True, True, True, True, True),
) -> DeformConv2dBackward:
    """The gradients of `deform_conv2d`; None for what was not there and for what `needs` does not ask for"""
    return kernels(x).deform_conv2d_backward(x, offset, weight, mask, bias, output_grad, options, needs)
