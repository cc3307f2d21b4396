"""The tables as Markdown, put between marks in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .peers import PEERS, why_not
from .report import HEADER, cells, mean_line
from .scaling import SWEEPS, Curve
from .summary import Row
from .where import HEADER as PARTS_HEADER
from .where import Parts, line
from .workloads import WORKLOADS

__all__ = ["comparison", "paste", "scaling", "table", "where"]


def comparison(rows: Sequence[Row], about: Sequence[str]) -> str:
    """A table for each peer, each under its name."""
    parts = ["\n".join(f"- {line}" for line in about)]
    for peer, shown in PEERS.items():
        of_peer = [row for row in rows if row.peer == peer]
        if of_peer:
            parts += [
                f"### {shown}",
                table(_without_peer(HEADER), [_without_peer(cells(row)) for row in of_peer]),
                mean_line(of_peer) + ".",
            ]
            skipped = [name for name in WORKLOADS if why_not(peer, name) is not None]
            if skipped:
                parts.append(f"Not run: {', '.join(skipped)}; {why_not(peer, skipped[0])}.")
    return "\n\n".join(parts)


def _without_peer(line: Sequence[str]) -> Sequence[str]:
    """A line without its second cell, which a heading says."""
    return (line[0], *line[2:])


def scaling(curves: Sequence[Curve], about: Sequence[str]) -> str:
    """A table of exponents."""
    header = ("growing", "from", "to", "library", "exponent of time", "exponent of memory")
    lines = []
    for curve in curves:
        time, memory = curve.exponents()
        library = PEERS.get(curve.library, curve.library)
        lines.append(
            (
                SWEEPS[curve.sweep].title,
                f"{curve.work[0]:,}",
                f"{curve.work[-1]:,}",
                library,
                f"{time:.2f}",
                f"{memory:.2f}",
            )
        )
    return "\n\n".join(["\n".join(f"- {line}" for line in about), table(header, lines)])


def where(found: Sequence[Parts]) -> str:
    """A table of what takes the time of each workload."""
    return table(PARTS_HEADER, [line(parts) for parts in found])


def paste(path: Path, mark: str, text: str) -> None:
    """Replace what is between ``<!-- mark -->`` and ``<!-- end of mark -->`` in a file.

    Raises
    ------
    ValueError
        If the file has not these two lines.
    """
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    whole = path.read_text()
    before, found, rest = whole.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise ValueError(f"{path} has no lines {begin.strip()!r} and {end!r} to put the {mark} between")
    path.write_text(f"{before}{begin}\n{text}\n\n{end}{after}")


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Lines below a header: the first column to the left, and others to the right if they begin with a digit."""
    first = lines[0] if lines else header
    rule = ["---", *("---:" if cell[:1].isdigit() else "---" for cell in first[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *lines))
