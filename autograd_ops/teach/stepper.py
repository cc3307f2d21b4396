"""The stepper: the tape on one side, a step of backward on the other, and buttons to go on and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .drawing import draw
from .graph import Graph
from .look import BLUE, GREY, INK, LINE, ORANGE, SOFT
from .shell import line_in_words
from .shown import array_drawn, framed, notes_drawn
from .views import views_of
from .words import shape_in_words

if TYPE_CHECKING:
    from .steps import BackwardStep, Sent

__all__ = ["stepper"]

#: A larger tape is not drawn beside the steps, which can be stepped through all the same.
_DRAWN_TO = 150

#: The lines of arrays are as long as there is room for beside the tape.
_COLUMNS = 46


def stepper(graph: Graph, steps: Sequence[BackwardStep], leaves: Mapping[str, Any]) -> str:
    """The steps as a fragment of HTML; the last panel has what the leaves get."""
    panels = [_panel(step) for step in steps] + [_end(leaves)]
    shown = "".join(
        f'<section class="step" data-step="{i}"{"" if i == 0 else " hidden"}>{panel}</section>'
        for i, panel in enumerate(panels)
    )
    picture, notes = "", list(graph.notes)
    if len(graph) > _DRAWN_TO:
        notes.append(f"a tape of more than {_DRAWN_TO} boxes is not drawn beside its steps: teach.tape draws it")
    else:
        (view,) = views_of(graph, fold=False)
        picture = f'<div class="scroll">{draw(graph, view)}</div>'
    numbers = {id(edge): i for i, edge in enumerate(graph.edges)}
    course = [{"box": step.box.seq, "edges": [numbers[id(sent.edge)] for sent in step.sent]} for step in steps]
    last = len(panels) - 1
    body = (
        f"<style>{_STYLE}</style>"
        '<div class="controls"><button class="previous" disabled>&lsaquo; previous</button>'
        f'<button class="next">next &rsaquo;</button><input type="range" min="0" max="{last}" value="0" '
        f'aria-label="step"><span class="beside count" aria-live="polite">step 1 of {len(steps)}</span></div>'
        f'<div class="both">{picture}<div class="steps">{shown}</div></div>'
        f"{notes_drawn(notes)}"
        f'<script type="application/json" class="course">{json.dumps(course)}</script>'
    )
    return framed(body, "stepper", _SCRIPT)


def _panel(step: BackwardStep) -> str:
    box = step.box
    made = f" <span class='beside'>→ {escape(box.name)}</span>" if box.name else ""
    rows: list[tuple[str, str]] = []
    if box.line is not None:
        rows.append(("line", f"<code>{escape(line_in_words(box.line))}</code>"))
    if box.call is not None:
        rows.append(("module", f"<code>{escape(box.call.path)}</code>"))
    rows += [(f"g arrived{at}", array_drawn(gradient, "gradient", _COLUMNS)) for at, gradient in step.arrivals]
    rows.append(("rule", f"<code>{escape(box.formula)}</code>"))
    for name, array in step.kept:
        shape = f"<span class='beside'>{shape_in_words(array.shape)}</span>"
        rows.append((f"{name}, kept", shape + array_drawn(array, "value", _COLUMNS)))
    rows += [(f"to {sent.to}", _sent(sent)) for sent in step.sent]
    body = "".join(f"<tr><th scope='row'>{escape(name)}</th><td>{text}</td></tr>" for name, text in rows)
    return f"<h4>{escape(box.op)}{made}</h4><table>{body}</table>"


def _sent(sent: Sent) -> str:
    parts = [
        f"<span class='beside'>{escape(sent.input)}</span>",
        array_drawn(sent.gradient, "gradient", _COLUMNS),
    ]
    parts += [f"<div class='beside'>{escape(note)}</div>" for note in sent.notes]
    if sent.part > 1:
        parts.append(array_drawn(sent.total, "gradient", _COLUMNS))
    return "".join(parts)


def _end(leaves: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{array_drawn(gradient, 'gradient', _COLUMNS)}</td></tr>"
        for name, gradient in leaves.items()
    )
    return f"<h4>added to the <code>grad</code> of the leaves</h4><table>{rows}</table>"


_STYLE = f"""
.ago.ago-stepper .controls {{ display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin-bottom: 10px; }}
.ago.ago-stepper .controls input {{ flex: 1 1 120px; max-width: 320px; accent-color: {ORANGE}; }}
.ago.ago-stepper .both {{ display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start; }}
.ago.ago-stepper .scroll {{ flex: 1 1 360px; min-width: 0; overflow: auto; max-height: 640px; border: 1px solid {LINE};
  border-radius: 6px; }}
.ago.ago-stepper svg {{ display: block; max-width: none; margin: 0 auto; }}
.ago.ago-stepper .steps {{ flex: 1 1 320px; min-width: 0; max-width: 560px; max-height: 640px; overflow: auto;
  background: {SOFT}; border-radius: 6px; padding: 10px 12px; }}
.ago.ago-stepper th {{ text-align: left; vertical-align: top; padding-left: 0; max-width: 150px;
  overflow-wrap: break-word; }}
.ago.ago-stepper td {{ text-align: left; overflow-wrap: anywhere; }}
.ago.ago-stepper h4 .beside {{ font-weight: 400; color: {GREY}; }}
.ago.ago-stepper .ago-gradient {{ visibility: hidden; }}
.ago.ago-stepper :is(.reached, .done, .now) .ago-gradient {{ visibility: visible; }}
.ago.ago-stepper .done > rect {{ fill: #fff4e5; }}
.ago.ago-stepper .now > rect {{ fill: #ffe3bf; stroke: {ORANGE}; stroke-width: 2.5; }}
.ago.ago-stepper .now text:not(.ago-gradient) {{ fill: {INK}; }}
.ago.ago-stepper .fresh .ago-gradient {{ font-weight: 700; }}
.ago.ago-stepper input:focus-visible {{ outline: 2px solid {BLUE}; }}
"""

#: Runs with the fragment's root element as ``root``.
_SCRIPT = """
const course = JSON.parse(root.querySelector('.course').textContent);
const panels = root.querySelectorAll('.step'), range = root.querySelector('input');
const previous = root.querySelector('.previous'), next = root.querySelector('.next');
const count = root.querySelector('.count'), pane = root.querySelector('.scroll');
function go(at) {
  at = Math.max(0, Math.min(panels.length - 1, at));
  panels.forEach((panel, i) => { panel.hidden = i !== at; });
  previous.disabled = at === 0;
  next.disabled = at === panels.length - 1;
  range.value = at;
  count.textContent = at < course.length ? 'step ' + (at + 1) + ' of ' + course.length : 'the end';
  if (!pane) return;
  root.querySelectorAll('.done, .now, .reached, .fresh').forEach(
    e => e.classList.remove('done', 'now', 'reached', 'fresh'));
  course.slice(0, at + 1).forEach((step, i) => {
    const now = i === at;
    root.querySelectorAll('[data-box="' + step.box + '"]').forEach(e => {
      e.classList.add(now ? 'now' : 'done');
      if (now) bring(e);
    });
    step.edges.forEach(edge => root.querySelectorAll('[data-edge="' + edge + '"]').forEach(
      e => e.classList.add('reached', ...(now ? ['fresh'] : []))));
  });
}
function bring(element) {
  const box = element.getBoundingClientRect(), around = pane.getBoundingClientRect();
  pane.scrollTop += box.top + box.height / 2 - around.top - around.height / 2;
  pane.scrollLeft += box.left + box.width / 2 - around.left - around.width / 2;
}
const at = () => Number(range.value);
previous.addEventListener('click', () => go(at() - 1));
next.addEventListener('click', () => go(at() + 1));
range.addEventListener('input', () => go(at()));
go(0);
"""
