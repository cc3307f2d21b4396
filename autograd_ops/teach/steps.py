"""``teach.backward_steps(loss)``: backward, one op at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_backends import namespace

from ..autograd.around import innermost
from ..ends import across
from ..registry import Op
from ..tape import Node, TapeError
from ..tensor import Tensor
from ..user_line import user_frame
from .graph import Box, Edge, Graph, across_all, copied, graph_of, to_host
from .kept import kept_arrays
from .names import names_in
from .shell import line_in_words
from .shown import Shown
from .stepper import stepper
from .walked import Visit, walk_and_look
from .words import array_in_full, rows, shape_in_words, wrapped

#: Kept arrays of as many elements are written out in the text of a step.
_FEW = 6

__all__ = ["BackwardStep", "BackwardSteps", "Sent", "backward_steps"]


def backward_steps(
    tensor: Tensor, gradient: Tensor | None = None, *, names: Mapping[str, Any] | None = None
) -> BackwardSteps:
    """What ``tensor.backward(gradient)`` does, one op at a time; nothing is changed by looking.

    Each step says which op runs, the gradient that arrived there, the op's rule as a formula with the values that it
    kept, what goes to each input, and how broadcasting is summed away. In a notebook it is a stepper beside the tape.

    Parameters
    ----------
    tensor
        A Tensor on the tape, such as a loss.
    gradient
        What arrives at it: a Tensor of its shape. A scalar needs none, and starts with 1.
    names
        Tensors and modules by the names to show. Those of the caller's variables are known without.

    Returns
    -------
    BackwardSteps
        A sequence of `BackwardStep`, in the order in which backward runs them.

    Raises
    ------
    TapeError
        If `tensor` is not on the tape, or backward has run already and freed it, or a kept value has since changed.
    ValueError
        If `tensor` is no scalar and `gradient` is missing, or is of another shape.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> x = ag.tensor(3.0, requires_grad=True)
    >>> loss = x * x + x
    >>> for step in teach.backward_steps(loss):
    ...     print(step)
    step 1 of 2: add, which made loss
      arrived   1
      rule      dx = g, dy = g
      to mul    1
                input x
      to x      1
                input y; the first of 3 parts
    step 2 of 2: mul
      arrived   1
      rule      dx = g y, dy = g x
      y         3 (kept)
      x         3 (kept)
      to x      3
                input x; number 2 of 3 parts, in all so far:
                4
      to x      3
                input y; the last of 3 parts, in all so far:
                7
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"teach.backward_steps: expected a Tensor, got {type(tensor).__name__}")
    root = tensor.place()
    if root is None:
        raise TapeError(
            "teach.backward_steps: this tensor is not on the tape, so backward has nothing to do: "
            "teach.why_no_grad(x) says why"
        )
    walked = walk_and_look(root, _start(tensor, gradient))
    graph = graph_of(tensor, names_in(user_frame(), names), walked=walked)
    return BackwardSteps(graph, walked.visits)


def _start(tensor: Tensor, gradient: Tensor | None) -> Any:
    """The array that the walk starts with."""
    if gradient is None:
        if tensor.array.shape != ():
            raise ValueError(
                f"teach.backward_steps: a tensor of shape {tuple(tensor.shape)} needs the gradient that arrives at "
                "it: pass gradient=, or sum it to a scalar first"
            )
        return namespace(tensor.array).ones_like(tensor.array)
    if not isinstance(gradient, Tensor):
        raise TypeError(f"teach.backward_steps: gradient is a Tensor, not {type(gradient).__name__}")
    if gradient.shape != tensor.shape:
        raise ValueError(
            f"teach.backward_steps: the gradient is of shape {tuple(gradient.shape)}, and the tensor of shape "
            f"{tuple(tensor.shape)}"
        )
    return across(gradient.detach().to(tensor.device, tensor.dtype).array)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a step sends to one input.

    Attributes
    ----------
    edge
        The edge of the tape that it goes back along.
    to
        The name of what made the input.
    gradient
        What is sent: an array of NumPy, already of the input's shape.
    summed
        The dimensions of what the op computed with that are summed away, as the input was broadcast along them.
    part, parts
        How many have come to that input with this one, and how many will: the value was used so often.
    total
        The sum of the parts so far.
    """

    edge: Edge
    to: str
    gradient: Any
    summed: tuple[int, ...]
    part: int
    parts: int
    total: Any

    @property
    def input(self) -> str:
        """Which input of the op it goes to: ``"input x"``; of a Function, whose have no names, ``"input 0"``."""
        return self.edge.input if " " in self.edge.input else f"input {self.edge.input}"

    @property
    def notes(self) -> tuple[str, ...]:
        """How broadcasting was summed away, and which of several parts this is."""
        notes: list[str] = []
        if self.summed:
            word = "dimension" if len(self.summed) == 1 else "dimensions"
            axes = " and ".join(map(str, self.summed))
            notes.append(f"summed over {word} {axes}, along which it was broadcast")
        if self.parts > 1:
            which = {1: "the first", self.parts: "the last"}.get(self.part, f"number {self.part}")
            notes.append(f"{which} of {self.parts} parts" + (", in all so far:" if self.part > 1 else ""))
        return tuple(notes)


@dataclass(frozen=True, slots=True, eq=False)
class BackwardStep:
    """One op in backward.

    Attributes
    ----------
    number, count
        Which step of how many.
    box
        The node: its op, formula, line and module.
    arrived
        The gradient that arrived: an array of NumPy, or a tuple of them, with ``None`` where none did.
    kept
        The values that the rule works with, by name.
    sent
        What goes to each input on the tape.
    """

    number: int
    count: int
    box: Box
    arrived: Any
    kept: tuple[tuple[str, Any], ...]
    sent: tuple[Sent, ...]

    @property
    def arrivals(self) -> list[tuple[str, Any]]:
        """The gradients that arrived, each after where it did: ``" at q"``, and nothing if there is one output."""
        if not isinstance(self.arrived, tuple):
            return [("", self.arrived)]
        return [(f" at {self.box.called(i) or f'output {i}'}", gradient) for i, gradient in enumerate(self.arrived)]

    @property
    def op(self) -> str:
        """The op's name."""
        return self.box.op

    @property
    def formula(self) -> str:
        """The op's derivative in one line, as the table of ops has it."""
        return self.box.formula

    @property
    def title(self) -> str:
        """Which step it is, and of what."""
        made = f", which made {self.box.name}" if self.box.name else ""
        return f"step {self.number} of {self.count}: {self.box.op}{made}"

    def __str__(self) -> str:
        facts: list[tuple[str, str]] = []
        if self.box.line is not None:
            facts.append(("line", line_in_words(self.box.line)))
        if self.box.call is not None:
            facts.append(("module", self.box.call.path))
        facts += [(f"arrived{at}", array_in_full(gradient) or "nothing") for at, gradient in self.arrivals]
        facts.append(("rule", self.formula))
        facts += [(name, f"{array_in_full(array)} (kept)") for name, array in self.kept if array.size <= _FEW]
        large = [f"{name} {shape_in_words(array.shape)}" for name, array in self.kept if array.size > _FEW]
        facts += [("kept", ", ".join(large))] if large else []
        for sent in self.sent:
            facts.append((f"to {sent.to}", array_in_full(sent.gradient)))
            facts.append(("", "; ".join([sent.input, *sent.notes])))
            facts += [("", array_in_full(sent.total))] if sent.part > 1 else []
        return "\n".join([*wrapped(self.title), *rows(facts, least=8)])


class BackwardSteps(Shown, Sequence[BackwardStep]):
    """The steps of backward, in order: a sequence, and a stepper in a notebook.

    Attributes
    ----------
    graph
        The tape that they go back along.
    leaves
        The gradient that each leaf gets in the end, by name.
    """

    title = "backward, step by step"

    def __init__(self, graph: Graph, visits: Sequence[Visit]) -> None:
        self.graph = graph
        self._steps = list(_steps(graph, visits))
        self.leaves = {
            box.name or f"leaf {shape_in_words(box.shapes[0])} #{box.seq}": box.gradient
            for box in graph
            if box.kind == "leaf"
        }

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, index: Any) -> Any:
        return self._steps[index]

    def __iter__(self) -> Iterator[BackwardStep]:
        return iter(self._steps)

    def text(self) -> str:
        """All steps, and what the leaves have in the end."""
        ends = rows([(name, array_in_full(gradient) or "nothing") for name, gradient in self.leaves.items()], least=8)
        notes = [line for note in self.graph.notes for line in wrapped(f"note: {note}", indent="  ")]
        return "\n".join([*map(str, self._steps), "the gradients of the leaves:", *ends, *notes])

    def html(self) -> str:
        """A stepper beside the tape."""
        return stepper(self.graph, self._steps, self.leaves)


def _steps(graph: Graph, visits: Sequence[Visit]) -> Iterator[BackwardStep]:
    parts = Counter((edge.source, edge.output) for edge in graph.edges if edge.gradient is not None)
    seen: Counter[tuple[int, int]] = Counter()
    totals: dict[tuple[int, int], Any] = {}
    for number, visit in enumerate(visits, 1):
        kept = tuple([(name, copied(array)) for name, array in kept_arrays(visit.node)])
        sent: list[Sent] = []
        for edge in graph.into(visit.node.seq):
            if edge.gradient is None or graph.boxes[edge.source].kind == "constant":
                continue
            key = edge.source, edge.output
            seen[key] += 1
            totals[key] = edge.gradient + totals[key] if key in totals else edge.gradient
            source = graph.boxes[edge.source]
            to = source.called(edge.output) or source.label
            summed = _summed(visit.node, source, edge, kept)
            sent.append(Sent(edge, to, edge.gradient, summed, seen[key], parts[key], totals[key]))
        arrived = to_host(across_all(visit.arrived))
        yield BackwardStep(number, len(visits), graph.boxes[visit.node.seq], arrived, kept, tuple(sent))


def _summed(node: Node, source: Box, edge: Edge, kept: Sequence[tuple[str, Any]]) -> tuple[int, ...]:
    """The dimensions along which an op had broadcast an input, of what it computed with."""
    op = innermost(node.op)
    if not isinstance(op, Op) or not op.broadcast:
        return ()
    given = source.shapes[min(edge.output, len(source.shapes) - 1)]
    inputs = {i.name for i in op.inputs}
    # An op such as mse gives less than it computed with; but then it keeps that.
    shape = np.broadcast_shapes(tuple(node.shape), given, *(array.shape for name, array in kept if name in inputs))
    added = len(shape) - len(given)
    stretched = [added + i for i, n in enumerate(given) if n == 1 and shape[added + i] != 1]
    return (*range(added), *stretched)
