"""The tape as text: a line an op, in the order of recording, under the modules that they belong to."""

from __future__ import annotations

from .graph import Box, Graph
from .watching import Call
from .words import (
    WIDTH,
    array_in_words,
    count_in_words,
    cut,
    gradient_in_words,
    name_in_short,
    shape_in_words,
    size_in_words,
    wrapped,
)

__all__ = ["listing"]

#: In the place of the number of an output: all of them.
_WHOLE = -1


def listing(graph: Graph) -> str:
    """The tape as lines of no more than 100 columns."""
    root = graph.boxes[graph.root]
    ops = [box for box in graph if box.kind == "op"]
    leaves = [box for box in graph if box.kind == "leaf"]
    lines = [
        f"the tape of {name_in_short(root.name or root.label, 28)}: {count_in_words(len(ops), 'op')}, "
        f"{count_in_words(len(leaves), 'leaf', 'leaves')}, {size_in_words(graph.kept_bytes)} kept beside the leaves; "
        "backward runs them from below"
    ]
    places = {box.seq: place for place, box in enumerate(ops, 1)}
    named: dict[tuple[int, int], str] = {}
    for box in graph:
        made = f"%{places[box.seq]}" if box.kind == "op" else _unnamed(box)
        named[box.seq, _WHOLE] = box.name or made
        several = len(box.shapes) > 1
        for output in range(len(box.shapes)):
            named[box.seq, output] = box.called(output) or (f"{made}[{output}]" if several else made)
    inside: tuple[Call, ...] = ()
    for box in graph:
        if box.kind == "constant":
            continue
        chain = () if box.call is None else box.call.chain
        for depth, call in enumerate(chain):
            if depth >= len(inside) or inside[depth] is not call:
                lines.append("  " * (depth + 1) + (f"{call.name}: " if call.name else "") + call.module)
        inside = chain
        lines += _of_box(box, graph, named, "  " * (len(chain) + 1))
    lines = [cut(line, WIDTH) for line in lines]
    return "\n".join([*lines, *(line for note in graph.notes for line in wrapped(f"note: {note}", indent="  "))])


def _of_box(box: Box, graph: Graph, named: dict[tuple[int, int], str], indent: str) -> list[str]:
    own = box.call.own if box.call is not None else str
    if box.kind == "leaf":
        head = f"{indent}{own(named[box.seq, _WHOLE]):<18} leaf"
    else:
        arguments = ", ".join(f"{edge.input}={own(named[edge.source, edge.output])}" for edge in graph.into(box.seq))
        head = f"{indent}{named[box.seq, _WHOLE]:<6} = {box.op}({arguments})"
    facts = []
    if len(box.shapes) == 1 and not isinstance(box.value, tuple):
        words = array_in_words(box.value, box.shapes[0])
        facts.append(words if words == shape_in_words(box.shapes[0]) else f"value {words}")
    else:
        facts.append(" and ".join(shape_in_words(shape) for shape in box.shapes))
    if box.gradient is not None and not isinstance(box.gradient, tuple):
        facts.append(f"gradient {gradient_in_words(box.gradient)}")
    if box.kept:
        facts.append("keeps " + ", ".join(f"{k.name} {size_in_words(k.nbytes)}" for k in box.kept))
    elif box.freed:
        facts.append("freed")
    one = f"{head:<52}  {', '.join(facts)}"
    return [one] if len(one) <= WIDTH else [head, f"{indent}         {', '.join(facts)}"]


def _unnamed(box: Box) -> str:
    return f"a {box.kind} {shape_in_words(box.shapes[0])}"
