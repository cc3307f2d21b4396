"""Half precision is stored, not computed with: sums and statistics are float32."""

from __future__ import annotations

from typing import Any

from ..array_types import Array, Namespace

__all__ = ["cast", "doubled", "widened"]


def widened(xp: Namespace, x: Array) -> Array:
    """`x` in float32 if it is float16, else `x` itself."""
    half = getattr(xp, "float16", None)
    return xp.astype(x, xp.float32) if half is not None and x.dtype == half else x


def doubled(xp: Namespace, x: Array) -> Array:
    """`x` in float64, in which formulas with many steps give every digit of a float32."""
    return xp.astype(x, xp.float64, copy=False)


def cast(xp: Namespace, x: Array, dtype: Any) -> Array:
    """`x` in `dtype`; `x` itself if it is that already."""
    return x if x.dtype == dtype else xp.astype(x, dtype)
