"""Checkpoints: memory for time. A part of a model keeps nothing for backward, and runs again when backward comes to it.

The part is recorded as usual, and what each of its nodes saved is dropped at once. When backward comes to the first of
these nodes the part runs again; its new nodes, which come in the same order, are run in the place of the old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from ..pytree import tree_map
from ..random import Generator, default_generator
from ..tape import Node, Step, TapeError, enable_grad, mode
from ..tensor import Tensor

__all__ = ["checkpoint", "checkpoint_sequential"]


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[Any, Any]] | None = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, which keeps nothing for backward but its arguments, and runs again there.

    Gradients are those of a plain call, also of parameters that `function` finds by itself, and may be differentiated
    again. Checkpoints nest.

    Parameters
    ----------
    function
        It must do the same when it runs again.
    use_reentrant
        Accepted for PyTorch's sake: there is one way to do it here, which has the features of ``False``.
    preserve_rng_state
        Let it draw the same random numbers again, as dropout has to.
    context_fn
        Gives two context managers, for the first run and for the second.
    determinism_check, debug, early_stop
        Accepted for PyTorch's sake: the second run's ops are always held against the first's.

    Raises
    ------
    TapeError
        In backward, if the second run records other ops than the first, or an argument was changed in place.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.utils.checkpoint import checkpoint
    >>> x = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> checkpoint(lambda x: x.exp().exp(), x, use_reentrant=False).sum().backward()
    """
    if not mode.enabled:
        return function(*args, **kwargs)
    first, second = (nullcontext(), nullcontext()) if context_fn is None else context_fn()
    generator = default_generator.clone_state() if preserve_rng_state else None
    part = _Part(function, args, kwargs, generator, second)

    def strip(node: Node) -> None:
        node.op = _Again(part, node.op, len(part.names))
        node.saved = ()
        part.names.append(node.op.name)

    with first, _told_of_nodes(strip):
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run modules one after another, in `segments` parts of which all but the last are checkpoints.

    Parameters
    ----------
    functions
        An ``nn.Sequential``, or a sequence of functions.
    segments
        The number of parts.
    input
        What the first is given.
    use_reentrant, **kwargs
        As for `checkpoint`: ``preserve_rng_state``.

    Raises
    ------
    ValueError
        If there are fewer functions than parts, or no parts.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.utils.checkpoint import checkpoint_sequential
    >>> model = ag.nn.Sequential(ag.nn.Linear(2, 4), ag.nn.ReLU(), ag.nn.Linear(4, 1), ag.nn.Sigmoid())
    >>> checkpoint_sequential(model, 2, ag.ones(3, 2)).shape
    Size([3, 1])
    """
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    if not 1 <= segments <= len(steps):
        raise ValueError(f"checkpoint_sequential: {len(steps)} functions cannot be divided into {segments} segments")
    size = len(steps) // segments
    for k in range(segments - 1):
        part = steps[k * size : (k + 1) * size]
        input = checkpoint(_one_after_another(part), input, use_reentrant=use_reentrant, **kwargs)
    return _one_after_another(steps[(segments - 1) * size :])(input)


def _one_after_another(steps: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        for step in steps:
            x = step(x)
        return x

    return run


@contextmanager
def _told_of_nodes(function: Callable[[Node], None]) -> Iterator[None]:
    """Call `function` with each node that is recorded inside; whoever was told before still is."""
    before = mode.observer

    def observer(node: Node, arguments: tuple[Any, ...], result: Any) -> None:
        function(node)
        if before is not None:
            before(node, arguments, result)

    mode.observer = observer
    try:
        yield
    finally:
        mode.observer = before


class _Part:
    """A checkpointed call: how to run it again, and the nodes of the last such run that have not been used yet."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        generator: Generator | None,
        context: Any,
    ) -> None:
        self._function = function
        self._arguments = tree_map(_Argument, (args, kwargs))
        self._generator = generator
        self._context = context
        self._nodes: dict[int, Node] = {}
        #: The ops of the first run, in order.
        self.names: list[str] = []

    def node(self, k: int) -> Node:
        """The node in the place of number `k`, once."""
        if k not in self._nodes:
            self._run()
        return self._nodes.pop(k)

    def _run(self) -> None:
        nodes: list[Node] = []
        args, kwargs = tree_map(lambda argument: argument.again(), self._arguments)
        with enable_grad(), self._context, _drawing_as(self._generator), _only_told(nodes):
            self._function(*args, **kwargs)
        names = [node.op.name for node in nodes]
        if names != self.names:
            at = next((i for i, (a, b) in enumerate(zip(self.names, names, strict=False)) if a != b), None)
            said = (
                f"{len(self.names)} ops the first time and {len(names)} the second"
                if at is None
                else f"{self.names[at]} as op {at} the first time and {names[at]} the second"
            )
            raise TapeError(f"checkpoint: the function does not do the same when it runs again: it recorded {said}")
        self._nodes = dict(enumerate(nodes))


@contextmanager
def _only_told(nodes: list[Node]) -> Iterator[None]:
    """Collect the nodes that are recorded inside; nobody else is told, since these ops were seen before."""
    before, mode.observer = mode.observer, lambda node, arguments, result: nodes.append(node)
    try:
        yield
    finally:
        mode.observer = before


@contextmanager
def _drawing_as(generator: Generator | None) -> Iterator[None]:
    """Draw random numbers as `generator` does, and afterwards go on as if nothing had been drawn."""
    if generator is None:
        yield
        return
    before = default_generator.clone_state()
    default_generator.take_state(generator)
    try:
        yield
    finally:
        default_generator.take_state(before)


class _Argument:
    """An argument as it was at the first run; a Tensor apart from the tape of its own."""

    def __init__(self, value: Any) -> None:
        self._on_tape = isinstance(value, Tensor) and value.requires_grad
        self._value = value.detach() if isinstance(value, Tensor) else value
        self._number = value.version[0] if isinstance(value, Tensor) else 0

    def again(self) -> Any:
        if not isinstance(self._value, Tensor):
            return self._value
        if self._value.version[0] != self._number:
            raise TapeError(
                "checkpoint: an argument was changed in place since the first run, so the function cannot run again: "
                "use the out-of-place form, or pass a clone()"
            )
        return self._value.detach().requires_grad_() if self._on_tape else self._value


class _Again(Step):
    """The step of a node that saved nothing: that of its double in the second run."""

    def __init__(self, part: _Part, step: Step, number: int) -> None:
        self._part = part
        self._number = number
        self.name, self.formula = step.name, step.formula
        self.fresh, self.keeps_arrays = step.fresh, step.keeps_arrays
        self.fills_gaps, self.carries = step.fills_gaps, step.carries

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        double = self._part.node(self._number)
        return double.op.pull(gradient, double.saved, parents)

    def pull_recorded(self, node: Node, gradient: Any, parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        double = self._part.node(self._number)
        node.saved = double.saved
        try:
            return double.op.pull_recorded(node, gradient, parents)
        finally:
            node.saved = ()
