"""Channels exchanged with each other, or with space, as modules."""

from __future__ import annotations

from ..tensor import Tensor
from . import functional as F
from .module import Module

__all__ = ["ChannelShuffle", "PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """[..., C * r * r, H, W] -> [..., C, H * r, W * r]; see `functional.pixel_shuffle`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.PixelShuffle(2)(ag.ones(1, 8, 3, 4)).shape
    Size([1, 2, 6, 8])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """`input`, larger."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """How much larger."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """[..., C, H * r, W * r] -> [..., C * r * r, H, W]; see `functional.pixel_unshuffle`."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """`input`, smaller."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """How much smaller."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """The channels of [N, C, ...] dealt out of `groups`; see `functional.channel_shuffle`."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """`input` with its channels in another order."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """The groups."""
        return f"groups={self.groups}"
