"""A level of differentiation: its inputs, held apart from everything else that is on the tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_backends import namespace

from ..autograd.core import grad as walk_back
from ..inplace import node_of
from ..pytree import flatten, tree_map, unflatten
from ..tape import Leaf, Node, Step, mode, new_node, nodes_behind
from ..tensor import Tensor

__all__ = ["Level", "gradients", "place", "same", "zeros_like"]


class Level:
    """The inputs of one derivative, as Tensors of its own.

    Such a Tensor is a new leaf, or where the argument is on the tape already, as inside another derivative, a step of
    the identity from it: so gradients can stop here or go on, and those of this level mix with no others.

    Parameters
    ----------
    name
        The public function, for errors.
    trees
        The arguments that are differentiated.

    Attributes
    ----------
    trees
        The same trees of this level's Tensors.
    inputs
        Those Tensors in a row.
    """

    def __init__(self, name: str, trees: Sequence[Any]) -> None:
        self.name = name
        self._recording = mode.enabled
        leaves, self.shape = flatten(tuple(trees))
        for i, leaf in enumerate(leaves):
            if not isinstance(leaf, Tensor):
                raise TypeError(f"{name}: what is differentiated is a Tensor, and leaf {i} is a {type(leaf).__name__}")
            if leaf.dtype.kind not in ("float", "complex"):
                raise TypeError(f"{name}: only float tensors have gradients, and leaf {i} is {leaf.dtype.name}")
        self.inputs = [_own(leaf, self._recording) for leaf in leaves]
        self.trees: tuple[Any, ...] = unflatten(self.inputs, self.shape)
        self._own = {tensor.node.seq for tensor in self.inputs if tensor.node is not None}

    def outputs(self, tree: Any) -> list[Tensor]:
        """The leaves of what the function gave, all Tensors."""
        leaves, _ = flatten(tree)
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise TypeError(f"{self.name}: the function must give Tensors, and gave a {type(leaf).__name__}")
        return leaves

    def gradients(
        self, outputs: Sequence[Tensor], given: Sequence[Tensor], create_graph: bool | None = None
    ) -> list[Tensor]:
        """The gradient of each input, where `given` arrives at `outputs`; recorded where something beyond this level
        came into it."""
        if create_graph is None:
            create_graph = self.records(*outputs, *given)
        return gradients(outputs, self.inputs, given, create_graph)

    def records(self, *tensors: Tensor) -> bool:
        """Whether a gradient of `tensors` is to be recorded: somebody else's leaf is behind one."""
        return self._recording and any(self._beyond(tensor) for tensor in tensors)

    def _beyond(self, tensor: Tensor) -> bool:
        node = place(tensor)
        return node is not None and any(
            type(at) is Leaf and at.seq not in self._own and at.ref() is not None for at in nodes_behind([node])
        )

    def released(self, tree: Any) -> Any:
        """`tree`, its Tensors off the tape where only this level had put them on it."""
        return tree_map(self._released, tree)

    def _released(self, leaf: Any) -> Any:
        if not isinstance(leaf, Tensor) or leaf.node is None or self.records(leaf):
            return leaf
        return leaf.detach()


def gradients(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], given: Sequence[Tensor], create_graph: bool
) -> list[Tensor]:
    """The gradient of each input, zeros where there is none."""
    pairs = [(out, g) for out, g in zip(outputs, given, strict=True) if out.node is not None]
    if not pairs:
        return [zeros_like(x) for x in inputs]
    found = walk_back(
        [out for out, _ in pairs],
        inputs,
        [g for _, g in pairs],
        retain_graph=True,
        create_graph=create_graph,
        materialize_grads=True,
        allow_unused=True,
    )
    return [g for g in found if g is not None]


def zeros_like(tensor: Tensor) -> Tensor:
    """Zeros of its shape and dtype, off the tape."""
    return Tensor(namespace(tensor.array).zeros_like(tensor.array))


def place(tensor: Tensor) -> Node | None:
    """The node of a Tensor, be it a view or not."""
    return tensor.node if tensor.alias is None else node_of(tensor)


def same(tensor: Tensor) -> Tensor:
    """A Tensor of its own from one on the tape: a step of the identity."""
    own = tensor.detach()
    own.node = new_node(_SAME, (place(tensor),), own.array)
    return own


def _own(tensor: Tensor, recording: bool) -> Tensor:
    if recording and place(tensor) is not None:
        return same(tensor)
    return tensor.detach().requires_grad_()


class _Same(Step):
    name = "same"
    formula = "dx = g"

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        return (gradient,)


_SAME = _Same()
