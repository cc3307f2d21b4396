"""Convolution in one, two or three dimensions, and its three gradients.

All are one matrix product with `columns`: what each cell of the kernel meets at each position. In memory
the batch comes last, ``[C, *spatial, N]``. So the strided slices that columns are made of have long
contiguous runs, one product serves the whole batch, and results are views, in the usual order of dimensions,
of what the product gives: the next convolution finds the order that it wants without a copy.

A transposed convolution is the same three functions with their roles exchanged: it is the gradient in x.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from math import prod
from operator import add

from ..array_types import Array, Namespace, Shape
from ..lookup import namespace
from ..options import ConvOptions
from ..shapes import conv_output_shape, conv_windows
from ..windows import Window
from .precision import cast, widened

__all__ = ["conv", "conv_bias_backward", "conv_weight_backward", "conv_x_backward"]

#: The most elements that the columns of one product may have; a larger batch is cut.
WORKSPACE = 2**25


def conv(x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
    """Cross-correlate `x` with `weight`.

    Parameters
    ----------
    x
        [N, C_in, ...] with one, two or three spatial dimensions.
    weight
        [C_out, C_in / groups, ...]
    bias
        [C_out] or None.

    Returns
    -------
    Array
        [N, C_out, ...]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    xp = namespace(x)
    op_name = f"conv{weight.ndim - 2}d"
    shape = conv_output_shape(op_name, x.shape, weight.shape, None if bias is None else bias.shape, options)
    windows = conv_windows(x.shape[2:], weight.shape[2:], shape[2:], options)
    groups = options.groups
    dtype = x.dtype
    wide = _batch_last(xp, widened(xp, x))
    matrix = _by_group(xp, widened(xp, weight), groups)
    parts = [
        xp.reshape(
            xp.matmul(matrix, _columns(xp, wide[..., part], windows, groups)),
            (*shape[1:], part.stop - part.start),
        )
        for part in _parts(x.shape[0], x.shape[1], windows)
    ]
    out = parts[0] if len(parts) == 1 else xp.concat(parts, axis=-1)
    if bias is not None:
        out += xp.reshape(widened(xp, bias), (-1,) + (1,) * (x.ndim - 1))
    return _batch_first(xp, cast(xp, out, dtype))


def conv_x_backward(x_shape: Shape, weight: Array, output_grad: Array, options: ConvOptions) -> Array:
    """The gradient of x: what each position of the kernel met gets back its share.

    Parameters
    ----------
    x_shape
        The shape [N, C_in, ...] of x.
    weight
        [C_out, C_in / groups, ...]
    output_grad
        [N, C_out, ...]

    Returns
    -------
    Array
        [N, C_in, ...]
    """
    xp = namespace(output_grad)
    windows = conv_windows(x_shape[2:], weight.shape[2:], output_grad.shape[2:], options)
    matrix = xp.matrix_transpose(_by_group(xp, widened(xp, weight), options.groups))
    grad = _batch_last(xp, widened(xp, output_grad))
    parts = [
        _add_columns(xp, xp.matmul(matrix, _by_group(xp, grad[..., part], options.groups)), x_shape[1], windows)
        for part in _parts(x_shape[0], x_shape[1], windows)
    ]
    x_grad = parts[0] if len(parts) == 1 else xp.concat(parts, axis=-1)
    return _batch_first(xp, cast(xp, x_grad, output_grad.dtype))


def conv_weight_backward(x: Array, weight_shape: Shape, output_grad: Array, options: ConvOptions) -> Array:
    """The gradient of weight: the products of x and `output_grad`, summed over positions and batch.

    Parameters
    ----------
    x
        [N, C_in, ...]
    weight_shape
        The shape [C_out, C_in / groups, ...] of weight.
    output_grad
        [N, C_out, ...]

    Returns
    -------
    Array
        [C_out, C_in / groups, ...]
    """
    xp = namespace(output_grad)
    windows = conv_windows(x.shape[2:], weight_shape[2:], output_grad.shape[2:], options)
    groups = options.groups
    wide = _batch_last(xp, widened(xp, x))
    grad = _batch_last(xp, widened(xp, output_grad))
    products = (
        xp.matmul(
            _by_group(xp, grad[..., part], groups),
            xp.matrix_transpose(_columns(xp, wide[..., part], windows, groups)),
        )
        for part in _parts(x.shape[0], x.shape[1], windows)
    )
    return cast(xp, xp.reshape(reduce(add, products), weight_shape), output_grad.dtype)


def conv_bias_backward(output_grad: Array) -> Array:
    """output_grad [N, C_out, ...] summed over batch and positions -> the gradient of bias [C_out]"""
    return namespace(output_grad).sum(output_grad, axis=(0, *range(2, output_grad.ndim)))


def _batch_last(xp: Namespace, x: Array) -> Array:
    """[N, C, ...] -> [C, ..., N]"""
    return xp.permute_dims(x, (*range(1, x.ndim), 0))


def _batch_first(xp: Namespace, x: Array) -> Array:
    """[C, ..., N] -> [N, C, ...]"""
    return xp.permute_dims(x, (x.ndim - 1, *range(x.ndim - 1)))


def _by_group(xp: Namespace, x: Array, groups: int) -> Array:
    """[C, ...] -> [groups, C / groups, everything else]"""
    return xp.reshape(x, (groups, x.shape[0] // groups, prod(x.shape[1:])))


def _parts(batch: int, channels: int, windows: tuple[Window, ...]) -> Iterator[slice]:
    """The batch in parts whose columns fit the workspace; one empty part for an empty batch."""
    columns = max(1, channels * prod(w.kernel * w.out for w in windows))
    step = max(1, WORKSPACE // columns)
    for start in range(0, max(batch, 1), step):
        yield slice(start, min(start + step, batch))


def _cells(windows: tuple[Window, ...]) -> Iterator[tuple[slice, ...]]:
    """For each cell of the kernel, the index of what it meets in a padded buffer [C, *padded, N]."""
    for cell in product(*(range(w.kernel) for w in windows)):
        yield (slice(None), *(w.cell(k) for w, k in zip(windows, cell, strict=True)))


def _inside(windows: tuple[Window, ...]) -> tuple[slice, ...]:
    """The index of the input in a padded buffer [C, *padded, N]."""
    return (slice(None), *(slice(w.before, w.before + w.size) for w in windows))


def _columns(xp: Namespace, x: Array, windows: tuple[Window, ...], groups: int) -> Array:
    """x [C, *spatial, N] -> [groups, C / groups * cells, positions * N]"""
    if any(w.padded != w.size for w in windows):
        padded = xp.zeros((x.shape[0], *(w.padded for w in windows), x.shape[-1]), dtype=x.dtype, device=x.device)
        padded[(*_inside(windows), ...)] = x
        x = padded
    columns = xp.stack([x[(*cell, ...)] for cell in _cells(windows)], axis=1)
    cells, positions = prod(w.kernel for w in windows), prod(w.out for w in windows)
    return xp.reshape(columns, (groups, x.shape[0] // groups * cells, positions * x.shape[-1]))


def _add_columns(xp: Namespace, columns: Array, channels: int, windows: tuple[Window, ...]) -> Array:
    """The adjoint of `_columns`: [groups, C / groups * cells, positions * N] -> [C, *spatial, N]"""
    cells, positions = prod(w.kernel for w in windows), prod(w.out for w in windows)
    batch = columns.shape[-1] // positions
    columns = xp.reshape(columns, (channels, cells, *(w.out for w in windows), batch))
    padded = xp.zeros((channels, *(w.padded for w in windows), batch), dtype=columns.dtype, device=columns.device)
    for k, cell in enumerate(_cells(windows)):
        padded[(*cell, ...)] += columns[:, k, ...]
    return padded[(*_inside(windows), ...)]
