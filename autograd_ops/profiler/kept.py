"""How much memory the tape holds, over time."""

from __future__ import annotations

import weakref
from typing import Any

from ..pytree import flatten
from ..tape import Leaf, Node
from ..tensor import Tensor
from .events import Clock, array_bytes, arrays_in

__all__ = ["KeptMemory"]


class KeptMemory:
    """Bytes of the arrays that nodes have saved, from when they are recorded until they are freed.

    An array that several nodes keep counts once, and that of a leaf, a parameter say, not at all: it is not the tape
    that keeps it.

    Attributes
    ----------
    history
        Nanoseconds, and bytes from then on.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.now = 0
        self.history: list[tuple[int, int]] = []
        self._holders: dict[int, int] = {}  # by id of an array: how many nodes keep it
        self._nodes: dict[int, tuple[Any, list[tuple[int, int]]]] = {}  # by id of what one saved: it, ids and bytes

    @property
    def peak(self) -> int:
        """The highest number of bytes."""
        return max((kept for _, kept in self.history), default=0)

    def recorded(self, node: Node, arguments: tuple[Any, ...]) -> None:
        """Count what `node` saved, an op with these `arguments`."""
        if not node.op.keeps_arrays:
            return
        tensors = [leaf for leaf in flatten(arguments)[0] if isinstance(leaf, Tensor)]
        leaves = {id(tensor.array) for tensor in tensors if type(tensor.node) is Leaf}
        parts = [(id(x), array_bytes(x)) for x in arrays_in(node.saved) if id(x) not in leaves]
        if not parts:
            return
        key = id(node.saved)
        self._nodes[key] = weakref.ref(node, lambda _: self.freed(key)), parts
        before = self.now
        for array, size in parts:
            holders = self._holders.get(array, 0)
            self._holders[array] = holders + 1
            if not holders:
                self.now += size
        if self.now != before:
            self.history.append((self.clock(), self.now))

    def freed(self, key: int) -> None:
        """What one node saved, by its id, is not kept any more."""
        found = self._nodes.pop(key, None)
        if found is None:
            return
        before = self.now
        for array, size in found[1]:
            self._holders[array] -= 1
            if not self._holders[array]:
                del self._holders[array]
                self.now -= size
        if self.now != before:
            self.history.append((self.clock(), self.now))

    def forget(self) -> None:
        """Stop counting."""
        self._nodes.clear()
