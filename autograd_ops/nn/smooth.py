"""Activation functions without corners, as modules; the formulas are with the functions in `functional`."""

from __future__ import annotations

from ..tensor import Tensor
from . import functional as F
from .module import Module

__all__ = ["GLU", "Mish", "Softmax2d", "Softmin", "Softsign", "Tanhshrink"]


class GLU(Module):
    """a sigmoid(b), a and b the halves of x along `dim`."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """input [..., 2 n, ...] -> [..., n, ...]"""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Its dimension."""
        return f"dim={self.dim}"


class Mish(Module):
    """x tanh(softplus(x))."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it works in place."""
        return "inplace=True" if self.inplace else ""


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.tanhshrink(input)


class Softmin(Module):
    """The softmax of -x along `dim`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.softmin(input, self.dim)

    def extra_repr(self) -> str:
        """Its dimension."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Softmax over the channels, at each place.

    Raises
    ------
    ValueError
        When called with an input that is no image.
    """

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, H, W] or [C, H, W] -> the same shape"""
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: takes [N, C, H, W] or [C, H, W], not shape {tuple(input.shape)}")
        return F.softmax(input, -3)
