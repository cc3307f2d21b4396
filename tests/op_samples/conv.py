"""Samples of convolution and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ops.ops import ConvOptions, PaddedConvOptions

from .base import Sample, adjoint, distinct


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


def conv2d(x: np.ndarray, weight: np.ndarray, bias: Any, options: ConvOptions) -> np.ndarray:
    """Window by window over an input with its zeros around it."""
    before, after = _pair(options.padding), _pair(getattr(options, "padding_end", options.padding))
    (sh, sw), (dh, dw) = _pair(options.stride), _pair(options.dilation)
    x = np.pad(x, ((0, 0), (0, 0), (before[0], after[0]), (before[1], after[1])))
    c_out, c_in, kh, kw = weight.shape
    out = np.zeros(
        (len(x), c_out, (x.shape[2] - dh * (kh - 1) - 1) // sh + 1, (x.shape[3] - dw * (kw - 1) - 1) // sw + 1)
    )
    for n, o, i, j in np.ndindex(out.shape):
        first = o // (c_out // options.groups) * c_in
        rows, columns = slice(i * sh, i * sh + dh * (kh - 1) + 1, dh), slice(j * sw, j * sw + dw * (kw - 1) + 1, dw)
        out[n, o, i, j] = np.sum(x[n, first : first + c_in, rows, columns] * weight[o])
    return out if bias is None else out + bias[:, None, None]


def x_backward(x_shape: Any, weight: np.ndarray, g: np.ndarray, options: ConvOptions) -> np.ndarray:
    """The adjoint of conv2d in x."""
    return adjoint(lambda x: conv2d(x, weight, None, options), x_shape, g)


def weight_backward(x: np.ndarray, weight_shape: Any, g: np.ndarray, options: ConvOptions) -> np.ndarray:
    """The adjoint of conv2d in its weight."""
    return adjoint(lambda weight: conv2d(x, weight, None, options), weight_shape, g)


def bias_backward(_x_shape: Any, bias_shape: Any, g: np.ndarray) -> np.ndarray:
    """The adjoint of adding a bias to every position."""
    return adjoint(lambda bias: np.zeros(g.shape) + bias[:, None, None], bias_shape, g)


asymmetric = PaddedConvOptions.asymmetric

#: Shapes of x and weight; options: each field alone, fields together, strides that leave a remainder.
CASES: list[tuple[tuple[int, ...], tuple[int, ...], ConvOptions]] = [
    ((2, 2, 3, 4), (2, 2, 2, 3), ConvOptions()),
    ((1, 1, 4, 5), (2, 1, 2, 2), ConvOptions(stride=2)),
    ((1, 1, 5, 4), (1, 1, 2, 2), ConvOptions(stride=(3, 1))),
    ((1, 2, 3, 2), (1, 2, 3, 2), ConvOptions(padding=(1, 2))),
    ((1, 1, 5, 4), (1, 1, 2, 2), ConvOptions(dilation=(3, 2))),
    ((1, 4, 2, 3), (4, 2, 2, 2), ConvOptions(groups=2)),
    ((1, 2, 3, 3), (4, 1, 2, 2), ConvOptions(groups=2, padding=1, stride=2)),
    ((1, 1, 4, 3), (1, 1, 2, 2), asymmetric(2, (0, 2), (1, 0))),
    ((1, 2, 3, 4), (2, 1, 2, 2), asymmetric(1, 1, (0, 2), 2, 2)),
    ((2, 1, 2, 2), (3, 1, 1, 1), ConvOptions()),
    ((0, 2, 3, 3), (2, 2, 2, 2), ConvOptions(padding=1)),
]


def output_shape(x_shape: Any, weight_shape: Any, options: ConvOptions) -> tuple[int, ...]:
    """By running the reference."""
    return conv2d(np.zeros(x_shape), np.zeros(weight_shape), None, options).shape


SAMPLES: dict[str, list[Sample]] = {
    name: [] for name in ("conv2d", "conv2d_x_backward", "conv2d_weight_backward", "conv2d_bias_backward")
}
for _i, (_x, _weight, _options) in enumerate(CASES):
    _out = output_shape(_x, _weight, _options)
    _x_values, _weight_values, _g = (distinct(shape, seed=_i + 10 * k) for k, shape in enumerate((_x, _weight, _out)))
    for _bias in (None, distinct(_weight[:1], seed=5)):
        SAMPLES["conv2d"].append(Sample(conv2d, _x_values, _weight_values, _bias, _options))
    SAMPLES["conv2d_x_backward"].append(Sample(x_backward, _x, _weight_values, _g, _options))
    SAMPLES["conv2d_weight_backward"].append(Sample(weight_backward, _x_values, _weight, _g, _options))
    SAMPLES["conv2d_bias_backward"].append(Sample(bias_backward, _x, _weight[:1], _g))
