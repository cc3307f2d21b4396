"""Where diagonals are."""

from __future__ import annotations

__all__ = ["diagonal_slice"]


def diagonal_slice(rows: int, columns: int, offset: int) -> slice:
    """Where the elements (i, i + offset) of a matrix are when its rows stand in one line."""
    row, column = max(-offset, 0), max(offset, 0)
    length = max(min(rows - row, columns - column), 0)
    if not length:
        return slice(0, 0, columns + 1)
    start = row * columns + column
    return slice(start, start + (length - 1) * (columns + 1) + 1, columns + 1)
