"""Convolutions as modules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..creation import empty
from ..tensor import Tensor
from . import functional as F
from . import init
from .functional.shapes import per_dimension
from .module import Module
from .parameter import Parameter

__all__ = ["Conv2d"]


class Conv2d(Module):
    """Cross-correlates images with learned kernels; see `functional.conv2d`.

    Parameters
    ----------
    in_channels, out_channels
        Of the input and the output.
    kernel_size
        One int, or one each for height and width.
    stride, padding, dilation, groups
        As in `functional.conv2d`.
    bias
        Whether a number is added to each output channel.
    padding_mode
        ``"zeros"`` only.
    device, dtype
        Of the parameters.

    Raises
    ------
    ValueError
        If `groups` does not divide both channel counts, `padding` is ``"same"`` with a stride, or `padding_mode` is
        another.

    Attributes
    ----------
    weight
        [out_channels, in_channels / groups, kH, kW], at first drawn evenly from ±1/sqrt(fan_in), where fan_in is how
        many cells each output is a sum over.
    bias
        [out_channels], likewise; or None.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Conv2d(3, 8, kernel_size=3, padding=1)(ag.ones(2, 3, 5, 5)).shape
    Size([2, 8, 5, 5])
    """

    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | str = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups < 1:
            raise ValueError(f"Conv2d: groups must be positive, got {groups}")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"Conv2d: {name}={channels} is not divisible by groups={groups}")
        if padding_mode != "zeros":
            raise ValueError(f"Conv2d: padding_mode {padding_mode!r} is not there yet; pad the input with F.pad first")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_dimension("Conv2d", "kernel_size", kernel_size, 2)
        self.stride = per_dimension("Conv2d", "stride", stride, 2)
        self.padding = padding if isinstance(padding, str) else per_dimension("Conv2d", "padding", padding, 2)
        self.dilation = per_dimension("Conv2d", "dilation", dilation, 2)
        self.groups = groups
        self.padding_mode = padding_mode
        if self.padding == "same" and self.stride != (1, 1):
            raise ValueError(f"Conv2d: padding='same' keeps the size of the input, so stride must be 1, not {stride}")
        self.weight = Parameter(
            empty(out_channels, in_channels // groups, *self.kernel_size, device=device, dtype=dtype)
        )
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.fan_in_uniform_(self.bias, self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """input [N, in_channels, H, W] -> [N, out_channels, H', W']"""
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        """Its channels, and the options that are not the default."""
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        if self.padding != (0, 0):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1, 1):
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)
