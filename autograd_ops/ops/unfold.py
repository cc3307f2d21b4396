"""Windows laid out side by side, and added back. Folding is the adjoint of unfolding."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels, namespace
from autograd_backends.options import UnfoldOptions

from ..registry import Array, ShapeOf, op
from .indexing import put_rows
from .shape import reshape

__all__ = ["fold4d", "unfold", "unfold4d", "unfold_backward"]

Size = int | tuple[int, int]


@op(formula="dx = fold4d(g, size of x)", fresh=True)
def unfold4d(x: Array, kernel_size: Size, options: UnfoldOptions) -> Array:
    """The windows of images, one a column; as convolutions see them.

    Parameters
    ----------
    x
        [N, C, H, W]
    kernel_size
        (kH, kW), or one int for both.
    options
        Stride, padding (zeros) and dilation.

    Returns
    -------
    Array
        [N, C * kH * kW, positions], where the positions run through rows.

    Raises
    ------
    ShapeError
        If x has other dimensions, or the kernel does not fit into it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> ops.unfold4d(ag.arange(6.0).reshape(1, 1, 2, 3), 2, ops.UnfoldOptions())
    tensor([[[0., 1.],
             [1., 2.],
             [3., 4.],
             [4., 5.]]])
    """
    return kernels(x).unfold4d(x, kernel_size, options)


unfold4d.backward(x=lambda g, x_shape, kernel_size, options: fold4d(g, x_shape[2:], kernel_size, options))


@op(formula="dx = unfold4d(g)", fresh=True)
def fold4d(x: Array, output_size: Size, kernel_size: Size, options: UnfoldOptions) -> Array:
    """Columns added up where `unfold4d` takes them from.

    Parameters
    ----------
    x
        [N, C * kH * kW, positions]
    output_size
        (H, W) of the images, or one int for both.
    kernel_size, options
        As in `unfold4d`; what falls on padding is dropped.

    Returns
    -------
    Array
        [N, C, H, W]

    Raises
    ------
    ShapeError
        If x has other dimensions, kH * kW does not divide its channels, or the kernel has another number of positions
        in such an image.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> ops.fold4d(ag.ones(1, 4, 2), (2, 3), 2, ops.UnfoldOptions())
    tensor([[[[1., 2., 1.],
              [1., 2., 1.]]]])
    """
    return kernels(x).fold4d(x, output_size, kernel_size, options)


fold4d.backward(x=lambda g, kernel_size, options: unfold4d(g, kernel_size, options))


def _put_windows(base: Any, value: Any, dim: int, size: int, step: int) -> Any:
    array = getattr(base, "array", base)
    xp = namespace(array)
    count = 1
    for n in array.shape:
        count *= n
    numbers = xp.reshape(xp.arange(count, dtype=xp.int64, device=array.device), array.shape)
    places = xp.reshape(unfold(numbers, dim, size, step), (-1,))
    return reshape(put_rows(reshape(base, (-1,)), reshape(value, (-1,)), places), tuple(array.shape))


@op(formula="dx = the windows of g, added back", fresh=True, view=_put_windows)
def unfold(x: Array, dim: int, size: int, step: int) -> Array:
    """The windows of `size` cells along dimension `dim`, `step` apart, as a new last dimension; a view if there is one.

    Parameters
    ----------
    x
        Of any shape.

    Returns
    -------
    Array
        Of the shape of x, but for the number of windows at `dim`, and `size` at the end.

    Raises
    ------
    ShapeError
        If there is no such dimension, or a window is longer than it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> ops.unfold(ag.arange(5.0), 0, 3, 2)
    tensor([[0., 1., 2.],
            [2., 3., 4.]])
    """
    return kernels(x).unfold(x, dim, size, step)


unfold.backward(x=lambda g, x_shape, dim, size, step: unfold_backward(x_shape, g, dim, size, step))


@op(formula="dgrad = unfold(g)")
def unfold_backward(x: ShapeOf, grad: Array, dim: int, size: int, step: int) -> Array:
    """The gradient of x, of which only the shape is used: the windows `grad` added back where they came from"""
    return kernels(grad).unfold_backward(x, grad, dim, size, step)


unfold_backward.backward(grad=lambda g, dim, size, step: unfold(g, dim, size, step))
