"""The tape folded by module: a view for the whole, and one for the inside of each call of a module.

A view shows the boxes recorded at its own level, each call of a module below it as one item, and on its edge what lies
outside: where its values come from and go to.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from .graph import Box, Edge, Graph
from .layout import Link, rows_of
from .watching import Call

__all__ = ["Item", "Line", "View", "views_of"]


#: What sets an item of a view apart: a kind of item, and a number.
Key: TypeAlias = tuple[str, int]


@dataclass(eq=False, slots=True)
class Item:
    """One thing in a view.

    Attributes
    ----------
    key
        What sets it apart: a box's number, or a call's in the order of `views_of`.
    box
        The box, or ``None`` for a call.
    call
        The call that is folded to this item, or ``None`` for a box.
    inside
        How many ops the call has within it.
    outside
        Whether it lies outside of the view, and is shown for where an edge comes from or goes to.
    far
        Whether it is a reference to what stands elsewhere in the view, too far for an edge.
    more
        How many items it stands in the place of; they are not shown, as there are too many.
    """

    key: Key
    box: Box | None = None
    call: Call | None = None
    inside: int = 0
    outside: bool = False
    far: bool = False
    more: int = 0

    @property
    def weight(self) -> float:
        """How much its edges matter: what flows from op to op runs straight; all else stands beside it."""
        beside = self.far or self.more or (self.box is not None and self.box.kind != "op")
        return 0.05 if beside else 1.0


@dataclass(frozen=True, slots=True)
class Line:
    """An edge of a view, between two items; `edge` is that of the tape which it stands for."""

    source: Key
    target: Key
    edge: Edge


@dataclass(eq=False, slots=True)
class View:
    """What one picture shows.

    Attributes
    ----------
    call
        The call that it is the inside of; ``None`` for the whole.
    number
        Its place in the list of views; that of the whole is 0.
    items
        By key, sources before targets.
    lines
        Between them.
    """

    call: Call | None
    number: int
    items: dict[Key, Item] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)


def views_of(graph: Graph, fold: bool) -> list[View]:
    """The views of a tape: the whole first; with `fold` one for every call of a module, too, outer before inner."""
    chains = {box.seq: box.call.chain if fold and box.call is not None else () for box in graph}
    outermost = {chain[0] for chain in chains.values() if chain}
    if len(outermost) == 1:  # a box around everything would only hide it
        chains = {seq: chain[1:] for seq, chain in chains.items()}
    parts: dict[Call | None, _Part] = {None: _Part(0, 0, boxes=list(graph), edges=graph.edges)}
    for box in graph:
        for depth, call in enumerate(chains[box.seq], 1):
            if call not in parts:
                parts[call] = _Part(len(parts), depth)
            parts[call].boxes.append(box)
            parts[call].ops += box.kind == "op"
    for edge in graph.edges:
        for call in dict.fromkeys((*chains[edge.source], *chains[edge.target])):
            parts[call].edges.append(edge)
    return [_view(call, graph, chains, parts) for call in parts]


@dataclass(eq=False, slots=True)
class _Part:
    """What a view has to show.

    Attributes
    ----------
    number
        The number of the view.
    depth
        How many calls it is in, with that which it is the inside of.
    ops
        How many ops lie inside.
    boxes
        Those of the tape that do.
    edges
        Those that have an end inside, or both.
    """

    number: int
    depth: int
    ops: int = 0
    boxes: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


def _view(
    call: Call | None, graph: Graph, chains: dict[int, tuple[Call, ...]], parts: dict[Call | None, _Part]
) -> View:
    """The whole, or the inside of a call."""
    part = parts[call]
    view = View(call, part.number)

    def item(box: Box) -> Item:
        """What stands for a box here, or on the edge of the view."""
        chain = chains[box.seq]
        inside = call is None or (len(chain) >= part.depth and chain[part.depth - 1] is call)
        if not inside:
            return Item(("outside", box.seq), box=box, outside=True)
        if len(chain) == part.depth:
            return Item(("box", box.seq), box=box)
        folded = chain[part.depth]
        return Item(("call", parts[folded].number), call=folded, inside=parts[folded].ops)

    seen: set[tuple[Key, Key, int, int]] = set()
    sources: dict[Key, Item] = {}
    inner: dict[Key, Item] = {}
    targets: dict[Key, Item] = {}
    for box in part.boxes:
        inside = item(box)
        inner.setdefault(inside.key, inside)
    for edge in part.edges:
        source, target = item(graph.boxes[edge.source]), item(graph.boxes[edge.target])
        if source.outside:
            sources.setdefault(source.key, source)
        if target.outside:
            targets.setdefault(target.key, target)
        folded = source.call is not None or target.call is not None
        mark = (source.key, target.key, edge.source if folded else id(edge), edge.output)
        if source.key != target.key and mark not in seen:
            seen.add(mark)
            view.lines.append(Line(source.key, target.key, edge))
    view.items = {**sources, **_forward(inner, view.lines), **targets}
    _cut_far(view)
    _leave_out(view)
    return view


def _forward(items: dict[Key, Item], lines: list[Line]) -> dict[Key, Item]:
    """The items with sources before targets: a call holds ops of before and after others that it only brackets."""
    waiting = dict.fromkeys(items, 0)
    for line in lines:
        if line.source in items and line.target in items:
            waiting[line.target] += 1
    after: dict[Key, list[Key]] = {key: [] for key in items}
    for line in lines:
        if line.source in items and line.target in items:
            after[line.source].append(line.target)
    ready = [key for key, count in waiting.items() if not count]
    ordered: dict[Key, Item] = {}
    for key in ready:  # grows while it is gone through
        ordered[key] = items[key]
        for target in after[key]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return ordered


#: An edge that passes so many rows of boxes is cut: a leaf stands again beside its user, an op is named there.
_FAR = {"leaf": 3, "constant": 3, "op": 16}


def _cut_far(view: View) -> None:
    """Put a reference to its source at the end of every edge that is long, so that pictures stay narrow."""
    links = [Link(line.source, line.target, weight=view.items[line.source].weight) for line in view.lines]
    row = rows_of(view.items, links)
    references: dict[Key, list[Item]] = {}
    lines: list[Line] = []
    for line in view.lines:
        source = view.items[line.source]
        kind = "op" if source.box is None else source.box.kind
        if row[line.target] - row[line.source] <= _FAR[kind]:
            lines.append(line)
            continue
        key = ("far", len(lines))
        references.setdefault(line.target, []).append(Item(key, box=source.box, call=source.call, far=True))
        lines.append(Line(key, line.target, line.edge))
    view.lines = lines
    ordered: dict[Key, Item] = {}
    for key, item in view.items.items():
        ordered.update((reference.key, reference) for reference in references.get(key, ()))
        ordered[key] = item
    view.items = ordered


#: So many leaves, constants and references that one box alone uses are shown, if there are more than twice as many.
_MANY = 6


def _leave_out(view: View) -> None:
    """Put one item in the place of most of the many that stand beside one box."""
    uses = Counter(line.source for line in view.lines)
    beside: dict[Key, list[Line]] = {}
    for line in view.lines:
        if uses[line.source] == 1 and view.items[line.source].weight < 1:
            beside.setdefault(line.target, []).append(line)
    for target, lines in beside.items():
        rest = lines[_MANY:] if len(lines) > 2 * _MANY else []
        if not rest:
            continue
        gone = {line.source for line in rest}
        more = Item(("more", target[1]), more=len(rest))
        items = [(key, item) for key, item in view.items.items() if key not in gone]
        place = [key for key, _ in items].index(target)
        view.items = dict([*items[:place], (more.key, more), *items[place:]])
        view.lines = [line for line in view.lines if line.source not in gone]
        view.lines.append(Line(more.key, target, rest[0].edge))
