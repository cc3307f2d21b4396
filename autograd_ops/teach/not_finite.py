"""``teach.explain_nan(loss)``: the op at which NaN or infinity came up, what it was given, and the usual remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from autograd_backends import namespace

from ..tape import TapeError
from ..tensor import Tensor
from ..user_line import Line, user_frame
from .double_where import double_where
from .graph import Box, Edge, Graph, graph_of, to_host
from .look import SOFT
from .names import names_in
from .remedies import Remedy, remedy_for
from .shell import line_in_words
from .shown import Shown, framed
from .walked import walk_and_look
from .words import number, rows, shape_in_words, wrapped

__all__ = ["NanExplanation", "Operand", "explain_nan"]


def explain_nan(loss: Tensor) -> NanExplanation:
    """The first op behind `loss` that gave NaN or infinity, forward or backward, and what to do about it.

    Forward values are known for what was recorded inside `watch`. Backward is walked here, and nothing is changed by
    it; after ``loss.backward()`` it takes ``retain_graph=True``, or that both were watched.

    Parameters
    ----------
    loss
        A Tensor on the tape.

    Returns
    -------
    NanExplanation
        Its ``where`` is ``"forward"``, ``"backward"``, ``"a leaf"``, ``"a constant"``, ``"unknown"``, or ``"nowhere"``
        if all is finite.

    Raises
    ------
    TypeError
        If `loss` is no Tensor.
    TapeError
        If it is not on the tape.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> x = ag.tensor([4.0, 0.0], requires_grad=True)
    >>> with teach.watch():
    ...     y = ag.where(x > 0, ag.sqrt(x), 0.0)
    ...     loss = y.sum()
    >>> print(teach.explain_nan(loss))
    backward of sqrt gave NaN for x, at [1]: the gradient that arrived there was 0, and 0 times infinity
    is NaN
      line      y = ag.where(x > 0, ag.sqrt(x), 0.0)
      x         0 at [1], of shape (2,)
      out       0 at [1], of shape (2,)
      g         0 at [1], of shape (2,)
      rule      dx = g / (2 out)
      why       sqrt of less than 0 is NaN, and the derivative 1/(2 sqrt(x)) is infinite at 0
      remedy    add a small number inside, clamp from below, or choose the safe elements first
                ok = x > 0
                safe = ag.where(ok, x, 1.0)
                y = ag.where(x > 0, ag.sqrt(safe), 0.0)
    """
    if not isinstance(loss, Tensor):
        raise TypeError(f"teach.explain_nan: expected a Tensor, got {type(loss).__name__}")
    root = loss.place()
    if root is None:
        raise TapeError("teach.explain_nan: this tensor is not on the tape, so nothing is known of how it was computed")
    names = names_in(user_frame())
    with np.errstate(all="ignore"):
        try:
            walked = walk_and_look(root, namespace(loss.array).ones_like(loss.array))
        except TapeError:
            walked = None  # backward has run; what was watched is known all the same
        graph = graph_of(loss, names, gradients=False, walked=walked)
        return _forward(graph, loss) or _backward(graph) or _nothing(graph, loss, walked is not None)


@dataclass(frozen=True, slots=True)
class Operand:
    """A value at the op, where NaN or infinity came up.

    Attributes
    ----------
    name
        What the op's formula calls it: an input, ``"out"``, or ``"g"`` for the gradient that arrived.
    value
        Its element there, if that can be told.
    index
        Where.
    shape
        The shape of the whole.
    user
        What the user calls it.
    """

    name: str
    value: Any
    index: tuple[int, ...]
    shape: tuple[int, ...]
    user: str = ""

    def __str__(self) -> str:
        place = f" at {list(self.index)}, of shape {shape_in_words(self.shape)}" if self.index else ""
        value = shape_in_words(self.shape) if self.value is None else number(self.value)
        called = f" ({self.user})" if self.user not in ("", self.name, value) else ""
        return f"{value}{place if self.value is not None else ''}{called}"


@dataclass(frozen=True, eq=False, repr=False)
class NanExplanation(Shown):
    """Where NaN or infinity came up, and what to do.

    Attributes
    ----------
    where
        ``"forward"``, ``"backward"``, ``"a leaf"``, ``"a constant"``, ``"unknown"`` or ``"nowhere"``.
    op
        The op's name; empty if there is none.
    message
        What happened, in a sentence.
    operands
        What the op had, at the element that went wrong.
    line
        The user's line that called the op, if it was watched.
    formula
        The op's derivative, if it was backward.
    why, remedy
        Where such ops are not finite, and what one does about it.
    code
        The double where, written into the user's line; empty where that is not the remedy.
    """

    where: str
    op: str
    message: str
    operands: tuple[Operand, ...] = ()
    line: Line | None = None
    formula: str = ""
    why: str = ""
    remedy: str = ""
    code: str = ""

    title = "where NaN came from"

    def _rows(self) -> Iterator[tuple[str, str]]:
        if self.line is not None:
            yield "line", line_in_words(self.line)
        for operand in self.operands:
            yield operand.name, str(operand)
        if self.formula:
            yield "rule", self.formula
        if self.why:
            yield "why", self.why
        if self.remedy:
            yield "remedy", self.remedy

    def text(self) -> str:
        """The sentence, and what is known, a line each."""
        return "\n".join([*wrapped(self.message), *rows([*self._rows(), *([("", self.code)] * bool(self.code))], 8)])

    def html(self) -> str:
        """The same as a table, the code apart."""
        rows = "".join(f"<tr><th scope='row'>{escape(n)}</th><td>{escape(t)}</td></tr>" for n, t in self._rows())
        code = f"<pre class='code'>{escape(self.code)}</pre>" if self.code else ""
        kind = "good" if self.where == "nowhere" else "bad"
        return framed(
            f"<style>{_STYLE}</style><h4 class='{kind}'>{escape(self.message)}</h4><table>{rows}</table>{code}", "nan"
        )


_STYLE = f"""
.ago.ago-nan th, .ago.ago-nan td {{ text-align: left; vertical-align: top; }}
.ago.ago-nan .code {{ background: {SOFT}; padding: 8px 10px; border-radius: 6px; }}
"""


# ---------------------------------------------------------------- forward


def _forward(graph: Graph, loss: Tensor) -> NanExplanation | None:
    """The op that first gave NaN or infinity of what was finite; ``None`` if the loss is finite."""
    if _finite(to_host(loss.array)):
        return None
    for box in graph:
        if box.kind == "leaf" and not _finite(box.value):
            return _not_of_an_op(box)
    found = None
    for box in graph:
        if box.kind != "op" or _finite(box.value):
            continue
        bad = [(edge, source) for edge, source in _into(box, graph) if not _finite(_value(source, edge))]
        nans = [source for edge, source in bad if _has_nan(_value(source, edge))]
        if nans and all(source.kind == "constant" for _, source in bad):
            return _not_of_an_op(nans[0])
        if not bad:
            found = box
            break
        if found is None and _has_nan(box.value) and not nans:
            found = box
    return None if found is None else _forward_at(found, graph)


def _not_of_an_op(box: Box) -> NanExplanation:
    """Of values that were not finite before any op was given them."""
    return NanExplanation(
        f"a {box.kind}",
        "",
        f"{_called(box)} has {_kind(box.value)} in it, before any op",
        line=box.line,
        remedy="look at where its values come from: the data, or the step that last changed it",
    )


def _forward_at(box: Box, graph: Graph) -> NanExplanation:
    value = box.value[0] if isinstance(box.value, tuple) else box.value
    index = _first(value)
    into = _into(box, graph)
    operands = [_operand(edge, source, index) for edge, source in into]
    of = "finite" if all(_finite(_value(source, edge)) for edge, source in into) else "infinite"
    message = f"{box.op} gave {number(value[index])}{_at(index)}, from {of} values"
    remedy = remedy_for(box.op)
    return NanExplanation(
        "forward",
        box.op,
        message,
        tuple(operands),
        box.line,
        why=remedy.why,
        remedy=remedy.advice,
        code=_code(box, remedy, operands),
    )


# ---------------------------------------------------------------- backward


def _backward(graph: Graph) -> NanExplanation | None:
    """The op that first sent NaN or infinity on, in the order in which backward runs."""
    for box in sorted((b for b in graph if b.kind == "op"), key=lambda b: -b.seq):
        if box.gradient is None or not _finite(box.gradient):
            continue
        for edge in graph.into(box.seq):
            source = graph.boxes[edge.source]
            sent = edge.gradient if edge.gradient is not None else source.gradient
            if source.kind != "constant" and not _finite(sent):
                return _backward_at(box, edge, sent, graph)
    return None


def _backward_at(box: Box, edge: Edge, sent: Any, graph: Graph) -> NanExplanation:
    array = sent[edge.output] if isinstance(sent, tuple) else sent
    index = _first(array)
    operands = [_operand(into, source, index) for into, source in _into(box, graph)]
    value = None if isinstance(box.value, tuple) else box.value
    operands.append(Operand("out", _element(value, index), index, box.shapes[0], box.name))
    gradient = None if isinstance(box.gradient, tuple) else box.gradient
    arrived = _element(gradient, index)
    operands.append(Operand("g", arrived, index, box.shapes[0]))
    remedy = remedy_for(box.op)
    message = f"backward of {box.op} gave {number(array[index])} for {edge.input}{_at(index)}"
    if arrived is not None and arrived == 0 and np.isnan(array[index]):
        message += ": the gradient that arrived there was 0, and 0 times infinity is NaN"
    return NanExplanation(
        "backward",
        box.op,
        message,
        tuple(operands),
        box.line,
        box.formula,
        remedy.why,
        remedy.advice,
        _code(box, remedy, operands),
    )


def _nothing(graph: Graph, loss: Tensor, walked: bool) -> NanExplanation:
    """Nothing was found: because all is finite, or because too little is known."""
    how = "record inside `with teach.watch():`, and look before backward or after backward(retain_graph=True)"
    if not _finite(to_host(loss.array)):
        return NanExplanation(
            "unknown", "", f"the loss is {_kind(to_host(loss.array))}, and no op was watched", remedy=how
        )
    bad = next((box for box in graph if not _finite(box.gradient)), None)
    if bad is not None:
        return NanExplanation("unknown", "", f"the gradient of {_called(bad)} has {_kind(bad.gradient)}", remedy=how)
    if not walked and not graph.watched:
        return NanExplanation("unknown", "", "backward has run already, and no op was watched", remedy=how)
    return NanExplanation("nowhere", "", "everything is finite: the values behind it that are known, and all gradients")


# ---------------------------------------------------------------- values


def _into(box: Box, graph: Graph) -> list[tuple[Edge, Box]]:
    return [(edge, graph.boxes[edge.source]) for edge in graph.into(box.seq)]


def _value(source: Box, edge: Edge) -> Any:
    return source.value[edge.output] if isinstance(source.value, tuple) else source.value


def _operand(edge: Edge, source: Box, index: tuple[int, ...]) -> Operand:
    value = _value(source, edge)
    shape = source.shapes[min(edge.output, len(source.shapes) - 1)] if value is None else value.shape
    element = _element(value, index)
    at = _fitting(index, shape) if element is not None else ()
    return Operand(edge.input, element, at, shape, source.called(edge.output))


def _element(value: Any, index: tuple[int, ...]) -> Any:
    """The element of `value` that meets the one at `index`, as broadcasting has it; ``None`` where none does."""
    if value is None:
        return None
    at = _fitting(index, value.shape)
    if len(at) != value.ndim or any(i >= n for i, n in zip(at, value.shape, strict=True)):
        return None
    return value[at]


def _fitting(index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    tail = index[len(index) - len(shape) :] if len(shape) <= len(index) else index
    return tuple(0 if n == 1 else i for i, n in zip(tail, shape[-len(tail) :] if tail else (), strict=False))


def _finite(value: Any) -> bool:
    """Whether all of it is finite; what is not known counts as such."""
    if isinstance(value, tuple):
        return all(_finite(item) for item in value)
    return value is None or value.dtype.kind not in "fcV" or bool(np.isfinite(value.astype(_wide(value))).all())


def _has_nan(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(_has_nan(item) for item in value)
    return value is not None and value.dtype.kind in "fcV" and bool(np.isnan(value.astype(_wide(value))).any())


def _wide(value: Any) -> type:
    return np.complex128 if value.dtype.kind == "c" else np.float64


def _first(value: Any) -> tuple[int, ...]:
    """Where the first NaN is, or else the first infinity."""
    wide = value.astype(_wide(value))
    bad = np.isnan(wide) if np.isnan(wide).any() else ~np.isfinite(wide)
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), value.shape)) if value.ndim else ()


def _kind(value: Any) -> str:
    return "NaN" if _has_nan(value) else "infinity"


def _called(box: Box) -> str:
    return box.name or f"a {box.op or box.kind} of shape {shape_in_words(box.shapes[0])}"


def _at(index: tuple[int, ...]) -> str:
    return f", at {list(index)}" if index else ""


def _code(box: Box, remedy: Remedy, operands: Sequence[Operand]) -> str:
    """The double where in the user's line, if that is known and it is its condition that does not hold."""
    value = next((operand.value for operand in operands if operand.name == remedy.argument), None)
    if box.line is None or remedy.safe is None or isinstance(value, complex | np.complexfloating):
        return ""
    return "" if value is not None and remedy.safe.holds(value) else double_where(box.line.text, box.op, remedy)
