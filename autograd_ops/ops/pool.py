"""Pools: the largest or the mean of each window. Sizes are one int for both dimensions, or one for each."""

from __future__ import annotations

from typing import Any, NamedTuple

from autograd_backends import kernels, namespace
from autograd_backends.options import per_dimension

from ..registry import Array, ShapeOf, op

__all__ = [
    "MaxPool2dBackward",
    "MaxPool2dWithIndices",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool2d_backward",
    "avg_pool2d",
    "avg_pool2d_backward",
    "max_pool2d",
    "max_pool2d_gather",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
]

Size = int | tuple[int, int]


def _both(name: str, **sizes: Any) -> list[tuple[int, ...]]:
    """Each size as one int for each of the two dimensions."""
    return [per_dimension(name, field, size, 2) for field, size in sizes.items()]


# ---------------------------------------------------------------- maximum


class MaxPool2dWithIndices(NamedTuple):
    """What `max_pool2d_with_indices` gives: both [N, C, H', W']."""

    output: Any
    indices: Any


class MaxPool2dBackward(NamedTuple):
    """What `max_pool2d_with_indices_backward` gives."""

    x_grad: Any


@op(formula="dx = zeros with g added at indices", outputs=("output", "indices"), carries=("output",))
def max_pool2d_with_indices(
    x: Array,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    dilation: Size,
    ceil_mode: bool,
    indices_dtype: str = "int64",
) -> MaxPool2dWithIndices:
    """The largest element of each window, and where it is.

    The tape keeps the indices, and lets x go.

    Parameters
    ----------
    x
        [N, C, H, W]
    kernel_size, stride, padding, dilation
        Of the windows; padding never wins.
    ceil_mode
        Whether a last window that reaches past the padded input counts; it must start inside it.
    indices_dtype
        An integer dtype.

    Returns
    -------
    MaxPool2dWithIndices
        The largest elements [N, C, H', W'] (the first of equals; the first NaN wins over all), and the index of each
        in its flattened plane of x.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule that they break.
    """
    kernel, steps, zeros, gaps = _both(
        "max_pool2d_with_indices", kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation
    )
    output, indices = kernels(x).max_pool2d_with_indices(x, kernel, steps, zeros, gaps, ceil_mode)
    if indices_dtype != "int64":
        indices = namespace(x).astype(indices, kernels(x).dtype(indices_dtype))
    return MaxPool2dWithIndices(output, indices)


max_pool2d_with_indices.backward(
    x=lambda g, x_shape, kernel_size, stride, padding, dilation, ceil_mode, indices: (
        max_pool2d_with_indices_backward(x_shape, kernel_size, stride, padding, dilation, ceil_mode, g, indices).x_grad
    )
)


@op(formula="doutput_grad = g at indices", outputs=("x_grad",), nondiff=("indices",))
def max_pool2d_with_indices_backward(
    x: ShapeOf,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    dilation: Size,
    ceil_mode: bool,
    output_grad: Array,
    indices: Array,
) -> MaxPool2dBackward:
    """The gradient of x [N, C, H, W], of which only the shape is used"""
    return MaxPool2dBackward(kernels(output_grad).max_pool2d_with_indices_backward(x, output_grad, indices))


max_pool2d_with_indices_backward.backward(output_grad=lambda g, indices: max_pool2d_gather(g, indices))


@op(formula="dx = zeros with g added at indices", nondiff=("indices",))
def max_pool2d_gather(x: Array, indices: Array) -> Array:
    """x [N, C, H, W] at `indices` [N, C, H', W'] of its flattened planes"""
    return kernels(x).max_pool2d_gather(x, indices)


max_pool2d_gather.backward(
    # How the windows lay does not matter any more: the indices say it all.
    x=lambda g, x_shape, indices: max_pool2d_with_indices_backward(x_shape, 1, 1, 0, 1, False, g, indices).x_grad
)


def max_pool2d(x: Array, kernel_size: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool) -> Array:
    """The largest element of each window; see `max_pool2d_with_indices`"""
    return max_pool2d_with_indices(x, kernel_size, stride, padding, dilation, ceil_mode).output


# ---------------------------------------------------------------- mean


@op(formula="dx = g / divisor, spread over each window")
def avg_pool2d(
    x: Array,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    count_include_pad: bool,
    ceil_mode: bool,
    divisor_override: int | None = None,
) -> Array:
    """The mean of each window.

    Parameters
    ----------
    x
        [N, C, H, W]
    kernel_size, stride, padding
        Of the windows.
    count_include_pad
        Whether the divisor counts padding; what lies beyond it never counts.
    ceil_mode
        Whether a last window that reaches past the padded input counts; it must start inside it.
    divisor_override
        A divisor for every window.

    Returns
    -------
    Array
        [N, C, H', W']

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule that they break.
    """
    kernel, steps, zeros = _both("avg_pool2d", kernel_size=kernel_size, stride=stride, padding=padding)
    return kernels(x).avg_pool2d(x, kernel, steps, zeros, count_include_pad, ceil_mode, divisor_override)


avg_pool2d.backward(
    x=lambda g, x_shape, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override: (
        avg_pool2d_backward(x_shape, g, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override)
    )
)


@op(formula="dgrad = avg_pool2d(g)")
def avg_pool2d_backward(
    x: ShapeOf,
    grad: Array,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    count_include_pad: bool,
    ceil_mode: bool,
    divisor_override: int | None = None,
) -> Array:
    """The gradient of x [N, C, H, W], of which only the shape is used"""
    kernel, steps, zeros = _both("avg_pool2d", kernel_size=kernel_size, stride=stride, padding=padding)
    return kernels(grad).avg_pool2d_backward(
        x, grad, kernel, steps, zeros, count_include_pad, ceil_mode, divisor_override
    )


avg_pool2d_backward.backward(
    grad=lambda g, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override: avg_pool2d(
        g, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
    )
)


@op(formula="dx = g / size, spread over each window")
def adaptive_avg_pool2d(x: Array, output_size: Size) -> Array:
    """x [N, C, H, W] cut into `output_size` windows, as even as can be, and the mean of each -> [N, C, *output_size]"""
    (size,) = _both("adaptive_avg_pool2d", output_size=output_size)
    return kernels(x).adaptive_avg_pool2d(x, size)


adaptive_avg_pool2d.backward(x=lambda g, x_shape: adaptive_avg_pool2d_backward(x_shape, g))


@op(formula="dgrad = adaptive_avg_pool2d(g)")
def adaptive_avg_pool2d_backward(x: ShapeOf, grad: Array) -> Array:
    """The gradient of x [N, C, H, W], of which only the shape is used"""
    return kernels(grad).adaptive_avg_pool2d_backward(x, grad)


adaptive_avg_pool2d_backward.backward(grad=lambda g, grad_shape: adaptive_avg_pool2d(g, tuple(grad_shape[2:])))
