"""How time and memory grow with the length of a chain, the batch, the image, the sequence; and how fast at the end.

Work grows in proportion to what is called the size here, so that an exponent above 1 is a fault.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from .compare import Plan, compare, measure_memory

__all__ = ["SWEEPS", "Curve", "Sweep", "exponent", "sweep"]


@dataclass(frozen=True)
class Sweep:
    """A workload whose size is varied.

    Attributes
    ----------
    argument
        The size as the workload's `data` calls it, and `sizes` what it is given.
    power
        Work grows as this power of it.
    fixed
        The other sizes.
    """

    title: str
    workload: str
    argument: str
    sizes: tuple[int, ...]
    power: int = 1
    fixed: dict[str, int] = field(default_factory=dict)

    def work(self, size: int) -> int:
        """What the work is in proportion to."""
        return size**self.power


SWEEPS: dict[str, Sweep] = {
    "length": Sweep("ops in a chain", "chain", "length", (100, 1_000, 10_000, 100_000)),
    "batch": Sweep("batch of MLP 784-128-10", "mlp", "batch", (16, 64, 256, 1024, 4096)),
    "image": Sweep("pixels of ResNet-8, batch 4", "resnet-8", "size", (16, 32, 64, 128), 2, {"batch": 4}),
    "sequence": Sweep("steps of the LSTM", "lstm", "length", (10, 40, 160, 640)),
}


@dataclass
class Curve:
    """What one library did over a sweep: the fastest step and the peak of memory at each amount of work."""

    sweep: str
    library: str
    work: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    def exponents(self) -> tuple[float, float]:
        """That of time over the upper half of the sweep, and that of memory between its last two sizes.

        What the smallest size takes is what a library needs for itself: it is no part of the memory that grows.
        """
        upper = slice(len(self.work) // 2 - 1, None)
        grown = [max(memory - self.memory[0], 1) for memory in self.memory[-2:]]
        return exponent(self.work[upper], self.seconds[upper]), exponent(self.work[-2:], grown)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of a straight line through the logarithms, by least squares."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    return statistics.linear_regression(x, y).slope


def sweep(plan: Plan, name: str, libraries: Sequence[str]) -> Iterator[tuple[int, dict[str, Curve]]]:
    """The curves of each library, after each size."""
    which = SWEEPS[name]
    curves = {library: Curve(name, library) for library in libraries}
    for size in which.sizes:
        sizes = {which.argument: size, **which.fixed}
        measured = compare(replace(plan, repeats=1, loss_steps=2), which.workload, libraries, **sizes)
        for library, curve in curves.items():
            curve.work.append(which.work(size))
            curve.seconds.append(min(step for turn in measured[library].turns for step in turn))
            curve.memory.append(measure_memory(plan, which.workload, library, **sizes))
        yield size, curves
