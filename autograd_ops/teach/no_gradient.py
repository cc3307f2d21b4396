"""``teach.why_no_grad(x)``: why a Tensor has no gradient, and on which line of the user's that came about."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from types import FrameType

from ..nn.parameter import Parameter
from ..tape import FREED, Leaf, Node, nodes_behind
from ..tensor import Tensor
from ..user_line import Line, user_frame
from .made import made_of
from .names import Names, names_in, variables
from .shell import line_in_words, place_in_words
from .shown import Shown, framed
from .watching import seen_of, seen_of_leaf
from .words import rows, wrapped

__all__ = ["WhyNoGrad", "why_no_grad"]


def why_no_grad(x: Tensor, loss: Tensor | None = None) -> WhyNoGrad:
    """Why ``x.grad`` is ``None``: which of the reasons that there can be, where in the program, and what to do.

    Parameters
    ----------
    x
        A Tensor, of which a gradient was expected.
    loss
        What backward was or will be called on; if not given, the caller's variables are searched for it.

    Returns
    -------
    WhyNoGrad
        Its ``reason`` is one of ``"it has one"``, ``"integer"``, ``"not recorded"``, ``"no_grad"``, ``"detached"``,
        ``"no derivative"``, ``"frozen"``, ``"inputs need none"``, ``"not a leaf"``, ``"not used"``,
        ``"backward not run"`` and ``"taken away"``. Lines are known for what happened inside `watch`.

    Raises
    ------
    TypeError
        If `x` or `loss` is no Tensor.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> w = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> with teach.watch():
    ...     with ag.no_grad():
    ...         h = w * 3
    ...     loss = (h + w).sum()
    >>> print(teach.why_no_grad(h))
    h has no grad, because it was made while nothing was recorded: inside no_grad, or after
    set_grad_enabled(False)
      line  h = w * 3
      fix   compute it outside of no_grad
    """
    for name, value in (("x", x), ("loss", loss)):
        if not isinstance(value, Tensor) and not (name == "loss" and value is None):
            raise TypeError(f"teach.why_no_grad: {name} is a Tensor, not {type(value).__name__}")
    frame = user_frame()
    names = names_in(frame)
    node = x.place()
    name = names.of(x) or "the tensor"
    if x.grad is not None:
        return WhyNoGrad("it has one", f"{name} has a gradient", "read it: x.grad")
    if x.dtype.kind not in ("float", "complex"):
        return _because(
            name,
            "integer",
            f"it is of {x.dtype.name}, and only floats and complex numbers have derivatives",
            "make it one before it is used, as with x.float()",
            _line_of(x),
        )
    if node is None:
        return _off_tape(x, name)
    if not isinstance(node, Leaf):
        return _inner(x, node, name)
    return _leaf(node, name, loss, frame, names)


@dataclass(frozen=True, eq=False, repr=False)
class WhyNoGrad(Shown):
    """A reason, where it came about, and what to do.

    Attributes
    ----------
    reason
        A word for each kind of reason: see `why_no_grad`.
    message
        The reason in a sentence.
    fix
        What to do.
    line
        The user's line where it came about, if that is known.
    """

    reason: str
    message: str
    fix: str
    line: Line | None = None

    title = "why there is no gradient"

    def text(self) -> str:
        """The sentence, then the line and the fix."""
        line = [] if self.line is None else [("line", line_in_words(self.line))]
        return "\n".join([*wrapped(self.message), *rows([*line, ("fix", self.fix)])])

    def html(self) -> str:
        """The same, the line as code."""
        line = ""
        if self.line is not None:
            place = escape(place_in_words(self.line))
            line = f"<p><code>{escape(self.line.text)}</code> <span class='beside'>{place}</span></p>"
        return framed(f"<h4>{escape(self.message)}</h4>{line}<p class='good'>{escape(self.fix)}</p>", "why")


def _because(name: str, reason: str, why: str, fix: str, line: Line | None = None) -> WhyNoGrad:
    return WhyNoGrad(reason, f"{name} has no grad, because {why}", fix, line)


def _line_of(x: Tensor) -> Line | None:
    made = made_of(x.array)
    return None if made is None else made.line


_WATCH = "record inside `with teach.watch():` to be told where"


def _off_tape(x: Tensor, name: str) -> WhyNoGrad:
    """Of a Tensor that is not on the tape."""
    made = made_of(x.array)
    if made is None and isinstance(x, Parameter):
        return _because(
            name,
            "frozen",
            "it is a parameter whose requires_grad is False: something froze it",
            "call requires_grad_(True) on it, or on its module, before it is used",
        )
    if made is None:
        return _because(
            name,
            "not recorded",
            "it is not on the tape: it was made without requires_grad=True, from numbers or NumPy, or computed where "
            "nothing was recorded",
            f"make it with requires_grad=True before it is used; if it was computed, {_WATCH}",
        )
    if not made.recording:
        return _because(
            name,
            "no_grad",
            "it was made while nothing was recorded: inside no_grad, or after set_grad_enabled(False)",
            "compute it outside of no_grad",
            made.line,
        )
    if made.recorded:
        return _because(
            name,
            "detached",
            f"it was detached: it has the memory of what {made.op.name} gave, and no longer its place on the tape",
            "leave out the detach() or .data between that line and here",
            made.line,
        )
    if not made.op.has_rules:
        return _because(
            name,
            "no derivative",
            f"{made.op.name} made it, which has no derivative",
            "use an op that has one, or compute the gradient without it",
            made.line,
        )
    return _because(
        name,
        "inputs need none",
        f"nothing that {made.op.name} was given needs a gradient",
        "set requires_grad=True on an input before that line",
        made.line,
    )


def _inner(x: Tensor, node: Node, name: str) -> WhyNoGrad:
    """Of a Tensor that an op made: its gradient passes through."""
    seen = seen_of(node)
    op = node.main.op.name if hasattr(node, "main") else node.op.name
    if x.retains_grad:
        return _because(
            name,
            "backward not run",
            "backward has not come by since retain_grad()",
            "call backward on what is computed from it",
            None if seen is None else seen.line,
        )
    return _because(
        name,
        "not a leaf",
        f"it is no leaf: {op} made it, and backward keeps gradients for leaves alone",
        "call x.retain_grad() before backward",
        None if seen is None else seen.line,
    )


def _leaf(node: Leaf, name: str, loss: Tensor | None, frame: FrameType, names: Names) -> WhyNoGrad:
    """Of a leaf that needs a gradient and has none."""
    seen = seen_of_leaf(node)
    line = None if seen is None else seen.line
    roots = [loss] if loss is not None else _on_tape(frame)
    users = [root for root in roots if root.node is not node and _is_behind(node, root)]
    waiting = [root for root in users if not _has_run(root)]
    if waiting:
        last = max(waiting, key=lambda root: root.node.seq if root.node is not None else -1)
        called = names.of(last) or "loss"
        return _because(
            name,
            "backward not run",
            f"backward has not been called on {called}, which was computed from it",
            f"call {called}.backward()",
            line,
        )
    if users or (loss is None and seen is not None and seen.reached):
        return _because(
            name,
            "taken away",
            "backward has run, and its gradient was taken away since, by zero_grad or by setting grad to None; or "
            "autograd.grad has run, which gives gradients back and leaves none in grad",
            "read the gradient between backward and zero_grad",
            line,
        )
    if loss is not None:
        return _because(
            name,
            "not used",
            "the loss was not computed from it",
            "use it in the forward computation, or leave it out of what is trained",
        )
    return _because(
        name,
        "not used",
        "nothing among your variables was computed from it",
        "use it in what the loss is computed from; or pass the loss: teach.why_no_grad(x, loss)",
    )


def _on_tape(frame: FrameType) -> list[Tensor]:
    """The caller's variables that are on the tape."""
    values = [value for scope in variables(frame) for value in scope.values()]
    return [value for value in values if isinstance(value, Tensor) and value.node is not None]


def _is_behind(node: Node, root: Tensor) -> bool:
    place = root.place()
    return place is not None and any(behind is node for behind in nodes_behind([place]))


def _has_run(root: Tensor) -> bool:
    """Whether backward has come by: it has freed something, or what was watched there knows a gradient."""
    place = root.place()
    if place is None:
        return False
    seen = seen_of(place)
    return (seen is not None and seen.gradient is not None) or any(n.saved is FREED for n in nodes_behind([place]))
