"""Deformable convolution in two dimensions and its gradients.

J. Dai et al., Deformable Convolutional Networks, 2017; the mask: X. Zhu et al., Deformable ConvNets v2, 2019.

Each cell of the kernel takes a bilinear sample at its place plus an offset. Pixels are rows here: all channels of an
offset group side by side, so that a sample is made of four rows. Around each image lie zeros, one row before and two
after, so that a sample that x does not reach reads zeros like any other: nothing is masked.
"""

from __future__ import annotations

from functools import reduce
from math import prod
from operator import add
from typing import NamedTuple

from ..array_types import Array, Namespace, Shape
from ..lookup import kernels, namespace
from ..options import DeformConvOptions, per_dimension
from ..results import DeformConv2dBackward
from ..shapes import check_output_grad, deform_conv_output_shape
from .correlate import blocks
from .precision import cast, widened

__all__ = ["DeformSamples", "deform_conv2d", "deform_conv2d_backward", "deform_samples"]

Needs = tuple[bool, bool, bool, bool, bool]

#: The zeros around an image, before and after it.
BEFORE, AROUND = 1, 3


class DeformSamples(NamedTuple):
    """Where samples lie, all but how they move with the offset; each field is [N, offset_groups, kH * kW, H', W'].

    Attributes
    ----------
    row
        int64: the number of the pixel at or before the sample in both directions, counted through all images and the
        zeros around them.
    inside
        Whether x reaches the sample.
    y, x
        What an offset lies beyond that pixel: the sum of the two is between 0 and 1.
    """

    row: Array
    inside: Array
    y: Array
    x: Array


def deform_samples(
    offset: Array, x_shape: Shape, kernel: Shape, options: DeformConvOptions, first: int = 0
) -> DeformSamples:
    """Where the samples for `offset` [N, 2 * offset_groups * kH * kW, H', W'] lie.

    Parameters
    ----------
    x_shape
        The shape [N, C, H, W] of x.
    kernel
        (kH, kW)
    first
        The number of the line of the output that `offset` starts with.
    """
    xp = namespace(offset)
    groups, size = options.offset_groups, x_shape[2:]
    starts = _starts(xp, offset, kernel, options, first)
    moves = xp.reshape(offset, (offset.shape[0], groups, prod(kernel), 2, *offset.shape[2:]))
    y, x = (moves[:, :, :, d, :, :] + starts[d] for d in range(2))
    outside = xp.logical_or(xp.logical_or(y <= -1, y >= size[0]), xp.logical_or(x <= -1, x >= size[1]))
    inside = xp.logical_not(outside)
    low = []
    for place, n in ((y, size[0]), (x, size[1])):
        place = xp.floor(_or(xp, inside, place, n))
        # A place that is not a number counts as inside, and makes the sample NaN wherever it is taken.
        low.append(_or(xp, place == place, place, 0))
    line, column = (xp.astype(place, xp.int64) + BEFORE for place in low)
    images = xp.arange(offset.shape[0] * groups, dtype=xp.int64, device=offset.device)
    images = xp.reshape(images, (offset.shape[0], groups, 1, 1, 1))
    row = (images * (size[0] + AROUND) + line) * (size[1] + AROUND) + column
    return DeformSamples(row, inside, starts[0] - low[0], starts[1] - low[1])


def deform_conv2d(
    x: Array, offset: Array, weight: Array, mask: Array | None, bias: Array | None, options: DeformConvOptions
) -> Array:
    """Convolve with each cell of the kernel moved.

    Parameters
    ----------
    x
        [N, C_in, H, W]
    offset
        [N, 2 * offset_groups * kH * kW, H', W'], (dy, dx) for each cell.
    weight
        [C_out, C_in / weight_groups, kH, kW]
    mask
        [N, offset_groups * kH * kW, H', W'], a factor for each sample, or None for 1.
    bias
        [C_out] or None.

    Returns
    -------
    Array
        [N, C_out, H', W']

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    xp = namespace(x)
    shape = _output_shape(x, offset, weight, mask, bias, options)
    matrix = _matrix(xp, weight, options)
    out = xp.empty((shape[1], shape[0], *shape[2:]), dtype=matrix.dtype, device=x.device)
    for part in _parts(x, weight, shape):
        block = _Block(x, offset, mask, weight.shape[2:], options, part)
        at = (slice(None), *part, slice(None))
        out[at] = xp.reshape(xp.matmul(matrix, block.columns()), out[at].shape)
    out = xp.permute_dims(out, (1, 0, 2, 3))
    if bias is not None:
        out += xp.reshape(widened(xp, bias), (-1, 1, 1))
    return cast(xp, out, x.dtype)


def deform_conv2d_backward(
    x: Array,
    offset: Array,
    weight: Array,
    mask: Array | None,
    bias: Array | None,
    output_grad: Array,
    options: DeformConvOptions,
    needs: Needs = (True,) * 5,
) -> DeformConv2dBackward:
    """The gradients of x, offset, weight, mask and bias, from `output_grad` [N, C_out, H', W'].

    Parameters
    ----------
    needs
        Which of the five are asked for; the others are None.
    """
    xp = namespace(x)
    shape = _output_shape(x, offset, weight, mask, bias, options)
    check_output_grad("deform_conv2d_backward", output_grad.shape, shape)
    grad = widened(xp, output_grad)
    matrix = _matrix(xp, weight, options)
    dtype, device = matrix.dtype, x.device

    def zeros_for(like: Array | None, asked: bool) -> Array | None:
        return xp.zeros(like.shape, dtype=dtype, device=device) if asked and like is not None else None

    x_grad, offset_grad, mask_grad = map(zeros_for, (x, offset, mask), (needs[0], needs[1], needs[3]))
    weight_grad = zeros_for(matrix, needs[2])
    for part in _parts(x, weight, shape):
        block = _Block(x, offset, mask, weight.shape[2:], options, part)
        images, lines = part
        at = (images, slice(None), lines, slice(None))
        arriving = xp.permute_dims(grad[at], (1, 0, 2, 3))
        arriving = xp.reshape(arriving, (*matrix.shape[:2], prod(arriving.shape[1:])))
        if weight_grad is not None:
            weight_grad += xp.matmul(arriving, xp.matrix_transpose(block.columns()))
        if x_grad is None and offset_grad is None and mask_grad is None:
            continue
        columns_grad = block.rows_of(xp.matmul(xp.matrix_transpose(matrix), arriving))
        if mask_grad is not None:
            mask_grad[at] = xp.reshape(block.mask_grad(columns_grad), mask_grad[at].shape)
        if block.mask is not None:
            columns_grad *= block.mask
        if offset_grad is not None:
            offset_grad[at] = xp.reshape(block.offset_grad(columns_grad), offset_grad[at].shape)
        if x_grad is not None:
            x_grad[images, ...] += block.x_grad(columns_grad)
    return DeformConv2dBackward(
        _cast(xp, x_grad, x),
        _cast(xp, offset_grad, offset),
        _cast(xp, None if weight_grad is None else xp.reshape(weight_grad, weight.shape), weight),
        None if mask is None else _cast(xp, mask_grad, mask),
        _cast(xp, xp.sum(grad, axis=(0, 2, 3)), bias) if needs[4] and bias is not None else None,
    )


class _Block:
    """The samples for some images and lines of the output, and columns made of them and taken apart again.

    Rows are samples, ordered [n, offset_groups, kH * kW, lines, W'], with their channels; columns are
    [weight_groups, channels * kH * kW, positions], positions ordered [n, lines, W'].
    """

    def __init__(
        self,
        x: Array,
        offset: Array,
        mask: Array | None,
        kernel: Shape,
        options: DeformConvOptions,
        part: tuple[slice, ...],
    ) -> None:
        xp = self.xp = namespace(x)
        images, lines = part
        x, offset = widened(xp, x[images, ...]), widened(xp, offset[images, :, lines, :])
        groups = options.offset_groups
        self.x_shape, self.weight_groups = x.shape, options.weight_groups
        self.shape = (x.shape[0], groups, prod(kernel), *offset.shape[2:], x.shape[1] // groups)
        self.padded = (*self.shape[:2], x.shape[2] + AROUND, x.shape[3] + AROUND, self.shape[5])
        self.inside = (slice(BEFORE, BEFORE + x.shape[2]), slice(BEFORE, BEFORE + x.shape[3]))
        samples = deform_samples(offset, x.shape, kernel, options, lines.start)
        moves = xp.reshape(offset, (*self.shape[:3], 2, *self.shape[3:5]))
        self.y, self.x = (
            xp.reshape(_or(xp, samples.inside, moves[:, :, :, d, :, :] + beyond, 0), (-1, 1))
            for d, beyond in enumerate((samples.y, samples.x))
        )
        self.mask = None if mask is None else xp.reshape(widened(xp, mask[images, :, lines, :]), (-1, 1))
        first = xp.reshape(samples.row, (-1,))
        line = self.padded[3]
        self.corners = [first + step for step in (0, 1, line, line + 1)]
        rows = self._pixel_rows(x)
        self.pixels = [xp.take(rows, corner, axis=0) for corner in self.corners]

    def columns(self) -> Array:
        """The samples, times the mask, as columns."""
        xp = self.xp
        samples = self._samples()
        if self.mask is not None:
            samples *= self.mask
        columns = xp.permute_dims(xp.reshape(samples, self.shape), (1, 5, 2, 0, 3, 4))
        n, groups, cells, lines, width, channels = self.shape
        wide = groups * channels // self.weight_groups * cells
        return xp.reshape(columns, (self.weight_groups, wide, n * lines * width))

    def rows_of(self, columns: Array) -> Array:
        """The adjoint of arranging samples as columns."""
        n, groups, cells, lines, width, channels = self.shape
        columns = self.xp.reshape(columns, (groups, channels, cells, n, lines, width))
        return self.xp.reshape(self.xp.permute_dims(columns, (3, 0, 2, 4, 5, 1)), (prod(self.shape[:5]), channels))

    def mask_grad(self, columns_grad: Array) -> Array:
        """The gradient of the mask [n, offset_groups * kH * kW, lines, W'], flat"""
        return self.xp.sum(columns_grad * self._samples(), axis=1)

    def offset_grad(self, samples_grad: Array) -> Array:
        """The gradient of the offset [n, offset_groups * kH * kW, 2, lines, W']"""
        xp = self.xp
        a, b, c, d = self.pixels
        slopes = ((1 - self.x) * (c - a) + self.x * (d - b), (1 - self.y) * (b - a) + self.y * (d - c))
        grads = [xp.reshape(xp.sum(samples_grad * slope, axis=1), self.shape[:5]) for slope in slopes]
        return xp.stack(grads, axis=3)

    def x_grad(self, samples_grad: Array) -> Array:
        """The gradient of the images of x, [n, C, H, W]"""
        xp = self.xp
        rows = xp.zeros((prod(self.padded[:4]), self.padded[4]), dtype=samples_grad.dtype, device=samples_grad.device)
        shares = xp.concat([samples_grad * share for share in self._shares()], axis=0)
        rows = kernels(rows).scatter_add(rows, xp.concat(self.corners, axis=0), shares)
        images = xp.reshape(rows, self.padded)[:, :, *self.inside, :]
        return xp.reshape(xp.permute_dims(images, (0, 1, 4, 2, 3)), self.x_shape)

    def _shares(self) -> tuple[Array, ...]:
        """How much of a sample each of its four pixels is, [samples, 1]."""
        return (1 - self.y) * (1 - self.x), (1 - self.y) * self.x, self.y * (1 - self.x), self.y * self.x

    def _samples(self) -> Array:
        return reduce(add, (share * pixel for share, pixel in zip(self._shares(), self.pixels, strict=True)))

    def _pixel_rows(self, x: Array) -> Array:
        """x [n, C, H, W] with zeros around it -> [pixels, channels of an offset group]"""
        xp = self.xp
        rows = xp.zeros(self.padded, dtype=x.dtype, device=x.device)
        images = xp.reshape(x, (*self.padded[:2], self.padded[4], *x.shape[2:]))
        rows[:, :, *self.inside, :] = xp.permute_dims(images, (0, 1, 3, 4, 2))
        return xp.reshape(rows, (prod(self.padded[:4]), self.padded[4]))


def _output_shape(
    x: Array, offset: Array, weight: Array, mask: Array | None, bias: Array | None, options: DeformConvOptions
) -> Shape:
    shapes = (None if a is None else a.shape for a in (mask, bias))
    return deform_conv_output_shape(x.shape, offset.shape, weight.shape, *shapes, options)


def _parts(x: Array, weight: Array, shape: Shape) -> list[tuple[slice, ...]]:
    """Blocks of the images and lines of an output of `shape` whose columns fit the workspace."""
    line = max(1, x.shape[1] * prod(weight.shape[2:]) * shape[3])
    return blocks((shape[0], shape[2]), kernels(x).workspace // line)


def _matrix(xp: Namespace, weight: Array, options: DeformConvOptions) -> Array:
    """weight -> [weight_groups, C_out / weight_groups, C_in / weight_groups * kH * kW]"""
    groups = options.weight_groups
    return xp.reshape(widened(xp, weight), (groups, weight.shape[0] // groups, prod(weight.shape[1:])))


def _starts(xp: Namespace, offset: Array, kernel: Shape, options: DeformConvOptions, first: int) -> list[Array]:
    """The place in x of each cell at each position, without offsets: y [kH * kW, H', 1] and x [kH * kW, 1, W']"""
    stride, padding, dilation = (
        per_dimension("deform_conv2d", field, getattr(options, field), 2) for field in ("stride", "padding", "dilation")
    )

    places = []
    for d, start in enumerate((first, 0)):
        positions = xp.arange(start, start + offset.shape[2 + d], dtype=offset.dtype, device=offset.device)
        cells = xp.arange(kernel[d], dtype=offset.dtype, device=offset.device)
        cells = xp.reshape(cells * dilation[d], (-1, 1) if d == 0 else (1, -1))
        cells = xp.reshape(xp.broadcast_to(cells, kernel), (-1, 1, 1))
        positions = xp.reshape(positions * stride[d] - padding[d], (-1, 1) if d == 0 else (1, -1))
        places.append(cells + positions)
    return places


def _or(xp: Namespace, condition: Array, x: Array, otherwise: float) -> Array:
    """x where `condition` holds, the number `otherwise` elsewhere."""
    return xp.where(condition, x, xp.asarray(otherwise, dtype=x.dtype, device=x.device))


def _cast(xp: Namespace, grad: Array | None, like: Array) -> Array | None:
    return None if grad is None else cast(xp, grad, like.dtype)
