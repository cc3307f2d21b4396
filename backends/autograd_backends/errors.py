"""The errors that arguments of a wrong shape or value raise."""

from __future__ import annotations

__all__ = ["ShapeError"]


class ShapeError(ValueError):
    """Arrays whose shapes do not fit each other or the options of the op.

    The first line of the message says it all: the op, the argument, the shapes and the rule that was broken.
    """
