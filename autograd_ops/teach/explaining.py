"""``teach.explain(error)``: an error as an explanation, with the operands drawn and what clashes marked."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from autograd_backends import DeviceError, ShapeError

from ..tape import TapeError
from ..user_line import Line, line_at, user_line_of
from .look import GREY, LINE, PAPER, RED
from .operands import ErrorOperand, operands_of
from .shell import line_in_words, place_in_words
from .shown import Shown, framed
from .words import rows

__all__ = ["Explanation", "explain"]


def explain(error: BaseException | None = None) -> Explanation:
    """An error as an explanation: what was wrong, the operands with what clashes marked, the rule behind it, the fix.

    The error's own message says it in a line already, for a log; this is for reading.

    Parameters
    ----------
    error
        An exception that was caught. By default the last one that reached the prompt or the notebook's cell.

    Raises
    ------
    ValueError
        If no error is given and none has been seen.
    TypeError
        If `error` is no exception.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> try:
    ...     ag.ones(3, 4) + ag.ones(2, 3)
    ... except ValueError as error:
    ...     print(teach.explain(error))
    add: shapes (3, 4) and (2, 3) do not broadcast: dimension -1 is 3 in one and 4 in another, and neither is 1
    <BLANKLINE>
      x  (3, 4)   float32  cpu
          ^  ^
      y  (2, 3)   float32  cpu
          ^  ^
    <BLANKLINE>
      line  ag.ones(3, 4) + ag.ones(2, 3)
      rule  Shapes are compared from the last dimension on. Two sizes fit if they are equal, or one is 1
            or missing.
    """
    if error is None:
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if error is None:
            raise ValueError("teach.explain: no error has been seen; pass the one that you caught")
    if not isinstance(error, BaseException):
        raise TypeError(f"teach.explain: expected an exception, got {type(error).__name__}")
    message, _, more = str(error).partition("\n") if str(error) else (type(error).__name__, "", "")
    op, operands = operands_of(error)
    if isinstance(error, TapeError):
        operands = []  # it is about what happened when, and not about these
    line = user_line_of(error.__traceback__)
    rule, fix = next(((r, f) for applies, r, f in _KINDS if applies(error, message, operands)), ("", ""))
    if not fix and "; " in message:
        message, _, fix = message.rpartition("; ")
    return Explanation(message, op, tuple(operands), line, rule, fix, _changed_at(message), textwrap.dedent(more))


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown):
    """An error, explained.

    Attributes
    ----------
    message
        What was wrong, in a line.
    op
        The op or function that raised, if it was one of this library.
    operands
        What it was given, with the axes that clash.
    line
        The user's line that called it.
    rule
        What has to hold, and did not.
    fix
        What to do.
    changed
        Where a value was changed in place, if that is what was wrong.
    more
        The other lines of the error's own text, where it has several.
    """

    message: str
    op: str = ""
    operands: tuple[ErrorOperand, ...] = ()
    line: Line | None = None
    rule: str = ""
    fix: str = ""
    changed: Line | None = None
    more: str = ""

    title = "what went wrong"

    def _facts(self) -> Iterator[tuple[str, str]]:
        if self.more:
            yield "more", self.more
        if self.line is not None:
            yield "line", line_in_words(self.line)
        if self.changed is not None:
            yield "changed at", f"{place_in_words(self.changed)}: {self.changed.text}"
        if self.rule:
            yield "rule", self.rule
        if self.fix:
            yield "fix", self.fix

    def text(self) -> str:
        """The message in one line, the operands with marks under the axes that clash, and the rest a line each."""
        lines = [self.message, ""]  # not broken, however long: it is what a log has
        names = max((len(operand.name) for operand in self.operands), default=0)
        shapes = max((len(str(operand.shape)) for operand in self.operands), default=0)
        for operand in self.operands:
            shape, marks = _marked(operand)
            head = " " * (names + 4) + " " * (shapes - len(shape))  # the last dimensions stand under each other
            lines.append(f"  {operand.name:<{names}}  {shape:>{shapes}}   {operand.dtype}  {operand.device}")
            if marks.strip():
                lines.append((head + marks).rstrip())
        facts = rows(self._facts())
        lines += [""] * bool(self.operands and facts)
        return "\n".join([*lines, *facts]).rstrip("\n")

    def html(self) -> str:
        """The operands as rows of boxes, one a dimension, those that clash in red."""
        rank = max((len(operand.shape) for operand in self.operands), default=0)
        drawn = "".join(_drawn(operand, rank) for operand in self.operands)
        table = f"<table class='operands'>{drawn}</table>" if drawn else ""
        told = "".join(f"<tr><th scope='row'>{escape(n)}</th><td>{_cell(n, t)}</td></tr>" for n, t in self._facts())
        facts = f"<table class='facts'>{told}</table>" if told else ""
        return framed(f"<style>{_STYLE}</style><h4 class='bad'>{escape(self.message)}</h4>{table}{facts}", "error")


def _cell(name: str, text: str) -> str:
    if name == "more":
        return f"<pre>{escape(text)}</pre>"
    return f"<code>{escape(text)}</code>" if name in ("line", "changed at") else escape(text)


def _marked(operand: ErrorOperand) -> tuple[str, str]:
    """A shape, and marks that stand under its axes that clash."""
    shape, marks = "(", " "
    for axis, size in enumerate(operand.shape):
        text = str(size)
        mark = "^" * len(text) if axis in operand.clashing else " " * len(text)
        last = axis == len(operand.shape) - 1
        comma = ("," if len(operand.shape) == 1 else "") if last else ", "
        shape, marks = shape + text + comma, marks + mark + " " * len(comma)
    return shape + ")", marks


def _drawn(operand: ErrorOperand, rank: int) -> str:
    """A row of the table of operands: a cell a dimension, the last ones under each other."""
    cells = "<td></td>" * (rank - len(operand.shape)) + "".join(
        f"<td class='size{' clash' if axis in operand.clashing else ''}'>{size}</td>"
        for axis, size in enumerate(operand.shape)
    )
    facts = f"<td class='beside'>{escape(operand.dtype)} {escape(operand.device)}</td>"
    return f"<tr><th scope='row'><code>{escape(operand.name)}</code></th>{cells}{facts}</tr>"


_STYLE = f"""
.ago.ago-error .operands td.size {{ border: 1px solid {LINE}; background: {PAPER}; min-width: 44px;
  text-align: center; }}
.ago.ago-error .operands td.clash {{ border: 2px solid {RED}; color: {RED}; font-weight: 700; }}
.ago.ago-error .operands td, .ago.ago-error .operands th {{ border-bottom: 0; }}
.ago.ago-error .operands td.size {{ border-bottom: 1px solid {LINE}; }}
.ago.ago-error .operands td.clash {{ border-bottom: 2px solid {RED}; }}
.ago.ago-error .operands {{ border-collapse: separate; border-spacing: 4px; }}
.ago.ago-error .facts td, .ago.ago-error .facts th {{ text-align: left; vertical-align: top; }}
.ago.ago-error .facts th {{ color: {GREY}; }}
"""


# ---------------------------------------------------------------- what is known of kinds of errors

_Test = Callable[[BaseException, str, list[ErrorOperand]], bool]

#: Which errors, the rule that was broken, and the fix, where the message does not end in it.
_KINDS: list[tuple[_Test, str, str]] = [
    (
        lambda error, message, operands: "do not broadcast" in message,
        "Shapes are compared from the last dimension on. Two sizes fit if they are equal, or one is 1 or missing.",
        "",
    ),
    (
        lambda error, message, operands: isinstance(error, DeviceError) and "two devices" in message,
        "An op works on one device; arrays are never moved behind your back, since that costs time.",
        "",
    ),
    (
        lambda error, message, operands: isinstance(error, TapeError) and "changed it in place" in message,
        "A rule of backward uses values of forward. The tape keeps the array and not a copy, so a change in place "
        "after that would make the gradient wrong.",
        "use the out-of-place form there, as y = y * 2 in place of y.mul_(2), or change a clone()",
    ),
    (
        lambda error, message, operands: isinstance(error, TapeError) and "a second time" in message,
        "Backward lets go of what each node kept as soon as it has been used, so that memory is free early.",
        "pass retain_graph=True to the first backward, or compute the loss again; in a training loop detach() what is "
        "carried over from the last step",
    ),
    (
        lambda error, message, operands: isinstance(error, TapeError) and "does not require grad" in message,
        "Backward goes back along what was recorded, and an op is recorded only if an input requires a gradient.",
        "teach.why_no_grad(x) says which reason it was",
    ),
    (
        lambda error, message, operands: isinstance(error, TapeError) and "leaf that requires grad" in message,
        "The gradient of a leaf is that by the value it had; if it were changed on the tape, that would be another.",
        "change it under no_grad(), as optimizers do, or use the out-of-place form",
    ),
    (
        lambda error, message, operands: isinstance(error, TypeError) and len({o.dtype for o in operands}) > 1,
        "What an op takes is told by dtypes: indices and classes are integers, what has gradients is a float.",
        "",
    ),
    (
        lambda error, message, operands: isinstance(error, ShapeError) and any(o.clashing for o in operands),
        "The marked dimensions have to be of one size.",
        "",
    ),
]


def _changed_at(message: str) -> Line | None:
    """The line that changed a value in place, from the message that names it."""
    found = re.search(r" at (.+):(\d+) has since changed it in place", message)
    return None if found is None else line_at(found[1], int(found[2]))
