"""From what was measured to the numbers of a row."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from .compare import Measured

__all__ = ["Row", "geometric_mean", "losses_differ", "quartiles", "summarize"]


@dataclass(frozen=True)
class Row:
    """A workload on this library and on one other.

    Attributes
    ----------
    seconds, peer_seconds
        The median of a step, and of that its quartiles.
    ratio
        The median over the turns of our median step over theirs; below 1 we are ahead.
    ratio_quartiles
        Its spread over the turns.
    best
        Our fastest step over theirs: what is left where something else disturbs both.
    memory, peer_memory
        Bytes at the peak.
    losses, peer_losses
        Of the first steps.
    apart
        The furthest that these are apart, relative to the first.
    agree
        Whether that is within the workload's tolerance. If not, the time says nothing.
    """

    workload: str
    peer: str
    seconds: tuple[float, float, float]
    peer_seconds: tuple[float, float, float]
    ratio: float
    ratio_quartiles: tuple[float, float]
    best: float
    memory: int | None
    peer_memory: int | None
    losses: list[float]
    peer_losses: list[float]
    apart: float
    agree: bool


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The first quartile, the median, the third; values between two are interpolated."""
    if len(values) == 1:
        return (values[0],) * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios: that of 0.5 and 2 is 1."""
    return math.exp(sum(map(math.log, values)) / len(values))


def losses_differ(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The furthest that two curves are apart, relative to where the second begins; infinity if either is not finite.

    They are compared as far as both go.
    """
    if not all(map(math.isfinite, (*ours, *theirs))):
        return math.inf
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=False)) / abs(theirs[0])


def summarize(workload: str, peer: str, ours: Measured, theirs: Measured, tolerance: float) -> Row:
    """The row of `workload` against `peer`."""
    pairs = zip(ours.turns, theirs.turns, strict=True)
    low, ratio, high = quartiles([statistics.median(a) / statistics.median(b) for a, b in pairs])
    our_steps, their_steps = ([step for turn in m.turns for step in turn] for m in (ours, theirs))
    apart = losses_differ(ours.losses, theirs.losses)
    return Row(
        workload=workload,
        peer=peer,
        seconds=quartiles(our_steps),
        peer_seconds=quartiles(their_steps),
        ratio=ratio,
        ratio_quartiles=(low, high),
        best=min(our_steps) / min(their_steps),
        memory=ours.memory,
        peer_memory=theirs.memory,
        losses=ours.losses,
        peer_losses=theirs.losses,
        apart=apart,
        agree=apart <= tolerance,
    )
