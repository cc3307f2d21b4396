"""In place and views: Tensors that share memory, and what a change to it does to the tape.

A view knows the Tensor it is a view of, its *base*, and the chain of view ops that leads from the base to it; the base
knows nothing of its views. They share one version list. A change in place is an ordinary op, then a write::

    a.mul_(b)     new = mul(a, b);  write new's array into a's;  a.node = new.node

and a change to a view is recorded on the base as the out-of-place change that corresponds to it. Then the version
differs from the one that the other views' nodes are for, and their nodes are made anew from the base when next used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from autograd_backends import kernels

from .table import TABLE
from .tape import FREED, Leaf, Node, TapeError, enable_grad, mode

if TYPE_CHECKING:
    from .registry import Op
    from .tensor import Tensor

__all__ = ["Alias", "become_view", "bump", "in_place", "move_node", "node_of", "refuse_expanded", "refuse_leaf"]


class Alias:
    """What makes a Tensor a view.

    Attributes
    ----------
    base
        The Tensor whose memory it is, itself no view.
    chain
        The view ops from the base to it, each with its options.
    seen
        The version for which the view's node was made.
    """

    __slots__ = ("base", "chain", "seen")

    def __init__(self, base: Tensor, chain: tuple[tuple[Op, tuple[Any, ...]], ...], seen: int) -> None:
        self.base = base
        self.chain = chain
        self.seen = seen


def become_view(tensor: Tensor, viewed: Tensor, op: Op, options: tuple[Any, ...]) -> list[Any]:
    """Make `tensor`, the result of a view op on `viewed`, a view; returns its version list."""
    version = tensor.version = viewed.version
    alias = viewed.alias
    base, chain = (viewed, ()) if alias is None else (alias.base, alias.chain)
    tensor.alias = Alias(base, (*chain, (op, options)), version[0])
    return version


def node_of(view: Tensor) -> Node | None:
    """The node of a view, made anew from its base if the shared memory has changed since."""
    alias = view.alias
    if alias.seen != view.version[0]:
        at = alias.base
        with enable_grad():
            for op, options in alias.chain:
                at = op.function(at, *options)
        view.node = at.node
        alias.seen = view.version[0]
    return view.node


def bump(tensor: Tensor, by: str) -> None:
    """Note that the memory of `tensor` has changed: by which op, and where in the user's program."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("autograd_ops"):
        frame = frame.f_back
    version = tensor.version
    version[0] += 1
    version[1:] = (by, frame.f_code, frame.f_lineno)


def in_place(tensor: Tensor, op: Callable[..., Any], *arguments: Any, name: str | None = None) -> Tensor:
    """Set `tensor` to ``op(tensor, *arguments)``, in its own memory.

    Raises
    ------
    TapeError
        If it is a leaf that needs a gradient, or a view of one, while ops are recorded.
    ValueError
        If the result has another shape, or `tensor` is expanded, so that one element stands for many.
    TypeError
        If the result's dtype is of a higher kind: floats into integers.
    """
    called = name or f"{op.__name__}_"
    refuse_leaf(tensor, called)
    refuse_expanded(tensor, called)
    new = op(tensor, *arguments)
    _refuse_result(tensor, new, called)
    if new.array.dtype != tensor.array.dtype:
        new = TABLE["astype"].function(new, tensor.array.dtype)
    if new.node is not None:
        _keep_private_copies(new.node, tensor)
    kernels(tensor.array).write(tensor.array, new.array)
    move_node(tensor, new)
    bump(tensor, called)
    return tensor


def move_node(tensor: Tensor, new: Tensor) -> None:
    """Record that `tensor` now has the value of `new`: on itself, or if it is a view, on its base."""
    if not mode.enabled:
        return
    alias = tensor.alias
    if alias is None:
        tensor.set_node(new.node)
        return
    base = alias.base
    if new.node is None and base.node is None:
        return
    base.set_node(_written(base, alias.chain, new).node)


def _written(base: Tensor, chain: Sequence[tuple[Op, tuple[Any, ...]]], value: Tensor) -> Tensor:
    """`base` out of place, as it is after the view that `chain` leads to was set to `value`."""
    steps = [base]
    for op, options in chain[:-1]:
        steps.append(op.function(steps[-1], *options))
    for (op, options), before in zip(reversed(chain), reversed(steps), strict=True):
        value = op.view(before, value, *options)
    return value


def refuse_leaf(tensor: Tensor, called: str) -> None:
    """Raise TapeError if ops are recorded and `tensor` is a leaf that requires grad, or a view of one."""
    root = tensor if tensor.alias is None else tensor.alias.base
    if type(root.node) is Leaf and mode.enabled:
        what = "a leaf that requires grad" if root is tensor else "a view of a leaf that requires grad"
        raise TapeError(
            f"{called}: this is {what}, so it cannot be changed in place while ops are recorded: "
            "do it under no_grad(), or use the out-of-place form"
        )


def refuse_expanded(tensor: Tensor, called: str) -> None:
    """Raise ValueError if elements of `tensor` share memory with each other."""
    if tensor.alias is not None and any(op.name == "broadcast_to" for op, _ in tensor.alias.chain):
        raise ValueError(
            f"{called}: the target is expanded, so that one element stands for many; change a clone() of it"
        )


def _refuse_result(tensor: Tensor, new: Tensor, called: str) -> None:
    if new.array.shape != tensor.array.shape:
        raise ValueError(
            f"{called}: the result has shape {tuple(new.array.shape)}, "
            f"which does not fit into the target's {tuple(tensor.array.shape)}"
        )
    order = ("bool", "uint", "int", "float", "complex")
    if order.index(new.dtype.kind) > order.index(tensor.dtype.kind):
        raise TypeError(f"{called}: a result of {new.dtype.name} does not fit into a target of {tensor.dtype.name}")


def _keep_private_copies(node: Node, tensor: Tensor) -> None:
    """Where `node` saved the memory that is about to be overwritten, let it keep a copy instead."""
    saved = node.saved
    if saved is FREED or not any(column is tensor.version for column in saved):
        return
    copies = list(saved)
    for i, column in enumerate(saved):
        if column is tensor.version and copies[i - 1] is not None:
            value = copies[i - 1]
            copies[i - 1] = kernels(value).xp.asarray(value, copy=True)
            copies[i], copies[i + 1] = [0], 0
    node.saved = tuple(copies)
