"""Windows laid out side by side, and added back: unfold4d and fold4d for images, unfold for one dimension.

Folding is the adjoint of unfolding. Both go through the cells of the kernel: what one cell meets at all positions is a
strided slice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

from ..array_types import Array, IntPair, Shape
from ..lookup import kernels, namespace
from ..options import UnfoldOptions
from ..shapes import check_output_grad, fold4d_output_shape, unfold4d_windows, unfold_output_shape
from ..windows import Window
from .precision import cast, widened

__all__ = ["fold4d", "unfold", "unfold4d", "unfold_backward"]


def unfold4d(x: Array, kernel_size: IntPair, options: UnfoldOptions) -> Array:
    """The windows of x [N, C, H, W], one a column.

    Returns
    -------
    Array
        [N, C * kH * kW, positions]; padding is zeros.

    Raises
    ------
    ShapeError
        If x has other dimensions, or the kernel does not fit into it.
    """
    windows = unfold4d_windows("unfold4d", x.shape, kernel_size, options)
    columns = kernels(x).zeros_beside(x, _columns_shape(x.shape, windows))
    for column, met in _cells(windows):
        columns[column] = x[met]
    return namespace(x).reshape(columns, (x.shape[0], prod(columns.shape[1:4]), prod(columns.shape[4:])))


def fold4d(x: Array, output_size: IntPair, kernel_size: IntPair, options: UnfoldOptions) -> Array:
    """The columns x [N, C * kH * kW, positions] added up where `unfold4d` takes them from.

    Returns
    -------
    Array
        [N, C, *output_size]

    Raises
    ------
    ShapeError
        If kH * kW does not divide the channels of x, or the kernel has not as many positions as x.
    """
    xp = namespace(x)
    shape = fold4d_output_shape(x.shape, output_size, kernel_size, options)
    windows = unfold4d_windows("fold4d", shape, kernel_size, options)
    columns = xp.reshape(widened(xp, x), _columns_shape(shape, windows))
    image = kernels(columns).zeros_beside(columns, shape)
    for column, met in _cells(windows):
        image[met] += columns[column]
    return cast(xp, image, x.dtype)


def _columns_shape(image_shape: Shape, windows: tuple[Window, ...]) -> Shape:
    """[N, C, kH, kW, positions down, positions across]"""
    return (*image_shape[:2], *(w.kernel for w in windows), *(w.out for w in windows))


def _cells(windows: tuple[Window, ...]) -> Iterator[tuple[Any, Any]]:
    """For each cell of the kernel: an index of columns in six dimensions, and of what it meets of the image."""
    for cell in product(*(range(w.kernel) for w in windows)):
        at, met = zip(*(w.inside(k) for w, k in zip(windows, cell, strict=True)), strict=True)
        yield (slice(None), slice(None), *cell, *at), (slice(None), slice(None), *met)


def unfold(x: Array, dim: int, size: int, step: int) -> Array:
    """The windows of `size` cells along dimension `dim` of x, `step` apart, as a new last dimension.

    Returns
    -------
    Array
        Of the shape of x, but for the number of windows at `dim`, and `size` at the end.

    Raises
    ------
    ShapeError
        If a window is longer than the dimension.
    """
    xp = namespace(x)
    shape = unfold_output_shape(x.shape, dim, size, step)
    axis = dim % x.ndim
    starts = xp.arange(shape[axis], dtype=xp.int64, device=x.device) * step
    cells = xp.arange(size, dtype=xp.int64, device=x.device)
    places = xp.reshape(xp.expand_dims(cells, axis=1) + starts, (-1,))
    windows = xp.reshape(xp.take(x, places, axis=axis), (*shape[:axis], size, *shape[axis:-1]))
    return xp.moveaxis(windows, axis, -1)


def unfold_backward(x_shape: Shape, output_grad: Array, dim: int, size: int, step: int) -> Array:
    """The windows added back where `unfold` takes them from -> the gradient of x, of shape `x_shape`"""
    xp = namespace(output_grad)
    shape = unfold_output_shape(x_shape, dim, size, step)
    check_output_grad("unfold_backward", output_grad.shape, shape)
    axis = dim % len(x_shape)
    grad = widened(xp, output_grad)
    x_grad = kernels(grad).zeros_beside(grad, x_shape)
    for k in range(size):
        place = slice(k, k + (shape[axis] - 1) * step + 1, step)
        x_grad[(*(slice(None),) * axis, place, ...)] += grad[..., k]
    return cast(xp, x_grad, output_grad.dtype)
