"""The tape in the language of Graphviz, for those who have it: https://graphviz.org/doc/info/lang.html."""

from __future__ import annotations

from .graph import Box, Graph
from .watching import Call
from .words import shape_in_words

__all__ = ["dot"]


def dot(graph: Graph) -> str:
    """The tape as the source of a ``digraph``, modules as clusters."""
    lines = ["digraph tape {", '  node [shape=box, fontname="monospace"];', '  edge [fontname="monospace"];']
    inside: dict[Call | None, list[Box]] = {}
    for box in graph:
        inside.setdefault(box.call, []).append(box)
    below: dict[Call | None, list[Call]] = {}
    for call in dict.fromkeys(call for chain in map(_chain, inside) for call in chain):
        below.setdefault(call.within, []).append(call)
    numbers = {call: n for n, call in enumerate(call for calls in below.values() for call in calls)}

    def cluster(call: Call | None, indent: str) -> None:
        lines.extend(f"{indent}{_id(box.seq)} [{_look(box)}];" for box in inside.get(call, ()))
        for child in below.get(call, ()):
            lines.append(f"{indent}subgraph cluster_{numbers[child]} {{")
            lines.append(f"{indent}  label={_quoted(f'{child.name} {child.module}'.strip())};")
            cluster(child, indent + "  ")
            lines.append(f"{indent}}}")

    cluster(None, "  ")
    for edge in graph.edges:
        source = graph.boxes[edge.source]
        shape = shape_in_words(source.shapes[min(edge.output, len(source.shapes) - 1)])
        lines.append(f"  {_id(edge.source)} -> {_id(edge.target)} [label={_quoted(f'{edge.input} {shape}')}];")
    return "\n".join([*lines, "}"]) + "\n"


def _chain(call: Call | None) -> tuple[Call, ...]:
    return () if call is None else call.chain


def _id(seq: int) -> str:
    return f"n{seq}" if seq >= 0 else f"c{-seq}"


def _look(box: Box) -> str:
    name = f"\n{box.name}" if box.op and box.name else ""
    style = {"op": "", "leaf": ", style=rounded", "constant": ', style="rounded,dashed"'}[box.kind]
    return f"label={_quoted(box.label + name)}{style}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
