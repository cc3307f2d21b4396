"""Windows laid out side by side, and added back, as modules."""

from __future__ import annotations

from collections.abc import Sequence

from ..tensor import Tensor
from . import functional as F
from .module import Module

__all__ = ["Fold", "Unfold"]

Sizes = int | Sequence[int]


class Unfold(Module):
    """The windows of images, one a column; see `functional.unfold`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Unfold(2)(ag.ones(1, 3, 4, 5)).shape
    Size([1, 12, 12])
    """

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, H, W] -> [N, C * kH * kW, positions]"""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Its window."""
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Module):
    """Columns added up to images; see `functional.fold`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Fold((4, 5), 2)(ag.ones(1, 12, 12)).shape
    Size([1, 3, 4, 5])
    """

    def __init__(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C * kH * kW, positions] -> [N, C, *output_size]"""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The images' size, and the window."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
