"""The type aliases of this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

__all__ = ["Array", "IntPair", "Namespace", "Shape"]

#: An array of some backend's library. The array API has no common base class to name here.
Array: TypeAlias = Any

#: A module or object that offers the functions of the array API standard.
Namespace: TypeAlias = Any

Shape: TypeAlias = tuple[int, ...]

#: One number for every dimension, or one for each.
IntPair: TypeAlias = int | Sequence[int]
