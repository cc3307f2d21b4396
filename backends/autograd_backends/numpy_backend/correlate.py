"""Cross-correlation on NumPy: as the default, with a third of its copies.

Columns are made for the cells of all dimensions but the first: ``[rows, C, cells, positions, N]``, for each row of the
padded input. What a kernel of height h meets at one row of the output are then h rows of these, which lie in one piece:
so the matrix of all columns is a view, whose rows overlap, and each row of the output is one product, made where it
belongs. For the gradient of weight the rows come after the channels, and each row of the kernel is one product over
all positions.

Without strides the gradient of x is a correlation of the output's with the kernel turned round.

In memory the batch comes last, here too.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from ..array_types import Array, Shape
from ..base import Backend
from ..lookup import kernels
from ..windows import Window
from .buffers import empty
from .namespace import matmul, matmul_into

__all__ = ["correlate", "correlate_weight_backward", "correlate_x_backward"]

#: Products of rows of fewer elements than this are too thin.
THIN = 32

#: So few columns make the products of the default, of more at a time, the faster ones.
FEW = 24


def correlate(x: Array, weight: Array, bias: Array | None, windows: tuple[Window, ...], groups: int) -> Array:
    """x [N, C_in, ...] met by weight [C_out, C_in / groups, ...] in each of `windows`, plus bias [C_out]"""
    n = x.shape[0]
    if not _pays(windows, n, x.shape[1], kernels(x).workspace) or not x.size or not weight.size:
        return Backend.correlate(x, weight, bias, windows, groups)
    out = empty((weight.shape[0], *(w.out for w in windows), n), x.dtype)
    if all(w == Window(w.size, 1, 1, 0, 1, w.size) for w in windows):
        met = _batch_last(x).reshape(groups, x.shape[1] // groups, -1)
        by_group = weight.reshape(groups, weight.shape[0] // groups, -1)
        matmul_into(by_group, met, out.reshape(groups, by_group.shape[1], -1))
        if bias is not None:
            out += bias.reshape(-1, *(1,) * (out.ndim - 1))
    else:
        _correlate_into(out, _batch_last(x), weight, bias, windows, groups)
    return _batch_first(out)


def correlate_x_backward(weight: Array, output_grad: Array, windows: tuple[Window, ...], groups: int) -> Array:
    """The adjoint in x: output_grad [N, C_out, ...] -> [N, C_in, ...]"""
    # Each cell of x met, of the output, what the turned kernel meets.
    turned = tuple(
        [Window(w.out, w.kernel, 1, (w.kernel - 1) * w.dilation - w.before, w.dilation, w.size) for w in windows]
    )
    n, channels = output_grad.shape[:2]
    if (
        any(w.stride > 1 for w in windows)
        or weight.shape[1] * groups < channels  # there are fewer columns to be made of x
        or not _pays(turned, n, channels, kernels(output_grad).workspace)
        or not output_grad.size
    ):
        return Backend.correlate_x_backward(weight, output_grad, windows, groups)
    out = empty((weight.shape[1] * groups, *(w.out for w in turned), n), output_grad.dtype)
    _correlate_into(out, _batch_last(output_grad), _turned(weight, groups), None, turned, groups)
    return _batch_first(out)


def correlate_weight_backward(x: Array, output_grad: Array, windows: tuple[Window, ...], groups: int) -> Array:
    """The adjoint in weight: x [N, C_in, ...], output_grad [N, C_out, ...] -> [C_out, C_in / groups, ...]"""
    n = x.shape[0]
    first, *rest = windows
    each, cells = x.shape[1] // groups, prod(w.kernel for w in rest)
    if first.stride > 1 or each * cells < FEW or not _pays(windows, n, x.shape[1], kernels(x).workspace) or not x.size:
        return Backend.correlate_weight_backward(x, output_grad, windows, groups)
    source, grad = _batch_last(x), _batch_last(output_grad)
    inner = prod(w.out for w in rest) * n
    grads = grad.reshape(groups, grad.shape[0] // groups, first.out, inner)
    # With the longer side of it before the shorter BLAS makes a product of two thin matrices half again as fast.
    total = np.zeros((groups, first.kernel, each * cells, grads.shape[1]), x.dtype)
    step = max(1, kernels(x).workspace // (x.shape[1] * cells * inner) - first.kernel + 1)
    height = min(step, first.out) + first.kernel - 1
    columns = _empty_columns((groups, height, each, cells), source, windows, rows_late=True)
    for start in range(0, first.out, step):
        stop = min(start + step, first.out)
        count = stop - start
        _fill(columns, source, windows, start, count + first.kernel - 1)
        arriving = grads[:, :, start:stop].reshape(groups, grads.shape[1], count * inner)
        flat = np.moveaxis(columns, 1, 3).reshape(groups, each * cells, -1)
        for i in range(first.kernel):
            met = flat[:, :, i * inner : (i + count) * inner]
            total[:, i] += matmul(met, arriving.swapaxes(1, 2))
    shape = (groups, first.kernel, each, cells, grads.shape[1])
    return total.reshape(shape).transpose(0, 4, 2, 1, 3).reshape(grad.shape[0], each, *(w.kernel for w in windows))


def _pays(windows: tuple[Window, ...], n: int, channels: int, workspace: int) -> bool:
    """Whether there are several dimensions, whose first has its cells side by side, and rows that are neither too thin
    nor so long that the columns of those that a kernel meets exceed the workspace."""
    first, *rest = windows
    row = prod(w.out for w in rest) * n
    columns = row * prod(w.kernel for w in windows) * channels
    return bool(rest) and first.dilation == 1 and row >= THIN and columns <= workspace


def _correlate_into(
    out: Array, source: Array, weight: Array, bias: Array | None, windows: tuple[Window, ...], groups: int
) -> None:
    """out [C_out, ..., N], in one piece, of source [C_in, ..., N]"""
    n = source.shape[-1]
    first, *rest = windows
    each, cells = source.shape[0] // groups, prod(w.kernel for w in rest)
    inner = prod(w.out for w in rest) * n
    shape = (groups, weight.shape[0] // groups, each, first.kernel, cells)
    matrix = weight.reshape(shape).transpose(0, 1, 3, 2, 4).reshape(groups, 1, shape[1], -1)
    rows_out = out.reshape(groups, shape[1], first.out, inner).transpose(0, 2, 1, 3)
    fitting = max(1, kernels(source).workspace // (source.shape[0] * cells * inner))
    step = max(1, (fitting - first.kernel) // first.stride + 1)
    height = (min(step, first.out) - 1) * first.stride + first.kernel
    columns = _empty_columns((groups, height, each, cells), source, windows)
    by_group, by_row = columns.strides[:2]
    for start in range(0, first.out, step):
        stop = min(start + step, first.out)
        _fill(columns, source, windows, start * first.stride, (stop - start - 1) * first.stride + first.kernel)
        met = np.lib.stride_tricks.as_strided(
            columns,
            (groups, stop - start, matrix.shape[-1], inner),
            (by_group, by_row * first.stride, inner * columns.itemsize, columns.itemsize),
        )
        matmul_into(matrix, met, rows_out[:, start:stop])
        if bias is not None:
            out[:, start:stop] += bias.reshape(-1, *(1,) * (out.ndim - 1))


def _empty_columns(lead: Shape, source: Array, windows: tuple[Window, ...], rows_late: bool = False) -> Array:
    """Columns [groups, rows, C / groups, cells, ..., N] for `_fill`, 0 where cells meet the padding beside the rows.

    With `rows_late` the rows come after the cells in memory.
    """
    rest = windows[1:]
    groups, rows, each, cells = lead
    tail = (*(w.out for w in rest), source.shape[-1])
    if rows_late:
        columns = np.moveaxis(np.empty((groups, each, cells, rows, *tail), source.dtype), 3, 1)
    else:
        columns = np.empty((*lead, *tail), source.dtype)
    for number, cell in enumerate(product(*(range(w.kernel) for w in rest))):
        of_cell = columns[:, :, :, number]
        for axis, (window, k) in enumerate(zip(rest, cell, strict=True), start=3):
            at, _ = window.inside(k)
            of_cell[(slice(None),) * axis + (slice(0, at.start),)] = 0
            of_cell[(slice(None),) * axis + (slice(at.stop, None),)] = 0
    return columns


def _fill(columns: Array, source: Array, windows: tuple[Window, ...], start: int, count: int) -> None:
    """Put into columns what the cells meet in `count` rows of the padded source [C, ..., N] from `start` on."""
    first, *rest = windows
    groups, each = columns.shape[0], columns.shape[2]
    rows = source.reshape(groups, each, *source.shape[1:]).swapaxes(1, 2)
    low = min(max(first.before - start, 0), count)
    high = max(min(first.size + first.before - start, count), low)
    columns[:, :low] = 0
    columns[:, high:count] = 0
    taken = slice(low + start - first.before, high + start - first.before)
    for number, cell in enumerate(product(*(range(w.kernel) for w in rest))):
        inside = [w.inside(k) for w, k in zip(rest, cell, strict=True)]
        at, met = tuple([a for a, _ in inside]), tuple([m for _, m in inside])
        columns[(slice(None), slice(low, high), slice(None), number, *at)] = rows[
            (slice(None), taken, slice(None), *met)
        ]


def _turned(weight: Array, groups: int) -> Array:
    """weight [C_out, C_in / groups, ...] -> [C_in, C_out / groups, ...], the last cell first"""
    by_group = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:]).swapaxes(1, 2)
    turned = by_group.reshape(groups * weight.shape[1], weight.shape[0] // groups, *weight.shape[2:])
    return turned[(slice(None), slice(None), *(slice(None, None, -1),) * (weight.ndim - 2))]


def _batch_last(x: Array) -> Array:
    """[N, C, ...] -> [C, ..., N], in this order in memory"""
    return np.ascontiguousarray(x.transpose(*range(1, x.ndim), 0))


def _batch_first(x: Array) -> Array:
    """[C, ..., N] -> [N, C, ...]"""
    return x.transpose(x.ndim - 1, *range(x.ndim - 1))
