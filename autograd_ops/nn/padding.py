"""Padding as modules; see `functional.pad`.

>>> import autograd_ops as ag
>>> ag.nn.ReflectionPad1d((2, 1))(ag.arange(3.0).reshape(1, 1, 3))
tensor([[[2., 1., 0., 1., 2., 1.]]])
>>> ag.nn.ZeroPad2d(1)(ag.ones(1, 1, 2, 2)).shape
Size([1, 1, 4, 4])
"""

from __future__ import annotations

from collections.abc import Sequence

from ..tensor import Tensor
from . import functional as F
from .functional.shapes import per_dimension
from .module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

Sizes = int | Sequence[int]


class _Pad(Module):
    """Cells around the last `rank` dimensions."""

    rank: int
    mode: str

    def __init__(self, padding: Sizes) -> None:
        super().__init__()
        self.padding = per_dimension(type(self).__name__, "padding", padding, 2 * self.rank)

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> [N, C, ...]"""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """Before and after the last dimension, and so on to the first padded."""
        return f"{self.padding}"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> [N, C, ...]"""
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        """The padding and its value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """`value` around [N, C, L]."""

    rank = 1


class ConstantPad2d(_ConstantPad):
    """`value` around [N, C, H, W]."""

    rank = 2


class ConstantPad3d(_ConstantPad):
    """`value` around [N, C, D, H, W]."""

    rank = 3


class _ZeroPad(_Pad):
    mode = "constant"


class ZeroPad1d(_ZeroPad):
    """Zeros around [N, C, L]."""

    rank = 1


class ZeroPad2d(_ZeroPad):
    """Zeros around [N, C, H, W]."""

    rank = 2


class ZeroPad3d(_ZeroPad):
    """Zeros around [N, C, D, H, W]."""

    rank = 3


class _ReflectionPad(_Pad):
    mode = "reflect"


class ReflectionPad1d(_ReflectionPad):
    """[N, C, L], mirrored at its ends."""

    rank = 1


class ReflectionPad2d(_ReflectionPad):
    """[N, C, H, W], mirrored at its edges."""

    rank = 2


class ReflectionPad3d(_ReflectionPad):
    """[N, C, D, H, W], mirrored at its faces."""

    rank = 3


class _ReplicationPad(_Pad):
    mode = "replicate"


class ReplicationPad1d(_ReplicationPad):
    """[N, C, L] with its ends repeated."""

    rank = 1


class ReplicationPad2d(_ReplicationPad):
    """[N, C, H, W] with its edges repeated."""

    rank = 2


class ReplicationPad3d(_ReplicationPad):
    """[N, C, D, H, W] with its faces repeated."""

    rank = 3


class _CircularPad(_Pad):
    mode = "circular"


class CircularPad1d(_CircularPad):
    """[N, C, L] as a ring."""

    rank = 1


class CircularPad2d(_CircularPad):
    """[N, C, H, W] as a torus."""

    rank = 2


class CircularPad3d(_CircularPad):
    """[N, C, D, H, W], with what leaves on one side coming in on the other."""

    rank = 3
