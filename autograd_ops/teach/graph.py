"""The tape as plain data: boxes in the order of recording, and edges between them. All pictures are made from it.

    Tensor -> Graph -> text, or layout -> SVG -> HTML

Nothing here draws, and nothing that draws looks at a node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, zip_longest
from typing import Any

import numpy as np

from autograd_backends import dtype_name, is_array, kernels, namespace

from ..autograd.around import innermost
from ..ends import across
from ..registry import Op
from ..runtime import parents_by_input
from ..tape import FREED, Leaf, Node, Port, TapeError, nodes_behind
from ..tensor import Tensor
from ..user_line import Line
from .kept import kept_arrays
from .names import Names
from .walked import Walked, walk_and_look
from .watching import Call, Seen, seen_of, seen_of_leaf

__all__ = ["Box", "Edge", "Graph", "Kept", "across_all", "copied", "graph_of", "to_host"]


@dataclass(frozen=True, slots=True)
class Kept:
    """An array that a node keeps for its rules.

    Attributes
    ----------
    name
        What the rule calls it: an input, ``"out"`` or another output.
    shape
        Its shape.
    nbytes
        Its size in memory.
    array
        A number that is the same for what is the same array, which nodes may share.
    leafs
        Whether it is the array of a leaf, which is there anyway.
    """

    name: str
    shape: tuple[int, ...]
    nbytes: int
    array: int
    leafs: bool


@dataclass(eq=False, slots=True)
class Box:
    """A node of the tape, or a constant that an op was given.

    Attributes
    ----------
    seq
        Its number in the order of recording; negative for a constant, which has no place in it.
    kind
        ``"op"``, ``"leaf"`` (keeps its gradient) or ``"constant"`` (needs none; known only inside `watch`).
    op
        The op's name; empty for the others.
    name
        What the user calls it, or the empty string.
    outputs
        What the user calls each output, where it has several.
    formula
        The derivative in one line, as the table of ops has it.
    shapes, dtypes
        One of each for every output that carries a gradient.
    kept
        The arrays that it keeps until backward has run.
    freed
        Whether backward has run, and let go of them.
    value, gradient
        Arrays of NumPy, or tuples of them for several outputs; ``None`` where they are not known.
    line
        The user's line that called it, if it was watched.
    call
        The call of a module that it was in, if it was watched; of a leaf, that of the op that used it first.
    """

    seq: int
    kind: str
    op: str = ""
    name: str = ""
    outputs: tuple[str, ...] = ()
    formula: str = ""
    shapes: tuple[tuple[int, ...], ...] = ((),)
    dtypes: tuple[str, ...] = ("",)
    kept: tuple[Kept, ...] = ()
    freed: bool = False
    value: Any = None
    gradient: Any = None
    line: Line | None = None
    call: Call | None = None

    @property
    def label(self) -> str:
        """What it is called in a picture: the op, or the user's name for a leaf or constant."""
        return self.op or self.name or self.kind

    def called(self, output: int) -> str:
        """What the user calls an output; the empty string if it has no name."""
        return self.outputs[output] if output < len(self.outputs) else self.name


@dataclass(eq=False, slots=True)
class Edge:
    """From the box that made a value to the box that used it.

    Attributes
    ----------
    source, target
        Sequence numbers.
    input
        Which argument of the op it is, such as ``"x"``.
    output
        Which output of `source` it is.
    gradient
        What backward sends along it: one of the parts that `source` adds up; an array of NumPy, ``None`` if not known.
    """

    source: int
    target: int
    input: str
    output: int = 0
    gradient: Any = None


@dataclass(eq=False)
class Graph:
    """The tape behind a Tensor.

    Attributes
    ----------
    boxes
        By sequence number, ops in the order of recording; a leaf and a constant come before the op that uses it first.
    edges
        In the order of recording, too.
    root
        The number of the box that made the Tensor.
    watched
        Whether any of it was recorded inside `watch`.
    notes
        What could not be shown, and how to have it shown: sentences for the reader.
    """

    boxes: dict[int, Box]
    edges: list[Edge]
    root: int
    watched: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def kept_bytes(self) -> int:
        """Bytes of all arrays that the nodes keep, each counted once, and without those of leaves."""
        return sum({kept.array: kept.nbytes for box in self for kept in box.kept if not kept.leafs}.values())

    def __iter__(self) -> Iterator[Box]:
        return iter(self.boxes.values())

    def __len__(self) -> int:
        return len(self.boxes)

    def into(self, seq: int) -> list[Edge]:
        """The edges that lead into a box, in the order of its op's arguments."""
        return self._into[seq]

    @cached_property
    def _into(self) -> dict[int, list[Edge]]:
        into: dict[int, list[Edge]] = {seq: [] for seq in self.boxes}
        for edge in self.edges:
            into[edge.target].append(edge)
        return into


def graph_of(tensor: Tensor, names: Names | None = None, gradients: bool = True, walked: Walked | None = None) -> Graph:
    """The tape behind `tensor`.

    Parameters
    ----------
    names
        What the user calls Tensors, as `names_in` finds it.
    gradients
        Find the gradients of what was not watched, too: by a walk back that changes nothing, if `tensor` is a scalar.
    walked
        Such a walk, if it has been made already.

    Raises
    ------
    TapeError
        If `tensor` is not on the tape.
    """
    root = tensor.place()
    if root is None:
        raise TapeError(
            "teach.tape: this tensor is not on the tape, so there is nothing to draw: teach.why_no_grad(x) says why"
        )
    names = names or Names()
    nodes = sorted((n for n in nodes_behind([root]) if not isinstance(n, Port)), key=lambda node: node.seq)
    all_seen = {node.seq: seen_of(node) for node in nodes if not isinstance(node, Leaf)}
    watched = any(seen is not None for seen in all_seen.values())
    notes = [] if watched or not all_seen else [_HOW_TO_WATCH]
    known = bool(all_seen) and all(seen is not None and seen.gradient is not None for seen in all_seen.values())
    if walked is None and gradients and not known:
        walked = _walk(tensor, root, notes)
    if walked is not None and walked.hooked:
        notes.append("your hooks are not called here: gradients are shown as they are without them")
    found = _Found({}, {}) if walked is None else _found(walked)
    leaves = {node.seq: node.ref() for node in nodes if isinstance(node, Leaf)}
    of_leaves = {id(leaf.array) for leaf in leaves.values() if leaf is not None}
    boxes: dict[int, Box] = {}
    for node in nodes:
        box = _leaf(node, all_seen) if isinstance(node, Leaf) else _op(node, all_seen[node.seq], of_leaves)
        box.name, box.outputs = names.nodes.get(node.seq, ""), names.of_outputs(node)
        gradient = found.arrived.get(node.seq)
        box.gradient = box.gradient if gradient is None else to_host(gradient)
        boxes[node.seq] = box
    edges: list[Edge] = []
    constants = _Constants(names)
    for node in nodes:
        if not isinstance(node, Leaf):
            edges += _incoming(node, all_seen[node.seq], found.sent.get(node.seq, ()), boxes, constants)
    for seq, leaf in leaves.items():
        if leaf is not None and boxes[seq].value is None:
            boxes[seq].value = copied(leaf.array)
    last = _main(root).seq
    graph = Graph(_in_order(boxes, edges, last), edges, last, watched, notes)
    _complete(graph)
    return graph


def _incoming(
    node: Node, seen: Seen | None, sent: Sequence[Any], boxes: dict[int, Box], constants: _Constants
) -> list[Edge]:
    """The edges into an op; what was seen there gives leaves their values, and adds constants to `boxes`."""
    edges = _edges(node, sent)
    if seen is None:
        return edges
    values = _values(node, seen)
    for edge in edges:
        source = boxes[edge.source]
        if source.kind == "leaf" and source.value is None:
            source.value, source.line = to_host(values.get(edge.input)), seen.line
    for box, name in constants.of(node, seen):
        boxes[box.seq] = box
        edges.append(Edge(box.seq, node.seq, name))
    places = {name: place for place, name in enumerate(values)}
    return sorted(edges, key=lambda edge: places.get(edge.input, len(places)))


def _in_order(boxes: Mapping[int, Box], edges: Iterable[Edge], last: int) -> dict[int, Box]:
    """The boxes: ops in the order of recording, before each the leaves and constants that it is the first to use."""
    ordered: dict[int, Box] = {}
    for target, incoming in groupby(edges, key=lambda edge: edge.target):
        for edge in incoming:
            ordered.setdefault(edge.source, boxes[edge.source])
        ordered[target] = boxes[target]
    ordered.setdefault(last, boxes[last])
    return ordered


_HOW_TO_WATCH = "record inside `with teach.watch():` to see values, constants, modules and source lines"


def _complete(graph: Graph) -> None:
    """What follows from the whole: where leaves belong, and gradients that go along the only edge there is."""
    used = Counter(edge.source for edge in graph.edges)
    for edge in graph.edges:
        source, target = graph.boxes[edge.source], graph.boxes[edge.target]
        if source.kind == "leaf" and source.call is None:
            source.call = target.call
        if edge.gradient is None and used[edge.source] == 1 and len(source.shapes) == 1:
            edge.gradient = source.gradient


def to_host(value: Any) -> Any:
    """Arrays on the host, for reading: an array of NumPy, a tuple of them, or ``None``."""
    if isinstance(value, (list, tuple)):
        return tuple([to_host(item) for item in value])
    if value is None or not is_array(value):
        return None if value is None else np.asarray(value)
    return np.asarray(kernels(value).to_host(value))


def copied(array: Any) -> Any:
    """An array on the host that is changed no more, whatever is done to `array`."""
    return np.array(to_host(array))


def _main(node: Node) -> Node:
    return node.main if isinstance(node, Port) else node


def _leaf(node: Leaf, inside: Container[int]) -> Box:
    """The box of a leaf, without its value; `inside` has the numbers of the ops of this tape."""
    box = Box(node.seq, "leaf", shapes=(tuple(node.shape),), dtypes=(_dtype(node.dtype),))
    seen, tensor = seen_of_leaf(node), node.ref()
    if seen is not None and seen.gradient is not None and all(user in inside for user in seen.users):
        box.gradient = to_host(across_all(seen.gradient))
    elif tensor is not None and tensor.grad is not None:
        box.gradient = copied(tensor.grad.array)
    return box


def _op(node: Node, seen: Seen | None, of_leaves: Container[int]) -> Box:
    several = isinstance(node.dtype, (list, tuple))
    step = innermost(node.op)
    box = Box(
        seq=node.seq,
        kind="op",
        op=step.name,
        formula=step.formula,
        shapes=tuple(map(tuple, node.shape)) if several else (tuple(node.shape),),
        dtypes=tuple(map(_dtype, node.dtype)) if several else (_dtype(node.dtype),),
        kept=tuple([_sized(name, array, of_leaves) for name, array in kept_arrays(node)]),
        freed=node.saved is FREED,
    )
    if seen is not None:
        box.value, box.line, box.call = to_host(seen.result), seen.line, seen.call
        box.gradient = None if seen.gradient is None else to_host(across_all(seen.gradient))
    return box


def _dtype(dtype: Any) -> str:
    return str(getattr(dtype, "name", dtype)).rpartition(".")[2]


def _sized(name: str, array: Any, of_leaves: Container[int]) -> Kept:
    shape = tuple(array.shape)
    itemsize = getattr(array.dtype, "itemsize", None) or np.dtype(dtype_name(array)).itemsize
    return Kept(name, shape, int(np.prod(shape, dtype=np.int64)) * itemsize, id(array), id(array) in of_leaves)


def _edges(node: Node, sent: Sequence[Any]) -> list[Edge]:
    """The edges into a node, from those of its parents that are on the tape, with what backward sends along them."""
    step = innermost(node.op) if not isinstance(node, Leaf) else None
    names = _names_of_parents(step, node) if isinstance(step, Op) else [f"input {i}" for i in range(len(node.parents))]
    return [
        Edge(_main(parent).seq, node.seq, name, parent.index if isinstance(parent, Port) else 0, to_host(gradient))
        for name, parent, gradient in zip_longest(names, node.parents, sent)
        if parent is not None
    ]


def _names_of_parents(op: Op, node: Node) -> list[str]:
    """Which input of `op` each parent of the node is."""
    names: list[str] = []
    for name, parent in parents_by_input(op, node.parents).items():
        names += [f"{name}[{i}]" for i in range(len(parent))] if isinstance(parent, list) else [name]
    return names


def _values(node: Node, seen: Seen) -> dict[str, Any]:
    """What the inputs of a node were, by the names that its edges have."""
    step = innermost(node.op)
    if not isinstance(step, Op):
        return {f"input {i}": value for i, value in enumerate(seen.arguments)}
    values: dict[str, Any] = {}
    for name, value in zip(step.forward.__code__.co_varnames, seen.arguments, strict=False):
        values[name] = value
        if isinstance(value, (list, tuple)):
            values.update((f"{name}[{i}]", item) for i, item in enumerate(value))
    return values


class _Constants:
    """The boxes of arrays and numbers that ops were given and that need no gradient: one for each Tensor and value."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._boxes: dict[int, Box] = {}  # of Tensors, by id
        self._count = 0

    def of(self, node: Node, seen: Seen) -> list[tuple[Box, str]]:
        """Those of one op, and which of its inputs each is."""
        step = innermost(node.op)
        if not isinstance(step, Op):
            return []
        parents = parents_by_input(step, node.parents)
        arguments = step.forward.__code__.co_varnames
        values = dict(zip(arguments, seen.arguments, strict=False))
        references = dict(zip(arguments, seen.given, strict=False))
        found: list[tuple[Box, str]] = []
        for i in step.inputs:
            value, parent, reference = values.get(i.name), parents.get(i.name), references.get(i.name)
            if i.kind == "shape" or value is None:
                continue
            if i.kind == "arrays":
                on_tape = parent or [None] * len(value)
                rows = zip(value, on_tape, reference or [None] * len(value), strict=True)
                found += [(self._box(v, r, seen), f"{i.name}[{n}]") for n, (v, p, r) in enumerate(rows) if p is None]
            elif parent is None:
                found.append((self._box(value, reference, seen), i.name))
        return found

    def _box(self, value: Any, reference: Any, seen: Seen) -> Box:
        tensor = reference() if reference is not None else None
        host = to_host(value)
        known = None if tensor is None else self._boxes.get(id(tensor))
        if known is not None and known.value.tobytes() == host.tobytes():
            return known  # otherwise it was changed in place in between
        self._count += 1
        box = Box(-self._count, "constant", shapes=(host.shape,), dtypes=(host.dtype.name,), value=host)
        box.line = seen.line
        if tensor is not None:
            self._boxes[id(tensor)] = box
            box.name = self._names.constants.get(id(tensor), "")
        box.call = None if box.name else seen.call  # what the user has a name for came into the model from outside
        if not box.name and host.ndim == 0 and host.dtype.kind in "iuf":
            box.name = f"{host.item():.6g}"  # a number is its own name
        return box


@dataclass(frozen=True, slots=True)
class _Found:
    """Gradients as users see them, by sequence number: what arrived at nodes, and what they sent to each parent."""

    arrived: dict[int, Any]
    sent: dict[int, list[Any]]


def _walk(tensor: Tensor, root: Node, notes: list[str]) -> Walked | None:
    """The walk from a scalar; a note where it cannot be made."""
    if tensor.array.shape != ():
        notes.append("only a scalar has gradients to show: sum it first, or take the loss")
        return None
    xp = namespace(tensor.array)
    try:
        return walk_and_look(root, xp.ones_like(tensor.array))
    except TapeError as error:
        notes.append(str(error))
        return None


def _found(walked: Walked) -> _Found:
    arrived = {visit.node.seq: visit.arrived for visit in walked.visits}
    return _Found(
        {seq: across_all(gradient) for seq, gradient in {**arrived, **walked.leaves}.items()},
        {visit.node.seq: across_all(list(visit.sent)) for visit in walked.visits},
    )


def across_all(gradient: Any) -> Any:
    """A gradient of the walk, or a list of them with gaps, as users see it."""
    if isinstance(gradient, list):
        return [None if g is None else across(g) for g in gradient]
    return across(gradient)
