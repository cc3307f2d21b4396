"""Arrays, sizes and names in few characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = [
    "WIDTH",
    "array_in_full",
    "array_in_words",
    "count_in_words",
    "cut",
    "gradient_in_words",
    "name_in_short",
    "number",
    "rows",
    "shape_in_words",
    "size_in_words",
    "wrapped",
]

#: As many columns does text take in a terminal.
WIDTH = 100

#: An array of as many elements, in as many letters, is written out where there is little room.
_FEW, _SHORT = 3, 30


def number(value: Any) -> str:
    """A number, to four significant digits."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    return "NaN" if value != value else f"{value + 0:.4g}"  # without the sign of -0


def array_in_words(array: Any, shape: Sequence[int]) -> str:
    """The elements of an array where they are few, or else its shape; `array` may be ``None``."""
    return _elements(array) or shape_in_words(shape)


def gradient_in_words(array: Any) -> str:
    """The elements of a gradient where they are few, or else its Euclidean norm; empty for ``None``."""
    if array is None or array.size == 0:
        return ""
    return (
        _elements(array) or f"norm {number(np.linalg.norm(np.asarray(array, dtype=np.complex128).reshape(-1)).item())}"
    )


def _elements(array: Any) -> str:
    """The elements of an array where they are few and short; empty otherwise."""
    if array is None or array.size > _FEW or array.ndim > 1 or array.size == 0:
        return ""
    if array.ndim == 0:
        return number(array.item())
    text = f"[{', '.join(number(item) for item in array.tolist())}]"
    return text if len(text) <= _SHORT else ""


def array_in_full(array: Any, characters: int = 60) -> str:
    """The elements of an array, in lines of so many characters; the middle of a large one is left out."""
    if array is None:
        return ""
    if array.ndim == 0:
        return number(array.item())
    return np.array2string(
        np.asarray(array),
        precision=4,
        threshold=60,
        edgeitems=3,
        max_line_width=characters,
        separator=", ",
        floatmode="maxprec_equal",
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


def count_in_words(n: int, one: str, many: str = "") -> str:
    """So many of something: ``1 leaf``, ``2,000 ops``; `many` where it is not `one` with an s."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def cut(text: str, length: int) -> str:
    """`text`, or as much of it as fits."""
    return text if len(text) <= length else text[: length - 1] + "…"


def name_in_short(name: str, length: int) -> str:
    """A name with dots, or as much of its end as fits: that is what tells it from others."""
    return name if len(name) <= length else "…" + name[len(name) - length + 1 :]


def wrapped(text: str, width: int = WIDTH, indent: str = "") -> list[str]:
    """The lines of `text`, those that are too long broken at spaces; what is broken off is indented."""
    lines: list[str] = []
    for line in text.splitlines() or [""]:
        fits = len(line) <= width
        lines += [line] if fits else textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
    return lines


def rows(pairs: Iterable[tuple[str, str]], least: int = 0) -> list[str]:
    """Names and texts as lines, the texts under each other, in a column of no less than `least`."""
    named = [(name_in_short(name, 28), text) for name, text in pairs]
    column = max([least, *(len(name) for name, _ in named)])
    lines: list[str] = []
    for name, text in named:
        first, *more = wrapped(text, WIDTH - column - 4)
        lines.append(f"  {name:<{column}}  {first}".rstrip())
        lines += [f"{'':<{column}}    {line}".rstrip() for line in more]
    return lines
