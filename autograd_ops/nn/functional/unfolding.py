"""Windows laid out side by side, and added back."""

from __future__ import annotations

from collections.abc import Sequence

from ... import ops
from ...ops import UnfoldOptions
from ...refusals import named
from ...tensor import Tensor
from .shapes import batched, per_dimension

__all__ = ["fold", "unfold"]

Sizes = int | Sequence[int]


def _options(name: str, dilation: Sizes, padding: Sizes, stride: Sizes) -> UnfoldOptions:
    return UnfoldOptions(
        per_dimension(name, "stride", stride, 2),
        per_dimension(name, "padding", padding, 2),
        per_dimension(name, "dilation", dilation, 2),
    )


def unfold(input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Tensor:
    """The windows of images, one a column.

    Parameters
    ----------
    input
        [N, C, H, W] or [C, H, W].
    kernel_size
        (kH, kW), or one int for both; so the others.
    dilation
        The distance between the cells of a window.
    padding
        How many zeros are put on each side.
    stride
        The step of a window.

    Returns
    -------
    Tensor
        [N, C * kH * kW, positions]

    Raises
    ------
    ValueError
        If the window does not fit into the image.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.unfold(ag.ones(1, 3, 4, 5), (2, 3)).shape
    Size([1, 18, 9])
    """
    kernel = per_dimension("unfold", "kernel_size", kernel_size, 2)
    options = _options("unfold", dilation, padding, stride)
    return batched(input, 4, lambda x: ops.unfold4d(x, kernel, options))


def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Columns added up where `unfold` takes them from; what falls on padding is dropped.

    Parameters
    ----------
    input
        [N, C * kH * kW, positions] or [C * kH * kW, positions].
    output_size
        (H, W) of the images.
    kernel_size, dilation, padding, stride
        As in `unfold`.

    Returns
    -------
    Tensor
        [N, C, H, W]

    Raises
    ------
    ValueError
        If kH * kW does not divide the channels, or the window has another number of positions in the images.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.fold(ag.ones(1, 4, 2), (2, 3), 2)
    tensor([[[[1., 2., 1.],
              [1., 2., 1.]]]])
    """
    size = per_dimension("fold", "output_size", output_size, 2)
    kernel = per_dimension("fold", "kernel_size", kernel_size, 2)
    options = _options("fold", dilation, padding, stride)
    return batched(input, 3, lambda x: ops.fold4d(x, size, kernel, options))


named(__name__)
