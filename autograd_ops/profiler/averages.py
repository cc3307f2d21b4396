"""Events added up by name, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .events import Event

__all__ = ["Average", "Averages", "add_up", "render"]


@dataclass(slots=True)
class Average:
    """All events of one name and kind.

    Attributes
    ----------
    label
        The name, and ``backward`` behind that of an op whose rules these are.
    count
        How many there were.
    self_time, total
        Nanoseconds without, and with, the events inside of them.
    made
        Bytes of the arrays that they gave.
    """

    label: str
    kind: str
    count: int = 0
    self_time: int = 0
    total: int = 0
    made: int = 0

    @property
    def mean(self) -> float:
        """Nanoseconds of one, with what is inside."""
        return self.total / self.count


#: What `render` sorts by, under the names of this module and of PyTorch.
_KEYS = {
    "self": "self_time",
    "total": "total",
    "mean": "mean",
    "count": "count",
    "bytes": "made",
    "name": "label",
    "self_cpu_time_total": "self_time",
    "cpu_time_total": "total",
    "cpu_time": "mean",
    "self_cpu_memory_usage": "made",
    "cpu_memory_usage": "made",
}


class Averages(list[Average]):
    """The averages of a profile, and the times that their table needs.

    Attributes
    ----------
    wall, outside
        Nanoseconds of the whole profile, and of what was in none of its events.
    note
        The last line of the table.
    """

    wall = outside = 0
    note = ""

    def table(self, sort_by: str = "self", row_limit: int | None = 30) -> str:
        """As a table of no more than 100 columns.

        Parameters
        ----------
        sort_by
            ``"self"``, ``"total"``, ``"mean"``, ``"count"``, ``"bytes"`` or ``"name"``; PyTorch's
            ``"self_cpu_time_total"``, ``"cpu_time_total"`` and ``"cpu_memory_usage"`` are taken too.
        row_limit
            Add the rows after so many up; ``None`` shows all.

        Raises
        ------
        ValueError
            If it cannot be sorted so.
        """
        return render(self, self.wall, self.outside, sort_by, row_limit) + self.note


def add_up(events: Iterable[Event]) -> Averages:
    """The averages of `events`, those of the longest self time first."""
    averages: dict[tuple[str, str], Average] = {}
    for event in events:
        average = averages.setdefault((event.name, event.kind), Average(event.label, event.kind))
        average.count += 1
        average.self_time += event.self_time
        average.total += event.total
        average.made += event.made
    return Averages(sorted(averages.values(), key=lambda average: -average.self_time))


def render(averages: Iterable[Average], wall: int, outside: int, sort_by: str, row_limit: int | None) -> str:
    """A table of no more than 100 columns.

    Raises
    ------
    ValueError
        If it cannot be sorted by `sort_by`.
    """
    if sort_by not in _KEYS:
        names = ", ".join(map(repr, list(_KEYS)[:6]))
        raise ValueError(f"profiler.table: sort_by={sort_by!r}; it sorts by {names}")
    key = _KEYS[sort_by]
    ordered = sorted(averages, key=lambda a: getattr(a, key), reverse=key != "label")
    whole = sum(average.self_time for average in ordered) + outside
    rows = [_row(average, whole) for average in ordered[:row_limit]]
    hidden = ordered[len(rows) :]
    if hidden:
        rest = sum(average.self_time for average in hidden)
        rows.append((f"{len(hidden)} more", "", _time(rest), _share(rest, whole), "", "", ""))
    rows.append(("outside of all these", "", _time(outside), _share(outside, whole), _time(wall), "", ""))
    header = ("name", "count", "self", "self %", "total", "mean", "made")
    width = min(max(len(row[0]) for row in rows), 38)
    lines = [header, *rows]
    body = [f"{_cut(line[0], width):<{width}}" + "".join(f"{cell:>10}" for cell in line[1:]) for line in lines]
    rule = "-" * len(body[0])
    return "\n".join([rule, body[0], rule, *body[1:-1], rule, body[-1], rule])


def _row(a: Average, whole: int) -> tuple[str, ...]:
    share = _share(a.self_time, whole)
    return a.label, f"{a.count:,}", _time(a.self_time), share, _time(a.total), _time(a.mean), _size(a.made)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def _time(nanoseconds: float) -> str:
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= scale:
            return f"{nanoseconds / scale:.2f} {unit}"
    return f"{nanoseconds:.0f} ns"


def _size(count: int) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} B" if count else ""
