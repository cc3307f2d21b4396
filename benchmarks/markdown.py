"""The tables as Markdown, put between marks in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .peers import PEERS
from .report import HEADER, cells, mean_line
from .scaling import SWEEPS, Curve
from .summary import Row

__all__ = ["comparison", "paste", "scaling"]


def comparison(rows: Sequence[Row], about: Sequence[str]) -> str:
    """A table for each peer, each under its name."""
    parts = ["\n".join(f"- {line}" for line in about)]
    for peer, shown in PEERS.items():
        of_peer = [row for row in rows if row.peer == peer]
        if of_peer:
            parts += [f"### {shown}", _table(HEADER, [cells(row) for row in of_peer]), mean_line(of_peer) + "."]
    return "\n\n".join(parts)


def scaling(curves: Sequence[Curve], about: Sequence[str]) -> str:
    """A table of exponents."""
    header = ("growing", "from", "to", "library", "exponent of time", "exponent of memory")
    lines = []
    for curve in curves:
        time, memory = curve.exponents()
        sizes = SWEEPS[curve.sweep].sizes
        library = PEERS.get(curve.library, curve.library)
        lines.append(
            (SWEEPS[curve.sweep].title, f"{sizes[0]:,}", f"{sizes[-1]:,}", library, f"{time:.2f}", f"{memory:.2f}")
        )
    return "\n\n".join(["\n".join(f"- {line}" for line in about), _table(header, lines)])


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


def _table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *lines))
