"""How a recurrent network goes through its sequences: the arithmetic of rows and steps.

What all sequences have at one time stands in one run of rows, time after time. Sequences may end early: they are
ordered by length, the longest first, so that those that still go on are the first of the batch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .array_types import Shape
from .options import RecurrentOptions

__all__ = ["Piece", "Step", "recurrent_steps", "state_before"]


class Step(NamedTuple):
    """One time, in the order in which the times are gone through.

    Attributes
    ----------
    rows
        Where its rows are.
    size
        How many sequences have this time: the first ones of the batch.
    """

    rows: slice
    size: int


class Piece(NamedTuple):
    """A run of rows, of the initial state or of the states after each step."""

    initial: bool
    rows: slice


@lru_cache(maxsize=1024)
def recurrent_steps(lead: Shape, options: RecurrentOptions) -> tuple[Step, ...]:
    """The steps through x of shape [*lead, d_input].

    Examples
    --------
    >>> recurrent_steps((3,), RecurrentOptions(batch_sizes=(2, 1)))
    (Step(rows=slice(0, 2, None), size=2), Step(rows=slice(2, 3, None), size=1))
    """
    sizes = (lead[1],) * lead[0] if options.batch_sizes is None else options.batch_sizes
    steps, start = [], 0
    for size in sizes:
        steps.append(Step(slice(start, start + size), size))
        start += size
    return tuple(reversed(steps) if options.reverse else steps)


@lru_cache(maxsize=1024)
def state_before(lead: Shape, options: RecurrentOptions) -> tuple[Piece, ...]:
    """Where the state before each row is found: the pieces in the order of the rows.

    Examples
    --------
    >>> for piece in state_before((3, 2), RecurrentOptions()):
    ...     print(piece)
    Piece(initial=True, rows=slice(0, 2, None))
    Piece(initial=False, rows=slice(0, 4, None))
    """
    found: list[tuple[int, list[Piece]]] = []
    earlier = Step(slice(0, 0), 0)
    for step in recurrent_steps(lead, options):
        known = min(earlier.size, step.size)
        start = earlier.rows.start
        pieces = [Piece(False, slice(start, start + known)), Piece(True, slice(known, step.size))]
        found.append((step.rows.start, pieces))
        earlier = step
    joined: list[Piece] = []
    for piece in [piece for _, pieces in sorted(found, key=lambda at: at[0]) for piece in pieces]:
        last = joined[-1] if joined else None
        if piece.rows.start == piece.rows.stop:
            continue
        if last is not None and last.initial == piece.initial and last.rows.stop == piece.rows.start:
            joined[-1] = Piece(piece.initial, slice(last.rows.start, piece.rows.stop))
        else:
            joined.append(piece)
    return tuple(joined)
