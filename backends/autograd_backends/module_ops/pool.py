"""Pools in one, two or three dimensions: maximum with indices and average, of windows or of even parts.

A window is a product of intervals, so every pool here goes through the spatial dimensions one after the
other. Only cells inside the input are looked at: padding needs no value that could win or count.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import gcd, prod
from typing import Any

from ..array_types import Array, Namespace, Shape
from ..errors import ShapeError
from ..lookup import kernels, namespace
from ..results import MaxPool, MaxPoolWithIndices
from ..shapes import adaptive_pool_output_shape, check_output_grad, pool_windows
from ..windows import Window
from .precision import cast, widened

__all__ = [
    "adaptive_avg_pool",
    "adaptive_avg_pool_backward",
    "adaptive_max_pool_with_indices",
    "avg_pool",
    "avg_pool_backward",
    "gather_cells",
    "gather_planes",
    "max_pool",
    "max_pool_with_indices",
    "scatter_cells",
    "scatter_planes",
]


# ---------------------------------------------------------------- maximum


def max_pool_with_indices(
    x: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> MaxPoolWithIndices:
    """The largest element of each window of x [N, C, ...], and where it is.

    Of equal elements the first wins, the first NaN wins over all, and padding never wins.

    Parameters
    ----------
    x
        [N, C, ...]
    kernel_size, stride, padding, dilation
        One int for each spatial dimension.
    ceil_mode
        Whether a last, partial window counts.
    """
    xp = namespace(x)
    op_name = f"max_pool{len(kernel_size)}d"
    windows = pool_windows(op_name, x.shape, kernel_size, stride, padding, dilation, ceil_mode)
    best, index = x, _places(xp, x)
    # From the last dimension to the first: the first of equals in each row wins, and then the first such row.
    for axis in range(x.ndim - 1, 1, -1):
        best, index = _max_along(xp, best, index, windows[axis - 2], axis)
    return MaxPoolWithIndices(best, index)


def _places(xp: Namespace, x: Array) -> Array:
    """The number of each element of x [N, C, ...] in its flattened plane, in the shape of x"""
    plane = x.shape[2:]
    numbers = xp.reshape(xp.arange(prod(plane), dtype=xp.int64, device=x.device), plane)
    return xp.broadcast_to(numbers, x.shape)


def _max_along(xp: Namespace, x: Array, index: Array, window: Window, axis: int) -> tuple[Array, Array]:
    firsts = [window.first_inside(position) for position in range(window.out)]
    first = xp.asarray(firsts, dtype=xp.int64, device=x.device)
    best, best_index = xp.take(x, first, axis=axis), xp.take(index, first, axis=axis)
    for k in range(window.kernel):
        at, met = (_along(axis, part) for part in window.inside(k))
        best[at], best_index[at] = _larger(xp, best[at], best_index[at], x[met], index[met])
    return best, best_index


def _larger(xp: Namespace, old: Array, old_index: Array, new: Array, new_index: Array) -> tuple[Array, Array]:
    """Of two elements at each place the larger, and its index; the old one where they are equal."""
    # Not (new <= old), so that a NaN wins; old == old, so that it is not beaten.
    wins = xp.logical_and(xp.logical_not(new <= old), old == old)
    return xp.where(wins, new, old), xp.where(wins, new_index, old_index)


def adaptive_max_pool_with_indices(x: Array, output_size: Shape) -> MaxPoolWithIndices:
    """The largest of x [N, C, ...] in each of `output_size` windows, and where it is.

    Windows as in `adaptive_avg_pool`, ties and NaN as in `max_pool_with_indices`.
    """
    xp = namespace(x)
    rank = len(output_size)
    adaptive_pool_output_shape(f"adaptive_max_pool{rank}d", x.shape, output_size)
    kernel = _even_windows(x.shape[2:], output_size)
    if kernel is not None:
        # There may be a faster kernel for them.
        pool = getattr(kernels(x), f"max_pool{rank}d_with_indices")
        return pool(x, kernel, kernel, (0,) * rank, (1,) * rank, False)
    best, index = x, _places(xp, x)
    for axis in range(x.ndim - 1, 1, -1):
        best, index = _max_of_parts(xp, best, index, output_size[axis - 2], axis)
    return MaxPoolWithIndices(best, index)


def _max_of_parts(xp: Namespace, x: Array, index: Array, out: int, axis: int) -> tuple[Array, Array]:
    size = x.shape[axis]
    position = xp.arange(out, dtype=xp.int64, device=x.device)
    first = position * size // out
    last = -(-(position + 1) * size // out) - 1
    best, best_index = xp.take(x, first, axis=axis), xp.take(index, first, axis=axis)
    # The longest part starts as far after a whole number as one can.
    longest = -(-(size + out - gcd(size, out)) // out)
    for k in range(1, longest):
        # The last cell of a shorter part is met again, and does not beat itself.
        at = xp.where(first + k < last, first + k, last)
        best, best_index = _larger(xp, best, best_index, xp.take(x, at, axis=axis), xp.take(index, at, axis=axis))
    return best, best_index


def max_pool(x: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool) -> MaxPool:
    """The same, with the numbers of cells in place of indices: the cells of a window count as its elements lie."""
    xp = namespace(x)
    name = f"max_pool{len(kernel_size)}d"
    sizes = kernel_size, stride, padding, dilation, ceil_mode
    output, index = getattr(kernels(x), f"{name}_with_indices")(x, *sizes)
    cells, below = None, 1
    for w, start in reversed(_starts(xp, index, pool_windows(name, x.shape, *sizes))):
        part = (index % w.size - start) // w.dilation * below
        cells = part if cells is None else cells + part
        index, below = index // w.size, below * w.kernel
    return MaxPool(output, cells if below > 256 else xp.astype(cells, xp.uint8))


def scatter_cells(
    x_shape: Shape,
    values: Array,
    cells: Array,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> Array:
    """Zeros of `x_shape` [N, C, ...] with `values` [N, C, ...] added in the numbered `cells` of their windows.

    Parameters
    ----------
    x_shape
        The shape [N, C, ...] of the result.
    values, cells
        As ``max_pool`` gives output and cells.
    kernel_size, stride, padding, dilation, ceil_mode
        As ``max_pool`` was given them.
    """
    sizes = kernel_size, stride, padding, dilation, ceil_mode
    return kernels(values).scatter_planes(x_shape, values, _cell_index(x_shape, cells, sizes))


def gather_cells(
    x: Array, cells: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> Array:
    """The elements of x [N, C, ...] in the numbered `cells` of its windows: the adjoint of `scatter_cells`"""
    sizes = kernel_size, stride, padding, dilation, ceil_mode
    return kernels(x).gather_planes(x, _cell_index(x.shape, cells, sizes))


def _cell_index(x_shape: Shape, cells: Array, sizes: tuple[Any, ...]) -> Array:
    """Cells by their numbers -> their indices in planes of `x_shape`"""
    xp = namespace(cells)
    windows = pool_windows(f"max_pool{len(x_shape) - 2}d", x_shape, *sizes)
    cells = xp.astype(cells, xp.int64)
    index, below = xp.zeros_like(cells), 1
    for w, start in reversed(_starts(xp, cells, windows)):
        index = index + (cells % w.kernel * w.dilation + start) * below
        cells, below = cells // w.kernel, below * w.size
    return index


def _starts(xp: Namespace, beside: Array, windows: tuple[Window, ...]) -> list[tuple[Window, Array]]:
    """Each dimension, and where its windows start, shaped to meet the positions `beside`."""
    found = []
    for axis, w in enumerate(windows, start=1):
        start = xp.arange(w.out, dtype=xp.int64, device=beside.device) * w.stride - w.before
        found.append((w, xp.reshape(start, (-1,) + (1,) * (len(windows) - axis))))
    return found


def scatter_planes(x_shape: Shape, values: Array, indices: Array) -> Array:
    """Zeros of `x_shape` [N, C, ...] with `values` [N, C, ...] added at `indices` of its planes.

    Parameters
    ----------
    x_shape
        The shape [N, C, ...] of the result.
    values
        [N, C, ...]
    indices
        Of the shape of `values`: each counts the elements of its own flattened plane.
    """
    xp = namespace(values)
    added = widened(xp, xp.reshape(values, (-1,)))
    zeros = xp.zeros(prod(x_shape), dtype=added.dtype, device=added.device)
    total = kernels(added).scatter_add(zeros, _flat_index(xp, x_shape, indices), added)
    return cast(xp, xp.reshape(total, x_shape), values.dtype)


def gather_planes(x: Array, indices: Array) -> Array:
    """The elements of x [N, C, ...] at `indices` [N, C, ...] of its planes: the adjoint of `scatter_planes`"""
    xp = namespace(x)
    return xp.reshape(xp.take(xp.reshape(x, (-1,)), _flat_index(xp, x.shape, indices), axis=0), indices.shape)


def _flat_index(xp: Namespace, x_shape: Shape, indices: Array) -> Array:
    """Indices in a plane -> indices in the whole of x, in one dimension."""
    indices = xp.astype(indices, xp.int64, copy=False)  # those of the whole may be more than their dtype holds
    planes = prod(x_shape[:2])
    starts = xp.arange(planes, dtype=xp.int64, device=indices.device) * prod(x_shape[2:])
    return xp.reshape(xp.reshape(starts, (*x_shape[:2],) + (1,) * (len(x_shape) - 2)) + indices, (-1,))


# ---------------------------------------------------------------- average


def avg_pool(
    x: Array,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    count_include_pad: bool,
    ceil_mode: bool,
    divisor_override: int | None = None,
) -> Array:
    """The mean of each window of x [N, C, ...].

    Parameters
    ----------
    x
        [N, C, ...]
    kernel_size, stride, padding
        One int for each spatial dimension.
    count_include_pad
        Whether the divisor counts padding; never what `ceil_mode` adds beyond it.
    ceil_mode
        Whether a last, partial window counts.
    divisor_override
        Divide by this instead.
    """
    xp = namespace(x)
    windows = _avg_windows(x.shape, kernel_size, stride, padding, ceil_mode)
    out = widened(xp, x)
    for axis in range(x.ndim - 1, 1, -1):
        out = _sum_along(out, windows[axis - 2], axis)
    out = _divided(xp, out, windows, count_include_pad, divisor_override)
    return cast(xp, out, x.dtype)


def avg_pool_backward(
    x_shape: Shape,
    output_grad: Array,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    count_include_pad: bool,
    ceil_mode: bool,
    divisor_override: int | None = None,
) -> Array:
    """`output_grad` divided and spread over the windows -> the gradient of x, [N, C, ...]"""
    xp = namespace(output_grad)
    windows = _avg_windows(x_shape, kernel_size, stride, padding, ceil_mode)
    out_shape = (*x_shape[:2], *(w.out for w in windows))
    check_output_grad(f"avg_pool{len(windows)}d_backward", output_grad.shape, out_shape)
    grad = _divided(xp, widened(xp, output_grad), windows, count_include_pad, divisor_override)
    for axis in range(2, grad.ndim):
        grad = _spread_along(grad, windows[axis - 2], axis)
    return cast(xp, grad, output_grad.dtype)


def _avg_windows(
    x_shape: Shape, kernel_size: Shape, stride: Shape, padding: Shape, ceil_mode: bool
) -> tuple[Window, ...]:
    rank = len(kernel_size)
    return pool_windows(f"avg_pool{rank}d", x_shape, kernel_size, stride, padding, (1,) * rank, ceil_mode)


def _sum_along(x: Array, window: Window, axis: int) -> Array:
    out = kernels(x).zeros_beside(x, _resized(x.shape, axis, window.out))
    for k in range(window.kernel):
        at, met = (_along(axis, part) for part in window.inside(k))
        out[at] += x[met]
    return out


def _spread_along(grad: Array, window: Window, axis: int) -> Array:
    """The adjoint of `_sum_along`."""
    x_grad = kernels(grad).zeros_beside(grad, _resized(grad.shape, axis, window.size))
    for k in range(window.kernel):
        at, met = (_along(axis, part) for part in window.inside(k))
        x_grad[met] += grad[at]
    return x_grad


def _divided(
    xp: Namespace,
    x: Array,
    windows: tuple[Window, ...],
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    if divisor_override is not None:
        return x / divisor_override
    counts = [[w.divisor(position, count_include_pad) for position in range(w.out)] for w in windows]
    if all(min(count) == max(count) for count in counts):
        return x / prod(count[0] for count in counts)
    for d, count in enumerate(counts):
        divisor = xp.asarray(count, dtype=x.dtype, device=x.device)
        x = x / xp.reshape(divisor, (-1,) + (1,) * (len(windows) - 1 - d))
    return x


# ---------------------------------------------------------------- average of even parts


#: Windows of more cells are added up faster part by part than cell by cell.
FEW_CELLS = 64


def adaptive_avg_pool(x: Array, output_size: Shape) -> Array:
    """The means of x [N, C, ...] over `output_size` windows, as even as can be, overlapping where they must.

    Window i of n over a length L goes from floor(i L / n) to ceil((i + 1) L / n).
    """
    xp = namespace(x)
    rank = len(output_size)
    adaptive_pool_output_shape(f"adaptive_avg_pool{rank}d", x.shape, output_size)
    kernel = _even_windows(x.shape[2:], output_size)
    if kernel is not None and prod(kernel) <= FEW_CELLS:
        return getattr(kernels(x), f"avg_pool{rank}d")(x, kernel, kernel, (0,) * rank, True, False, None)
    out = widened(xp, x)
    # The last dimension is the slowest to cut up, so it comes when the others have got shorter.
    for axis in range(2, x.ndim):
        parts = _adaptive_windows(x.shape[axis], output_size[axis - 2])
        if _tile(parts):
            length = parts[0].stop
            out = xp.mean(
                xp.reshape(out, (*out.shape[:axis], len(parts), length, *out.shape[axis + 1 :])),
                axis=axis + 1,
            )
        else:
            means = [xp.mean(out[_along(axis, part)], axis=axis) for part in parts]
            out = xp.stack(means, axis=axis)
    return cast(xp, out, x.dtype)


def adaptive_avg_pool_backward(x_shape: Shape, output_grad: Array) -> Array:
    """`output_grad` divided and spread over the windows -> the gradient of x, [N, C, ...]"""
    xp = namespace(output_grad)
    op_name = f"adaptive_avg_pool{len(x_shape) - 2}d_backward"
    if output_grad.ndim != len(x_shape):
        raise ShapeError(f"{op_name}: the gradient has shape {output_grad.shape}, and x {x_shape}")
    out_shape = adaptive_pool_output_shape(op_name, x_shape, output_grad.shape[2:])
    check_output_grad(op_name, output_grad.shape, out_shape)
    rank, kernel = len(out_shape) - 2, _even_windows(x_shape[2:], out_shape[2:])
    if kernel is not None and prod(kernel) <= FEW_CELLS:
        pool_backward = getattr(kernels(output_grad), f"avg_pool{rank}d_backward")
        return pool_backward(x_shape, output_grad, kernel, kernel, (0,) * rank, True, False, None)
    grad = widened(xp, output_grad)
    for axis in range(grad.ndim - 1, 1, -1):
        parts = _adaptive_windows(x_shape[axis], grad.shape[axis])
        x_grad = kernels(grad).zeros_beside(grad, _resized(grad.shape, axis, x_shape[axis]))
        for i, part in enumerate(parts):
            x_grad[_along(axis, part)] += grad[_along(axis, slice(i, i + 1))] / (part.stop - part.start)
        grad = x_grad
    return cast(xp, grad, output_grad.dtype)


def _even_windows(size: Shape, out: Shape) -> Shape | None:
    """The size of windows that lie side by side and share a plane evenly; None if they cannot."""
    if not prod(out) or any(n % m for n, m in zip(size, out, strict=True)):
        return None
    return tuple([n // m for n, m in zip(size, out, strict=True)])


def _adaptive_windows(size: int, out: int) -> list[slice]:
    return [slice(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]


def _tile(parts: Sequence[slice]) -> bool:
    """Whether the windows are equally long and lie side by side."""
    return all(a.stop == b.start and a.stop - a.start == b.stop - b.start for a, b in pairwise(parts))


def _resized(shape: Shape, axis: int, size: int) -> Shape:
    return (*shape[:axis], size, *shape[axis + 1 :])


def _along(axis: int, part: slice) -> tuple[object, ...]:
    """The index of `part` of dimension `axis`."""
    return (*(slice(None),) * axis, part, ...)
