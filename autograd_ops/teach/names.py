"""What the user calls things: the names of variables, and of the parameters of modules, by node."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from ..nn.module import Module
from ..tape import Node, Port
from ..tensor import Tensor

__all__ = ["Names", "names_in", "variables"]


#: How many names of its outputs a node has, at most.
MOST = 4


@dataclass(slots=True)
class Names:
    """The user's names.

    Attributes
    ----------
    nodes
        Of Tensors on the tape, by the sequence number of the nodes that made them.
    constants
        Of Tensors that are not on it, by ``id``.
    outputs
        Of Tensors that are one output of several, by the numbers of their own nodes; those behind have all their names.
    """

    nodes: dict[int, str] = field(default_factory=dict)
    outputs: dict[int, str] = field(default_factory=dict)
    constants: dict[int, str] = field(default_factory=dict)

    def of(self, tensor: Tensor) -> str:
        """What the user calls `tensor`; the empty string if it has no name."""
        node: Node | None = tensor.place()
        if node is None:
            return self.constants.get(id(tensor), "")
        return (self.outputs if isinstance(node, Port) else self.nodes).get(node.seq, "")

    def of_outputs(self, node: Node) -> tuple[str, ...]:
        """What the user calls each output of a node that has several; nothing for one that has one."""
        ports = [port() for port in getattr(node, "ports", ())]
        return tuple(["" if port is None else self.outputs.get(port.seq, "") for port in ports])

    def note(self, tensor: Tensor, name: str) -> None:
        """Call `tensor` so, unless it has a name already."""
        node: Node | None = tensor.node
        if node is None:
            self.constants.setdefault(id(tensor), name)
        elif not isinstance(node, Port):
            self.nodes.setdefault(node.seq, name)
        elif node.seq not in self.outputs:
            self.outputs[node.seq] = name
            others = self.nodes.get(node.main.seq, "")
            if others.count(",") < MOST - 1:
                self.nodes[node.main.seq] = f"{others}, {name}" if others else name


def names_in(frame: FrameType, given: Mapping[str, Any] | None = None) -> Names:
    """What the user calls Tensors.

    Parameters
    ----------
    frame
        A frame of the user's program: its local names count before its global ones, variables before parameters, and
        those before the items of lists.
        Names that begin with an underscore, and those of a notebook's history, do not count.
    given
        Tensors and modules by name, which count before all.
    """
    found = Names()
    for scope in (given or {}, *variables(frame)):
        mine = scope is given
        named = {n: v for n, v in scope.items() if mine or not (n.startswith("_") or n in ("In", "Out"))}
        for name, value in named.items():
            if isinstance(value, Tensor):
                found.note(value, name)
        for name, value in named.items():
            if isinstance(value, Module):
                for below, parameter in value.named_parameters():
                    found.note(parameter, f"{name}.{below}")
        for name, value in named.items():
            if isinstance(value, (list, tuple)):
                for i, item in enumerate(value[:_ITEMS]):
                    if isinstance(item, Tensor):
                        found.note(item, f"{name}[{i}]")
    return found


def variables(frame: FrameType) -> tuple[dict[str, Any], dict[str, Any]]:
    """The variables of a frame, local and global, as they are now.

    Before Python 3.13 the frame of a function keeps what ``f_locals`` gave, and with it alive whatever its variables
    were at that time, until the function ends. It is emptied here, so that to look at a loss does not keep its tape.
    """
    seen = frame.f_locals
    now = dict(seen), dict(frame.f_globals)
    if sys.version_info < (3, 13) and seen is not frame.f_globals and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        seen.clear()
    return now


#: As many items of a list are looked at.
_ITEMS = 100
