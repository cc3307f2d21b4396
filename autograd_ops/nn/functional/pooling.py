"""Pools: one number for each window, in one, two and three dimensions.

>>> import autograd_ops as ag
>>> import autograd_ops.nn.functional as F
>>> x = ag.arange(16.0).reshape(1, 4, 4)
>>> F.max_pool2d(x, 2)
tensor([[[ 5.,  7.],
         [13., 15.]]])
>>> F.avg_pool2d(x, 2)
tensor([[[ 2.5,  4.5],
         [10.5, 12.5]]])
>>> F.adaptive_avg_pool2d(x, 1)
tensor([[[7.5]]])
>>> F.adaptive_max_pool2d(x, (None, 1), return_indices=True)[1]
tensor([[[ 3],
         [ 7],
         [11],
         [15]]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from ... import ops
from ...refusals import named
from ...tensor import Tensor
from .shapes import batched, per_dimension

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
]

Sizes = int | Sequence[int]
OutputSizes = int | Sequence[int | None] | None


def _sizes(name: str, rank: int, **sizes: Sizes) -> list[tuple[int, ...]]:
    """Each size as one int for each dimension."""
    return [per_dimension(name, field, size, rank) for field, size in sizes.items()]


def _step(kernel_size: Sizes, stride: Sizes | None) -> Sizes:
    """The step of a window: its size by default; PyTorch takes an empty list for none, too."""
    return kernel_size if stride is None or stride == [] or stride == () else stride


def _whole_size(name: str, rank: int, input: Tensor, output_size: OutputSizes) -> tuple[int, ...]:
    """The output's size with that of the input where it is None."""
    sizes: Any = output_size if hasattr(output_size, "__len__") else (output_size,) * rank
    if len(sizes) != rank:
        raise ValueError(f"{name}: output_size has one int or {rank}, got {tuple(sizes)}")
    return tuple([there if n is None else n for n, there in zip(sizes, input.shape[-rank:], strict=True)])


def _named(function: Callable[..., Any], name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    return function


# ---------------------------------------------------------------- maximum


def _max_pool(rank: int) -> Any:
    name = f"max_pool{rank}d"
    plain, with_indices = getattr(ops, name), getattr(ops, f"{name}_with_indices")

    def max_pool(
        input: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        """The largest element of each window; of equals the first, and NaN wins over all.

        Parameters
        ----------
        input
            [N, C, ...] or [C, ...].
        kernel_size
            The size of a window.
        stride
            Its step; by default its size, so that windows do not overlap.
        padding
            How many cells, which never win, are put on each side.
        dilation
            The distance between the cells of a window.
        ceil_mode
            Whether a window that the input ends in counts.
        return_indices
            Whether to give ``(output, indices)``: int64, where in its plane each came from.

        Returns
        -------
        Tensor
            [N, C, ...], or two of them.

        Raises
        ------
        ValueError
            If the window does not fit into the input, or `padding` is over half of it.
        """
        step = _step(kernel_size, stride)
        window = _sizes(name, rank, kernel_size=kernel_size, stride=step, padding=padding, dilation=dilation)
        pool = with_indices if return_indices else plain
        return batched(input, rank + 2, lambda x: pool(x, *window, ceil_mode))

    return _named(max_pool, name)


max_pool1d, max_pool2d, max_pool3d = _max_pool(1), _max_pool(2), _max_pool(3)


def _adaptive_max_pool(rank: int) -> Any:
    name = f"adaptive_max_pool{rank}d"
    with_indices = getattr(ops, f"{name}_with_indices")

    def adaptive_max_pool(input: Tensor, output_size: OutputSizes, return_indices: bool = False) -> Any:
        """The largest of `output_size` windows, as even as can be.

        Window i of m over a length n goes from ``i n // m`` to ``ceil((i + 1) n / m)``.

        Parameters
        ----------
        input
            [N, C, ...] or [C, ...].
        output_size
            One int for each dimension, or one for all; None keeps the input's.
        return_indices
            Whether to give ``(output, indices)``: int64, where in its plane each came from.

        Returns
        -------
        Tensor
            [N, C, *output_size], or two of them.

        Raises
        ------
        ValueError
            If `input` has other dimensions, or none to pool.
        """
        size = _whole_size(name, rank, input, output_size)
        pooled = batched(input, rank + 2, lambda x: with_indices(x, size))
        return pooled if return_indices else pooled[0]

    return _named(adaptive_max_pool, name)


adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = map(_adaptive_max_pool, (1, 2, 3))


def _with_indices(pool: Any) -> Any:
    def with_indices(*args: Any, **kwargs: Any) -> Any:
        # PyTorch's signature ends in return_indices, which means nothing here.
        return pool(*args, **{**kwargs, "return_indices": True})

    with_indices.__doc__ = f"`{pool.__name__}`, giving ``(output, indices)``."
    return _named(with_indices, f"{pool.__name__}_with_indices")


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    _with_indices, (max_pool1d, max_pool2d, max_pool3d)
)
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(
    _with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d)
)


# ---------------------------------------------------------------- mean


def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of `input` [N, C, L] or [C, L]; see `avg_pool2d`."""
    return _averaged(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def _avg_pool(rank: int) -> Any:
    def avg_pool(
        input: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        """The mean of each window.

        Parameters
        ----------
        input
            [N, C, ...] or [C, ...].
        kernel_size, stride, padding, ceil_mode
            As in the max pools; the padding is zeros.
        count_include_pad
            Whether padding counts in the divisor.
        divisor_override
            What to divide by instead.

        Returns
        -------
        Tensor
            [N, C, ...]

        Raises
        ------
        ValueError
            If the window does not fit into the input, or `divisor_override` is 0.
        """
        return _averaged(rank, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    return _named(avg_pool, f"avg_pool{rank}d")


avg_pool2d, avg_pool3d = _avg_pool(2), _avg_pool(3)


def _averaged(
    rank: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    name = f"avg_pool{rank}d"
    if divisor_override == 0:
        raise ValueError(f"{name}: divisor_override cannot be 0")
    window = _sizes(name, rank, kernel_size=kernel_size, stride=_step(kernel_size, stride), padding=padding)
    pool = getattr(ops, name)
    return batched(input, rank + 2, lambda x: pool(x, *window, count_include_pad, ceil_mode, divisor_override))


def _adaptive_avg_pool(rank: int) -> Any:
    name = f"adaptive_avg_pool{rank}d"
    pool = getattr(ops, name)

    def adaptive_avg_pool(input: Tensor, output_size: OutputSizes) -> Tensor:
        """The means of `output_size` windows, as even as can be.

        Window i of m over a length n goes from ``i n // m`` to ``ceil((i + 1) n / m)``.

        Parameters
        ----------
        input
            [N, C, ...] or [C, ...].
        output_size
            One int for each dimension, or one for all; None keeps the input's.

        Returns
        -------
        Tensor
            [N, C, *output_size]

        Raises
        ------
        ValueError
            If `input` has other dimensions, or none to pool.
        """
        size = _whole_size(name, rank, input, output_size)
        return batched(input, rank + 2, lambda x: pool(x, size))

    return _named(adaptive_avg_pool, name)


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = map(_adaptive_avg_pool, (1, 2, 3))


# ---------------------------------------------------------------- power mean


def _lp_pool(rank: int) -> Any:
    name = f"lp_pool{rank}d"

    def lp_pool(
        input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> Tensor:
        """``sum(x ** norm_type) ** (1 / norm_type)`` over each window; where the sum is 0, so is the gradient.

        A window that the input ends in counts as if the rest of it had the same mean.

        Parameters
        ----------
        input
            [N, C, ...] or [C, ...].
        norm_type
            The power: 1 for sums, 2 for Euclidean norms, infinite for the largest magnitude.
        kernel_size, stride, ceil_mode
            As in the max pools.

        Returns
        -------
        Tensor
            [N, C, ...]

        Raises
        ------
        ValueError
            If the window does not fit into the input, or `norm_type` is 0.
        """
        cells = 1
        for n in per_dimension(name, "kernel_size", kernel_size, rank):
            cells *= n
        power = float(norm_type)
        if not power:
            raise ValueError(f"{name}: norm_type={norm_type} has no root; it must not be 0")
        if abs(power) == inf:
            # The limit: the largest magnitude of a window, or the smallest.
            sign = 1.0 if power > 0 else -1.0
            return sign * _MAX_POOLS[rank](sign * ops.abs(input), kernel_size, stride, 0, 1, ceil_mode)
        sums = cells * _averaged(rank, ops.pow(input, power), kernel_size, stride, 0, ceil_mode, True, None)
        zero = ops.equal(sums, 0.0)
        return ops.where(zero, 0.0, ops.pow(ops.where(zero, 1.0, sums), 1.0 / power))

    return _named(lp_pool, name)


_MAX_POOLS = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}
lp_pool1d, lp_pool2d, lp_pool3d = map(_lp_pool, (1, 2, 3))


named(__name__)
