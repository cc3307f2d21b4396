"""What a sample is, how its numbers are drawn, and derivatives that need no autodiff."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = ["Sample", "adjoint", "complex_step", "distinct", "distinct_complex", "pairs"]


class Sample:
    """Arguments for one call of an op, and what the result must be.

    Floats are float64 here and complex numbers complex128; under test they have the precision of the lane.

    Attributes
    ----------
    reference
        The result, computed in double precision without the library: a function of the same arguments.
    arguments
        Those of the op in order: float64 arrays stand for the floats under test, whatever their dtype will be.
    dtype
        The result's dtype where it does not follow from the inputs and the reference.
    device
        The result's device where it is not that of the inputs.
    smooth
        Whether the op is differentiable at these inputs, so that finite differences may be taken.
    half
        Whether float16 can hold the inputs, the steps between and the result.
    """

    def __init__(
        self,
        reference: Callable[..., Any],
        *arguments: Any,
        dtype: str | None = None,
        device: str | None = None,
        smooth: bool = True,
        half: bool = True,
        note: str = "",
    ) -> None:
        self.reference = reference
        self.arguments = arguments
        self.dtype = dtype
        self.device = device
        self.smooth = smooth
        complex_numbers = any(a.dtype == np.complex128 for a in arrays_in(arguments))
        self.half = half and not complex_numbers and not any(isinstance(a, complex) for a in arguments)
        self.note = note

    def label(self) -> str:
        """Its place in test names: the arguments in short."""
        return " ".join([*map(_short, self.arguments), *([self.note] if self.note else [])])

    def is_empty(self) -> bool:
        """Whether an array among the arguments has no elements."""
        return any(a.size == 0 for a in arrays_in(self.arguments))

    def has_floats(self) -> bool:
        """Whether an array among the arguments is of floats."""
        return any(a.dtype in (np.float64, np.complex128) for a in arrays_in(self.arguments))


def arrays_in(arguments: Iterable[Any]) -> list[np.ndarray]:
    """The arrays among `arguments`, those in lists too."""
    found = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            found.append(argument)
        elif isinstance(argument, list):
            found += arrays_in(argument)
    return found


def _short(argument: Any) -> str:
    if isinstance(argument, np.ndarray):
        kind = "" if argument.dtype == np.float64 else argument.dtype.name
        return kind + "[" + ",".join(map(str, argument.shape)) + "]"
    if isinstance(argument, list):
        return "[" + " ".join(map(_short, argument)) + "]"
    return str(argument).replace(" ", "").replace("None", "-").replace("slice", "")


def distinct(shape: Any, low: float = -1.9, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Floats between `low` and `high` in an irregular order, no two of them close to each other."""
    size = int(np.prod(shape))
    rng = np.random.default_rng(seed)
    steps = np.arange(size) + 0.5 + 0.2 * rng.uniform(-1, 1, size)
    return (low + (high - low) * rng.permutation(steps) / max(size, 1)).reshape(shape)


def distinct_complex(shape: Any, low: float = -1.9, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Complex numbers whose parts are `distinct`."""
    parts = distinct((2, *np.zeros(shape).shape), low, high, seed)
    return np.asarray(parts[0] + 1j * parts[1])


#: Shapes that broadcast: equal, of unequal rank, stretched on both sides, without dimensions, without elements.
BROADCASTING: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((3,), (2, 1, 3)),
    ((2, 1), (1, 3)),
    ((2, 2, 1), (2, 2)),
    ((), (2, 2)),
    ((3,), ()),
    ((), ()),
    ((0,), (1,)),
    ((2, 1), (2, 0)),
]


def pairs(
    low: float = -1.9,
    high: float = 2.0,
    other_low: float | None = None,
    other_high: float | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Two arrays of floats for each of `BROADCASTING`."""
    second = (low if other_low is None else other_low, high if other_high is None else other_high)
    return [
        (distinct(a, low, high, 2 * i + 1), distinct(b, *second, 2 * i + 2)) for i, (a, b) in enumerate(BROADCASTING)
    ]


def adjoint(linear: Callable[[np.ndarray], np.ndarray], shape: Any, g: np.ndarray) -> np.ndarray:
    """The gradient of ``sum(linear(x) * g)`` for x of `shape`: what `linear` makes of each unit vector, times g."""
    gradient = np.zeros(shape)
    for at in np.ndindex(gradient.shape):
        unit = np.zeros(shape)
        unit[at] = 1.0
        gradient[at] = np.sum(linear(unit) * g)
    return gradient


def complex_step(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The gradient of ``sum(f(x) * g)`` by f(x + ih).imag / h, which subtracts nothing and so is exact to rounding."""
    step = 1e-30
    gradient = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[at] += 1j * step
        gradient[at] = np.sum(f(moved).imag * g) / step
    return gradient
