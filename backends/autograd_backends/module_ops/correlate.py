"""Cross-correlation in any number of dimensions and its two adjoints: what all convolutions are made of.

Each is matrix products with columns: what each cell of the kernel meets at each position. In memory the batch comes
last, ``[C, *spatial, N]``. So the strided slices that columns are made of have long contiguous runs, one product serves
the whole batch, and results are views, in the usual order of dimensions, of what the product gives: the next
convolution finds the order that it wants without a copy.

Columns are as many times larger than the input as the kernel has cells, so they are made for a block of positions at a
time, and never exceed the backend's ``workspace``.

Arguments here have been checked, and are not of half precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from math import prod
from operator import add

from ..array_types import Array, Namespace
from ..lookup import kernels, namespace
from ..windows import Window

__all__ = ["blocks", "correlate", "correlate_weight_backward", "correlate_x_backward"]


def correlate(x: Array, weight: Array, bias: Array | None, windows: tuple[Window, ...], groups: int) -> Array:
    """x [N, C_in, ...] met by weight [C_out, C_in / groups, ...] in each of `windows`, plus bias [C_out] or None

    -> [N, C_out, ...]
    """
    xp = namespace(x)
    source = _padded(xp, _batch_last(xp, x), windows)
    matrix = _by_group(xp, weight, groups)
    parts = _parts(x, windows, x.shape[1])
    products = (
        xp.reshape(xp.matmul(matrix, _columns(xp, source, windows, part, groups)), (weight.shape[0], *_lengths(part)))
        for part in parts
    )
    if len(parts) == 1:
        out = next(products)
    else:
        out = xp.empty((weight.shape[0], *(w.out for w in windows), x.shape[0]), dtype=x.dtype, device=x.device)
        for part, values in zip(parts, products, strict=True):
            out[(slice(None), *part)] = values
    if bias is not None:
        out += xp.reshape(bias, (-1,) + (1,) * (out.ndim - 1))
    return _batch_first(xp, out)


def correlate_x_backward(weight: Array, output_grad: Array, windows: tuple[Window, ...], groups: int) -> Array:
    """The adjoint in x: output_grad [N, C_out, ...] -> [N, C_in, ...]; what each cell met gets back its share"""
    xp = namespace(output_grad)
    channels = weight.shape[1] * groups
    matrix = xp.matrix_transpose(_by_group(xp, weight, groups))
    grad = _batch_last(xp, output_grad)
    shape = (channels, *(w.padded for w in windows), grad.shape[-1])
    padded = xp.zeros(shape, dtype=grad.dtype, device=grad.device)
    for part in _parts(output_grad, windows, channels):
        arriving = _by_group(xp, grad[(slice(None), *part)], groups)
        # Depthwise, the product is one of columns and rows, for which libraries' matmul is no good.
        columns = matrix * arriving if matrix.shape[-1] == 1 else xp.matmul(matrix, arriving)
        columns = xp.reshape(columns, (channels, prod(w.kernel for w in windows), *_lengths(part)))
        for k, met in enumerate(_cells(windows, part)):
            padded[met] += columns[:, k, ...]
    return _batch_first(xp, padded[_inside(windows)])


def correlate_weight_backward(x: Array, output_grad: Array, windows: tuple[Window, ...], groups: int) -> Array:
    """The adjoint in weight: x [N, C_in, ...], output_grad [N, C_out, ...] -> [C_out, C_in / groups, ...]"""
    xp = namespace(x)
    source = _padded(xp, _batch_last(xp, x), windows)
    grad = _batch_last(xp, output_grad)
    products = (
        xp.matmul(
            _columns(xp, source, windows, part, groups),
            xp.matrix_transpose(_by_group(xp, grad[(slice(None), *part)], groups)),
        )
        for part in _parts(x, windows, x.shape[1])
    )
    shape = (output_grad.shape[1], x.shape[1] // groups, *(w.kernel for w in windows))
    # Columns first: as a rule there are more of them than of channels, and BLAS is faster that way round.
    return xp.reshape(xp.matrix_transpose(reduce(add, products)), shape)


def blocks(sizes: tuple[int, ...], budget: int) -> list[tuple[slice, ...]]:
    """Cut a grid of `sizes` into blocks of at most `budget` elements, the last dimensions whole before the first.

    Every element is in one block, and there is one block of a grid without elements.

    Examples
    --------
    >>> blocks((2, 3), 2)
    [(slice(0, 1, None), slice(0, 2, None)), (slice(0, 1, None), slice(2, 3, None)), \
(slice(1, 2, None), slice(0, 2, None)), (slice(1, 2, None), slice(2, 3, None))]
    """
    cuts: list[list[slice]] = []
    for size in reversed(sizes):
        step = max(1, min(size, budget))
        cuts.append([slice(start, min(start + step, size)) for start in range(0, max(size, 1), step)])
        budget //= step
    return list(product(*reversed(cuts)))


def _parts(x: Array, windows: tuple[Window, ...], channels: int) -> list[tuple[slice, ...]]:
    """Blocks of the positions [*out, N] whose columns fit the workspace."""
    column = max(1, channels * prod(w.kernel for w in windows))
    return blocks((*(w.out for w in windows), x.shape[0]), kernels(x).workspace // column)


def _lengths(part: tuple[slice, ...]) -> tuple[int, ...]:
    return tuple(at.stop - at.start for at in part)


def _batch_last(xp: Namespace, x: Array) -> Array:
    """[N, C, ...] -> [C, ..., N]"""
    return xp.permute_dims(x, (*range(1, x.ndim), 0))


def _batch_first(xp: Namespace, x: Array) -> Array:
    """[C, ..., N] -> [N, C, ...]"""
    return xp.permute_dims(x, (x.ndim - 1, *range(x.ndim - 1)))


def _by_group(xp: Namespace, x: Array, groups: int) -> Array:
    """[C, ...] -> [groups, C / groups, everything else]"""
    return xp.reshape(x, (groups, x.shape[0] // groups, prod(x.shape[1:])))


def _cells(windows: tuple[Window, ...], part: tuple[slice, ...]) -> Iterator[tuple[slice, ...]]:
    """For each cell of the kernel, the index of what it meets in a padded buffer [C, *padded, N]."""
    for cell in product(*(range(w.kernel) for w in windows)):
        met = (w.cell(k, at) for w, k, at in zip(windows, cell, part[:-1], strict=True))
        yield (slice(None), *met, part[-1])


def _inside(windows: tuple[Window, ...]) -> tuple[slice, ...]:
    """The index of the input in a padded buffer [C, *padded, N]."""
    return (slice(None), *(slice(w.before, w.before + w.size) for w in windows), slice(None))


def _padded(xp: Namespace, x: Array, windows: tuple[Window, ...]) -> Array:
    """x [C, *spatial, N] -> [C, *padded, N], zeros around it"""
    if all(w.padded == w.size for w in windows):
        return x
    padded = xp.zeros((x.shape[0], *(w.padded for w in windows), x.shape[-1]), dtype=x.dtype, device=x.device)
    padded[_inside(windows)] = x
    return padded


def _columns(xp: Namespace, source: Array, windows: tuple[Window, ...], part: tuple[slice, ...], groups: int) -> Array:
    """A padded buffer [C, *padded, N] -> [groups, C / groups * cells, positions]"""
    columns = xp.stack([source[met] for met in _cells(windows, part)], axis=1)
    cells, positions = prod(w.kernel for w in windows), prod(_lengths(part))
    return xp.reshape(columns, (groups, source.shape[0] // groups * cells, positions))
