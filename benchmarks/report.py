"""What a table says of a row, and a line of a curve."""

from __future__ import annotations

from collections.abc import Sequence

from .peers import PEERS
from .scaling import SWEEPS, Curve
from .summary import Row, geometric_mean
from .workloads import WORKLOADS

__all__ = ["HEADER", "WIDTHS", "cells", "columns", "curve_line", "mean_line"]

HEADER = ("workload", "against", "ours", "theirs", "ratio", "quartiles", "best", "memory", "losses")

#: Of the columns in a terminal, which are printed row by row.
WIDTHS = (max(len(workload.title) for workload in WORKLOADS.values()), 13, 8, 8, 5, 12, 5, 15, 13)


def columns(line: Sequence[str], widths: Sequence[int]) -> str:
    """The first to the left, the others to the right."""
    first, *others = (
        cell.ljust(width) if i == 0 else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join((first, *others)).rstrip()


def cells(row: Row) -> tuple[str, ...]:
    """What a table says of a row."""
    return (
        WORKLOADS[row.workload].title,
        PEERS[row.peer],
        duration(row.seconds[1]),
        duration(row.peer_seconds[1]),
        f"{row.ratio:.2f}",
        f"{row.ratio_quartiles[0]:.2f} to {row.ratio_quartiles[1]:.2f}",
        f"{row.best:.2f}",
        "" if row.memory is None or not row.peer_memory else f"{megabytes(row.memory)} / {megabytes(row.peer_memory)}",
        f"{row.apart:.0e} apart" if row.agree else f"WRONG: {row.apart:.0e} apart",
    )


def mean_line(rows: Sequence[Row]) -> str:
    """The geometric mean of the ratios against one library, of those rows whose losses agree."""
    agreeing = [row.ratio for row in rows if row.agree]
    if not agreeing:
        return "no losses agree"
    wrong = len(rows) - len(agreeing)
    return f"geometric mean {geometric_mean(agreeing):.2f} of {PEERS[rows[0].peer]}" + (
        f", without {wrong} that went wrong" if wrong else ""
    )


def curve_line(curve: Curve, size: int) -> str:
    """The last point of a curve."""
    library = PEERS.get(curve.library, curve.library)
    what = f"{SWEEPS[curve.sweep].argument} {size}"
    return f"{curve.sweep:<10}{what:<16}{library:<14}{duration(curve.seconds[-1]):>9}{megabytes(curve.memory[-1]):>9}"


def duration(seconds: float) -> str:
    """Three digits, in the unit that suits."""
    unit, scale = next((u, s) for u, s in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if seconds * s >= 1 or u == "µs")
    return f"{seconds * scale:.3g} {unit}"


def megabytes(count: int) -> str:
    """Bytes as MB."""
    return f"{count / 1e6:.0f} MB"
