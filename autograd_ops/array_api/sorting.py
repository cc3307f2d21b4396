"""Sorting functions. They are stable, asked or not."""

from __future__ import annotations

from .. import functions
from ..tensor import Tensor

__all__ = ["argsort", "sort"]


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The indices that put x in order along `axis`; equal elements keep their order."""
    return functions.argsort(x, axis, descending, stable=stable)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """x in order along `axis`."""
    return functions.sort(x, axis, descending, stable).values
