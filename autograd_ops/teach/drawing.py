"""One view of the tape as SVG: sizes of boxes and labels, the layout, and what is drawn there."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from .graph import Box, Graph
from .layout import Arrow, Layout, Link, Rectangle, lay_out
from .look import ARROW, BLUE, GREY, INK, LINE, MONO, ORANGE, PAPER, SOFT
from .shown import new_id
from .views import Item, Line, View
from .words import array_in_words, count_in_words, cut, gradient_in_words, name_in_short, shape_in_words

__all__ = ["draw"]

_TITLE, _SMALL = 13.0, 11.0  # heights of letters
_ADVANCE = 0.602  # the width of a letter of a monospaced font, as a part of its height
_PAD = 9.0
_MARGIN = 14.0
_HEAD = 9.0  # straight, so that the arrow's head points down
_LONGEST = 30  # letters


@dataclass(frozen=True, slots=True)
class _Text:
    """A line of letters in a box or a label."""

    text: str
    size: float = _SMALL
    colour: str = GREY
    bold: bool = False

    @property
    def width(self) -> float:
        return len(self.text) * self.size * _ADVANCE

    @property
    def height(self) -> float:
        return self.size * 1.35

    def drawn(self, x: float, baseline: float) -> str:
        weight = ' font-weight="600"' if self.bold else ""
        kind = ' class="ago-gradient"' if self.colour == ORANGE else ""
        # The width is told, so that another font than was reckoned with changes the letters and not the room.
        return (
            f'<text{kind} x="{x:.1f}" y="{baseline:.1f}" font-size="{self.size:g}" fill="{self.colour}"{weight} '
            f'text-anchor="middle" textLength="{self.width:.1f}" lengthAdjust="spacingAndGlyphs">'
            f"{escape(self.text)}</text>"
        )


def draw(graph: Graph, view: View) -> str:
    """The view as an ``<svg>`` element, which is also a file by itself."""
    texts = {key: _texts(item, graph, view) for key, item in view.items.items()}
    labels = [[] if view.items[line.source].more else _label(line, graph) for line in view.lines]
    sizes: dict[Hashable, tuple[float, float]] = {key: _size(lines) for key, lines in texts.items()}
    links = [
        Link(line.source, line.target, *_room(label), weight=view.items[line.source].weight)
        for line, label in zip(view.lines, labels, strict=True)
    ]
    layout = lay_out(sizes, links)
    marker = new_id("ago-arrow")
    edges = {id(edge): i for i, edge in enumerate(graph.edges)}
    parts = [_arrow(arrow, marker) for arrow in layout.arrows]
    parts += [_box(view.items[key], layout.boxes[key], texts[key], graph) for key in view.items]
    parts += [
        _label_drawn(arrow.label, label, edges[id(line.edge)])
        for arrow, label, line in zip(layout.arrows, labels, view.lines, strict=True)
        if arrow.label
    ]
    return _document(layout, parts, marker, _said(graph, view))


def _document(layout: Layout, parts: list[str], marker: str, said: str) -> str:
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(said)}" font-family="{MONO}">\n'
        f'<defs><marker id="{marker}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{ARROW}"/></marker></defs>\n'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>\n'
        f'<g transform="translate({_MARGIN:g} {_MARGIN:g})">\n{body}\n</g>\n</svg>'
    )


def _said(graph: Graph, view: View) -> str:
    ops = sum(box.kind == "op" for box in graph)
    whole = f"the tape of {graph.boxes[graph.root].name or graph.boxes[graph.root].label}: {ops} ops"
    return whole if view.call is None else f"{view.call.path} in {whole}"


# ---------------------------------------------------------------- boxes


def _texts(item: Item, graph: Graph, view: View) -> list[_Text]:
    """The lines in a box: what it is, what the user calls it, what it keeps."""
    if item.more:
        return [_Text(f"and {item.more:,} more")]
    own = view.call.own if view.call is not None else str
    if item.call is not None and not item.far:
        lines = [_Text(cut(item.call.module, _LONGEST), _TITLE, INK, bold=True)]
        if item.call.name:
            lines.append(_Text(name_in_short(item.call.name, _LONGEST)))
        return [*lines, _Text(f"▸ {count_in_words(item.inside, 'op')}", colour=BLUE)]
    box = item.box
    if item.far and (box is None or box.kind == "op"):
        return [_Text(f"↑ {name_in_short(_named(item), _LONGEST)}")]
    assert box is not None
    colour = GREY if item.outside or item.far or box.kind == "constant" else INK
    lines = [_Text(name_in_short(own(box.label), _LONGEST), _TITLE, colour, bold=True)]
    if box.op and box.name:
        lines.append(_Text(f"→ {name_in_short(box.name, _LONGEST)}"))
    if item.outside or item.far:
        return lines
    if box.kept:
        lines.append(_Text(cut("■ keeps " + ", ".join(kept.name for kept in box.kept), _LONGEST)))
    elif box.freed:
        lines.append(_Text("□ freed"))
    if box.seq == graph.root:
        lines += [_Text(cut(_value(box, 0), _LONGEST), colour=BLUE)]
        lines += _gradient_text(box.gradient)
    return lines


def _size(lines: list[_Text]) -> tuple[float, float]:
    return max(line.width for line in lines) + 2 * _PAD, sum(line.height for line in lines) + _PAD


def _box(item: Item, place: Rectangle, lines: list[_Text], graph: Graph) -> str:
    kind, number = item.key
    fill, stroke, more = PAPER, GREY, 'rx="4"'
    if item.outside or item.far or item.more:
        stroke, more = LINE, 'rx="4" stroke-dasharray="3 3"'
    elif item.call is not None:
        fill, stroke, more = SOFT, BLUE, 'rx="8" stroke-width="1.5"'
    elif item.box is not None and item.box.kind == "leaf":
        fill, stroke, more = "#e8f1fb", BLUE, f'rx="{place.height / 2:.1f}"'
    elif item.box is not None and item.box.kind == "constant":
        fill, stroke, more = SOFT, LINE, f'rx="{place.height / 2:.1f}"'
    elif item.box is not None and item.box.seq == graph.root:
        stroke, more = INK, 'rx="4" stroke-width="2"'
    does = ""
    if kind == "call":
        does = f' data-opens="{number}" tabindex="0"'
    elif item.box is not None:
        does = f' data-box="{item.box.seq}" tabindex="0"'
    drawn = [
        f'<g class="ago-box"{does}><title>{escape(_tip(item))}</title>',
        f'<rect x="{place.left:.1f}" y="{place.top:.1f}" width="{place.width:.1f}" height="{place.height:.1f}" '
        f'fill="{fill}" stroke="{stroke}" {more}/>',
    ]
    y = place.top + _PAD / 2
    for line in lines:
        drawn.append(line.drawn(place.x, y + line.size * 1.02))
        y += line.height
    return "".join([*drawn, "</g>"])


def _named(item: Item) -> str:
    """What a reference calls what it stands for."""
    if item.box is None:
        return item.call.name or item.call.module if item.call is not None else ""
    return item.box.name or f"{item.box.op} #{item.box.seq}"


def _tip(item: Item) -> str:
    if item.more:
        return "a click on the box below shows them all"
    if item.call is not None:
        return f"{item.call.path}: click to open"
    box = item.box
    assert box is not None
    shapes = ", ".join(f"{shape_in_words(s)} {d}" for s, d in zip(box.shapes, box.dtypes, strict=True))
    return f"{box.label}: {shapes}" + (f"\n{box.formula}" if box.formula else "")


# ---------------------------------------------------------------- edges


def _label(line: Line, graph: Graph) -> list[_Text]:
    """What stands on an edge: the value that goes forward along it, and the gradient that comes back."""
    source = graph.boxes[line.edge.source]
    if source.kind == "constant" and source.name == _value(source, 0):
        return []
    value = _Text(cut(_value(source, line.edge.output), _LONGEST), colour=BLUE)
    return [value, *_gradient_text(line.edge.gradient)]


def _gradient_text(gradient: Any) -> list[_Text]:
    words = gradient_in_words(None if isinstance(gradient, tuple) else gradient)
    return [_Text(cut(f"∂ {words}", _LONGEST), colour=ORANGE)] if words else []


def _value(box: Box, output: int) -> str:
    value = box.value[output] if isinstance(box.value, tuple) and output < len(box.value) else box.value
    return array_in_words(None if isinstance(value, tuple) else value, box.shapes[min(output, len(box.shapes) - 1)])


def _room(label: list[_Text]) -> tuple[float, float]:
    return (max(text.width for text in label) + 6, sum(text.height for text in label)) if label else (0.0, 0.0)


def _label_drawn(place: Rectangle, label: list[_Text], edge: int) -> str:
    drawn = [
        f'<g class="ago-label" data-edge="{edge}"><rect x="{place.left:.1f}" y="{place.top:.1f}" '
        f'width="{place.width:.1f}" height="{place.height:.1f}" fill="{PAPER}"/>'
    ]
    y = place.top
    for text in label:
        drawn.append(text.drawn(place.x, y + text.size * 1.02))
        y += text.height
    return "".join([*drawn, "</g>"])


def _arrow(arrow: Arrow, marker: str) -> str:
    """Straight down where it passes a layer, and a curve between two."""
    x, top, _ = arrow.runs[0]
    path = [f"M{x:.1f} {top:.1f}"]
    last = len(arrow.runs) - 1
    for i, ((x, _, y), (ahead, top, _)) in enumerate(pairwise(arrow.runs), 1):
        top -= _HEAD if i == last else 0
        middle = (y + top) / 2
        path.append(f"V{y:.1f}C{x:.1f} {middle:.1f} {ahead:.1f} {middle:.1f} {ahead:.1f} {top:.1f}")
    path.append(f"V{arrow.runs[-1][2]:.1f}")
    return f'<path d="{"".join(path)}" fill="none" stroke="{ARROW}" stroke-width="1.3" marker-end="url(#{marker})"/>'
