"""Trees of dicts, lists and tuples: their leaves in a row, and back.

A tree is a leaf, or a dict, list, tuple or named tuple of trees. Everything else, ``None`` included, is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["flatten", "tree_map", "unflatten"]


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The leaves of `tree`, and a tree of ``None`` that says where each was.

    Examples
    --------
    >>> from autograd_ops.pytree import flatten, unflatten
    >>> leaves, shape = flatten({"a": 1, "b": (2, [3])})
    >>> leaves
    [1, 2, 3]
    >>> unflatten([x + 1 for x in leaves], shape)
    {'a': 2, 'b': (3, [4])}
    """
    leaves: list[Any] = []

    def keep(leaf: Any) -> None:
        leaves.append(leaf)

    return leaves, tree_map(keep, tree)


def unflatten(leaves: Any, shape: Any) -> Any:
    """The tree of that `shape`, from `flatten`, with these leaves."""
    following: Iterator[Any] = iter(leaves)
    return tree_map(lambda _: next(following), shape)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """`tree` with ``function(leaf)`` in the place of each leaf."""
    if isinstance(tree, dict):
        mapped = {key: tree_map(function, value) for key, value in tree.items()}
        return mapped if type(tree) is dict else type(tree)(mapped)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[tree_map(function, value) for value in tree])
    if type(tree) in (list, tuple):
        return type(tree)([tree_map(function, value) for value in tree])
    return function(tree)
