"""How one dimension is resized: which cells of the input make each cell of the output, and with what weights.

Every mode is linear and goes through the dimensions one after the other, so this is all there is to know about it.
Positions are exact: fractions of ints wherever no scale is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

__all__ = [
    "MODES",
    "SMOOTH_MODES",
    "Resize",
    "Row",
    "cubic_slopes",
    "cubic_weights",
    "is_identity",
    "taps",
    "taps_of_adjoint",
]

#: The cells that one output cell is made of, and the weight of each.
Row = tuple[tuple[int, float], ...]

#: The free parameter of cubic convolution, as PyTorch and OpenCV have it; and where antialiased, as PIL has it.
CUBIC = -0.75
CUBIC_ANTIALIASED = -0.5

#: Half the number of cells that a lanczos3 kernel spans.
LOBES = 3


class Resize(NamedTuple):
    """What is done to one dimension.

    Attributes
    ----------
    size, out
        The length of the input and that of the output, both positive.
    mode, align_corners, antialias
        As in `InterpolateOptions`.
    scale
        The ratio of the lengths that positions are computed with; None for exactly ``out / size``.
    """

    size: int
    out: int
    mode: str
    align_corners: bool
    antialias: bool
    scale: float | None


@lru_cache(maxsize=512)
def taps(resize: Resize) -> tuple[Row, ...]:
    """For each output cell the input cells that it is made of; no weight is 0."""
    row = _antialiased if resize.antialias else _ROWS[resize.mode]
    return tuple(_merged(row(resize, o)) for o in range(resize.out))


@lru_cache(maxsize=512)
def taps_of_adjoint(resize: Resize) -> tuple[Row, ...]:
    """For each input cell the output cells that it goes into; some may have none."""
    found: list[list[tuple[int, float]]] = [[] for _ in range(resize.size)]
    for o, row in enumerate(taps(resize)):
        for cell, weight in row:
            found[cell].append((o, weight))
    return tuple(map(tuple, found))


@lru_cache(maxsize=512)
def is_identity(resize: Resize) -> bool:
    """Whether the output is the input."""
    return resize.size == resize.out and taps(resize) == tuple(((o, 1.0),) for o in range(resize.out))


def cubic_weights(t: Any, a: float = CUBIC) -> tuple[Any, Any, Any, Any]:
    """The weights of the four cells around a position, `t` past the second: t is a number, an array or a Tensor.

    R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Trans. ASSP 29 (1981).
    """
    s = 1.0 - t
    return (
        s * s * t * a,
        (t * (a + 2.0) - (a + 3.0)) * t * t + 1.0,
        (s * (a + 2.0) - (a + 3.0)) * s * s + 1.0,
        t * t * s * a,
    )


def cubic_slopes(t: Any) -> tuple[Any, Any, Any, Any]:
    """The derivatives of `cubic_weights` by `t`."""
    a, s = CUBIC, 1.0 - t
    return (
        s * (s - t * 2.0) * a,
        (t * (3.0 * (a + 2.0)) - 2.0 * (a + 3.0)) * t,
        (s * (-3.0 * (a + 2.0)) + 2.0 * (a + 3.0)) * s,
        t * (s * 2.0 - t) * a,
    )


def _merged(pairs: Iterable[tuple[int, float]]) -> Row:
    total: dict[int, float] = {}
    for cell, weight in pairs:
        total[cell] = total.get(cell, 0.0) + weight
    return tuple((cell, weight) for cell, weight in total.items() if weight)


def _normalised(pairs: Sequence[tuple[int, float]]) -> Row:
    total = math.fsum(weight for _, weight in pairs)
    return tuple((cell, weight / total) for cell, weight in pairs)


# ---------------------------------------------------------------- positions


def _position(resize: Resize, o: int) -> tuple[int, float]:
    """Where output cell `o` lies between the cells of the input: the one before, and how far past it."""
    if resize.align_corners:
        numerator, denominator = o * (resize.size - 1), max(resize.out - 1, 1)
    elif resize.scale is None:
        numerator, denominator = (2 * o + 1) * resize.size - resize.out, 2 * resize.out
    else:
        position = (o + 0.5) / resize.scale - 0.5
        before = math.floor(position)
        return min(before, resize.size - 1), position - before
    before, past = divmod(numerator, denominator)
    return before, past / denominator


def _nearest(resize: Resize, o: int) -> Row:
    if resize.scale is None:
        return ((o * resize.size // resize.out, 1.0),)
    return ((min(math.floor(o / resize.scale), resize.size - 1), 1.0),)


def _nearest_exact(resize: Resize, o: int) -> Row:
    if resize.scale is None:
        return (((2 * o + 1) * resize.size // (2 * resize.out), 1.0),)
    return ((min(math.floor((o + 0.5) / resize.scale), resize.size - 1), 1.0),)


def _linear(resize: Resize, o: int) -> Row:
    cell, t = _position(resize, o)
    if cell < 0:
        return ((0, 1.0),)
    return (cell, 1.0 - t), (min(cell + 1, resize.size - 1), t)


def _cubic(resize: Resize, o: int) -> Row:
    cell, t = _position(resize, o)
    return tuple((min(max(cell - 1 + k, 0), resize.size - 1), weight) for k, weight in enumerate(cubic_weights(t)))


def _lanczos3(resize: Resize, o: int) -> Row:
    cell, t = _position(resize, o)
    cells = range(max(cell - LOBES + 1, 0), min(cell + LOBES + 1, resize.size))
    return _normalised([(c, _lanczos_kernel(c - cell - t)) for c in cells])


def _area(resize: Resize, o: int) -> Row:
    cells = range(o * resize.size // resize.out, -(-(o + 1) * resize.size // resize.out))
    return tuple((c, 1.0 / len(cells)) for c in cells)


#: How a cell of the output is made, by mode. The three linear modes differ in name: PyTorch's say the dimensions.
_ROWS: dict[str, Callable[[Resize, int], Row]] = {
    "nearest": _nearest,
    "nearest_exact": _nearest_exact,
    "linear": _linear,
    "bilinear": _linear,
    "trilinear": _linear,
    "bicubic": _cubic,
    "lanczos3": _lanczos3,
    "area": _area,
}
MODES = tuple(_ROWS)


# ---------------------------------------------------------------- kernels as functions of the distance


def _linear_kernel(x: float) -> float:
    return max(1.0 - abs(x), 0.0)


def _cubic_kernel(x: float) -> float:
    before = math.floor(x)
    return cubic_weights(x - before, CUBIC_ANTIALIASED)[1 - before] if -2 <= x < 2 else 0.0


def _lanczos_kernel(x: float) -> float:
    if x == math.floor(x) or abs(x) >= LOBES:
        return float(x == 0)
    return math.sin(math.pi * x) * math.sin(math.pi * x / LOBES) * LOBES / (math.pi * x) ** 2


#: The modes that can be antialiased: the kernel, and how far it reaches.
_KERNELS: dict[str, tuple[Callable[[float], float], int]] = {
    "linear": (_linear_kernel, 1),
    "bilinear": (_linear_kernel, 1),
    "trilinear": (_linear_kernel, 1),
    "bicubic": (_cubic_kernel, 2),
    "lanczos3": (_lanczos_kernel, LOBES),
}
SMOOTH_MODES = tuple(_KERNELS)


def _antialiased(resize: Resize, o: int) -> Row:
    """The kernel as wide as the distance of two output cells, cut off at the ends of the input, as in PIL."""
    kernel, reach = _KERNELS[resize.mode]
    if resize.align_corners:
        step = (resize.size - 1) / (resize.out - 1) if resize.out > 1 else 0.0
    else:
        step = resize.size / resize.out if resize.scale is None else 1.0 / resize.scale
    width = max(step, 1.0)
    centre = step * (o + 0.5)
    first = max(int(centre - reach * width + 0.5), 0)
    end = min(int(centre + reach * width + 0.5), resize.size)
    return _normalised([(c, kernel((c - centre + 0.5) / width)) for c in range(first, end)])
