"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ... import ops
from ...ops import ConvOptions, PaddedConvOptions
from ...tensor import Tensor
from .shapes import batched, per_dimension

__all__ = ["conv2d"]

Sizes = int | Sequence[int]


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
    given = _options("conv2d", *map(_hashable, (stride, padding, dilation)), groups, tuple(weight.shape[2:]))
    return batched(input, 4, lambda x: ops.conv2d(x, weight, bias, given))


def _hashable(sizes: Any) -> Any:
    return tuple(sizes) if isinstance(sizes, list) else sizes


@lru_cache(maxsize=1024)
def _options(
    name: str,
    stride: int | tuple[int, ...],
    padding: int | tuple[int, ...] | str,
    dilation: int | tuple[int, ...],
    groups: int,
    kernel: tuple[int, ...],
) -> ConvOptions:
    rank = len(kernel)
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
    total = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    start = tuple([n // 2 for n in total])
    end = tuple([n - n // 2 for n in total])
    return PaddedConvOptions.asymmetric(stride, start, end, dilation, groups)
