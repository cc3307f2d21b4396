"""``teach.tape(loss)``: the tape as a picture, as a page to click through, as text and for Graphviz."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from ..nn.module import Module
from ..tensor import Tensor
from ..user_line import user_frame
from .details import details
from .dot import dot
from .drawing import draw
from .graph import Graph, graph_of
from .listing import listing
from .look import BLUE, GREY, LINE, SOFT
from .names import names_in
from .shown import Shown, framed, notes_drawn
from .views import View, views_of

__all__ = ["TapePicture", "tape"]

#: A tape with more boxes is folded by module, if nobody says otherwise.
_FOLDED_FROM = 25


def tape(
    tensor: Tensor,
    *,
    fold: bool | None = None,
    gradients: bool = True,
    names: Mapping[str, Any] | None = None,
) -> TapePicture:
    """The tape behind `tensor` as a picture: every op in the order recorded, with what flows between them.

    Blue is what went forward: values where there are few, shapes otherwise. Orange is what comes back: the gradient
    along each edge, or its norm. A filled square marks the arrays that a node keeps for backward. What is recorded
    inside `watch` shows its values and constants, and is folded by module: click one to open it.

    Parameters
    ----------
    tensor
        A Tensor on the tape, such as a loss.
    fold
        Show each call of a module as one box, to be opened. By default large tapes are folded and small ones are not.
    gradients
        Find the gradients by a walk back that changes nothing, where watching has not seen them. Only for a scalar.
    names
        Tensors and modules by the names to show. Those of the caller's variables are known without.

    Raises
    ------
    TapeError
        If `tensor` is not on the tape.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> x = ag.tensor(3.0, requires_grad=True)
    >>> with teach.watch():
    ...     loss = x * x + x
    >>> print(teach.tape(loss))
    the tape of loss: 2 ops, 1 leaf, 0 B kept beside the leaves; backward runs them from below
      x                  leaf                             value 3, gradient 7
      %1     = mul(x=x, y=x)                              value 9, gradient 1, keeps y 4 B, x 4 B
      loss   = add(x=%1, y=x)                             value 12, gradient 1
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"teach.tape: expected a Tensor, got {type(tensor).__name__}")
    for name, value in (names or {}).items():
        if not isinstance(value, (Tensor, Module)):
            raise TypeError(f"teach.tape: names[{name!r}] is a Tensor or a Module, not {type(value).__name__}")
    graph = graph_of(tensor, names_in(user_frame(), names), gradients)
    return TapePicture(graph, len(graph) > _FOLDED_FROM if fold is None else fold)


class TapePicture(Shown):
    """A tape that shows itself. It is a picture of the moment: what is done with the tape later does not change it."""

    title = "the tape"

    def __init__(self, graph: Graph, fold: bool) -> None:
        self.graph = graph
        self._views = views_of(graph, fold)

    def svg(self) -> str:
        """As an ``<svg>`` element, which is a file by itself; a folded one shows the outermost view."""
        return draw(self.graph, self._views[0])

    def text(self) -> str:
        """As text of no more than 100 columns."""
        return listing(self.graph)

    def dot(self) -> str:
        """As source for Graphviz."""
        return dot(self.graph)

    def html(self) -> str:
        """As HTML in which boxes can be clicked: a module opens, an op shows all that is known of it."""
        views = "".join(self._view(view) for view in self._views)
        known = "".join(f'<div data-of="{box.seq}" hidden>{details(box, self.graph)}</div>' for box in self.graph)
        body = (
            f'<style>{_STYLE}</style>{_LEGEND}<div class="both"><div class="views">{views}</div>'
            f'<div class="details" aria-live="polite"><p class="beside">Click a box to see what is known of it.</p>'
            f"{known}</div></div>{notes_drawn(self.graph.notes)}"
        )
        return framed(body, "tape", _SCRIPT)

    def writers(self) -> dict[str, Callable[[], str]]:
        """What `save` can write."""
        return {**super().writers(), ".svg": self.svg, ".dot": self.dot}

    def _view(self, view: View) -> str:
        hidden = " hidden" if view.number else ""
        return (
            f'<div class="view" data-view="{view.number}"{hidden}>{self._way(view)}'
            f'<div class="scroll">{draw(self.graph, view)}</div></div>'
        )

    def _way(self, view: View) -> str:
        """The way back out of a view: the calls that it is in, each a button."""
        if view.call is None:
            return ""
        numbers = {other.call: other.number for other in self._views if other.call is not None}
        calls = [call for call in view.call.chain if call in numbers]
        steps = [(0, "the whole tape"), *((numbers[call], call.name or call.module) for call in calls)]
        buttons = [f'<button data-opens="{number}">{escape(name)}</button>' for number, name in steps[:-1]]
        last = f"<b>{escape(steps[-1][1])}</b> <span class='beside'>{escape(view.call.module)}</span>"
        return f'<nav aria-label="modules">{" / ".join([*buttons, last])}</nav>'


_LEGEND = (
    '<p class="legend"><span class="value">values forward</span><span class="gradient">∂ gradients back</span>'
    "<span>■ kept for backward</span></p>"
)

_STYLE = f"""
.ago.ago-tape .both {{ display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start; }}
.ago.ago-tape .views {{ flex: 5 1 420px; min-width: 0; }}
.ago.ago-tape .scroll {{ overflow: auto; max-height: 640px; border: 1px solid {LINE}; border-radius: 6px; }}
.ago.ago-tape svg {{ display: block; max-width: none; margin: 0 auto; }}
.ago.ago-tape .details {{ flex: 3 1 260px; min-width: 0; max-height: 680px; overflow: auto; background: {SOFT};
  border-radius: 6px; padding: 10px 12px; }}
.ago.ago-tape .details > p {{ margin: 0; }}
.ago.ago-tape .details th {{ text-align: left; vertical-align: top; padding-left: 0; white-space: nowrap; }}
.ago.ago-tape .details td {{ text-align: left; overflow-wrap: anywhere; }}
.ago.ago-tape .legend {{ margin: 0 0 8px; color: {GREY}; }}
.ago.ago-tape .legend span {{ margin-right: 18px; }}
.ago.ago-tape nav {{ margin: 0 0 8px; }}
.ago.ago-tape .ago-box {{ cursor: pointer; outline: none; }}
.ago.ago-tape .ago-box:is(:hover, :focus-visible, .chosen) rect {{ stroke: {BLUE}; stroke-width: 2.5; }}
"""

#: Runs with the fragment's root element as ``root``.
_SCRIPT = """
const show = (list, wanted) => list.forEach(e => { e.hidden = !wanted(e); });
const views = root.querySelectorAll('.view'), hint = root.querySelector('.details > p');
function choose(element) {
  if (element.dataset.opens !== undefined) {
    show(views, v => v.dataset.view === element.dataset.opens);
  } else if (element.dataset.box !== undefined) {
    root.querySelectorAll('.chosen').forEach(e => e.classList.remove('chosen'));
    element.classList.add('chosen');
    hint.hidden = true;
    show(root.querySelectorAll('[data-of]'), d => d.dataset.of === element.dataset.box);
  }
}
root.addEventListener('click', event => {
  const element = event.target.closest('[data-opens], [data-box]');
  if (element) choose(element);
});
root.addEventListener('keydown', event => {
  const element = event.target.closest('.ago-box');
  if (element && (event.key === 'Enter' || event.key === ' ')) { event.preventDefault(); choose(element); }
});
"""
