"""``teach.memory_timeline(loss)``: what each node keeps, from when and until when."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from ..tape import TapeError
from ..tensor import Tensor
from ..user_line import user_frame
from .charts import lines
from .graph import Box, Graph, graph_of
from .look import ORANGE
from .names import names_in
from .shown import Shown, framed
from .words import cut, shape_in_words, size_in_words

__all__ = ["Keeper", "MemoryTimeline", "memory_timeline"]

#: As many of those that keep most are listed.
_SHOWN = 12


def memory_timeline(loss: Tensor) -> MemoryTimeline:
    """What the tape behind `loss` keeps, op by op: it grows in forward, and is let go of in backward.

    Each array is counted once, with the op that kept it first, until the last one that keeps it has run. The arrays of
    leaves are not counted, as parameters are there anyway.

    Parameters
    ----------
    loss
        A Tensor on the tape, before backward.

    Raises
    ------
    TypeError
        If `loss` is no Tensor.
    TapeError
        If it is not on the tape, or backward has run already.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> x = ag.ones(1000, requires_grad=True)
    >>> loss = x.exp().sin().sum()
    >>> print(teach.memory_timeline(loss))
    at most 4.0 kB are kept, after forward of exp
      op                   keeps                        from step  until step
      exp                  out (1000,) 4.0 kB                   1           6
    """
    if not isinstance(loss, Tensor):
        raise TypeError(f"teach.memory_timeline: expected a Tensor, got {type(loss).__name__}")
    graph = graph_of(loss, names_in(user_frame()), gradients=False)
    if any(box.freed for box in graph):
        raise TapeError("teach.memory_timeline: backward has run already, and everything was let go of; look before it")
    return MemoryTimeline(graph)


@dataclass(frozen=True, slots=True)
class Keeper:
    """An array that is kept.

    Attributes
    ----------
    op
        The op that keeps it first, and the user's name for what that gave.
    name, shape, nbytes
        What its rule calls the array, and its size.
    since, until
        The steps between which it is kept: forward ops count from 1, backward ops after them.
    """

    op: str
    name: str
    shape: tuple[int, ...]
    nbytes: int
    since: int
    until: int


class MemoryTimeline(Shown):
    """What is kept when.

    Attributes
    ----------
    steps
        Pairs of a step's number and the bytes that are kept after it; step 0 is before forward.
    labels
        What each step from 1 on is, as ``"forward of exp"``.
    keepers
        Every array that is kept, the largest first.
    peak
        The largest number of bytes.
    """

    title = "what the tape keeps"

    def __init__(self, graph: Graph) -> None:
        ops = [box for box in graph if box.kind == "op"]
        count = len(ops)
        self.labels = [f"forward of {box.op}" for box in ops] + [f"backward of {box.op}" for box in reversed(ops)]
        self.keepers = sorted(_keepers(ops), key=lambda keeper: (-keeper.nbytes, keeper.since))
        changes = [0] * (2 * count + 1)
        for keeper in self.keepers:
            changes[keeper.since] += keeper.nbytes
            changes[keeper.until] -= keeper.nbytes
        total, self.steps = 0, []
        for step, change in enumerate(changes):
            total += change
            self.steps.append((step, total))
        self.peak = max(held for _, held in self.steps)
        self._turn = count

    def text(self) -> str:
        """The most, and a line for each of those that keep most."""
        at = next(step for step, held in self.steps if held == self.peak)
        where = self.labels[at - 1] if at else "the beginning"
        rows = [f"at most {size_in_words(self.peak)} are kept, after {where}"]
        if self.keepers:
            rows.append(f"  {'op':<20} {'keeps':<28} {'from step':>9} {'until step':>11}")
        for keeper in self.keepers[:_SHOWN]:
            keeps = f"{keeper.name} {shape_in_words(keeper.shape)} {size_in_words(keeper.nbytes)}"
            rows.append(f"  {cut(keeper.op, 20):<20} {cut(keeps, 28):<28} {keeper.since:>9} {keeper.until:>11}")
        if len(self.keepers) > _SHOWN:
            rows.append(f"  ... and {len(self.keepers) - _SHOWN} more")
        return "\n".join(rows)

    def html(self) -> str:
        """The bytes over the steps, and a table of those that keep most."""
        chart = lines(
            [(float(step), float(held)) for step, held in self.steps],
            "bytes kept by the tape, over forward and backward",
            steps=True,
            colour=ORANGE,
            unit=size_in_words,
            marks=[(float(self._turn), "backward begins")],
            across="ops, forward and then backward",
        )
        rows = "".join(
            f"<tr><td><code>{escape(k.op)}</code></td><td><code>{escape(k.name)}</code> {shape_in_words(k.shape)}</td>"
            f"<td>{size_in_words(k.nbytes)}</td><td>{k.since}</td><td>{k.until}</td></tr>"
            for k in self.keepers[:_SHOWN]
        )
        more = f"<p class='beside'>... and {len(self.keepers) - _SHOWN} more</p>" if len(self.keepers) > _SHOWN else ""
        head = "<tr><th>op</th><th>keeps</th><th>size</th><th>from step</th><th>until step</th></tr>"
        table = f"<table>{head}{rows}</table>{more}" if rows else ""
        return framed(f"<h4>at most {size_in_words(self.peak)} kept for backward</h4>{chart}{table}", "memory")


def _keepers(ops: list[Box]) -> list[Keeper]:
    """A Keeper for each array: from the first op that keeps it, until backward of that one, the last to run."""
    found: dict[int, Keeper] = {}
    for step, box in enumerate(ops, 1):
        for kept in box.kept:
            if not kept.leafs and kept.array not in found:
                op = f"{box.op} → {box.name}" if box.name else box.op
                found[kept.array] = Keeper(op, kept.name, kept.shape, kept.nbytes, step, 2 * len(ops) + 1 - step)
    return list(found.values())
