"""Samples of convolution, transposed convolution, and their gradients."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from autograd_ops.ops import ConvOptions, ConvTransposeOptions, PaddedConvOptions

from .base import Sample, adjoint, distinct


def each(value: Any, rank: int) -> tuple[int, ...]:
    """One number for each dimension."""
    return (value,) * rank if isinstance(value, int) else tuple(value)


def conv(x: np.ndarray, weight: np.ndarray, bias: Any, options: ConvOptions) -> np.ndarray:
    """Window by window over an input with its zeros around it."""
    rank = x.ndim - 2
    before, after = each(options.padding, rank), each(getattr(options, "padding_end", options.padding), rank)
    stride, dilation = each(options.stride, rank), each(options.dilation, rank)
    x = np.pad(x, ((0, 0), (0, 0), *zip(before, after, strict=True)))
    c_out, c_in, *kernel = weight.shape
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)]
    out = np.zeros((len(x), c_out, *sizes))
    for n, o, *at in np.ndindex(out.shape):
        first = o // (c_out // options.groups) * c_in
        window = [
            slice(i * s, i * s + d * (k - 1) + 1, d) for i, k, s, d in zip(at, kernel, stride, dilation, strict=True)
        ]
        out[(n, o, *at)] = np.sum(x[(n, slice(first, first + c_in), *window)] * weight[o])
    return out if bias is None else out + bias.reshape(-1, *(1,) * rank)


def x_backward(x_shape: Any, weight: np.ndarray, g: np.ndarray, options: ConvOptions) -> np.ndarray:
    """The adjoint of conv in x."""
    return adjoint(lambda x: conv(x, weight, None, options), x_shape, g)


def weight_backward(x: np.ndarray, weight_shape: Any, g: np.ndarray, options: ConvOptions) -> np.ndarray:
    """The adjoint of conv in its weight."""
    return adjoint(lambda weight: conv(x, weight, None, options), weight_shape, g)


def bias_backward(_x_shape: Any, bias_shape: Any, g: np.ndarray) -> np.ndarray:
    """The adjoint of adding a bias to every position."""
    return adjoint(lambda bias: np.zeros(g.shape) + bias.reshape(-1, *(1,) * (g.ndim - 2)), bias_shape, g)


def transposed(x: np.ndarray, weight: np.ndarray, bias: Any, options: ConvTransposeOptions) -> np.ndarray:
    """Each element of the input, times the kernel, added where it falls; then the padding cut off."""
    rank = x.ndim - 2
    names = ("stride", "padding", "padding_out", "dilation")
    stride, padding, more, dilation = (each(getattr(options, name), rank) for name in names)
    c_in, c_group, *kernel = weight.shape
    sizes = [
        (n - 1) * s + d * (k - 1) + 1 + m
        for n, k, s, m, d in zip(x.shape[2:], kernel, stride, more, dilation, strict=True)
    ]
    out = np.zeros((len(x), c_group * options.groups, *sizes))
    for n, c, *at in np.ndindex(x.shape):
        first = c // (c_in // options.groups) * c_group
        for cell in product(*map(range, kernel)):
            to = [i * s + j * d for i, j, s, d in zip(at, cell, stride, dilation, strict=True)]
            out[(n, slice(first, first + c_group), *to)] += x[(n, c, *at)] * weight[(c, slice(None), *cell)]
    out = out[(..., *(slice(p, n - p) for p, n in zip(padding, sizes, strict=True)))]
    return out if bias is None else out + bias.reshape(-1, *(1,) * rank)


def transposed_x_backward(weight: np.ndarray, g: np.ndarray, options: ConvTransposeOptions) -> np.ndarray:
    """The adjoint of transposed in x, whose size is the one that fits."""
    rank = g.ndim - 2
    for sizes in product(range(1, 6), repeat=rank):
        x_shape = (len(g), weight.shape[0], *sizes)
        if transposed(np.zeros(x_shape), weight, None, options).shape == g.shape:
            return adjoint(lambda x: transposed(x, weight, None, options), x_shape, g)
    raise AssertionError("no input gives an output of that size")


def transposed_weight_backward(x: np.ndarray, shape: Any, g: np.ndarray, options: ConvTransposeOptions) -> np.ndarray:
    """The adjoint of transposed in its weight."""
    return adjoint(lambda weight: transposed(x, weight, None, options), shape, g)


asymmetric = PaddedConvOptions.asymmetric

#: Shapes of x and weight; options: each field alone, fields together, strides that leave a remainder, nothing at all.
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
    ((1, 2, 3, 2), (2, 2, 1, 1), ConvOptions(stride=2, padding=1)),
    ((0, 2, 3, 3), (2, 2, 2, 2), ConvOptions(padding=1)),
    ((1, 0, 3, 3), (2, 0, 2, 2), ConvOptions()),
    ((1, 2, 3, 3), (0, 2, 2, 2), ConvOptions()),
    ((2, 2, 4), (2, 2, 3), ConvOptions(padding=1)),
    ((1, 2, 6), (2, 1, 2), ConvOptions(stride=2, dilation=2, groups=2)),
    ((1, 1, 4), (2, 1, 2), asymmetric(2, 0, 3)),
    ((2, 1, 3), (2, 1, 1), ConvOptions()),
    ((0, 1, 3), (1, 1, 2), ConvOptions()),
    ((1, 2, 2, 3, 2), (2, 2, 2, 2, 1), ConvOptions()),
    ((1, 2, 3, 2, 3), (2, 1, 2, 1, 2), ConvOptions((2, 1, 2), (1, 0, 1), (1, 2, 1), 2)),
    ((1, 1, 2, 3, 2), (1, 1, 2, 2, 2), asymmetric(2, (1, 0, 1), (0, 2, 1))),
    ((0, 1, 2, 2, 2), (1, 1, 1, 2, 2), ConvOptions()),
]

Transposed = ConvTransposeOptions

#: The same for transposed convolutions; a `padding_out` of the stride and more, too.
TRANSPOSED_CASES: list[tuple[tuple[int, ...], tuple[int, ...], ConvTransposeOptions]] = [
    ((2, 2, 2, 3), (2, 2, 2, 2), Transposed()),
    ((1, 2, 2, 3), (2, 1, 3, 2), Transposed(stride=(2, 3))),
    ((1, 1, 3, 3), (1, 2, 3, 2), Transposed(padding=(2, 1))),
    ((1, 1, 2, 2), (1, 1, 3, 3), Transposed(stride=2, padding=1, padding_out=1)),
    ((1, 1, 2, 2), (1, 2, 2, 2), Transposed(stride=(1, 2), padding=1, padding_out=(2, 3))),
    ((1, 1, 2, 2), (1, 1, 2, 2), Transposed(dilation=(2, 3))),
    ((1, 4, 1, 2), (4, 2, 2, 2), Transposed(stride=2, groups=2)),
    ((0, 2, 2, 2), (2, 1, 2, 2), Transposed(stride=2)),
    ((1, 0, 2, 2), (0, 2, 2, 2), Transposed()),
    ((2, 2, 3), (2, 2, 3), Transposed(stride=2, padding=1, padding_out=1)),
    ((1, 2, 2), (2, 1, 2), Transposed(dilation=3, groups=2)),
    ((1, 1, 2), (1, 1, 1), Transposed(padding_out=2)),
    ((0, 1, 2), (1, 1, 2), Transposed()),
    ((1, 2, 2, 1, 2), (2, 1, 2, 2, 2), Transposed((1, 2, 1), (1, 0, 1), (0, 1, 1), 1, 1)),
    ((1, 2, 1, 2, 1), (2, 1, 1, 2, 2), Transposed(stride=2, dilation=2, groups=2)),
    ((0, 1, 1, 2, 1), (1, 1, 1, 2, 2), Transposed()),
]

SAMPLES: dict[str, list[Sample]] = {}


def add(op: str, *sample: Any) -> None:
    """Put a sample into the list of `op`."""
    SAMPLES.setdefault(op, []).append(Sample(*sample))


for _i, (_x, _weight, _options) in enumerate(CASES):
    _name = f"conv{len(_x) - 2}d"
    _out = conv(np.zeros(_x), np.zeros(_weight), None, _options).shape
    _x_values, _weight_values, _g = (distinct(shape, seed=_i + 10 * k) for k, shape in enumerate((_x, _weight, _out)))
    for _bias in (None, distinct(_weight[:1], seed=5)):
        add(_name, conv, _x_values, _weight_values, _bias, _options)
    add(f"{_name}_x_backward", x_backward, _x, _weight_values, _g, _options)
    add(f"{_name}_weight_backward", weight_backward, _x_values, _weight, _g, _options)
    add(f"{_name}_bias_backward", bias_backward, _x, _weight[:1], _g)

for _i, (_x, _weight, _transposed) in enumerate(TRANSPOSED_CASES):
    _name = f"conv_transpose{len(_x) - 2}d"
    _out = transposed(np.zeros(_x), np.zeros(_weight), None, _transposed).shape
    _x_values, _weight_values, _g = (distinct(shape, seed=_i + 10 * k) for k, shape in enumerate((_x, _weight, _out)))
    for _bias in (None, distinct(_out[1:2], seed=5)):
        add(_name, transposed, _x_values, _weight_values, _bias, _transposed)
    add(f"{_name}_x_backward", transposed_x_backward, _weight_values, _g, _transposed)
    add(f"{_name}_weight_backward", transposed_weight_backward, _x_values, _weight, _g, _transposed)
    add(f"{_name}_bias_backward", bias_backward, _x, _out[1:2], _g)
