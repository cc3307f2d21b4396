"""The arrays that a node keeps for its rules, by the names that the rules have for them."""

from __future__ import annotations

from typing import Any

from autograd_backends import is_array

from ..autograd.around import innermost
from ..registry import Op
from ..tape import FREED, Leaf, Node

__all__ = ["kept_arrays"]


def kept_arrays(node: Node) -> list[tuple[str, Any]]:
    """Names and arrays; a sequence of inputs is named ``arrays[0]``, ``arrays[1]`` and so on.

    There are none on a leaf, and none once backward has run.
    """
    if isinstance(node, Leaf) or node.saved is FREED:
        return []
    op = innermost(node.op)
    if not isinstance(op, Op):
        # What a Function saves is in an object of its own.
        arrays = [(f"saved {i}", getattr(value, "_array", value)) for i, value in enumerate(node.saved)]
        return [(name, array) for name, array in arrays if is_array(array)]
    kept: list[tuple[str, Any]] = []
    for entry, column in op.columns():
        value = node.saved[column]
        if entry.kind not in ("input", "output", "extra"):
            continue
        if isinstance(value, (list, tuple)):
            kept += [(f"{entry.name}[{i}]", item) for i, item in enumerate(value) if is_array(item)]
        elif is_array(value):
            kept.append((entry.name, value))
    return kept
