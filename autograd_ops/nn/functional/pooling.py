"""Pools: one number for each window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import ops
from ...tensor import Tensor
from .shapes import batched

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "max_pool2d"]

Sizes = int | Sequence[int]


def _step(kernel_size: Sizes, stride: Sizes | None) -> Sizes:
    """The step of a window: its size by default; PyTorch takes an empty list for none, too."""
    return kernel_size if stride is None or stride == [] or stride == () else stride


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
    window: tuple[Any, ...] = (kernel_size, _step(kernel_size, stride), padding, dilation, ceil_mode)
    if not return_indices:
        return batched(input, 4, lambda x: ops.max_pool2d(x, *window))
    if input.ndim == 4:
        return tuple(ops.max_pool2d_with_indices(input, *window))
    output, indices = ops.max_pool2d_with_indices(ops.expand_dims(input, 0), *window)
    return ops.squeeze(output, (0,)), ops.squeeze(indices, (0,))


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
    tensor([[[ 2.5,  4.5],
             [10.5, 12.5]]])
    """
    if divisor_override == 0:
        raise ValueError("avg_pool2d: divisor_override cannot be 0")
    step = _step(kernel_size, stride)
    return batched(
        input,
        4,
        lambda x: ops.avg_pool2d(x, kernel_size, step, padding, count_include_pad, ceil_mode, divisor_override),
    )


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
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
    tensor([[[7.5]]])
    """
    wanted = (output_size, output_size) if output_size is None or isinstance(output_size, int) else tuple(output_size)
    size = tuple([there if n is None else n for n, there in zip(wanted, input.shape[-2:], strict=True)])
    return batched(input, 4, lambda x: ops.adaptive_avg_pool2d(x, size))
