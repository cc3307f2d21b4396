"""Max pools: the largest of each window, where it is, and the way back.

oneDNN writes down the number of the cell that won, as NumPy's kernel does, and the same tables make an index of it.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ...array_types import Array, Shape
from ...results import MaxPool, MaxPoolWithIndices
from ...shapes import pool_windows
from ...windows import Window
from ..buffers import empty
from ..pool import cell_tables
from .constants import DIFF_DST, DIFF_SRC, DST, FORWARD_TRAINING, POOLING_MAX, QUERY_WORKSPACE, SRC, WORKSPACE
from .memory import FLOAT32, Handle, Operand, Refused, in_order
from .plan import Plan, run, run_copied
from .positions import pool_positions

__all__ = ["max_pool", "max_pool_with_indices", "scatter_cells"]

#: What oneDNN takes padding for.
_LOWEST = np.finfo(np.float32).min


def max_pool_with_indices(
    x: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> MaxPoolWithIndices | None:
    """The largest element of each window of x [N, C, ...], and where it is in its plane."""
    found = max_pool(x, kernel_size, stride, padding, dilation, ceil_mode)
    if found is None:
        return None
    windows = pool_windows(f"max_pool{len(kernel_size)}d", x.shape, kernel_size, stride, padding, dilation, ceil_mode)
    offsets, starts = cell_tables(windows)
    indices = offsets.take(found.cells)
    indices += starts
    return MaxPoolWithIndices(found.output, indices)


def max_pool(
    x: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> MaxPool | None:
    """The largest element of each window of x [N, C, ...], and the number of its cell."""
    windows = pool_windows(f"max_pool{len(kernel_size)}d", x.shape, kernel_size, stride, padding, dilation, ceil_mode)
    shape = (*x.shape[:2], *[w.out for w in windows])
    if prod(kernel_size) > 256 or not prod(shape):
        return None
    best, cells = empty(shape, FLOAT32), np.empty(shape, np.uint8)
    if not run(_max_pool, windows, best, cells, x) and not run_copied(_max_pool, windows, best, cells, x):
        return None
    # It finds no NaN, and takes padding for the lowest number, where any element is to win over it.
    if np.isnan(np.maximum.reduce(x, None)) or np.minimum.reduce(best, None) <= _LOWEST:
        return None
    return MaxPool(best, cells)


def scatter_cells(
    x_shape: Shape,
    values: Array,
    cells: Array,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> Array | None:
    """Zeros of `x_shape` [N, C, ...] with `values` [N, C, ...] added in the numbered `cells` of their windows."""
    windows = pool_windows(f"max_pool{len(kernel_size)}d", x_shape, kernel_size, stride, padding, dilation, ceil_mode)
    shape = (*x_shape[:2], *[w.out for w in windows])
    if values.shape != shape or cells.shape != shape or cells.dtype != np.uint8:
        return None
    out = empty(x_shape, FLOAT32)
    done = run(_scatter, windows, out, values, cells) or run_copied(_scatter, windows, out, values, cells)
    return out if done else None


def _max_pool(plan: Plan, windows: tuple[Window, ...], best: Operand, cells: Operand, x: Operand) -> None:
    with plan.shared(prod(x.shape)):
        primitive = _described(plan, windows, in_order(x), best, cells)
        plan.step(primitive, {SRC: x, DST: best, WORKSPACE: cells})


def _scatter(plan: Plan, windows: tuple[Window, ...], out: Operand, values: Operand, cells: Operand) -> None:
    with plan.shared(prod(out.shape)):
        hint = _described(plan, windows, out, in_order(values), in_order(cells))
        primitive = plan.primitive("pooling_backward", POOLING_MAX, out, values, *pool_positions(windows), hint)
        plan.step(primitive, {DIFF_DST: values, DIFF_SRC: out, WORKSPACE: cells})


def _described(plan: Plan, windows: tuple[Window, ...], x: Operand, best: Operand, cells: Operand) -> Handle:
    """The forward primitive, which writes down the numbers of cells as they are to lie."""
    primitive = plan.primitive("pooling_forward", FORWARD_TRAINING, POOLING_MAX, x, best, *pool_positions(windows))
    if not plan.lib.same_md(plan.lib.query_md(primitive, QUERY_WORKSPACE, 0), cells):
        raise Refused("cells that are not in order")
    return primitive
