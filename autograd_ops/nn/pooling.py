"""Pools as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tensor import Tensor
from . import functional as F
from .module import Module

__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]

Sizes = int | Sequence[int]


class MaxPool2d(Module):
    """The largest element of each window; see `functional.max_pool2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.MaxPool2d(2)(ag.ones(1, 3, 6, 6)).shape
    Size([1, 3, 3, 3])
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """input [N, C, H, W] -> [N, C, H', W'], or with `return_indices` that and the indices"""
        return F.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        """Its window."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of each window; see `functional.avg_pool2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.AvgPool2d(2)(ag.ones(1, 3, 6, 6)).shape
    Size([1, 3, 3, 3])
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, H, W] -> [N, C, H', W']"""
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        """Its window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """The means of as many windows as make `output_size`; see `functional.adaptive_avg_pool2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.AdaptiveAvgPool2d((None, 2))(ag.ones(1, 3, 6, 5)).shape
    Size([1, 3, 6, 2])
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, H, W] -> [N, C, *output_size]"""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """The output's size."""
        return f"output_size={self.output_size}"
