"""Dropout as modules."""

from __future__ import annotations

from ..tensor import Tensor
from . import functional as F
from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """What the dropouts share; they differ in what is dropped together."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"{type(self).__name__}: p is a probability, in [0, 1], not {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Its probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training each element becomes 0 with probability `p`, else is divided by 1 - p.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1].

    Examples
    --------
    >>> import autograd_ops as ag
    >>> drop = ag.nn.Dropout(0.25)
    >>> drop.eval()(ag.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """`input`, of any shape, with elements dropped"""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """In training each channel of [N, C, L] becomes 0 with probability `p`, else is divided by 1 - p."""

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, L] or [C, L] -> the same shape"""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """In training each channel of [N, C, H, W] becomes 0 with probability `p`, else is divided by 1 - p."""

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, H, W] or [C, H, W] -> the same shape"""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """In training each channel of [N, C, D, H, W] becomes 0 with probability `p`, else is divided by 1 - p."""

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, D, H, W] or [C, D, H, W] -> the same shape"""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout for SELU, in training: it keeps a mean of 0 and a variance of 1; see `functional.alpha_dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, of any shape, with elements dropped"""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels of [N, C, ...]."""

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> the same shape"""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
