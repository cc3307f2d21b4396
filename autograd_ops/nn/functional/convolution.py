"""Convolutions, plain, transposed and deformable."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

from ... import ops
from ...ops import ConvOptions, ConvTransposeOptions, DeformConvOptions, PaddedConvOptions
from ...refusals import named
from ...tensor import Tensor
from .shapes import batched, per_dimension

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "deform_conv2d",
    "same_padding",
]

Sizes = int | Sequence[int]

#: Sizes that can be looked up.
Hashable = int | tuple[int, ...]


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlate series [N, C_in, L] or [C_in, L] with kernels [C_out, C_in / groups, k]; see `conv2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> series = ag.tensor([[1.0, 2.0, 3.0, 4.0]])
    >>> ag.nn.functional.conv1d(series, ag.tensor([[[1.0, 10.0]]]), padding="same")
    tensor([[21., 32., 43.,  4.]])
    """
    return _conv(ops.conv1d, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlate images with kernels.

    Parameters
    ----------
    input
        [N, C_in, H, W], or one image [C_in, H, W].
    weight
        [C_out, C_in / groups, kH, kW]
    bias
        [C_out] or None.
    stride
        The step of the kernel.
    padding
        How many zeros are put on each side; ``"valid"`` for none, or ``"same"`` for an output of the input's size,
        where an odd one goes at the end.
    dilation
        The distance between the cells of the kernel.
    groups
        How many parts the channels are cut into.

    Returns
    -------
    Tensor
        [N, C_out, H', W'] with ``H' = (H + 2 padding - dilation (kH - 1) - 1) // stride + 1``, and W' likewise.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``padding="same"`` is asked for with a stride.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> image = ag.arange(9.0).reshape(1, 1, 3, 3)
    >>> ag.nn.functional.conv2d(image, ag.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
    return _conv(ops.conv2d, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlate volumes [N, C_in, D, H, W] or [C_in, D, H, W] with kernels [C_out, C_in / groups, kD, kH, kW].

    See `conv2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.conv3d(ag.ones(1, 2, 3, 4, 5), ag.ones(6, 2, 2, 2, 2), stride=(1, 2, 1)).shape
    Size([1, 6, 2, 2, 4])
    """
    return _conv(ops.conv3d, input, weight, bias, stride, padding, dilation, groups)


def _conv(
    op: Any,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes | str,
    dilation: Sizes,
    groups: int,
) -> Tensor:
    rank = int(op.__name__[-2])
    given = _options(op.__name__, *map(_hashable, (stride, padding, dilation)), groups, tuple(weight.shape[2:]))
    return batched(input, rank + 2, lambda x: op(x, weight, bias, given))


def _hashable(sizes: Any) -> Any:
    return tuple(sizes) if hasattr(sizes, "__len__") and not isinstance(sizes, str) else sizes


@lru_cache(maxsize=1024)
def _options(
    name: str, stride: Hashable, padding: Hashable | str, dilation: Hashable, groups: int, kernel: tuple[int, ...]
) -> ConvOptions:
    rank = int(name[-2])
    stride, dilation = (
        per_dimension(name, "stride", stride, rank),
        per_dimension(name, "dilation", dilation, rank),
    )
    if not isinstance(padding, str):
        return ConvOptions(stride, per_dimension(name, "padding", padding, rank), dilation, groups)
    if padding == "valid":
        return ConvOptions(stride, (0,) * rank, dilation, groups)
    if padding != "same":
        raise ValueError(f"{name}: padding is ints, 'same' or 'valid', not {padding!r}")
    if any(s != 1 for s in stride):
        raise ValueError(f"{name}: padding='same' keeps the size of the input, so stride must be 1, not {stride}")
    if len(kernel) != rank:
        return ConvOptions(stride, (0,) * rank, dilation, groups)  # the op says what is wrong with the weight
    start, end = zip(*same_padding(kernel, dilation), strict=True)
    return PaddedConvOptions.asymmetric(stride, start, end, dilation, groups)


def same_padding(kernel: Sequence[int], dilation: Sequence[int]) -> list[tuple[int, int]]:
    """How many cells (before, after) each dimension make the output as large as the input; an odd one goes after."""
    total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    return [(n // 2, n - n // 2) for n in total]


# ---------------------------------------------------------------- transposed


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Lay kernels [C_in, C_out / groups, k], times each element of series [N, C_in, L] or [C_in, L], over the output.

    See `conv_transpose2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.conv_transpose1d(ag.tensor([[1.0, 2.0]]), ag.tensor([[[1.0, 10.0, 100.0]]]), stride=2)
    tensor([[  1.,  10., 102.,  20., 200.]])
    """
    return _conv_transpose(ops.conv_transpose1d, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Lay kernels, times each pixel of images, over the output, and add up: the gradient of `conv2d` in its input.

    Parameters
    ----------
    input
        [N, C_in, H, W], or one image [C_in, H, W].
    weight
        [C_in, C_out / groups, kH, kW]
    bias
        [C_out] or None.
    stride
        How far apart the kernels of two neighbours lie in the output.
    padding
        How many cells are cut off each side of the output.
    output_padding
        How much longer the output is at its end; less than `stride` or less than `dilation`.
    groups
        How many parts the channels are cut into. It comes before `dilation` here, unlike in `conv2d`.
    dilation
        The distance between the cells of the kernel.

    Returns
    -------
    Tensor
        [N, C_out, H', W'] with ``H' = (H - 1) stride - 2 padding + dilation (kH - 1) + 1 + output_padding``, and W'
        likewise.

    Raises
    ------
    ValueError
        If the shapes do not fit, or `output_padding` is too large.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.conv_transpose2d(ag.ones(1, 1, 2, 2), ag.ones(1, 1, 2, 2))
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    return _conv_transpose(ops.conv_transpose2d, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Lay kernels [C_in, C_out / groups, kD, kH, kW], times each cell of volumes [N, C_in, D, H, W], over the output.

    See `conv_transpose2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.conv_transpose3d(ag.ones(1, 2, 3, 4, 5), ag.ones(2, 6, 2, 2, 2), stride=(1, 2, 1)).shape
    Size([1, 6, 4, 8, 6])
    """
    return _conv_transpose(ops.conv_transpose3d, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _conv_transpose(
    op: Any,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes,
    output_padding: Sizes,
    groups: int,
    dilation: Sizes,
) -> Tensor:
    rank = int(op.__name__[-2])
    given = _transpose_options(op.__name__, *map(_hashable, (stride, padding, output_padding, dilation)), groups)
    return batched(input, rank + 2, lambda x: op(x, weight, bias, given))


@lru_cache(maxsize=1024)
def _transpose_options(
    name: str, stride: Hashable, padding: Hashable, output_padding: Hashable, dilation: Hashable, groups: int
) -> ConvTransposeOptions:
    rank = int(name[-2])
    steps, zeros, longer, gaps = (
        per_dimension(name, field, value, rank)
        for field, value in (
            ("stride", stride),
            ("padding", padding),
            ("output_padding", output_padding),
            ("dilation", dilation),
        )
    )
    if any(more >= max(step, gap) for more, step, gap in zip(longer, steps, gaps, strict=True)):
        raise ValueError(f"{name}: output_padding={longer} must be less than stride={steps} or dilation={gaps}")
    return ConvTransposeOptions(steps, zeros, longer, gaps, groups)


# ---------------------------------------------------------------- deformable


def deform_conv2d(
    input: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    dilation: Sizes = (1, 1),
    mask: Tensor | None = None,
) -> Tensor:
    """A convolution, each cell of whose kernel takes a bilinear sample at its place plus an offset.

    The arguments and their order are those of ``torchvision.ops.deform_conv2d``. Into how many parts the channels are
    cut follows from the shapes.

    Parameters
    ----------
    input
        [N, C_in, H, W]
    offset
        [N, 2 * offset_groups * kH * kW, H', W'], (dy, dx) for each cell of the kernel.
    weight
        [C_out, C_in / groups, kH, kW]
    bias
        [C_out] or None.
    stride, padding, dilation
        As in `conv2d`.
    mask
        [N, offset_groups * kH * kW, H', W'], a factor for each sample, or None for 1.

    Returns
    -------
    Tensor
        [N, C_out, H', W']

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> image, offset = ag.arange(9.0).reshape(1, 1, 3, 3), ag.zeros(1, 8, 2, 2)
    >>> ag.nn.functional.deform_conv2d(image, offset, ag.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
    name = "deform_conv2d"
    stride, padding, dilation = (
        per_dimension(name, field, value, 2)
        for field, value in (("stride", stride), ("padding", padding), ("dilation", dilation))
    )
    # Where a number of groups does not come out, the op says which shapes do not fit.
    weight_groups, offset_groups = _ratio(input, weight.shape[1:2]), _ratio(offset, (2, *weight.shape[2:]))
    options = DeformConvOptions(stride, padding, dilation, weight_groups, offset_groups)
    return ops.deform_conv2d(input, offset, weight, mask, bias, options)


def _ratio(x: Tensor, per_group: Sequence[int]) -> int:
    """How many groups the channels of `x` make."""
    channels = x.shape[1] if x.ndim > 1 else 1
    return max(1, channels // max(1, prod(per_group)))


named(__name__)
