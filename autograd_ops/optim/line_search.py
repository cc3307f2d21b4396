"""A step length along a direction that meets the strong Wolfe conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["strong_wolfe"]


class _Point(NamedTuple):
    """The loss at one length, its gradient, and its slope along the direction."""

    length: float
    loss: float
    gradient: Any
    slope: float


def strong_wolfe(
    look: Callable[[float], tuple[float, Any, float]],
    length: float,
    loss: float,
    gradient: Any,
    slope: float,
    largest: float,
    tolerance_change: float = 1e-9,
    c1: float = 1e-4,
    c2: float = 0.9,
    max_looks: int = 25,
) -> tuple[float, Any, float, int]:
    """Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6, with cubic interpolation.

    Parameters
    ----------
    look
        Gives loss, gradient and slope at a length.
    length
        The first one to try.
    loss, gradient, slope
        At length 0.
    largest
        The largest element of the direction; with `tolerance_change` it says when a bracket is too narrow.
    c1, c2
        How far the loss has to fall, and how flat it has to become.
    max_looks
        How many steps widen or narrow the bracket at most.

    Returns
    -------
    tuple
        The loss, gradient and length that were chosen, and how often it looked.
    """
    start = before = _Point(0.0, loss, gradient, slope)
    looks = 0

    def at(length: float) -> _Point:
        nonlocal looks
        looks += 1
        return _Point(length, *look(length))

    def falls(point: _Point) -> bool:
        return point.loss <= loss + c1 * point.length * slope

    def flat(point: _Point) -> bool:
        return abs(point.slope) <= -c2 * slope

    # Forward, until two lengths have a good one between them. The first step is forgiven a rise that is small enough.
    now, steps, bracket = at(length), 0, None
    while steps < max_looks:
        if not falls(now) or (steps > 1 and now.loss >= before.loss):
            bracket = [before, now]
            break
        if flat(now):
            return now.loss, now.gradient, now.length, looks
        if now.slope >= 0:
            bracket = [before, now]
            break
        least = now.length + 0.01 * (now.length - before.length)
        before, now = now, at(_cubic(before, now, (least, now.length * 10.0)))
        steps += 1
    if bracket is None:
        bracket = [start, now]

    # Then inwards, around the lower of the two.
    stalled = False
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    while steps < max_looks:
        ends = (min(p.length for p in bracket), max(p.length for p in bracket))
        width = ends[1] - ends[0]
        if width * largest < tolerance_change:
            break
        length = _cubic(bracket[0], bracket[1])
        # A length that close to an end again and again would hardly narrow the bracket.
        if min(ends[1] - length, length - ends[0]) < 0.1 * width:
            if stalled or length >= ends[1] or length <= ends[0]:
                nearer_top = abs(length - ends[1]) < abs(length - ends[0])
                length = ends[1] - 0.1 * width if nearer_top else ends[0] + 0.1 * width
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        point = at(length)
        steps += 1
        if not falls(point) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        if flat(point):
            bracket[low] = point
            break
        if point.slope * (bracket[high].length - bracket[low].length) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
    best = bracket[low]
    return best.loss, best.gradient, best.length, looks


def _cubic(a: _Point, b: _Point, bounds: tuple[float, float] | None = None) -> float:
    """The lowest length of the cubic through two points with their slopes, kept in the bounds, by default theirs."""
    if a.length > b.length:
        a, b = b, a
    low, high = (a.length, b.length) if bounds is None else bounds
    if a.length == b.length:
        return (low + high) / 2.0
    d1 = a.slope + b.slope - 3.0 * (a.loss - b.loss) / (a.length - b.length)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    divisor = b.slope - a.slope + 2.0 * d2
    if divisor == 0:
        return (low + high) / 2.0
    lowest = b.length - (b.length - a.length) * ((b.slope + d2 - d1) / divisor)
    return min(max(lowest, low), high)
