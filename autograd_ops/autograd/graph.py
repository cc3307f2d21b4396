"""Nodes as users see them: what a node is called and leads to, and hooks on it.

These are methods of `tape.Node`, attached when first used; the tape itself does without them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ends import across
from ..tape import Leaf, Node, Port, Step, TapeError
from ..tensor import RemovableHandle, Tensor
from .around import StepAround

__all__ = ["Node", "name", "next_functions", "register_hook", "register_prehook", "variable"]


def name(self: Node) -> str:
    """What made its output: the op's name in the table, a Function's name, or ``"leaf"``.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> (ag.ones(2, requires_grad=True) * 2).grad_fn.name()
    'mul'
    """
    main = _main(self)
    return "leaf" if isinstance(main, Leaf) else main.op.name


def _next_functions(self: Node) -> tuple[tuple[Node | None, int], ...]:
    """For each input of its op, the node that made it and which of that node's outputs it is."""
    return tuple(
        [(parent.main, parent.index) if isinstance(parent, Port) else (parent, 0) for parent in _main(self).parents]
    )


def _variable(self: Leaf) -> Tensor | None:
    """The Tensor that keeps the gradient, if it is still there."""
    return self.ref()


next_functions = property(_next_functions)
variable = property(_variable)


def _main(node: Node) -> Node:
    return node.main if isinstance(node, Port) else node


def register_prehook(self: Node, hook: Callable[[tuple[Tensor | None, ...]], Any]) -> RemovableHandle:
    """Call ``hook(grad_outputs)`` before backward runs the node, with a gradient for each output that carries one.

    What it returns, if anything, takes their place: a Tensor or a tuple of them.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, requires_grad=True)
    >>> y = (x * 2).sum()
    >>> handle = y.grad_fn.register_prehook(lambda gradients: (gradients[0] * 10,))
    >>> y.backward()
    >>> x.grad
    tensor([20., 20.])
    """
    node = _main(self)
    hooks = node.hooks = node.hooks or {}
    key = max(hooks, default=-1) + 1
    hooks[key] = _Before(hook)
    return RemovableHandle(hooks, key)


def register_hook(self: Node, hook: Callable[[tuple[Tensor | None, ...], tuple[Tensor | None, ...]], Any]) -> Any:
    """Call ``hook(grad_inputs, grad_outputs)`` after backward has run the node; there is a gradient for each input.

    What it returns, if anything, takes the place of `grad_inputs`.

    Raises
    ------
    TapeError
        Of a leaf, which runs nothing: see `Tensor.register_hook`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, requires_grad=True)
    >>> y = (x * 2).sum()
    >>> handle = y.grad_fn.register_hook(lambda inputs, outputs: print(inputs, outputs))
    >>> y.backward()
    (tensor([1., 1.]),) (tensor(1.),)
    """
    node = _main(self)
    if isinstance(node, Leaf):
        raise TapeError("register_hook: a leaf runs nothing in backward; register the hook on the tensor")
    if not isinstance(node.op, _Hooked):
        node.op = _Hooked(node.op)
    hooks = node.op.after
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return RemovableHandle(hooks, key)


class _Before:
    """A hook on what arrives at a node, from a user's function of a tuple of Tensors."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, gradient: Any) -> Any:
        several = isinstance(gradient, list)
        arrived = gradient if several else [gradient]
        given = self._function(tuple(_shown(arrived)))
        if given is None:
            return gradient
        new = _taken("register_prehook", given, arrived)
        return new if several else new[0]


class _Hooked(StepAround):
    """A step, and functions that are called when it has run."""

    def __init__(self, step: Step) -> None:
        super().__init__(step)
        self.fresh = False  # a hook may keep what it is shown
        self.after: dict[int, Callable[..., Any]] = {}

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        return self._through(gradient, self.step.pull(gradient, saved, parents))

    def pull_recorded(self, node: Node, gradient: Any, parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        return self._through(gradient, self.step.pull_recorded(node, gradient, parents))

    def _through(self, gradient: Any, pulled: Sequence[Any]) -> tuple[Any, ...]:
        arrived = gradient if isinstance(gradient, list) else [gradient]
        for hook in list(self.after.values()):
            given = hook(tuple(_shown(pulled)), tuple(_shown(arrived)))
            if given is not None:
                pulled = _taken("register_hook", given, pulled)
        return tuple(pulled)


def _shown(gradients: Sequence[Any]) -> list[Tensor | None]:
    """Gradients of the walk as users see them."""
    return [None if g is None else across(g if isinstance(g, Tensor) else Tensor(g)) for g in gradients]


def _taken(called: str, given: Any, like: Sequence[Any]) -> list[Any]:
    """What a hook gave as gradients of the walk, which is to be like what it was shown."""
    gradients = list(given) if isinstance(given, (tuple, list)) else [given]
    if all(g is None for g in like[len(gradients) :]):
        gradients += [None] * (len(like) - len(gradients))  # such as that of a number, which has none
    if len(gradients) != len(like):
        raise TapeError(f"{called}: the hook was given {len(like)} gradients, and returned {len(gradients)}")
    return [_one_taken(called, new, old) for new, old in zip(gradients, like, strict=True)]


def _one_taken(called: str, new: Any, old: Any) -> Any:
    if new is None or old is None:
        return None
    if not isinstance(new, Tensor):
        raise TypeError(f"{called}: the hook returned a {type(new).__name__} where a Tensor or None belongs")
    array = old.array if isinstance(old, Tensor) else old
    if new.array.shape != array.shape or new.array.dtype != array.dtype:
        raise TapeError(
            f"{called}: a hook may not change the shape or dtype of a gradient: it was shown {array.dtype} "
            f"{tuple(array.shape)}, and returned {new.dtype} {tuple(new.shape)}"
        )
    new = across(new)
    return new if isinstance(old, Tensor) else new.array
