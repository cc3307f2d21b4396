"""What ops were given and gave, and who called them: kept by ``with teach.watch():`` for the other tools to show.

The tape itself keeps what its rules need and no more: no values beyond that, no lines of source, no modules. All three
come come through the recorder's one slot for an observer. What was seen of a node travels with the node, as one of its
hooks, which is also how it comes to know the gradient that backward brings; so it goes when the node goes. A leaf lives
longer than the nodes of a step, so what was seen of it keeps no array beyond them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import finalize, ref

from autograd_backends import is_array, namespace

from .. import call_path
from ..nn.hooks import register_module_forward_hook, register_module_forward_pre_hook
from ..nn.module import Module
from ..pytree import flatten, unflatten
from ..tape import Leaf, Node, mode
from ..tensor import RemovableHandle, Tensor
from ..user_line import Line, user_line
from .made import made_of, noting

__all__ = ["Call", "Seen", "SeenLeaf", "seen_of", "seen_of_leaf", "watch"]


@dataclass(eq=False, slots=True)
class Call:
    """One call of a module; two calls of the same module are two.

    Attributes
    ----------
    module
        The class of the module, such as ``"Linear"``.
    name
        What the module that calls it knows it by, such as ``"encoder.fc"``; empty for the outermost.
    within
        The call of the module that calls it, or ``None``.
    """

    module: str
    name: str
    within: Call | None

    @property
    def path(self) -> str:
        """The way to it from the outermost module: ``"Net.encoder.fc"``."""
        return self.module if self.within is None else f"{self.within.path}.{self.name}"

    @property
    def chain(self) -> tuple[Call, ...]:
        """The calls that it is in, the outermost first and itself last."""
        return (self,) if self.within is None else (*self.within.chain, self)

    def own(self, name: str) -> str:
        """A parameter's `name` as this module has it, ``"weight"`` for ``"net.fc.weight"``; other names as they are."""
        way = ".".join([call.name for call in self.chain[1:]])
        variable, found, own = name.partition(f".{way}.")
        return own if way and found and "." not in variable else name


class Seen:
    """What was seen of an op's node. All arrays are copies: what is changed in place later does not change them.

    Attributes
    ----------
    arguments
        The arguments of the op, with arrays in place of Tensors.
    given
        The same tree of arguments, with weak references to the Tensors, and ``None`` for what is no Tensor.
    result
        What the op gave, in the same way.
    line
        The user's line that called the op.
    call
        The call of a module that it was in, or ``None``.
    gradient
        The gradient that the last backward brought: an array, a list where the op has several outputs, ``None`` before.
    """

    __slots__ = ("arguments", "call", "given", "gradient", "line", "result")

    def __init__(self, arguments: Any, given: Any, result: Any, line: Line, call: Call | None) -> None:
        self.arguments = arguments
        self.given = given
        self.result = result
        self.line = line
        self.call = call
        self.gradient: Any = None

    def __call__(self, gradient: Any) -> Any:
        """As a hook on the node: note the gradient that arrives, and let it pass."""
        self.gradient = _copies(gradient)
        return gradient


class SeenLeaf:
    """What was seen of a leaf: it outlives the ops that used it, and holds no array once they are gone.

    Attributes
    ----------
    line
        The user's line that used it first in the last `watch`.
    users
        The sequence numbers of the watched nodes that used it and are still there.
    reached
        Whether backward has come to it since.
    gradient
        The gradient that the last backward brought, while there are `users`; ``None`` before.
    """

    __slots__ = ("gradient", "line", "reached", "users")

    def __init__(self, line: Line) -> None:
        self.line = line
        self.users: set[int] = set()
        self.reached = False
        self.gradient: Any = None

    def used_by(self, node: Node) -> None:
        """Note that `node`, watched too, has used it."""
        self.users.add(node.seq)
        finalize(node, self._forget, node.seq).atexit = False

    def _forget(self, seq: int) -> None:
        self.users.discard(seq)
        if not self.users:
            self.gradient = None

    def __call__(self, gradient: Any) -> Any:
        """As a hook on the leaf: note the gradient that arrives, if anyone can ask for it, and let it pass."""
        self.reached = True
        if self.users:
            self.gradient = _copies(gradient)
        return gradient


def seen_of(node: Node) -> Seen | None:
    """What was seen of an op's node when it was recorded inside `watch`; ``None`` if it was not."""
    return next((hook for hook in (node.hooks or {}).values() if type(hook) is Seen), None)


def seen_of_leaf(leaf: Leaf) -> SeenLeaf | None:
    """What was seen of a leaf when an op inside `watch` used it; ``None`` if none did."""
    return next((hook for hook in (leaf.hooks or {}).values() if type(hook) is SeenLeaf), None)


class watch:
    """Keep values, results and source lines of the ops that this thread records in a ``with`` block.

    Pictures then show values, constants and modules; `explain_nan` and `why_no_grad` name the line. Everything that an
    op was given or gave is copied, so this is for looking at a step or two, and not for training.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> x = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> with teach.watch():
    ...     loss = (x * 3).sum()
    >>> print(teach.tape(loss))
    the tape of loss: 2 ops, 1 leaf, 0 B kept beside the leaves; backward runs them from below
      x                  leaf                             value [1, 2], gradient [3, 3]
      %1     = mul(x=x, y=3)                              value [3, 6], gradient [1, 1]
      loss   = sum(x=%1)                                  value 9, gradient 1
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> watch:
        before = mode.observer
        watcher = _Watcher(before)
        mode.observer = watcher
        hooks = watcher.follow_modules()
        # What is not recorded passes the observer by. A profile that is on has this place already.
        mine = not call_path.runs_through()
        if mine:
            call_path.run_through(noting)

        def undo() -> None:
            mode.observer = before
            if mine:
                call_path.run_through(None)
            for hook in hooks:
                hook.remove()

        self._undo.append(undo)
        return self

    def __exit__(self, *exception: object) -> None:
        self._undo.pop()()


class _Watcher:
    """The observer that keeps what it sees, over another that there may be."""

    def __init__(self, under: Callable[[Node, tuple[Any, ...], Any], None] | None) -> None:
        self._under = under
        self._thread = threading.get_ident()
        self._calls: list[_Called] = []
        self._leaves: dict[int, SeenLeaf] = {}

    def __call__(self, node: Node, arguments: tuple[Any, ...], result: Any) -> None:
        if self._under is not None:
            self._under(node, arguments, result)
        leaves, structure = flatten(arguments)
        line, call = user_line(), self._calls[-1].call if self._calls else None
        for tensor in leaves:
            made_by = tensor.place() if isinstance(tensor, Tensor) else None
            if isinstance(made_by, Leaf):
                if made_by.seq not in self._leaves:
                    self._leaves[made_by.seq] = SeenLeaf(line)
                    _keep(made_by, self._leaves[made_by.seq])
                self._leaves[made_by.seq].used_by(node)
        for tensor in flatten(result)[0]:
            made = made_of(tensor.array) if isinstance(tensor, Tensor) else None
            if made is not None:
                made.recorded = True
        given = unflatten([ref(leaf) if isinstance(leaf, Tensor) else None for leaf in leaves], structure)
        _keep(node, Seen(_copies(arguments), given, _copies(result), line, call))

    def follow_modules(self) -> list[RemovableHandle]:
        """Know from here on in which call of a module an op is."""
        return [
            register_module_forward_pre_hook(self._entered),
            register_module_forward_hook(self._left, always_call=True),
        ]

    def _entered(self, module: Module, args: tuple[Any, ...]) -> None:
        if threading.get_ident() != self._thread:
            return
        kind = type(module).__name__
        outer = self._calls[-1] if self._calls else None
        call = Call(kind, "", None) if outer is None else Call(kind, outer.names.get(id(module), kind), outer.call)
        self._calls.append(_Called(module, call))

    def _left(self, module: Module, args: tuple[Any, ...], output: Any) -> None:
        if threading.get_ident() == self._thread and self._calls and self._calls[-1].module is module:
            self._calls.pop()


@dataclass(eq=False)
class _Called:
    """A module that is running, and its call."""

    module: Module
    call: Call

    @cached_property
    def names(self) -> dict[int, str]:
        """What it calls the modules in it, by ``id``."""
        return {id(inner): name for name, inner in self.module.named_modules()}


def _keep(node: Node, seen: Seen | SeenLeaf) -> None:
    """Put what was seen among the hooks of `node`, in the place of what was seen of a leaf before."""
    hooks = node.hooks = node.hooks or {}
    key = next((key for key, hook in hooks.items() if type(hook) is type(seen)), None)
    hooks[max(hooks, default=-1) + 1 if key is None else key] = seen


def _copies(tree: Any) -> Any:
    """Copies of the arrays in `tree`, and of the arrays of Tensors in it; the rest as it is."""
    leaves, structure = flatten(tree)
    return unflatten([_copy(leaf) for leaf in leaves], structure)


def _copy(leaf: Any) -> Any:
    array = leaf.array if isinstance(leaf, Tensor) else leaf
    return namespace(array).asarray(array, copy=True) if is_array(array) else array
