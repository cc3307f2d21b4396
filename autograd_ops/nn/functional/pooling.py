"""Pools: one number for each window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import ops
from ...tensor import Tensor
from .shapes import batched, per_dimension

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "max_pool2d"]

Sizes = int | Sequence[int]


def _windows(name: str, kernel_size: Sizes, stride: Sizes | None, padding: Sizes) -> tuple[tuple[int, ...], ...]:
    kernel = per_dimension(name, "kernel_size", kernel_size, 2)
    # PyTorch takes an empty stride for none, too.
    step = kernel if stride is None or stride == () else per_dimension(name, "stride", stride, 2)
    return kernel, step, per_dimension(name, "padding", padding, 2)


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window; of equals the first.

    Parameters
    ----------
    input
        [N, C, H, W] or [C, H, W].
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
        [N, C, H', W'], or two of them.

    Raises
    ------
    ValueError
        If the window does not fit into the input, or `padding` is over half of it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.max_pool2d(ag.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    kernel, step, pads = _windows("max_pool2d", kernel_size, stride, padding)
    apart = per_dimension("max_pool2d", "dilation", dilation, 2)
    if return_indices:
        single = input.ndim == 3
        found = ops.max_pool2d_with_indices(
            ops.expand_dims(input, 0) if single else input, kernel, step, pads, apart, ceil_mode
        )
        return tuple([ops.squeeze(x, (0,)) if single else x for x in found])
    return batched(
        input, 4, lambda x: ops.max_pool2d_with_indices(x, kernel, step, pads, apart, ceil_mode).output
    )


def avg_pool2d(
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
        [N, C, H, W] or [C, H, W].
    kernel_size, stride, padding, ceil_mode
        As in `max_pool2d`; the padding is zeros.
    count_include_pad
        Whether padding counts in the divisor.
    divisor_override
        What to divide by instead.

    Returns
    -------
    Tensor
        [N, C, H', W']

    Raises
    ------
    ValueError
        If the window does not fit into the input, or `divisor_override` is 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.avg_pool2d(ag.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    if divisor_override == 0:
        raise ValueError("avg_pool2d: divisor_override cannot be 0")
    kernel, step, pads = _windows("avg_pool2d", kernel_size, stride, padding)
    return batched(
        input,
        4,
        lambda x: ops.avg_pool2d(x, kernel, step, pads, count_include_pad, ceil_mode, divisor_override),
    )


def adaptive_avg_pool2d(input: Tensor, output_size: int | None | Sequence[int | None]) -> Tensor:
    """The means of as many windows as make `output_size`: window i covers ``i n // m`` up to ``ceil((i + 1) n / m)``.

    Parameters
    ----------
    input
        [N, C, H, W] or [C, H, W].
    output_size
        (H', W'), or one int for both; None keeps the input's.

    Returns
    -------
    Tensor
        [N, C, H', W']

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.adaptive_avg_pool2d(ag.arange(16.0).reshape(1, 4, 4), 1)
    tensor([[[7.5000]]])
    """
    wanted = (output_size, output_size) if output_size is None or isinstance(output_size, int) else tuple(output_size)
    size = tuple([there if n is None else n for n, there in zip(wanted, input.shape[-2:], strict=True)])
    return batched(input, 4, lambda x: ops.adaptive_avg_pool2d(x, size))
