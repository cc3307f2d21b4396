"""Activation functions as modules; the formulas are with the functions of the same names in `functional`."""

from __future__ import annotations

from ..tensor import Tensor
from . import functional as F
from .module import Module

__all__ = [
    "ELU",
    "GELU",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
]


class ReLU(Module):
    """max(x, 0).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.ReLU()(ag.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it works in place."""
        return "inplace=True" if self.inplace else ""


class Hardtanh(Module):
    """x, brought into [min_val, max_val].

    Raises
    ------
    ValueError
        If `min_val` is not below `max_val`.
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        if min_val >= max_val:
            raise ValueError(f"{type(self).__name__}: min_val {min_val} is not below max_val {max_val}")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Its bounds."""
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Whether it works in place."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """x where positive, `negative_slope` x elsewhere."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Its slope."""
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class ELU(Module):
    """x where positive, alpha (e^x - 1) elsewhere."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Its alpha."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class GELU(Module):
    """x Phi(x), Phi the normal distribution function; ``approximate="tanh"`` takes tanh for it."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """How Phi is computed."""
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """x sigmoid(x)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it works in place."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + e^-x)."""

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.tanh(input)


class LogSigmoid(Module):
    """log(1 / (1 + e^-x))."""

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + e^(beta x)) / beta; x itself where beta x is above `threshold`."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Its beta and threshold."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """e^x over its sum along `dim`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Softmax(dim=-1)(ag.zeros(1, 4))
    tensor([[0.25, 0.25, 0.25, 0.25]])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Its dimension."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of `Softmax`, computed without overflow."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """input [...] -> the same shape"""
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Its dimension."""
        return f"dim={self.dim}"
