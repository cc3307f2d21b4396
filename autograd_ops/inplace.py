"""In place and views: Tensors that share memory, and what a change to it does to the tape.

A view knows the Tensor it is a view of, its *base*, and the chain of view ops that leads from the base to it; the base
knows nothing of its views. They share one version list. A change in place is an ordinary op, then a write::

    a.mul_(b)     new = mul(a, b);  write new's array into a's;  a.node = new.node

and a change to a view is recorded on the base as the out-of-place change that corresponds to it. Then the version
differs from the one that the other views' nodes are for, and their nodes are made anew from the base when next used.

A base that changes its own shape (``t_``) becomes a view too, of a Tensor that nobody else has and that takes its place
as base; its views find that one through it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from autograd_backends import kernels

from .table import TABLE
from .tape import FREED, Leaf, Node, TapeError, enable_grad, mode, next_seq
from .user_line import user_frame

if TYPE_CHECKING:
    from autograd_backends import Backend

    from .registry import Op
    from .tensor import Tensor

__all__ = [
    "Alias",
    "become_view",
    "bump",
    "change_shape",
    "in_place",
    "is_view",
    "move_node",
    "node_of",
    "refuse_expanded",
    "refuse_kind",
    "refuse_leaf",
    "root_of",
]


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


class Reshaped(Alias):
    """What makes a Tensor that changed its own shape a view of what it was: a secret of this file's."""

    __slots__ = ()


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
        at = root_of(view)
        with enable_grad():
            for op, options in alias.chain:
                at = op.function(at, *options)
        view.node = at.node
        alias.seen = view.version[0]
    return view.node


def bump(tensor: Tensor, by: str) -> None:
    """Note that the memory of `tensor` has changed: by which op, and where in the user's program."""
    frame = user_frame()
    version = tensor.version
    version[0] += 1
    version[1:] = (by, frame.f_code, frame.f_lineno)


def is_view(tensor: Tensor) -> bool:
    """Whether `tensor` is a window on the memory of another."""
    return tensor.alias is not None and type(tensor.alias) is not Reshaped


def root_of(tensor: Tensor) -> Tensor:
    """The Tensor whose memory `tensor` shows: itself, or the base that it is a view of."""
    alias = tensor.alias
    if alias is None:
        return tensor
    while alias.base.alias is not None:  # it has changed its shape, and became a view itself
        alias.base = alias.base.alias.base
    base: Tensor = alias.base
    return base


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
    since = next_seq()
    new = op(tensor, *arguments)
    _refuse_result(tensor, new, called)
    if new.array.dtype != tensor.array.dtype:
        new = TABLE["astype"].function(new, tensor.array.dtype)
    array = new.array
    if new.version is tensor.version:  # a view of what is to be overwritten
        array = kernels(array).xp.asarray(array, copy=True)
    if mode.enabled:
        if new.node is None and tensor.place() is not None:
            # What takes no gradient overwrites: the old value gets a gradient of zeros, and the tape goes on.
            new = TABLE["overwrite"].function(tensor, new, (...,))
        elif new.node is not None:
            _keep_private_copies(new.node, tensor, since)
        node = _node_after(tensor, new)
        kernels(tensor.array).write(tensor.array, array)
        root_of(tensor).set_node(node)
    else:
        kernels(tensor.array).write(tensor.array, array)
    bump(tensor, called)
    if new.node is not None:
        _keep_in_place(new, tensor)
    return tensor


def change_shape(tensor: Tensor, view: Callable[..., Tensor], *arguments: Any, name: str) -> Tensor:
    """Let `tensor` become ``view(tensor, *arguments)``, a window on the same memory.

    Raises
    ------
    TapeError
        If it is a leaf that needs a gradient, or a view of one, while ops are recorded.
    """
    refuse_leaf(tensor, name)
    new = view(tensor, *arguments)
    leaf = tensor.node if type(tensor.node) is Leaf else None
    shared = new.version is tensor.version
    if shared and leaf is None and (tensor.alias is None or type(tensor.alias) is Reshaped):
        base = new.alias.base
        if tensor.alias is None:
            base = type(new)(tensor.array)
            base.version, base.node = tensor.version, tensor.node
        new.alias = Reshaped(base, new.alias.chain, 0)
    tensor.array, tensor.version = new.array, new.version
    if leaf is not None:
        leaf.shape = tensor.array.shape
        return tensor
    tensor.alias = new.alias
    tensor.set_node(new.node)
    bump(tensor, name)
    if shared:
        tensor.alias.seen = tensor.version[0]
    return tensor


def move_node(tensor: Tensor, new: Tensor) -> None:
    """Record that `tensor` now has the value of `new`: on itself, or if it is a view, on its base."""
    if mode.enabled:
        root_of(tensor).set_node(_node_after(tensor, new))


def _node_after(tensor: Tensor, new: Tensor) -> Node | None:
    """The node of `tensor`, or of what it is a view of, once it has the value of `new`."""
    base = root_of(tensor)
    return new.node if base is tensor else _written(base, tensor.alias.chain, new).node


def _written(base: Tensor, chain: Sequence[tuple[Op, tuple[Any, ...]]], value: Tensor) -> Tensor:
    """`base` out of place, as it is after the view that `chain` leads to was set to `value`."""
    if base.node is None and value.node is None:
        return base
    steps = [base]
    for op, options in chain[:-1]:
        steps.append(op.function(steps[-1], *options))
    for (op, options), before in zip(reversed(chain), reversed(steps), strict=True):
        value = op.view(before, value, *options)
    return value


def refuse_leaf(tensor: Tensor, called: str) -> None:
    """Raise TapeError if ops are recorded and `tensor` is a leaf that requires grad, or a view of one."""
    if not mode.enabled:
        return
    root = root_of(tensor)
    if type(root.node) is Leaf or type(tensor.node) is Leaf:
        what = "a view of a leaf that requires grad" if type(tensor.node) is not Leaf else "a leaf that requires grad"
        raise TapeError(
            f"{called}: this is {what}, so it cannot be changed in place while ops are recorded: "
            "do it under no_grad(), or use the out-of-place form"
        )


def refuse_expanded(tensor: Tensor, called: str) -> None:
    """Raise ValueError if elements of `tensor` share memory with each other, or it is read-only."""
    array = tensor.array
    backend = kernels(array)
    if not backend.is_contiguous(array) and _overlaps_itself(backend, array):
        raise ValueError(
            f"{called}: the target is expanded, so that one element stands for many; change a clone() of it"
        )
    if not backend.is_writable(array):
        raise ValueError(
            f"{called}: this memory is read-only, as that of expanded tensors is, and of some NumPy arrays; "
            "change a clone() of it"
        )


def _overlaps_itself(backend: Backend, array: Any) -> bool:
    steps = sorted((abs(step), n) for step, n in zip(backend.strides(array), array.shape, strict=True) if n > 1)
    reached = 0
    for step, n in steps:
        if step <= reached:  # what the smaller steps lead to goes past one of these: look at every element
            if steps[0][0] == 0:
                return True
            places = backend.strided_places(array, tuple([n for _, n in steps]), tuple([s for s, _ in steps]), 0)
            return bool(backend.xp.unique_values(places).shape[0] < places.shape[0])
        reached += (n - 1) * step
    return False


_ORDER = {"bool": 0, "uint": 1, "int": 1, "float": 2, "complex": 3}


def _refuse_result(tensor: Tensor, new: Tensor, called: str) -> None:
    if new.array.shape != tensor.array.shape:
        raise ValueError(
            f"{called}: the result has shape {tuple(new.array.shape)}, "
            f"which does not fit into the target's {tuple(tensor.array.shape)}"
        )
    refuse_kind(tensor, new, called)


def refuse_kind(tensor: Tensor, new: Tensor, called: str) -> None:
    """Raise TypeError if the dtype of `new` is of a higher kind than that of `tensor`: floats into integers."""
    if new.array.dtype != tensor.array.dtype and _ORDER[new.dtype.kind] > _ORDER[tensor.dtype.kind]:
        raise TypeError(f"{called}: a result of {new.dtype.name} does not fit into a target of {tensor.dtype.name}")


def _keep_private_copies(node: Node, tensor: Tensor, since: int) -> None:
    """Where nodes made after `since` saved the memory that is about to be overwritten, let them keep copies instead."""
    stack = [node]
    while stack:
        node = stack.pop()
        if node.seq <= since:
            continue
        stack += [parent for parent in node.parents if parent is not None]
        saved = node.saved
        if saved is FREED or not any(column is tensor.version for column in saved):
            continue
        copies = list(saved)
        for i, column in enumerate(saved):
            if column is tensor.version and copies[i - 1] is not None:
                value = copies[i - 1]
                copies[i - 1] = kernels(value).xp.asarray(value, copy=True)
                copies[i], copies[i + 1] = [0], 0
        node.saved = tuple(copies)


def _keep_in_place(new: Tensor, tensor: Tensor) -> None:
    """Where the node of `new` saved its output, let it keep the memory that this was written to: one array, not two."""
    saved = new.node.saved  # type: ignore[union-attr]
    for i, column in enumerate(saved):
        if column is new.version and saved[i - 1] is new.array:
            kept = (tensor.array, tensor.version, tensor.version[0])
            new.node.saved = (*saved[: i - 1], *kept, *saved[i + 2 :])  # type: ignore[union-attr]
