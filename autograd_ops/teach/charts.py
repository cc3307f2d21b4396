"""Small charts as SVG: bars beside names, and lines over steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from .look import ARROW, BLUE, FONT, GREY, INK, LINE, PAPER

__all__ = ["Bar", "bars", "lines", "spark"]

_LETTER = 6.4  # the width of a letter of 12 px, at most, in most fonts


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar, its name before it and a remark behind it.

    Attributes
    ----------
    share
        Its length, from 0 to 1.
    """

    name: str
    share: float
    remark: str
    colour: str = BLUE


def bars(rows: Sequence[Bar], said: str, width: float = 640.0) -> str:
    """Bars under each other."""
    longest = max((len(row.name) for row in rows), default=0)
    behind = max((len(row.remark) for row in rows), default=0)
    left, right = longest * _LETTER + 12, behind * _LETTER + 16
    room = max(width - left - right, 80.0)
    drawn = []
    for i, row in enumerate(rows):
        y = 6 + i * 20
        length = max(row.share * room, 1.5)
        drawn.append(_text(left - 8, y + 12, row.name, "end", INK))
        drawn.append(f'<rect x="{left:.1f}" y="{y + 2}" width="{length:.1f}" height="13" rx="2" fill="{row.colour}"/>')
        drawn.append(_text(left + length + 8, y + 12, row.remark, "start", GREY))
    return _document(left + room + right, 12 + 20 * len(rows), drawn, said)


def lines(
    points: Sequence[tuple[float, float]],
    said: str,
    *,
    steps: bool = False,
    colour: str = BLUE,
    unit: Callable[[float], str] = "{:.4g}".format,
    marks: Sequence[tuple[float, str]] = (),
    across: str = "",
    log: bool = False,
) -> str:
    """A line through points, with axes.

    Parameters
    ----------
    steps
        Hold each value until the next point, and fill what is below.
    unit
        Writes the values on the upright axis.
    marks
        Places on the level axis to be marked and named.
    across
        What the level axis counts.
    log
        Whether the upright axis is logarithmic; then only positive values are shown.
    """
    good = [(x, y) for x, y in points if math.isfinite(y) and (y > 0 or not log)]
    if not good:
        return _document(300, 40, [_text(10, 24, "nothing to draw yet", "start", GREY)], said)
    level = math.log10 if log else float
    low, high = min(level(y) for _, y in good), max(level(y) for _, y in good)
    if not log:
        low = min(low, 0.0) if steps or (low > 0 and low < 0.4 * high) else low
    if high == low:
        high, low = high + 0.5, low - 0.5
    ticks = _log_ticks(low, high) if log else _ticks(low, high)
    left = 14 + max(len(unit(10**t if log else t)) for t in ticks) * _LETTER
    width, height, top = 640.0, 220.0, 24.0
    first, last = good[0][0], max(good[-1][0], good[0][0] + 1e-9)
    right = width - 16

    def at(x: float, y: float) -> tuple[float, float]:
        share = (level(y) - low) / (high - low)
        return left + (x - first) / (last - first) * (right - left), top + (1 - share) * height

    drawn = []
    for tick in ticks:
        y = top + (1 - (tick - low) / (high - low)) * height
        drawn.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="{LINE}" stroke-width="0.7"/>')
        drawn.append(_text(left - 6, y + 4, unit(10**tick if log else tick), "end", GREY))
    for x, name in marks:
        place, _ = at(x, good[0][1])
        drawn.append(f'<path d="M{place:.1f} {top:.1f}V{top + height:.1f}" stroke="{ARROW}" stroke-dasharray="4 3"/>')
        anchor = "start" if place < (left + right) / 2 else "end"
        drawn.append(_text(place + (5 if anchor == "start" else -5), top - 8, name, anchor, GREY))
    path = _path([at(x, y) for x, y in _thinned(good)], steps)
    if steps:
        base = top + height
        drawn.append(f'<path d="{path}V{base:.1f}H{at(*good[0])[0]:.1f}Z" fill="{colour}" fill-opacity="0.15"/>')
    drawn.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    drawn.append(_text(left, top + height + 18, f"{first:g}", "start", GREY))
    drawn.append(_text(right, top + height + 18, f"{last:g}", "end", GREY))
    drawn.append(_text((left + right) / 2, top + height + 18, across, "middle", GREY))
    return _document(width, top + height + 30, drawn, said)


def spark(values: Sequence[float], width: int = 40) -> str:
    """A line of blocks for a terminal: the mean of each part of the values, low to high."""
    good = [value for value in values if math.isfinite(value)]
    if not good:
        return ""
    count = min(width, len(good))
    means = []
    for i in range(count):
        part = good[i * len(good) // count : max((i + 1) * len(good) // count, i * len(good) // count + 1)]
        means.append(sum(part) / len(part))
    low, high = min(means), max(means)
    scale = 7 / (high - low) if high > low else 0.0
    return "".join("▁▂▃▄▅▆▇█"[round((mean - low) * scale)] for mean in means)


#: A line has two points for each pixel, and no more.
_POINTS = 1280


def _thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """As many points as can be told apart: of each part of many, the lowest and the highest, and the ends."""
    if len(points) <= _POINTS:
        return points
    kept = {0, len(points) - 1}
    for i in range(_POINTS // 2):
        part = range(i * len(points) // (_POINTS // 2), (i + 1) * len(points) // (_POINTS // 2))
        kept |= {min(part, key=lambda at: points[at][1]), max(part, key=lambda at: points[at][1])}
    return [points[i] for i in sorted(kept)]


def _path(points: Sequence[tuple[float, float]], steps: bool) -> str:
    (x, y), *rest = points
    parts = [f"M{x:.1f} {y:.1f}"]
    parts += [f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f} {y:.1f}" for x, y in rest]
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers, some four, within a range."""
    step = 10 ** math.floor(math.log10((high - low) / 3))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 5)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Whole powers of ten within a range, or its ends where there are none."""
    inside = [float(i) for i in range(math.ceil(low), math.floor(high) + 1)]
    return inside[:: max(1, len(inside) // 5)] if len(inside) > 1 else [low, high]


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _document(width: float, height: float, drawn: Sequence[str], said: str) -> str:
    body = "\n".join(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(said)}" font-family="{FONT}" '
        f'font-size="12" style="max-width: 100%; height: auto"><rect width="100%" height="100%" fill="{PAPER}"/>\n'
        f"{body}\n</svg>"
    )
