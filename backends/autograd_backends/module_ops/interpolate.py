"""Resizing in any number of dimensions, in every mode: a table of cells and weights, dimension by dimension.

Where a cell has no part, its value is not looked at: an infinity or a NaN goes nowhere but where it has a weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..array_types import Array, Shape
from ..device import Device
from ..lookup import dtype_name, kernels, namespace
from ..options import InterpolateOptions
from ..resampling import Resize, Row, is_identity, taps, taps_of_adjoint
from ..shapes import interpolate_resizes
from .precision import cast, widened

if TYPE_CHECKING:
    from ..base import Backend

__all__ = [
    "Along",
    "Rows",
    "by_taps",
    "interpolate",
    "interpolate_backward",
    "interpolate_backward_by",
    "interpolate_by",
]

#: `taps` or `taps_of_adjoint`.
Rows = Callable[[Resize], tuple[Row, ...]]

#: A function of an array, what is done to a dimension, which way, and the number of the dimension.
Along = Callable[[Array, Resize, Rows, int], Array]

#: At most about this many passes are made over a dimension: the rest of the taps are taken together.
PASSES = 8


def by_taps(x: Array, resize: Resize, rows: Rows, axis: int) -> Array:
    """Dimension `axis` of x made anew: the cells of each tap are taken and weighted, tap after tap."""
    xp, backend = namespace(x), kernels(x)
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    total: Any = None
    for table in _tables(resize, rows, backend, x.dtype, backend.device_of(x)):
        part = xp.reshape(xp.take(x, table.cells, axis=axis), (*before, table.out, table.taps, *after))
        beside = (table.out, table.taps) + (1,) * len(after)
        if table.weights is not None:
            part = part * xp.reshape(table.weights, beside)
        if table.present is not None:
            part = xp.where(xp.reshape(table.present, beside), part, 0.0)
        part = xp.sum(part, axis=axis + 1, dtype=part.dtype) if table.taps > 1 else xp.squeeze(part, axis=axis + 1)
        total = part if total is None else total + part
    return total


def interpolate(x: Array, output_size: Shape, options: InterpolateOptions) -> Array:
    """x [N, C, ...] resized -> [N, C, *output_size]

    Raises
    ------
    TypeError
        If x has integers, and the mode gives fractions.
    """
    return interpolate_by(by_taps, x, output_size, options)


def interpolate_backward(x_shape: Shape, grad: Array, output_size: Shape, options: InterpolateOptions) -> Array:
    """grad [N, C, *output_size] brought back to the cells that it came from -> the gradient of x, of `x_shape`"""
    return interpolate_backward_by(by_taps, x_shape, grad, output_size, options)


def interpolate_by(along: Along, x: Array, output_size: Shape, options: InterpolateOptions) -> Array:
    """`interpolate`, where `along` resizes one dimension."""
    xp = namespace(x)
    resizes = interpolate_resizes("interpolate", x.shape, output_size, options)
    if not options.mode.startswith("nearest") and xp.isdtype(x.dtype, ("bool", "integral")):
        raise TypeError(f"interpolate: mode {options.mode!r} gives fractions, and x has dtype {dtype_name(x)}")
    return _resized(x, resizes, taps, along)


def interpolate_backward_by(
    along: Along, x_shape: Shape, grad: Array, output_size: Shape, options: InterpolateOptions
) -> Array:
    """`interpolate_backward`, where `along` brings back one dimension."""
    resizes = interpolate_resizes("interpolate_backward", x_shape, output_size, options, grad.shape)
    return _resized(grad, resizes, taps_of_adjoint, along)


def _resized(x: Array, resizes: Sequence[Resize], rows: Rows, along: Along) -> Array:
    xp = namespace(x)
    changing = [(resize, axis) for axis, resize in enumerate(resizes, 2) if not is_identity(resize)]
    if not changing:
        return xp.asarray(x, copy=True)
    out = widened(xp, x)
    # What shrinks comes first: there is less to do for the others then.
    for resize, axis in sorted(changing, key=lambda item: len(rows(item[0])) / x.shape[item[1]]):
        out = along(out, resize, rows, axis)
    return cast(xp, out, x.dtype)


class _Table(NamedTuple):
    """Some of the taps of every cell.

    Attributes
    ----------
    cells
        int64 [out * taps]
    weights
        [out, taps], or None where all are 1.
    present
        bool [out, taps], or None where all are there.
    """

    cells: Array
    weights: Array | None
    present: Array | None
    out: int
    taps: int


@lru_cache(maxsize=512)
def _tables(resize: Resize, rows: Rows, backend: Backend, dtype: Any, device: Device) -> list[_Table]:
    found = rows(resize)
    most = max(map(len, found))
    step = -(-most // PASSES)
    tables = []
    for first in range(0, most, step):
        parts = [[row[k] if k < len(row) else None for k in range(first, first + step)] for row in found]
        cells = [0 if tap is None else tap[0] for part in parts for tap in part]
        weights = [[0.0 if tap is None else tap[1] for tap in part] for part in parts]
        present = [[tap is not None for tap in part] for part in parts]
        plain = all(tap is None or tap[1] == 1.0 for part in parts for tap in part)
        tables.append(
            _Table(
                backend.asarray(cells, backend.dtype("int64"), device),
                None if plain else backend.asarray(weights, dtype, device),
                None if all(map(all, present)) else backend.asarray(present, backend.dtype("bool"), device),
                len(found),
                step,
            )
        )
    return tables
