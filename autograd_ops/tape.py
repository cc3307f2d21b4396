"""The tape: nodes, what is recorded on them, and the walk back.

There is no list of ops anywhere. A Node knows the nodes of its inputs, what its rules need, and a sequence number
from one counter; the nodes behind a loss, in order of sequence number, *are* the tape. ``walk`` visits them from the
highest number down, so that a node runs only after everything that used its output.

    x = Tensor(..., requires_grad=True)   Leaf            seq 0
    y = exp(x)                            Node(exp)       seq 1, parents (Leaf,), saved (y's array, ...)
    y.backward()                          exp's pull gives the gradient of x; the Leaf adds it to x.grad

A node keeps arrays, never Tensors, and a Leaf holds its Tensor weakly. So there are no reference cycles, and dropping
the loss frees everything.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any

from autograd_backends import namespace

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = [
    "Leaf",
    "Node",
    "Port",
    "Step",
    "TapeError",
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "mode",
    "no_grad",
    "set_grad_enabled",
    "walk",
]

#: The number of the next node. One counter for all threads: a node's number is above those of its inputs.
next_seq: Callable[[], int] = count().__next__

#: What `Node.saved` becomes once a node that kept arrays has run.
FREED: tuple[Any, ...] = ("freed",)


class TapeError(RuntimeError):
    """The tape cannot do what was asked: it was freed, or a value it kept has since been changed."""


class Mode(threading.local):
    """What the current thread records.

    Attributes
    ----------
    enabled
        Whether ops are put on the tape.
    observer
        ``None``, or what is told of every node as it is recorded: ``observer(node, arguments, result)``, with the
        arguments of the op as the user gave them and its result. Teaching tools keep values and source lines by it.
    inference
        Whether `inference_mode` is what switched recording off.
    """

    enabled: bool = True
    observer: Callable[[Node, tuple[Any, ...], Any], None] | None = None
    inference: bool = False


mode = _mode = Mode()


class Step:
    """What a node asks of its op. The table's `Op` has more; nodes of no op in the table have a subclass of their own.

    Attributes
    ----------
    name, formula
        For people.
    fresh
        Whether the gradients that it gives are new arrays, which nothing else holds.
    keeps_arrays
        Whether the node is freed once it has run, so that running it again is an error.
    fills_gaps
        Whether a gradient that did not arrive at one of several outputs is zeros, rather than ``None``.
    carries
        ``...``, or the names of the outputs that carry gradients.
    """

    name: str
    formula: str = ""
    fresh: bool = False
    keeps_arrays: bool = False
    fills_gaps: bool = True
    carries: Any = ...

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        """The gradient of each of `parents`; ``None`` where there is no parent."""
        raise NotImplementedError

    def pull_recorded(self, node: Node, gradient: Any, parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        """The same of Tensors, in a walk that records itself."""
        return self.pull(gradient, node.saved, parents)


class Node:
    """One recorded op.

    Attributes
    ----------
    op
        The op's entry in the table.
    seq
        Its place in the order of recording.
    parents
        For each input, the node that made it, or ``None`` where no gradient is wanted.
    saved
        What the op's rules need, laid out as the op's pull expects; `FREED` after the walk.
    shape, dtype
        Those of the output: the gradient that arrives has them too. Tuples of them when several outputs carry one.
    hooks
        ``None``, or functions of the arriving gradient by key.
    ports
        The Ports of its outputs, where several carry a gradient; weakly, since they hold the node.
    """

    __slots__ = ("__weakref__", "dtype", "hooks", "op", "parents", "ports", "saved", "seq", "shape")

    op: Step
    seq: int
    parents: tuple[Node | None, ...]
    saved: tuple[Any, ...]
    shape: tuple[Any, ...]
    dtype: Any
    hooks: dict[int, Hook] | None
    ports: list[weakref.ref[Port]]

    def __repr__(self) -> str:
        return f"<{self.op.name} #{self.seq} {self.shape}>"


def new_node(step: Step, parents: tuple[Node | None, ...], like: Any, saved: tuple[Any, ...] = ()) -> Node:
    """The node of an op that is not in the table, whose one output has the shape and dtype of the array `like`."""
    node = Node()
    node.op = step
    node.seq = next_seq()
    node.parents = parents
    node.saved = saved
    node.shape, node.dtype = like.shape, like.dtype
    node.hooks = None
    return node


class Leaf(Node):
    """Where the tape ends: a Tensor that keeps its gradient, held weakly.

    Attributes
    ----------
    after
        ``None``, or functions to be told of the Tensor, by key, when its ``grad`` has been added to.
    before
        ``None``, or a function to be told of its ``grad`` when that is about to be added to, in place.
    """

    __slots__ = ("after", "before", "ref")

    ref: weakref.ref[Tensor]
    after: dict[int, Callable[[Tensor], None]] | None
    before: Callable[[Tensor], None] | None

    def __init__(self, tensor: Tensor) -> None:
        self.seq = next_seq()
        self.parents = self.saved = ()
        self.shape, self.dtype = tensor.array.shape, tensor.array.dtype
        self.hooks = self.after = self.before = None
        self.ref = weakref.ref(tensor)

    def __repr__(self) -> str:
        return f"<leaf #{self.seq} {self.shape}>"


class Port(Node):
    """One output of a node that has several; its one parent is that node."""

    __slots__ = ("index", "main")

    main: Node
    index: int

    def __init__(self, node: Node, index: int) -> None:
        self.seq = next_seq()
        self.parents, self.saved = (node,), ()
        self.shape, self.dtype = node.shape[index], node.dtype[index]
        self.hooks = None
        self.main, self.index = node, index

    def __repr__(self) -> str:
        return f"<output {self.index} of {self.parents[0]!r}>"


def port_of(node: Node, index: int) -> Port:
    """The Port of an output of `node`: the one that its Tensor has, so that gradients by rules and by users meet."""
    port = node.ports[index]()
    if port is None:
        port = Port(node, index)
        node.ports[index] = weakref.ref(port)
    return port


#: From the gradient that arrives to the one that goes on: arrays, or Tensors where the walk records itself.
Hook = Callable[[Any], Any]


# ---------------------------------------------------------------- switching recording on and off


class _Recording:
    """Sets `mode.enabled` inside a ``with`` block or a function; may be nested and used again."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(mode.enabled)
        mode.enabled = self._enabled

    def __exit__(self, *exception: object) -> None:
        mode.enabled = self._before.pop()

    def __call__(self, function: Callable[..., Any]) -> Any:
        return _inside(lambda: type(self)(self._enabled), function)


#: The flag of a generator's code, ``inspect.CO_GENERATOR``: inspect itself takes a while to import.
_IS_GENERATOR = 0x20


def _inside(context: Callable[[], Any], function: Callable[..., Any]) -> Any:
    """`function`, run inside a `context()`: a new one on each call, as it may run in several threads."""
    if not getattr(getattr(function, "__code__", None), "co_flags", 0) & _IS_GENERATOR:

        @wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with context():
                return function(*args, **kwargs)

        return inside

    @wraps(function)
    def steps_inside(*args: Any, **kwargs: Any) -> Any:
        # Between its steps the generator's caller is back outside.
        steps = function(*args, **kwargs)
        resume, given = steps.send, None
        try:
            while True:
                with context():
                    try:
                        step = resume(given)
                    except StopIteration as end:
                        return end.value
                try:
                    resume, given = steps.send, (yield step)
                except GeneratorExit:
                    raise
                except BaseException as error:
                    resume, given = steps.throw, error
        finally:
            with context():
                steps.close()

    return steps_inside


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Record nothing, in this thread: for a ``with`` block, or around a function.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, requires_grad=True)
    >>> with ag.no_grad():
    ...     (x * 2).requires_grad
    False
    """
    return _Recording(False) if function is None else _Recording(False)(function)


def enable_grad(function: Callable[..., Any] | None = None) -> Any:
    """Record again, inside `no_grad`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, requires_grad=True)
    >>> with ag.no_grad(), ag.enable_grad():
    ...     (x * 2).requires_grad
    True
    """
    return _Recording(True) if function is None else _Recording(True)(function)


class set_grad_enabled:  # a context manager, named as one
    """Record ops or not, in this thread: from this call on, or for a ``with`` block.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, requires_grad=True)
    >>> with ag.set_grad_enabled(False):
    ...     (x * 2).requires_grad
    False
    """

    def __init__(self, mode: bool) -> None:
        self._before = _mode.enabled
        self._enabled = _mode.enabled = bool(mode)

    def __enter__(self) -> None:
        _mode.enabled = self._enabled

    def __exit__(self, *exception: object) -> None:
        _mode.enabled = self._before

    def __call__(self, function: Callable[..., Any]) -> Any:
        _mode.enabled = self._before  # it is for the function, and not from here on
        return _inside(lambda: _Recording(self._enabled), function)


def is_grad_enabled() -> bool:
    """Whether this thread records ops."""
    return mode.enabled


class inference_mode:  # a context manager, named as one
    """`no_grad` under PyTorch's other name: for a ``with`` block, or around a function.

    What is computed inside is an ordinary Tensor, which may be used on the tape afterwards.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, requires_grad=True)
    >>> with ag.inference_mode():
    ...     (x * 2).requires_grad, ag.is_inference_mode_enabled()
    (False, True)
    """

    def __new__(cls, mode: Any = True) -> Any:
        new = super().__new__(cls)
        if isinstance(mode, bool):
            return new
        new.__init__()  # type: ignore[misc]
        return new(mode)  # used as a decorator, without brackets

    def __init__(self, mode: bool = True) -> None:
        self._inference = mode
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((_mode.enabled, _mode.inference))
        _mode.inference = self._inference
        if self._inference:
            _mode.enabled = False

    def __exit__(self, *exception: object) -> None:
        _mode.enabled, _mode.inference = self._before.pop()

    def __call__(self, function: Callable[..., Any]) -> Any:
        return _inside(lambda: inference_mode(self._inference), function)


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode`."""
    return mode.inference


# ---------------------------------------------------------------- the walk back


def walk(
    roots: Sequence[Node],
    gradients: Sequence[Any],
    retain_graph: bool,
    create_graph: bool,
    inputs: Sequence[Node] | None = None,
) -> dict[int, Any]:
    """Carry `gradients` of `roots` back along the tape.

    Parameters
    ----------
    roots, gradients
        Nodes, and the gradient that arrives at each: an array, or with `create_graph` a Tensor.
    retain_graph
        Keep what the nodes saved, so that the walk can be done again.
    create_graph
        Record the walk itself: rules are run on Tensors.
    inputs
        Run only nodes that lead to these, and return their gradients. ``None``: every Leaf adds its gradient to
        its Tensor's ``grad``.

    Returns
    -------
    dict
        Gradient by sequence number, for those `inputs` that were reached.

    Raises
    ------
    TapeError
        If a node's saved values were freed by an earlier walk, or changed in place since they were saved.
    """
    wanted = None if inputs is None else {node.seq for node in inputs}
    leading = None if inputs is None else _leading_to(wanted, roots)
    found: dict[int, Any] = {}
    grads: dict[int, Any] = {}  # by sequence number: the gradient so far
    waiting: dict[int, Node] = {}  # by sequence number: nodes that have one
    leaves: list[Leaf] = []  # leaves that have one; they get it at the end, so that an error leaves all as it was
    owned: set[int] = set()  # whose gradient is a buffer that this walk made, and may add to in place
    heap: list[int] = []  # negated sequence numbers of `waiting`

    before, mode.enabled = mode.enabled, create_graph
    try:
        parents: Sequence[Node | None] = roots
        pulled: Sequence[Any] = gradients
        fresh = False
        while True:
            # The first parent is most often what runs next. It and its gradient stay in local variables until then.
            ahead: Node | None = None
            arrived: Any = None
            owns = False
            for parent, gradient in zip(parents, pulled):  # noqa: B905  # a pull gives a gradient a parent
                if parent is None or gradient is None:
                    continue
                if parent is ahead:
                    if owns:
                        arrived += gradient
                    else:
                        arrived, owns = arrived + gradient, not create_graph
                    continue
                seq = parent.seq
                if seq in grads:
                    if seq in owned:
                        grads[seq] += gradient
                    else:
                        grads[seq] = grads[seq] + gradient
                        if not create_graph:
                            owned.add(seq)
                elif type(parent) is Leaf:
                    grads[seq] = gradient
                    if fresh:
                        owned.add(seq)
                    leaves.append(parent)
                elif ahead is None:
                    ahead, arrived, owns = parent, gradient, fresh
                else:
                    grads[seq] = gradient
                    if fresh:
                        owned.add(seq)
                    waiting[seq] = parent
                    heappush(heap, -seq)
            if ahead is not None and (not heap or ahead.seq > -heap[0]):
                node, gradient = ahead, arrived
            else:
                if ahead is not None:
                    seq = ahead.seq
                    grads[seq], waiting[seq] = arrived, ahead
                    if owns:
                        owned.add(seq)
                    heappush(heap, -seq)
                if not heap:
                    break
                seq = -heappop(heap)
                node, gradient, owns = waiting.pop(seq), grads.pop(seq), seq in owned
            if node.hooks is not None:
                gradient, owns = _through(node.hooks, gradient), False
            if wanted is not None and node.seq in wanted:
                found[node.seq] = gradient if owns or create_graph else _copy(gradient)
            parents = node.parents
            if type(node) is Port:
                _arrive_at_output(node, gradient, grads, waiting, heap)
                pulled = (None,)
                continue
            saved = node.saved
            if saved is FREED:
                raise TapeError(
                    f"backward reached {node.op.name} a second time, after what it had kept was freed: "
                    "pass retain_graph=True to the first backward, or compute the loss again"
                )
            op = node.op
            if leading is not None:
                parents = tuple([p if p is not None and p.seq in leading else None for p in parents])
            if type(gradient) is list:
                gradient = _with_zeros(gradient, node)
            pulled = op.pull_recorded(node, gradient, parents) if create_graph else op.pull(gradient, saved, parents)
            fresh = op.fresh and not create_graph
            if op.keeps_arrays and not retain_graph:
                node.saved = FREED
        for leaf in leaves:
            seq = leaf.seq
            gradient = grads[seq]
            owns = seq in owned
            if leaf.hooks is not None:
                gradient, owns = _through(leaf.hooks, gradient), False
            if wanted is None:
                tensor = leaf.ref()
                if tensor is not None:
                    tensor.accumulate(gradient, owns)
                    if leaf.after is not None:
                        told(leaf, tensor)
            elif seq in wanted:
                found[seq] = gradient if owns or create_graph else _copy(gradient)
    finally:
        mode.enabled = before
    return found


def nodes_behind(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node that `roots` were computed from, themselves included; in no order."""
    stack = list(roots)
    seen = {node.seq for node in stack}
    while stack:
        node = stack.pop()
        yield node
        for parent in node.parents:
            if parent is not None and parent.seq not in seen:
                seen.add(parent.seq)
                stack.append(parent)


def _leading_to(wanted: set[int] | None, roots: Iterable[Node]) -> set[int]:
    """Sequence numbers of the nodes from which a node in `wanted` can be reached."""
    leading = set(wanted or ())
    for node in sorted(nodes_behind(roots), key=lambda node: node.seq):
        if any(parent is not None and parent.seq in leading for parent in node.parents):
            leading.add(node.seq)
    return leading


def told(leaf: Leaf, tensor: Tensor) -> None:
    """Call what is to be told that the ``grad`` of `tensor` has been added to."""
    for hook in list((leaf.after or {}).values()):
        hook(tensor)


def _through(hooks: dict[int, Hook], gradient: Any) -> Any:
    for hook in list(hooks.values()):
        gradient = hook(gradient)
    return gradient


def _copy(array: Any) -> Any:
    return namespace(array).asarray(array, copy=True)


def _arrive_at_output(
    port: Port, gradient: Any, grads: dict[int, Any], waiting: dict[int, Node], heap: list[int]
) -> None:
    """Note the gradient of one output of a node that has several."""
    main = port.main
    if main.seq not in grads:
        grads[main.seq] = [None] * len(main.shape)
        waiting[main.seq] = main
        heappush(heap, -main.seq)
    grads[main.seq][port.index] = gradient


class FilledGradients(list[Any]):
    """The gradients of a node's outputs, with zeros where none arrived: at the places in `missing`.

    A rule may need to know: what is infinite times a gradient of 0 is no number, times none it is 0.
    """

    missing: frozenset[int]


def _with_zeros(gradients: list[Any], node: Node) -> list[Any]:
    """The gradients of a node's outputs, with a zero array of stride 0 for each that none arrived at."""
    if not node.op.fills_gaps or all(gradient is not None for gradient in gradients):
        return gradients
    filled = FilledGradients(gradients)
    filled.missing = frozenset([i for i, gradient in enumerate(gradients) if gradient is None])
    present = next(g for g in gradients if g is not None)
    for i in filled.missing:
        filled[i] = zeros_beside(present, node.shape[i], node.dtype[i])
    return filled


def zeros_beside(gradient: Any, shape: tuple[Any, ...], dtype: Any) -> Any:
    """A zero array of stride 0, where `gradient` is."""
    array = getattr(gradient, "array", gradient)
    xp = namespace(array)
    return xp.broadcast_to(xp.zeros((), dtype=dtype, device=array.device), shape)
