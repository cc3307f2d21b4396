"""Samples of deformable convolution and its gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ops.ops import DeformConv2dBackward, DeformConvOptions, DeformSamples

from .base import Sample, adjoint, complex_step, distinct
from .conv import each


def pixel(plane: np.ndarray, i: int, j: int) -> Any:
    """An element, or 0 outside."""
    return plane[i, j] if 0 <= i < plane.shape[0] and 0 <= j < plane.shape[1] else 0.0


def bilinear(plane: np.ndarray, y: Any, x: Any) -> Any:
    """Between the four pixels around (y, x); 0 beyond the cell next to the border. Works on complex numbers."""
    i, j = math.floor(y.real), math.floor(x.real)
    if y.real <= -1 or y.real >= plane.shape[0] or x.real <= -1 or x.real >= plane.shape[1]:
        return 0.0
    upper = (1 - (x - j)) * pixel(plane, i, j) + (x - j) * pixel(plane, i, j + 1)
    lower = (1 - (x - j)) * pixel(plane, i + 1, j) + (x - j) * pixel(plane, i + 1, j + 1)
    return (1 - (y - i)) * upper + (y - i) * lower


def deform_conv(
    x: np.ndarray, offset: np.ndarray, weight: np.ndarray, mask: Any, bias: Any, options: DeformConvOptions
) -> np.ndarray:
    """Sample by sample."""
    (sh, sw), (ph, pw), (dh, dw) = (each(v, 2) for v in (options.stride, options.padding, options.dilation))
    c_out, c_group, kh, kw = weight.shape
    per_offset = x.shape[1] // options.offset_groups
    out = np.zeros(
        (len(x), c_out, *offset.shape[2:]), np.result_type(x, offset, weight, *([] if mask is None else [mask]))
    )
    for n, o, i, j in np.ndindex(out.shape):
        first = o // (c_out // options.weight_groups) * c_group
        for c, a, b in np.ndindex(c_group, kh, kw):
            cell = (first + c) // per_offset * kh * kw + a * kw + b
            y = i * sh - ph + a * dh + offset[n, 2 * cell, i, j]
            at_x = j * sw - pw + b * dw + offset[n, 2 * cell + 1, i, j]
            factor = 1.0 if mask is None else mask[n, cell, i, j]
            out[n, o, i, j] += weight[o, c, a, b] * factor * bilinear(x[n, first + c], y, at_x)
    return out if bias is None else out + bias[:, None, None]


def deform_conv_backward(
    x: np.ndarray,
    offset: np.ndarray,
    weight: np.ndarray,
    mask: Any,
    bias: Any,
    g: np.ndarray,
    options: DeformConvOptions,
    needs: tuple[bool, ...] = (True,) * 5,
) -> DeformConv2dBackward:
    """By linearity in x, weight and mask; by a complex step in the offset."""
    grads = (
        lambda: adjoint(lambda v: deform_conv(v, offset, weight, mask, None, options), x.shape, g),
        lambda: complex_step(lambda v: deform_conv(x, v, weight, mask, None, options), offset, g),
        lambda: adjoint(lambda v: deform_conv(x, offset, v, mask, None, options), weight.shape, g),
        lambda: (
            None if mask is None else adjoint(lambda v: deform_conv(x, offset, weight, v, None, options), mask.shape, g)
        ),
        lambda: None if bias is None else g.sum((0, 2, 3)),
    )
    return DeformConv2dBackward(*[grad() if need else None for grad, need in zip(grads, needs, strict=True)])


def samples(offset: np.ndarray, x_shape: Any, kernel: Any, options: DeformConvOptions) -> DeformSamples:
    """Sample by sample: pixels are counted in images with one line of zeros before and two after, as are columns."""
    (sh, sw), (ph, pw), (dh, dw) = (each(v, 2) for v in (options.stride, options.padding, options.dilation))
    height, width = x_shape[2:]
    shape = (len(offset), options.offset_groups, kernel[0] * kernel[1], *offset.shape[2:])
    row, inside, beyond_y, beyond_x = np.zeros(shape, int), np.zeros(shape, bool), np.zeros(shape), np.zeros(shape)
    for n, group, k, i, j in np.ndindex(shape):
        at = (n, group, k, i, j)
        moved = offset[n, 2 * (group * shape[2] + k) :][:2, i, j]
        start_y, start_x = i * sh - ph + k // kernel[1] * dh, j * sw - pw + k % kernel[1] * dw
        y, x = start_y + moved[0], start_x + moved[1]
        inside[at] = -1 < y < height and -1 < x < width
        low_y, low_x = (math.floor(y), math.floor(x)) if inside[at] else (height, width)
        image = n * options.offset_groups + group
        row[at] = (image * (height + 3) + low_y + 1) * (width + 3) + low_x + 1
        beyond_y[at], beyond_x[at] = start_y - low_y, start_x - low_x
    return DeformSamples(row, inside, beyond_y, beyond_x)


#: Shapes of x and weight, options; then whether there are a mask and a bias.
CASES: list[tuple[tuple[int, ...], tuple[int, ...], DeformConvOptions, bool, bool]] = [
    ((1, 1, 3, 3), (1, 1, 2, 2), DeformConvOptions(), False, False),
    ((2, 2, 2, 2), (1, 2, 1, 2), DeformConvOptions(), True, True),
    ((1, 1, 3, 3), (1, 1, 2, 1), DeformConvOptions(stride=2, padding=(1, 2), dilation=(2, 1)), True, False),
    ((1, 4, 2, 2), (2, 2, 1, 2), DeformConvOptions(weight_groups=2), False, True),
    ((1, 2, 2, 2), (2, 2, 2, 1), DeformConvOptions(offset_groups=2), True, False),
    ((1, 4, 2, 2), (4, 1, 1, 1), DeformConvOptions(padding=(0, 1), weight_groups=4, offset_groups=2), True, True),
    ((0, 1, 2, 2), (1, 1, 2, 2), DeformConvOptions(), True, True),
]

SAMPLES: dict[str, list[Sample]] = {
    name: [] for name in ("deform_conv2d", "deform_conv2d_backward", "deform_conv2d_samples")
}
for _i, (_x, _weight, _options, _has_mask, _has_bias) in enumerate(CASES):
    _size = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(
            _x[2:],
            _weight[2:],
            *(each(v, 2) for v in (_options.stride, _options.padding, _options.dilation)),
            strict=True,
        )
    ]
    _cells = _options.offset_groups * _weight[2] * _weight[3]
    # From -1.9 to 2: samples inside, next to the border and beyond it; none where the slope jumps.
    _offset = distinct((_x[0], 2 * _cells, *_size), seed=_i + 40)
    _offset += np.where(np.abs(_offset - np.round(_offset)) < 0.02, 0.05, 0.0)
    _values = [
        distinct(_x, seed=_i),
        _offset,
        distinct(_weight, seed=_i + 10),
        distinct((_x[0], _cells, *_size), seed=_i + 20) if _has_mask else None,
        distinct(_weight[:1], seed=_i + 30) if _has_bias else None,
    ]
    _g = distinct((_x[0], _weight[0], *_size), seed=_i + 50)
    SAMPLES["deform_conv2d"].append(Sample(deform_conv, *_values, _options))
    SAMPLES["deform_conv2d_backward"].append(Sample(deform_conv_backward, *_values, _g, _options))
    SAMPLES["deform_conv2d_samples"].append(Sample(samples, _offset, _x, _weight[2:], _options))
SAMPLES["deform_conv2d_backward"] += [
    Sample(deform_conv_backward, *_values[:2], *SAMPLES["deform_conv2d_backward"][1].arguments[2:], _needs)
    for _values in [SAMPLES["deform_conv2d_backward"][1].arguments]
    for _needs in [
        (True, False, False, False, False),
        (False, True, False, True, False),
        (False, False, True, False, True),
    ]
]
