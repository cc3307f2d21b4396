"""Activation functions made of pieces, as modules; the formulas are with the functions in `functional`."""

from __future__ import annotations

from typing import Any

from ..creation import full
from ..tensor import Tensor
from . import functional as F
from .module import Module
from .parameter import Parameter

__all__ = [
    "CELU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "PReLU",
    "RReLU",
    "Softshrink",
    "Threshold",
]


class Threshold(Module):
    """x where it is above `threshold`, `value` elsewhere."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Its threshold and value."""
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class Hardshrink(Module):
    """0 where -lambd <= x <= lambd, x elsewhere."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Its lambd."""
        return f"{self.lambd}"


class Softshrink(Module):
    """x moved by `lambd` towards 0, and 0 where it is nearer than that."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Its lambd."""
        return f"{self.lambd}"


class Hardsigmoid(Module):
    """min(max(x + 3, 0), 6) / 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """x hardsigmoid(x)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.hardswish(input, self.inplace)


class SELU(Module):
    """s x where positive, s a (e^x - 1) elsewhere, with the s and a of self-normalizing networks."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it works in place."""
        return "inplace=True" if self.inplace else ""


class CELU(Module):
    """x where positive, alpha (e^(x / alpha) - 1) elsewhere."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Its alpha."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """x where positive, w x elsewhere, with a learned slope w.

    Parameters
    ----------
    num_parameters
        1, or as many as there are channels, which then have one slope each.
    init
        What the slopes start as.
    device, dtype
        Of the slopes.

    Attributes
    ----------
    weight
        [num_parameters]

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.PReLU()(ag.tensor([-1.0, 2.0])).tolist()
    [-0.25, 2.0]
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Let the slopes start anew."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> the same shape"""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many slopes."""
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """x where positive, r x elsewhere; r is drawn evenly from [lower, upper) in training, else their mean."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Its bounds."""
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")
