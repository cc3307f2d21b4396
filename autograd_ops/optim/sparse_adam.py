"""SparseAdam, which there is no use for."""

from __future__ import annotations

from typing import Any

__all__ = ["SparseAdam"]


class SparseAdam:
    """Adam for sparse gradients: here all gradients are dense.

    Raises
    ------
    NotImplementedError
        When it is made, saying what to use.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("SparseAdam: all gradients are dense here; use Adam")
