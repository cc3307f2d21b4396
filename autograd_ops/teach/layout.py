"""Where boxes and arrows go: a layered layout, in which arrows cannot run through boxes and labels cannot overlap.

The method is that of Sugiyama, Tagawa and Toda (1981), in four steps:

1. every box gets a layer below those of all boxes that lead to it, and near to those that it leads to;
2. an edge becomes a chain with a joint in each layer that it passes, and its label is a box on that chain;
3. each layer is put in the order that its neighbours' positions ask for, swept down and up (the median heuristic);
4. each layer is placed at once: as near to its neighbours as the distances between its members allow, the longest
   way through the graph straight down.

Joints keep their place in a layer as boxes do, and between two layers a curve stays between them. So whatever goes in,
no curve meets a box.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Arrow", "Layout", "Link", "Rectangle", "lay_out", "rows_of"]

_GAP = 18.0  # between neighbours in a layer
_JOINT = 10.0  # the width that an edge takes where it passes a layer
_RISE = 22.0  # between layers
_SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Link:
    """An edge to be laid out.

    Attributes
    ----------
    width, height
        The size of its label; no label if it has no size.
    weight
        How much it matters that it runs straight.
    """

    source: Hashable
    target: Hashable
    width: float = 0.0
    height: float = 0.0
    weight: float = 1.0


@dataclass(slots=True)
class Rectangle:
    """Its middle, and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2


@dataclass(slots=True)
class Arrow:
    """An edge that has its place.

    Attributes
    ----------
    runs
        Where it runs straight down, from the bottom of its source to the top of its target, each as x, top and bottom;
        from one to the next it curves.
    label
        The place of its label, or ``None``.
    """

    runs: list[tuple[float, float, float]]
    label: Rectangle | None


@dataclass(slots=True)
class Layout:
    """Boxes by their keys, arrows in the order of the links, and the size of the whole; all from the upper left."""

    boxes: dict[Hashable, Rectangle]
    arrows: list[Arrow]
    width: float
    height: float


def lay_out(sizes: Mapping[Hashable, tuple[float, float]], links: Sequence[Link]) -> Layout:
    """Place boxes, and the links between them, from the top down.

    Parameters
    ----------
    sizes
        The width and height of each box, by key, in an order in which sources come before their targets.
    links
        Every link leads forward in that order.

    Raises
    ------
    ValueError
        If a link leads back.
    """
    order = {key: i for i, key in enumerate(sizes)}
    for link in links:
        if order[link.source] >= order[link.target]:
            raise ValueError(f"lay_out: the link from {link.source!r} to {link.target!r} leads back")
    members, chains = _members(sizes, links)
    layers = _in_layers(members)
    _order(layers, members)
    _place(layers, members)
    _straighten(layers, members, chains)
    return _drawn(sizes, links, members, chains, layers)


@dataclass(slots=True, eq=False)
class _Member:
    """What takes room in a layer: a box, a label or a joint."""

    layer: int
    width: float
    height: float
    above: list[int]
    below: list[int]
    weight: float = 1.0  # of the edge that it is on
    stiff: float = 1.0  # how much it matters that it stands where its neighbours want it
    x: float = 0.0
    y: float = 0.0
    at: int = 0  # its place in its layer


def _members(
    sizes: Mapping[Hashable, tuple[float, float]], links: Sequence[Link]
) -> tuple[list[_Member], list[list[int]]]:
    """All members, those of the boxes first, and for each link the members that it goes through."""
    layer = {key: 2 * row for key, row in rows_of(sizes, links).items()}
    number = {key: i for i, key in enumerate(sizes)}
    weights = _weights(sizes, links)
    stiff: dict[Hashable, float] = {}
    for link, weight in zip(links, weights, strict=True):
        for end in (link.source, link.target):
            stiff[end] = max(stiff.get(end, 0.0), weight)
    members = [_Member(layer[key], *size, [], [], stiff=stiff.get(key, 1.0)) for key, size in sizes.items()]
    chains: list[list[int]] = []
    for link, weight in zip(links, weights, strict=True):
        first, last = layer[link.source], layer[link.target]
        # Boxes are in even layers; the label is in the odd one just above the target, where the edge is its own.
        chain = [number[link.source]]
        for at in range(first + 1, last):
            labelled = at == last - 1 and link.width > 0
            chain.append(len(members))
            size = (link.width, link.height) if labelled else (_JOINT, 0.0)
            hold = weight if labelled else 4 * weight
            members.append(_Member(at, *size, [], [], weight, hold))
        chain.append(number[link.target])
        for upper, lower in pairwise(chain):
            members[upper].below.append(lower)
            members[lower].above.append(upper)
        chains.append(chain)
    return members, chains


def rows_of(keys: Iterable[Hashable], links: Sequence[Link]) -> dict[Hashable, int]:
    """In which row, from the top, each box stands.

    It is below all that lead to it; and just above the first that it leads to, if more leads from it than to it, in
    weight. So a leaf stands by its user, and with it what is computed of leaves alone.

    Parameters
    ----------
    keys, links
        As for `lay_out`.
    """
    keys = list(keys)
    into, out = defaultdict[Hashable, list[Link]](list), defaultdict[Hashable, list[Link]](list)
    for link in links:
        into[link.target].append(link)
        out[link.source].append(link)
    row: dict[Hashable, int] = {}
    for key in keys:
        row[key] = max((row[link.source] + 1 for link in into[key]), default=0)
    for key in reversed(keys):
        if out[key] and sum(link.weight for link in out[key]) >= sum(link.weight for link in into[key]):
            row[key] = min(row[link.target] for link in out[key]) - 1
    return row


def _weights(keys: Iterable[Hashable], links: Sequence[Link]) -> list[float]:
    """What the links weigh here: those on the longest way from top to bottom far more than others.

    So that way is straight, and what joins it gives way. If all had a say, each that joins would push it aside a
    little, always to the same side, and a long chain would run across the page.
    """
    keys = list(keys)
    above, below = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
    into, out = defaultdict[Hashable, list[Hashable]](list), defaultdict[Hashable, list[Hashable]](list)
    for link in links:
        into[link.target].append(link.source)
        out[link.source].append(link.target)
    for key in keys:
        above[key] = max((above[source] + 1 for source in into[key]), default=0)
    for key in reversed(keys):
        below[key] = max((below[target] + 1 for target in out[key]), default=0)
    lengths = [above[link.source] + 1 + below[link.target] for link in links]
    longest = max(lengths, default=0)
    return [link.weight * 0.1 ** min(longest - n, 9) for link, n in zip(links, lengths, strict=True)]


def _in_layers(members: list[_Member]) -> list[list[int]]:
    layers: list[list[int]] = [[] for _ in range(max((m.layer for m in members), default=-1) + 1)]
    for i, member in enumerate(members):
        member.at = len(layers[member.layer])
        layers[member.layer].append(i)
    return layers


# ---------------------------------------------------------------- order


def _order(layers: list[list[int]], members: list[_Member]) -> None:
    """Put each layer in the order with few crossings that sweeps of the median heuristic find."""
    best, fewest = [list(layer) for layer in layers], _crossings(layers, members)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            layer.sort(key=lambda i: _median(members[i], members, down))
            for at, i in enumerate(layer):
                members[i].at = at
        crossings = _crossings(layers, members)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    for layer, order in zip(layers, best, strict=True):
        layer[:] = order
        for at, i in enumerate(layer):
            members[i].at = at


def _median(member: _Member, members: list[_Member], down: bool) -> float:
    places = sorted(members[i].at for i in (member.above if down else member.below))
    if not places:
        return member.at
    middle = len(places) // 2
    return float(places[middle]) if len(places) % 2 else (places[middle - 1] + places[middle]) / 2


def _crossings(layers: list[list[int]], members: list[_Member]) -> int:
    """How many pairs of edges cross: inversions between neighbouring layers, counted by a tree of sums."""
    count = 0
    for upper, lower in pairwise(layers):
        ends = [at for i in upper for at in sorted(members[j].at for j in members[i].below)]
        sums = [0] * (len(lower) + 1)
        for seen, at in enumerate(ends):
            below = 0
            place = at + 1
            while place:
                below += sums[place]
                place &= place - 1
            count += seen - below
            place = at + 1
            while place <= len(lower):
                sums[place] += 1
                place += place & -place
    return count


# ---------------------------------------------------------------- place


def _place(layers: list[list[int]], members: list[_Member]) -> None:
    """Give every member its x: in sweeps, each layer as near to its neighbours as its own distances allow."""
    for layer in layers:
        at = 0.0
        for i in layer:
            members[i].x = at + members[i].width / 2
            at += members[i].width + _GAP
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            wanted = [_wanted(members[i], members, down, sweep) for i in layer]
            weights = [members[i].stiff for i in layer]
            for i, x in zip(layer, _apart(layer, members, wanted, weights), strict=True):
                members[i].x = x


def _straighten(layers: list[list[int]], members: list[_Member], chains: list[list[int]]) -> None:
    """Let each long edge run down at one x, the middle one of where its joints are; what is in its way bends it."""
    wanted: dict[int, float] = {}
    for chain in chains:
        joints = sorted((i for i in chain[1:-1] if not members[i].height), key=lambda i: members[i].x)
        wanted.update((i, members[joints[len(joints) // 2]].x) for i in joints)
    for layer in layers:
        places = [wanted.get(i, members[i].x) for i in layer]
        for i, x in zip(layer, _apart(layer, members, places, [members[i].stiff for i in layer]), strict=True):
            members[i].x = x


def _wanted(member: _Member, members: list[_Member], down: bool, sweep: int) -> float:
    """Where a member would stand: in the middle of its neighbours, of both sides in the last sweeps."""
    both = sweep >= _SWEEPS - 4
    near = member.above + member.below if both else (member.above if down else member.below)
    total = sum(members[i].weight for i in near)
    return sum(members[i].x * members[i].weight for i in near) / total if near else member.x


def _apart(layer: list[int], members: list[_Member], wanted: list[float], weights: list[float]) -> list[float]:
    """The places nearest to those wanted, in weighted squares, at which neighbours are far enough apart.

    With the distances taken off, they only have to be in order; which is isotonic regression, and done by pooling
    neighbours that are not (Ayer et al., 1955).
    """
    offsets = [0.0]
    for left, right in pairwise(layer):
        offsets.append(offsets[-1] + (members[left].width + members[right].width) / 2 + _GAP)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for want, offset, weight in zip(wanted, offsets, weights, strict=True):
        mean, total, count = want - offset, weight, 1
        while pools and pools[-1][0] > mean:
            other, heavy, many = pools.pop()
            mean = (mean * total + other * heavy) / (total + heavy)
            total, count = total + heavy, count + many
        pools.append((mean, total, count))
    means = [mean for mean, _, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


# ---------------------------------------------------------------- what comes out


def _drawn(
    sizes: Mapping[Hashable, tuple[float, float]],
    links: Sequence[Link],
    members: list[_Member],
    chains: list[list[int]],
    layers: list[list[int]],
) -> Layout:
    top = 0.0
    bands: list[tuple[float, float]] = []  # of each layer: its top and bottom
    for layer in layers:
        height = max((members[i].height for i in layer), default=0.0)
        bands.append((top, top + height))
        for i in layer:
            members[i].y = top + height / 2
        top += height + (_RISE if height else _RISE / 2)
    left = min((m.x - m.width / 2 for m in members), default=0.0)
    for member in members:
        member.x -= left
    boxes = {key: _rectangle(members[i]) for i, key in enumerate(sizes)}
    arrows = [_arrow(link, chain, members, bands) for link, chain in zip(links, chains, strict=True)]
    width = max((m.x + m.width / 2 for m in members), default=0.0)
    return Layout(boxes, arrows, width, bands[-1][1] if bands else 0.0)


def _rectangle(member: _Member) -> Rectangle:
    return Rectangle(member.x, member.y, member.width, member.height)


def _arrow(link: Link, chain: list[int], members: list[_Member], bands: list[tuple[float, float]]) -> Arrow:
    source, target = members[chain[0]], members[chain[-1]]
    x, end = _port(source, chain[1], source.below, members), _port(target, chain[-2], target.above, members)
    runs = [(x, source.y + source.height / 2, bands[source.layer][1])]
    runs += [(members[i].x, *bands[members[i].layer]) for i in chain[1:-1]]
    runs.append((end, bands[target.layer][0], target.y - target.height / 2))
    return Arrow(runs, _rectangle(members[chain[-2]]) if link.width else None)


def _port(box: _Member, neighbour: int, neighbours: list[int], members: list[_Member]) -> float:
    """Where on its side a box an arrow begins or ends: side by side, in the order of where they come from."""
    order = sorted(neighbours, key=lambda i: members[i].x)
    share = (order.index(neighbour) + 1) / (len(order) + 1)
    return box.x + (share - 0.5) * box.width * 0.8
