"""Pools in one, two and three dimensions: the largest or the mean of each window.

Sizes are one int for all spatial dimensions, or one for each. A max pool keeps where its maxima were, and lets its
input go: that is where all gradients go.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from autograd_backends import kernels, namespace
from autograd_backends.lookup import dtype_name
from autograd_backends.options import per_dimension
from autograd_backends.results import MaxPoolWithIndices
from autograd_backends.shapes import check_planes

from ..registry import Array, ShapeOf, op

__all__ = [
    "MaxPool1dBackward",
    "MaxPool1dWithIndices",
    "MaxPool2dBackward",
    "MaxPool2dWithIndices",
    "MaxPool3dBackward",
    "MaxPool3dWithIndices",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool1d_backward",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool2d_backward",
    "adaptive_avg_pool3d",
    "adaptive_avg_pool3d_backward",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool1d_backward",
    "avg_pool2d",
    "avg_pool2d_backward",
    "avg_pool3d",
    "avg_pool3d_backward",
    "gather_cells",
    "gather_planes",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool1d_with_indices_backward",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_pool3d_with_indices_backward",
    "scatter_cells",
    "scatter_planes",
]

Size = int | tuple[int, ...]


def _each(op_name: str, rank: int, **sizes: Any) -> list[tuple[int, ...]]:
    """Each size as one int for each spatial dimension."""
    return [per_dimension(op_name, field, size, rank) for field, size in sizes.items()]


# ---------------------------------------------------------------- elements of planes, by number


@op(formula="dx = zeros with g added at indices", nondiff=("indices",), fresh=True)
def gather_planes(x: Array, indices: Array) -> Array:
    """x [N, C, ...] at `indices` [N, C, ...], of which each counts the elements of its own plane ``x[n, c]``"""
    return kernels(x).gather_planes(x, indices)


gather_planes.backward(x=lambda g, x_shape, indices: scatter_planes(x_shape, g, indices))


@op(formula="dvalues = g at indices", nondiff=("indices",), fresh=True)
def scatter_planes(x: ShapeOf, values: Array, indices: Array) -> Array:
    """Zeros of the shape of x [N, C, ...] with `values` [N, C, ...] added at `indices` of its planes"""
    return kernels(values).scatter_planes(x, values, indices)


scatter_planes.backward(values=lambda g, indices: gather_planes(g, indices))


# ---------------------------------------------------------------- cells of windows, by number


def _sizes(rank: int, *sizes: Any) -> list[Any]:
    """The arguments of windows, checked when they were first given, each for all dimensions."""
    *lengths, ceil_mode = sizes
    return [*[per_dimension("max_pool", "a size", size, rank) for size in lengths], ceil_mode]


@op(formula="dx = zeros with g added in cells", nondiff=("cells",), fresh=True)
def gather_cells(
    x: Array, cells: Array, kernel_size: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool
) -> Array:
    """What the windows of x [N, C, ...] have in `cells` [N, C, ...], each the number of a cell of its own window.

    The first cell has number 0, and the last dimension counts first; the other arguments are those of a max pool.
    """
    return kernels(x).gather_cells(x, cells, *_sizes(x.ndim - 2, kernel_size, stride, padding, dilation, ceil_mode))


gather_cells.backward(
    x=lambda g, x_shape, cells, kernel_size, stride, padding, dilation, ceil_mode: scatter_cells(
        x_shape, g, cells, kernel_size, stride, padding, dilation, ceil_mode
    )
)


@op(formula="dvalues = g in cells", nondiff=("cells",), fresh=True)
def scatter_cells(
    x: ShapeOf,
    values: Array,
    cells: Array,
    kernel_size: Size,
    stride: Size,
    padding: Size,
    dilation: Size,
    ceil_mode: bool,
) -> Array:
    """Zeros of the shape of x [N, C, ...] with `values` [N, C, ...] added in `cells` of their windows"""
    return kernels(values).scatter_cells(
        x, values, cells, *_sizes(len(x) - 2, kernel_size, stride, padding, dilation, ceil_mode)
    )


scatter_cells.backward(
    values=lambda g, cells, kernel_size, stride, padding, dilation, ceil_mode: gather_cells(
        g, cells, kernel_size, stride, padding, dilation, ceil_mode
    )
)


# ---------------------------------------------------------------- maximum


class MaxPoolBackward(NamedTuple):
    """What the backward of a max pool gives."""

    x_grad: Any


MaxPool1dWithIndices = MaxPool2dWithIndices = MaxPool3dWithIndices = MaxPoolWithIndices
MaxPool1dBackward = MaxPool2dBackward = MaxPool3dBackward = MaxPoolBackward

_FORMULA = "dx = zeros with g added at indices"


def _indices_as(indices: Array, dtype: str) -> Array:
    return indices if dtype == "int64" else namespace(indices).astype(indices, kernels(indices).dtype(dtype))


def _max_pool(rank: int) -> tuple[Any, ...]:
    """max_poolNd, max_poolNd_with_indices, its backward, and adaptive_max_poolNd_with_indices"""
    name = f"max_pool{rank}d"

    @op(
        name=f"{name}_with_indices",
        formula=_FORMULA,
        outputs=("output", "indices"),
        carries=("output",),
        fresh=True,
        real=True,
    )
    def with_indices(
        x: Array,
        kernel_size: Size,
        stride: Size,
        padding: Size,
        dilation: Size,
        ceil_mode: bool,
        indices_dtype: str = "int64",
    ) -> MaxPoolWithIndices:
        """The largest element of each window, and where it is.

        The tape keeps the indices, and lets x go.

        Parameters
        ----------
        x
            [N, C, ...]
        kernel_size, stride, padding, dilation
            Of the windows; padding never wins.
        ceil_mode
            Whether a last window that reaches past the padded input counts; it must start inside it.
        indices_dtype
            An integer dtype.

        Returns
        -------
        MaxPoolWithIndices
            The largest elements [N, C, ...] (the first of equals; the first NaN wins over all), and the index of each
            in its flattened plane of x.

        Raises
        ------
        ShapeError
            Naming the argument, the shapes and the rule that they break.
        """
        sizes = _each(name, rank, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
        output, indices = getattr(kernels(x), f"{name}_with_indices")(x, *sizes, ceil_mode)
        return MaxPoolWithIndices(output, _indices_as(indices, indices_dtype))

    with_indices.backward(x=lambda g, x_shape, indices: scatter_planes(x_shape, g, indices))

    @op(
        name=f"{name}_with_indices_backward",
        formula="doutput_grad = g at indices",
        outputs=("x_grad",),
        nondiff=("indices",),
        fresh=True,
    )
    def with_indices_backward(
        x: ShapeOf,
        kernel_size: Size,
        stride: Size,
        padding: Size,
        dilation: Size,
        ceil_mode: bool,
        output_grad: Array,
        indices: Array,
    ) -> MaxPoolBackward:
        """The gradient of x [N, C, ...], of which only the shape is used.

        How the windows lay does not matter any more: the indices say it all.

        Raises
        ------
        ShapeError
            If `output_grad` and `indices` do not fit each other, or x.
        TypeError
            If `indices` are not integers.
        IndexError
            If an index is not in the planes of x.
        """
        check_planes(f"{name}_with_indices_backward", x, output_grad.shape, indices.shape)
        if not namespace(indices).isdtype(indices.dtype, "integral"):
            raise TypeError(
                f"{name}_with_indices_backward: indices have dtype {dtype_name(indices)}; they must be integers"
            )
        kernels(indices).check_indices(indices, prod(x[2:]), f"{name}_with_indices_backward: indices")
        return MaxPoolBackward(kernels(output_grad).scatter_planes(x, output_grad, indices))

    with_indices_backward.backward(output_grad=lambda g, indices: gather_planes(g, indices))

    @op(name=name, formula="dx = zeros with g added where the maxima were", saves=("cells",), fresh=True, real=True)
    def max_pool(x: Array, kernel_size: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool) -> Array:
        """The largest element of each window of x [N, C, ...].

        As ``..._with_indices``, but the tape keeps a byte for each, the number of its cell in the window: an index has
        eight.

        Raises
        ------
        ShapeError
            Naming the argument, the shapes and the rule that they break.
        """
        sizes = _each(name, rank, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
        return getattr(kernels(x), name)(x, *sizes, ceil_mode)

    max_pool.backward(
        x=lambda g, x_shape, cells, kernel_size, stride, padding, dilation, ceil_mode: scatter_cells(
            x_shape, g, cells, kernel_size, stride, padding, dilation, ceil_mode
        )
    )

    @op(
        name=f"adaptive_{name}_with_indices",
        real=True,
        formula=_FORMULA,
        outputs=("output", "indices"),
        carries=("output",),
        fresh=True,
    )
    def adaptive(x: Array, output_size: Size, indices_dtype: str = "int64") -> MaxPoolWithIndices:
        """x [N, C, ...] cut into `output_size` windows, as even as can be; the largest of each, and where it is.

        Window i of n over a length L goes from floor(i L / n) to ceil((i + 1) L / n).

        Parameters
        ----------
        x
            [N, C, ...]
        output_size
            How many windows.
        indices_dtype
            An integer dtype.

        Returns
        -------
        MaxPoolWithIndices
            [N, C, *output_size], both: the largest elements (the first of equals; the first NaN wins over all), and
            the index of each in its flattened plane of x.

        Raises
        ------
        ShapeError
            If x has other dimensions, or none to pool.
        """
        (size,) = _each(f"adaptive_{name}", rank, output_size=output_size)
        output, indices = getattr(kernels(x), f"adaptive_{name}_with_indices")(x, size)
        return MaxPoolWithIndices(output, _indices_as(indices, indices_dtype))

    adaptive.backward(x=lambda g, x_shape, indices: scatter_planes(x_shape, g, indices))

    return max_pool, with_indices, with_indices_backward, adaptive


max_pool1d, max_pool1d_with_indices, max_pool1d_with_indices_backward, adaptive_max_pool1d_with_indices = _max_pool(1)
max_pool2d, max_pool2d_with_indices, max_pool2d_with_indices_backward, adaptive_max_pool2d_with_indices = _max_pool(2)
max_pool3d, max_pool3d_with_indices, max_pool3d_with_indices_backward, adaptive_max_pool3d_with_indices = _max_pool(3)


# ---------------------------------------------------------------- mean


def _avg_pool(rank: int) -> tuple[Any, Any]:
    """avg_poolNd and its backward"""
    name = f"avg_pool{rank}d"

    @op(name=name, formula="dx = g / divisor, spread over each window", floating=True, fresh=True)
    def avg_pool(
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
            [N, C, ...]
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
            [N, C, ...]

        Raises
        ------
        ShapeError
            Naming the argument, the shapes and the rule that they break.
        """
        sizes = _each(name, rank, kernel_size=kernel_size, stride=stride, padding=padding)
        return getattr(kernels(x), name)(x, *sizes, count_include_pad, ceil_mode, divisor_override)

    avg_pool.backward(
        x=lambda g, x_shape, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override: backward(
            x_shape, g, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
        )
    )

    @op(name=f"{name}_backward", formula=f"dgrad = {name}(g)", fresh=True)
    def backward(
        x: ShapeOf,
        grad: Array,
        kernel_size: Size,
        stride: Size,
        padding: Size,
        count_include_pad: bool,
        ceil_mode: bool,
        divisor_override: int | None = None,
    ) -> Array:
        """The gradient of x [N, C, ...], of which only the shape is used"""
        sizes = _each(name, rank, kernel_size=kernel_size, stride=stride, padding=padding)
        kernel = getattr(kernels(grad), f"{name}_backward")
        return kernel(x, grad, *sizes, count_include_pad, ceil_mode, divisor_override)

    backward.backward(
        grad=lambda g, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override: avg_pool(
            g, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
        )
    )
    return avg_pool, backward


avg_pool1d, avg_pool1d_backward = _avg_pool(1)
avg_pool2d, avg_pool2d_backward = _avg_pool(2)
avg_pool3d, avg_pool3d_backward = _avg_pool(3)


def _adaptive_avg_pool(rank: int) -> tuple[Any, Any]:
    """adaptive_avg_poolNd and its backward"""
    name = f"adaptive_avg_pool{rank}d"

    @op(name=name, formula="dx = g / size, spread over each window", floating=True, fresh=True)
    def adaptive(x: Array, output_size: Size) -> Array:
        """x [N, C, ...] cut into `output_size` windows, as even as can be; the mean of each, [N, C, *output_size]

        Window i of n over a length L goes from floor(i L / n) to ceil((i + 1) L / n).

        Raises
        ------
        ShapeError
            If x has other dimensions, or none to pool.
        """
        (size,) = _each(name, rank, output_size=output_size)
        return getattr(kernels(x), name)(x, size)

    adaptive.backward(x=lambda g, x_shape: backward(x_shape, g))

    @op(name=f"{name}_backward", formula=f"dgrad = {name}(g)", fresh=True)
    def backward(x: ShapeOf, grad: Array) -> Array:
        """The gradient of x [N, C, ...], of which only the shape is used"""
        return getattr(kernels(grad), f"{name}_backward")(x, grad)

    backward.backward(grad=lambda g, grad_shape: adaptive(g, tuple(grad_shape[2:])))
    return adaptive, backward


adaptive_avg_pool1d, adaptive_avg_pool1d_backward = _adaptive_avg_pool(1)
adaptive_avg_pool2d, adaptive_avg_pool2d_backward = _adaptive_avg_pool(2)
adaptive_avg_pool3d, adaptive_avg_pool3d_backward = _adaptive_avg_pool(3)
