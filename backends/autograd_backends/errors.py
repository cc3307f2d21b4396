"""The errors that arguments of a wrong shape or value raise."""

from __future__ import annotations

__all__ = ["LinAlgError", "ShapeError"]


class ShapeError(ValueError):
    """Arrays whose shapes do not fit each other or the options of the op.

    The first line of the message says it all: the op, the argument, the shapes and the rule that was broken.
    """


class LinAlgError(RuntimeError):
    """A matrix that has no such inverse or decomposition: singular, not positive-definite, or with NaN in it.

    The message names the op and, in a batch, the first such matrix.
    """
