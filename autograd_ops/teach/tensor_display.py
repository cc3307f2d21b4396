"""A Tensor as the last line of a notebook's cell: its values, its gradient, and how it was made."""

from __future__ import annotations

from html import escape

from ..tape import Leaf, Port, nodes_behind
from ..tensor import Tensor
from .drawing import draw
from .graph import graph_of
from .look import LINE
from .names import Names
from .shown import framed
from .views import views_of
from .words import count_in_words, shape_in_words

__all__ = ["_repr_html_"]

#: The tape behind a Tensor is drawn if it has no more ops.
_FEW = 8


def _repr_html_(self: Tensor) -> str:
    """What a notebook shows of a Tensor, small: nothing is computed for it, and no backward is run."""
    kind = f"{shape_in_words(self.shape)} {self.dtype.name} on {self.device}"
    parts = [f"<pre>{escape(repr(self))}</pre>", f"<p class='beside'>{escape(kind)}</p>"]
    if self.grad is not None:
        parts.append(f"<pre class='gradient'>grad {escape(repr(self.grad))}</pre>")
    place = self.place()
    if place is None:
        return framed("".join(parts), "tensor")
    if isinstance(place, Leaf):
        parts.append("<p class='beside'>a leaf: backward leaves its gradient in grad</p>")
        return framed("".join(parts), "tensor")
    ops = sum(1 for node in nodes_behind([place]) if not isinstance(node, (Leaf, Port)))
    if ops <= _FEW:
        graph = graph_of(self, Names(), gradients=False)
        (view,) = views_of(graph, fold=False)
        made = f"made by {count_in_words(ops, 'op')}"
        parts.append(f"<details><summary>{made}</summary>{draw(graph, view)}</details>")
    else:
        parts.append(f"<p class='beside'>made by {ops} ops: teach.tape(x) draws them</p>")
    style = f"<style>.ago.ago-tensor svg {{ border: 1px solid {LINE}; border-radius: 6px; }}</style>"
    return framed(style + "".join(parts), "tensor")
