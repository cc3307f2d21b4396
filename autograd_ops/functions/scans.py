"""Running extremes and sums, differences, and integrals of samples."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..creation import as_tensor, zeros
from ..dims import axes_of, axis_of
from ..dtypes import int64
from ..indexing import narrow
from ..refusals import named
from ..tensor import Tensor
from .reductions import MinMax, cumsum

__all__ = [
    "cummax",
    "cummin",
    "cumulative_trapezoid",
    "diff",
    "gradient",
    "logcumsumexp",
    "trapezoid",
    "trapz",
]


def cummax(input: Tensor, dim: int) -> MinMax:
    """The largest element so far along `dim`, and where it is; the last of equals gets the gradient.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.cummax(ag.tensor([1.0, 3.0, 2.0, 3.0]), 0)
    MinMax(values=tensor([1., 3., 3., 3.]), indices=tensor([0, 1, 1, 3]))
    """
    return _running(input, axis_of("cummax", dim, input.ndim), ops.running_argmax)


def cummin(input: Tensor, dim: int) -> MinMax:
    """The smallest element so far along `dim`, and where it is; the last of equals gets the gradient."""
    return _running(input, axis_of("cummin", dim, input.ndim), ops.running_argmin)


def _running(input: Tensor, axis: int, places: Any) -> MinMax:
    if input.ndim == 0:
        return MinMax(ops.clone(input), zeros((), dtype=int64, device=input.device))
    indices = places(input.detach(), axis)
    return MinMax(ops.take_along_axis(input, indices, axis), indices)


def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The logarithm of running sums of e^x along `dim`, without overflow.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.logcumsumexp(ag.tensor([0.0, 0.0]), 0)
    tensor([0.    , 0.6931])
    """
    axis = axis_of("logcumsumexp", dim, input.ndim)
    out = ops.mul(input, 1.0) if input.dtype.kind in ("bool", "int", "uint") else input
    if input.ndim == 0:
        return ops.clone(out)
    n, step = input.shape[axis], 1
    while step < n:
        # Each has the sum of the `step` elements up to it, and takes that of the `step` before them.
        later = ops.logaddexp(narrow(out, axis, step, n - step), narrow(out, axis, 0, n - step))
        out = ops.concat([narrow(out, axis, 0, step), later], axis)
        step *= 2
    return ops.clone(out) if out is input else out


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along `dim`, taken `n` times; of bools, where they differ.

    Parameters
    ----------
    prepend, append
        What is put before and after `input` along `dim` first.

    Raises
    ------
    ValueError
        If `input` has no dimension, or n is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.diff(ag.tensor([1, 3, 2]))
    tensor([ 2, -1])
    """
    if input.ndim == 0:
        raise ValueError("diff: expected at least 1 dimension, got 0")
    if n < 0:
        raise ValueError(f"diff: n must not be negative, got {n}")
    axis = axis_of("diff", dim, input.ndim)
    parts = [part for part in (prepend, input, append) if part is not None]
    out = ops.concat(parts, axis) if len(parts) > 1 else input
    for _ in range(min(n, out.shape[axis])):
        length = max(out.shape[axis] - 1, 0)
        start = out.shape[axis] - length
        later, earlier = narrow(out, axis, start, length), narrow(out, axis, 0, length)
        out = ops.bitwise_xor(later, earlier) if out.dtype.kind == "bool" else later - earlier
    return ops.clone(out) if out is input else out


def _steps(name: str, y: Tensor, x: Tensor | None, dx: Any, axis: int) -> Any:
    """The distances between samples along `axis`, as a number or so that they broadcast with differences of y."""
    if x is None:
        return dx
    if x.ndim == 1 and y.ndim:
        if x.shape[0] != y.shape[axis]:
            raise ValueError(f"{name}: {x.shape[0]} points x for {y.shape[axis]} values along dimension {axis}")
        return ops.reshape(diff(x), tuple([-1 if i == axis else 1 for i in range(y.ndim)]))
    return diff(x, 1, axis - y.ndim)


def _areas(name: str, y: Tensor, x: Tensor | None, dx: Any, dim: int) -> tuple[Tensor, int]:
    """The areas below the lines that join neighbours along `dim`, and that dimension, counted from the end."""
    axis = axis_of(name, dim, y.ndim)
    steps = _steps(name, y, x, 1.0 if dx is None else dx, axis)
    size = y.shape[axis]
    length = max(size - 1, 0)
    middle = (narrow(y, axis, size - length, length) + narrow(y, axis, 0, length)) * 0.5
    return middle * steps, axis - y.ndim


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral along `dim` of the lines that join the values `y`, which are `dx` apart, by default 1, or at `x`.

    Raises
    ------
    TypeError
        If both `x` and `dx` are given.
    ValueError
        If there are not as many points as values.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.trapezoid(ag.tensor([1.0, 5.0, 10.0]))
    tensor(10.5)
    """
    _refuse_both("trapezoid", x, dx)
    areas, axis = _areas("trapezoid", y, x, dx, dim)
    return ops.sum(areas, (axis + areas.ndim,), False)


trapz = trapezoid


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """Running sums of what `trapezoid` adds up.

    Raises
    ------
    TypeError
        If both `x` and `dx` are given.
    ValueError
        If there are not as many points as values.
    """
    _refuse_both("cumulative_trapezoid", x, dx)
    areas, axis = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(areas, axis)


def _refuse_both(name: str, x: Any, dx: Any) -> None:
    if x is not None and dx is not None:
        raise TypeError(f"{name}: x and dx both say how far apart the values are; give one")


def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivative along each of `dim`, by default all, of a function whose values at points `input` has.

    Inside by central differences, which are exact for parabolas; at both ends by differences with one neighbour, or
    with two if `edge_order` is 2.

    Parameters
    ----------
    spacing
        How far the points are apart: a number for all dimensions, or a list with, for each, a number or a vector of
        their coordinates.

    Raises
    ------
    ValueError
        If the spacing does not fit, a dimension has too few points, or `edge_order` is not 1 or 2.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.gradient(ag.tensor([0.0, 1.0, 4.0, 9.0]))
    (tensor([1., 2., 4., 5.]),)
    """
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, not {edge_order}")
    axes = axes_of("gradient", tuple(range(input.ndim)) if dim is None else dim, input.ndim) or ()
    is_list = isinstance(spacing, (list, tuple)) or (isinstance(spacing, Tensor) and spacing.ndim > 0)
    each = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * (1 if is_list else len(axes))
    if len(each) != len(axes):
        raise ValueError(f"gradient: {len(each)} spacings for {len(axes)} dimensions")
    for axis in axes:
        if input.shape[axis] <= edge_order:
            raise ValueError(
                f"gradient: dimension {axis} has {input.shape[axis]} points; edge_order {edge_order} needs more"
            )
    return tuple([_slope(input, step, axis, edge_order) for step, axis in zip(each, axes, strict=True)])


def _slope(y: Tensor, spacing: Any, axis: int, edge_order: int) -> Tensor:
    n = y.shape[axis]
    if not y.dtype.is_floating_point and y.dtype.kind != "complex":
        y = y.float()
    if isinstance(spacing, Tensor) and spacing.ndim:
        if tuple(spacing.shape) != (n,):
            raise ValueError(f"gradient: dimension {axis} has {n} points, and coordinates {tuple(spacing.shape)}")
        gaps = ops.reshape(diff(spacing), tuple([-1 if i == axis else 1 for i in range(y.ndim)]))
    else:
        shape = [n - 1 if i == axis else 1 for i in range(y.ndim)]
        step = spacing if isinstance(spacing, Tensor) else as_tensor(float(spacing), dtype=y.dtype, device=y.device)
        gaps = ops.broadcast_to(step, tuple(shape))
    slopes = diff(y, 1, axis) / gaps  # between neighbours
    first, last = narrow(slopes, axis, 0, 1), narrow(slopes, axis, n - 2, 1)
    if n == 2:
        return ops.concat([first, last], axis)
    before, after = narrow(gaps, axis, 0, n - 2), narrow(gaps, axis, 1, n - 2)
    left, right = narrow(slopes, axis, 0, n - 2), narrow(slopes, axis, 1, n - 2)
    inner = (left * after + right * before) / (before + after)
    if edge_order == 2:
        # The slope of the parabola through three points, at its end.
        first = first + (first - narrow(slopes, axis, 1, 1)) * _share(gaps, axis, 0, 1)
        last = last + (last - narrow(slopes, axis, n - 3, 1)) * _share(gaps, axis, n - 2, n - 3)
    return ops.concat([first, inner, last], axis)


def _share(gaps: Tensor, axis: int, end: int, next_to_it: int) -> Tensor:
    outer = narrow(gaps, axis, end, 1)
    return outer / (outer + narrow(gaps, axis, next_to_it, 1))


named(__name__)
