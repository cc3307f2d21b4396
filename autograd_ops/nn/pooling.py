"""Pools as modules. Each calls the function of its name in `functional`.

>>> import autograd_ops as ag
>>> ag.nn.MaxPool2d(2)(ag.ones(1, 3, 6, 6)).shape
Size([1, 3, 3, 3])
>>> ag.nn.AvgPool1d(3, stride=1)(ag.ones(1, 3, 6)).shape
Size([1, 3, 4])
>>> ag.nn.AdaptiveAvgPool2d((None, 2))(ag.ones(1, 3, 6, 5)).shape
Size([1, 3, 6, 2])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..tensor import Tensor
from . import functional as F
from .functional.shapes import per_dimension
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]

Sizes = int | Sequence[int]
OutputSizes = int | Sequence[int | None] | None


# ---------------------------------------------------------------- maximum


class _MaxPool(Module):
    """The largest element of each window."""

    function: Callable[..., Any]

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
        """input [N, C, ...] -> [N, C, ...], or with `return_indices` that and the indices"""
        return self.function(
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


class MaxPool1d(_MaxPool):
    """The largest element of each window of [N, C, L]; see `functional.max_pool1d`."""

    function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """The largest element of each window of [N, C, H, W]; see `functional.max_pool2d`."""

    function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """The largest element of each window of [N, C, D, H, W]; see `functional.max_pool3d`."""

    function = staticmethod(F.max_pool3d)


class _AdaptiveMaxPool(Module):
    """The largest elements of even windows."""

    function: Callable[..., Any]

    def __init__(self, output_size: OutputSizes, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """input [N, C, ...] -> [N, C, *output_size], or with `return_indices` that and the indices"""
        return self.function(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        """The output's size."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest elements of `output_size` windows of [N, C, L]; see `functional.adaptive_max_pool1d`."""

    function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest elements of `output_size` windows of [N, C, H, W]; see `functional.adaptive_max_pool2d`."""

    function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest elements of `output_size` windows of [N, C, D, H, W]; see `functional.adaptive_max_pool3d`."""

    function = staticmethod(F.adaptive_max_pool3d)


class _MaxUnpool(Module):
    """What a max pool gave, back where it came from."""

    function: Callable[..., Any]
    rank: int

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = per_dimension(name, "kernel_size", kernel_size, self.rank)
        self.stride = self.kernel_size if stride is None else per_dimension(name, "stride", stride, self.rank)
        self.padding = per_dimension(name, "padding", padding, self.rank)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """input and indices [N, C, ...] from the pool -> [N, C, ...], of the pool's input or of `output_size`"""
        return self.function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """The pool's window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """What a `MaxPool1d` gave, back where it came from; see `functional.max_unpool1d`."""

    rank = 1
    function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """What a `MaxPool2d` gave, back where it came from; see `functional.max_unpool2d`."""

    rank = 2
    function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """What a `MaxPool3d` gave, back where it came from; see `functional.max_unpool3d`."""

    rank = 3
    function = staticmethod(F.max_unpool3d)


# ---------------------------------------------------------------- mean


class AvgPool1d(Module):
    """The mean of each window of [N, C, L]; see `functional.avg_pool1d`."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = per_dimension("AvgPool1d", "kernel_size", kernel_size, 1)
        self.stride = self.kernel_size if stride is None else per_dimension("AvgPool1d", "stride", stride, 1)
        self.padding = per_dimension("AvgPool1d", "padding", padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, L] -> [N, C, L']"""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        """Its window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(Module):
    """The mean of each window."""

    function: Callable[..., Any]

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
        """input [N, C, ...] -> [N, C, ...]"""
        return self.function(
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


class AvgPool2d(_AvgPool):
    """The mean of each window of [N, C, H, W]; see `functional.avg_pool2d`."""

    function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """The mean of each window of [N, C, D, H, W]; see `functional.avg_pool3d`."""

    function = staticmethod(F.avg_pool3d)


class _AdaptiveAvgPool(Module):
    """The means of even windows."""

    function: Callable[..., Any]

    def __init__(self, output_size: OutputSizes) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> [N, C, *output_size]"""
        return self.function(input, self.output_size)

    def extra_repr(self) -> str:
        """The output's size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The means of `output_size` windows of [N, C, L]; see `functional.adaptive_avg_pool1d`."""

    function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The means of `output_size` windows of [N, C, H, W]; see `functional.adaptive_avg_pool2d`."""

    function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The means of `output_size` windows of [N, C, D, H, W]; see `functional.adaptive_avg_pool3d`."""

    function = staticmethod(F.adaptive_avg_pool3d)


# ---------------------------------------------------------------- power mean


class _LPPool(Module):
    """The norm of each window."""

    function: Callable[..., Any]

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> [N, C, ...]"""
        return self.function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        """Its norm and its window."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The norm of each window of [N, C, L]; see `functional.lp_pool1d`."""

    function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """The norm of each window of [N, C, H, W]; see `functional.lp_pool2d`."""

    function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    """The norm of each window of [N, C, D, H, W]; see `functional.lp_pool3d`."""

    function = staticmethod(F.lp_pool3d)
