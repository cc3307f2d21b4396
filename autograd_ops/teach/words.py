"""Arrays, sizes and names in few characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["array_in_full", "array_in_words", "cut", "gradient_in_words", "number", "shape_in_words", "size_in_words"]

#: An array of as many elements is written out where there is little room.
_FEW = 3


def number(value: Any) -> str:
    """A number, to four significant digits."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    return "NaN" if value != value else f"{value:.4g}"


def array_in_words(array: Any, shape: Sequence[int]) -> str:
    """The elements of an array where they are few, or else its shape; `array` may be ``None``."""
    if array is None or array.size > _FEW or array.ndim > 1 or array.size == 0:
        return shape_in_words(shape)
    if array.ndim == 0:
        return number(array.item())
    return f"[{', '.join(number(item) for item in array.tolist())}]"


def gradient_in_words(array: Any) -> str:
    """The elements of a gradient where they are few, or else its Euclidean norm; empty for ``None``."""
    if array is None or array.size == 0:
        return ""
    if array.size <= _FEW and array.ndim <= 1:
        return array_in_words(array, array.shape)
    return f"norm {number(np.linalg.norm(np.asarray(array, dtype=np.complex128).reshape(-1)).item())}"


def array_in_full(array: Any, characters: int = 60) -> str:
    """The elements of an array, in lines of so many characters; the middle of a large one is left out."""
    if array is None:
        return ""
    if array.ndim == 0:
        return number(array.item())
    return np.array2string(
        np.asarray(array), precision=4, threshold=60, edgeitems=3, max_line_width=characters, separator=", "
    )


def shape_in_words(shape: Sequence[int]) -> str:
    """A shape, or ``scalar``."""
    return str(tuple(shape)) if shape else "scalar"


def size_in_words(nbytes: float) -> str:
    """A number of bytes."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if nbytes >= scale:
            return f"{nbytes / scale:.1f} {unit}"
    return f"{nbytes:.0f} B"


def cut(text: str, length: int) -> str:
    """`text`, or as much of it as fits."""
    return text if len(text) <= length else text[: length - 1] + "…"
