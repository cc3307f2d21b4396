"""The walk back, looked at: every node that backward runs, with what arrived there and what went on to each parent."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..autograd.around import StepAround
from ..tape import FREED, Leaf, Node, Step, TapeError, nodes_behind, walk
from .watching import Seen, SeenLeaf

__all__ = ["Visit", "Walked", "walk_and_look"]


@dataclass(eq=False, slots=True)
class Visit:
    """One step of backward.

    Attributes
    ----------
    node
        The node that ran.
    arrived
        The gradient that arrived: an array; a list of arrays for an op with several outputs.
    sent
        The gradient that went to each of the node's parents; ``None`` where none did.
    """

    node: Node
    arrived: Any
    sent: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk back that was looked at.

    Attributes
    ----------
    visits
        In the order in which backward runs the nodes.
    leaves
        The gradient of each leaf, by sequence number.
    hooked
        Whether users have put hooks on the way, which backward would call and this walk did not.
    """

    visits: list[Visit]
    leaves: dict[int, Any]
    hooked: bool = False


#: Tapes share leaves: two looks at once would take each other's changes for what was there before.
_one_at_a_time = threading.RLock()


def walk_and_look(root: Node, gradient: Any) -> Walked:
    """Walk back from `root`, to which `gradient` arrives, and leave everything as it was.

    It is the tape's own walk, over steps that note what passes them. No ``grad`` is touched, nothing is freed, and
    hooks are not called.

    Raises
    ------
    TapeError
        If an earlier backward has freed what the nodes kept, or a value was changed in place since.
    """
    nodes = list(nodes_behind([root]))
    freed = next((node for node in nodes if node.saved is FREED), None)
    if freed is not None:
        raise TapeError(
            f"teach: backward has run already, and freed what {freed.op.name} and others had kept: look before "
            "backward, or call backward(retain_graph=True)"
        )
    leaves = [node for node in nodes if isinstance(node, Leaf)]
    visits: list[Visit] = []
    with _one_at_a_time:
        hooks = [(node, node.hooks) for node in nodes]
        inner = [(node, node.op) for node in nodes if hasattr(node, "op")]
        try:
            for node in nodes:
                node.hooks = None
            for node, op in inner:
                node.op = _Noting(op, node, visits)
            totals = walk([root], [gradient], retain_graph=True, create_graph=False, inputs=leaves)
        finally:
            for node, before in hooks:
                node.hooks = before
            for node, op in inner:
                node.op = op
    return Walked(visits, totals, any(_is_users(hook) for _, before in hooks for hook in (before or {}).items()))


def _is_users(hook: tuple[int, Any]) -> bool:
    """Whether a hook, with its key, is neither `watch`'s nor that of ``retain_grad``, whose key is below 0."""
    key, function = hook
    return key >= 0 and not isinstance(function, (Seen, SeenLeaf))


class _Noting(StepAround):
    """A step that notes what arrives at its node and what it sends on.

    Its gradients do not count as fresh, so the walk never adds to one that was noted.
    """

    def __init__(self, step: Step, node: Node, visits: list[Visit]) -> None:
        super().__init__(step)
        self.fresh = False
        self._node = node
        self._visits = visits

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: Sequence[Node | None]) -> tuple[Any, ...]:
        sent = self.step.pull(gradient, saved, tuple(parents))
        self._visits.append(Visit(self._node, gradient, tuple(sent)))
        return sent
