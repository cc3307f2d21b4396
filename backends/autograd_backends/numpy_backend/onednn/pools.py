"""Max pools: the largest of each window, and where it is.

oneDNN writes down the number of the cell that won, as NumPy's kernel does, and the same tables make an index of it.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ...array_types import Array, Shape
from ...results import MaxPoolWithIndices
from ...shapes import pool_windows
from ...windows import Window
from ..buffers import empty
from ..pool import cell_tables
from .constants import DST, FORWARD_TRAINING, POOLING_MAX, QUERY_WORKSPACE, SRC, WORKSPACE
from .memory import FLOAT32, Operand, Refused, dims, in_order
from .plan import Plan, run, run_copied
from .positions import padding_after

__all__ = ["max_pool_with_indices"]

#: What oneDNN takes padding for.
_LOWEST = np.finfo(np.float32).min


def max_pool_with_indices(
    x: Array, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> MaxPoolWithIndices | None:
    """The largest element of each window of x [N, C, ...], and where it is in its plane."""
    name = f"max_pool{len(kernel_size)}d"
    windows = pool_windows(name, x.shape, kernel_size, stride, padding, dilation, ceil_mode)
    shape = (*x.shape[:2], *[w.out for w in windows])
    if prod(kernel_size) > 256 or not prod(shape):
        return None
    best, cells = empty(shape, FLOAT32), np.empty(shape, np.uint8)
    if not run(_max_pool, windows, best, cells, x) and not run_copied(_max_pool, windows, best, cells, x):
        return None
    # It finds no NaN, and takes padding for the lowest number, where any element is to win over it.
    if np.isnan(np.maximum.reduce(x, None)) or np.minimum.reduce(best, None) <= _LOWEST:
        return None
    offsets, starts = cell_tables(windows)
    indices = offsets[cells]
    indices += starts
    return MaxPoolWithIndices(best, indices)


def _max_pool(plan: Plan, windows: tuple[Window, ...], best: Operand, cells: Operand, x: Operand) -> None:
    with plan.shared(prod(x.shape)):
        primitive = plan.primitive(
            *("pooling_forward", FORWARD_TRAINING, POOLING_MAX, in_order(x), best),
            dims(tuple(w.stride for w in windows)),
            dims(tuple(w.kernel for w in windows)),
            dims(tuple(w.dilation - 1 for w in windows)),
            dims(tuple(w.before for w in windows)),
            dims(padding_after(windows)),
        )
        if not plan.lib.same_md(plan.lib.query_md(primitive, QUERY_WORKSPACE, 0), cells):
            raise Refused("cells that are not in order")
        plan.step(primitive, {SRC: x, DST: best, WORKSPACE: cells})
