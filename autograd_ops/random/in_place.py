"""Methods that fill a Tensor with random numbers."""

from __future__ import annotations

import math
from typing import Any

from .. import functions
from ..inplace import in_place
from ..ops import astype
from ..refusals import named
from ..tensor import Tensor
from . import drawing
from .drawing import draw
from .generator import Generator

__all__ = [
    "bernoulli_",
    "cauchy_",
    "exponential_",
    "geometric_",
    "log_normal_",
    "normal_",
    "random_",
    "uniform_",
]


def _filled(self: Tensor, values: Tensor, name: str) -> Tensor:
    return in_place(self, lambda _, drawn: astype(drawn, self.array.dtype), values, name=name)


def _uniform(self: Tensor, generator: Generator | None) -> Tensor:
    return Tensor(draw("uniform", tuple(self.shape), self.dtype, self.device, generator))


def _normal(self: Tensor, generator: Generator | None) -> Tensor:
    return Tensor(draw("normal", tuple(self.shape), self.dtype, self.device, generator))


def uniform_(
    self: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Generator | None = None, **ends: float
) -> Tensor:
    """Set every element to a number drawn evenly from [low, high), which PyTorch calls from and to; returns itself.

    Raises
    ------
    ValueError
        If `low` is above `high`.
    """
    low, high = ends.pop("from", low), ends.pop("to", high)
    _refuse_unless(not ends, f"uniform_: unexpected argument {next(iter(ends), None)!r}", TypeError)
    _refuse_unless(low <= high, f"uniform_: there is nothing from {low} to {high}")
    return _filled(self, _uniform(self, generator) * (high - low) + low, "uniform_")


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Set every element to a number of the normal distribution of that mean and deviation; returns itself.

    Raises
    ------
    ValueError
        If `std` is negative.
    """
    _refuse_unless(std >= 0, f"normal_: the deviation cannot be negative, got std={std}")
    return _filled(self, _normal(self, generator) * std + mean, "normal_")


def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Tensor:
    """Set every element to e to the power of a number of the normal distribution; returns itself.

    Raises
    ------
    ValueError
        If `std` is not positive.
    """
    _refuse_unless(std > 0, f"log_normal_: the deviation must be positive, got std={std}")
    return _filled(self, functions.exp(_normal(self, generator) * std + mean), "log_normal_")


def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Set every element to a waiting time of the exponential distribution with rate `lambd`; returns itself.

    Raises
    ------
    ValueError
        If `lambd` is not positive.
    """
    _refuse_unless(lambd > 0, f"exponential_: the rate must be positive, got lambd={lambd}")
    return _filled(self, -functions.log1p(-_uniform(self, generator)) / lambd, "exponential_")


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Set every element to the number of trials until the first that succeeds, each with probability `p`.

    Raises
    ------
    ValueError
        If `p` is not between 0 and 1.
    """
    _refuse_unless(0 < p < 1, f"geometric_: a probability between 0 and 1 is needed, got p={p}")
    trials = Tensor(draw("uniform", tuple(self.shape), "float64", self.device, generator))
    waited = functions.log1p(-trials) / math.log1p(-p)
    return _filled(self, functions.clamp(functions.ceil(waited), 1.0), "geometric_")


def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Set every element to a number of the Cauchy distribution of that median and width; returns itself.

    Raises
    ------
    ValueError
        If `sigma` is not positive.
    """
    _refuse_unless(sigma > 0, f"cauchy_: the width must be positive, got sigma={sigma}")
    angle = (_uniform(self, generator) - 0.5) * math.pi
    return _filled(self, functions.tan(angle) * sigma + median, "cauchy_")


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Set every element to 1 with probability `p`, a number or a Tensor of this shape, else to 0; returns itself.

    Raises
    ------
    ValueError
        If a probability is not in [0, 1].
    """
    if isinstance(p, Tensor):
        return _filled(
            self, drawing.bernoulli(functions.broadcast_to(p.detach(), self.shape), generator=generator), "bernoulli_"
        )
    return _filled(self, drawing.bernoulli(self, p, generator=generator), "bernoulli_")


def random_(self: Tensor, *bounds: int, generator: Generator | None = None, **ends: int) -> Tensor:
    """Set every element to an integer: ``random_(to)`` from 0, ``random_(from, to)``, in both without `to` itself.

    Without bounds they are those that the dtype holds exactly: for floats, up to a power of 2.

    Raises
    ------
    ValueError
        If there is no integer to draw.
    """
    low, high = (0, *bounds) if len(bounds) == 1 else bounds or (0, _largest(self) + 1)
    low, high = ends.get("from", low), ends.get("to", high)
    drawn = drawing.randint(low, high, tuple(self.shape), device=self.device, generator=generator)
    return _filled(self, drawn, "random_")


def _largest(self: Tensor) -> int:
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53, "bool": 1}
    bits = digits.get(self.dtype.name, 8 * self.dtype.itemsize - (self.dtype.kind == "int"))
    return int(2 ** min(bits, 63)) - (self.dtype.kind != "float")


def _refuse_unless(good: bool, message: str, kind: type[Exception] = ValueError) -> None:
    if not good:
        raise kind(message)


named(__name__)
