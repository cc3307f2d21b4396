"""All that is known of one box, as HTML: what a click on it shows."""

from __future__ import annotations

from html import escape
from typing import Any

from .graph import Box, Graph
from .shell import place_in_words
from .shown import array_drawn
from .words import shape_in_words, size_in_words

__all__ = ["details"]

_COLUMNS = 36  # of arrays


def details(box: Box, graph: Graph) -> str:
    """A heading and a table."""
    rows: list[tuple[str, str]] = []
    for edge in graph.into(box.seq):
        source = graph.boxes[edge.source]
        made = source.called(edge.output) or (f"the output of {source.op}" if source.op else f"a {source.kind}")
        rows.append((edge.input, f"<code>{escape(made)}</code> {_shape(source, edge.output)}"))
    rows.append(("gives" if box.op else "shape", ", ".join(_shape(box, i) for i in range(len(box.shapes)))))
    rows.append(("value", _arrays(box.value, "value")))
    rows.append(("gradient", _arrays(box.gradient, "gradient")))
    if box.formula:
        rows.append(("derivative", f"<code>{escape(box.formula)}</code>"))
    if box.kept:
        kept = [f"<code>{escape(k.name)}</code> {shape_in_words(k.shape)}, {size_in_words(k.nbytes)}" for k in box.kept]
        rows.append(("keeps for backward", "<br>".join(kept)))
    elif box.freed:
        rows.append(("keeps for backward", "nothing any more: backward has run"))
    if box.call is not None:
        rows.append(("module", f"<code>{escape(box.call.path)}</code> {escape(box.call.module)}"))
    if box.line is not None:
        place = escape(place_in_words(box.line))
        rows.append(("line", f"<code>{escape(box.line.text)}</code> <span class='beside'>{place}</span>"))
    body = "".join(f"<tr><th scope='row'>{name}</th><td>{text}</td></tr>" for name, text in rows if text)
    name = f" <span class='beside'>→ {escape(box.name)}</span>" if box.op and box.name else ""
    return f"<h4>{escape(box.label)}{name}</h4><table>{body}</table>"


def _shape(box: Box, output: int) -> str:
    at = min(output, len(box.shapes) - 1)
    return f"<span class='beside'>{shape_in_words(box.shapes[at])} {escape(box.dtypes[at])}</span>"


def _arrays(arrays: Any, kind: str) -> str:
    several = arrays if isinstance(arrays, tuple) else (arrays,)
    return "".join(array_drawn(array, kind, _COLUMNS) for array in several if array is not None)
