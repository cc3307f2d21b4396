"""What a user most likely forgot, as the end of a message: empty where nothing suggests itself."""

from __future__ import annotations

from math import prod

from ..array_types import Shape

__all__ = ["broadcast_hint", "channels_hint", "features_hint", "matmul_hint"]


def features_hint(name: str, shape: Shape, wanted: int) -> str:
    """For `name` of `shape`, whose last dimension should have had the length `wanted`."""
    for first in range(1, len(shape) - 1):
        if prod(shape[first:]) == wanted:
            return f"; flatten it first: {name}.flatten({first}) has {wanted}"
    if wanted in shape[:-1]:
        place = len(shape) - 2 - shape[-2::-1].index(wanted)
        return f"; dimension {place} has {wanted}: move it, as with {name}.movedim({place}, -1)"
    if wanted == 1:
        return f"; add a dimension, as with {name}.unsqueeze(-1)"
    return ""


def channels_hint(shape: Shape, wanted: int) -> str:
    """For x of `shape`, whose dimension 1 should have had the length `wanted`."""
    if shape[-1] == wanted:
        return "; the last dimension has as many: move it, as with x.movedim(-1, 1)"
    if shape[0] == wanted:
        return "; dimension 0 has as many: exchange the two, as with x.transpose(0, 1)"
    return ""


def matmul_hint(x: Shape, y: Shape) -> str:
    """For matrices of shapes `x` and `y` whose inner dimensions differ."""
    if len(x) < 2 or len(y) < 2:
        return ""
    if x[-1] == y[-1]:
        return "; x @ y.mT would fit"
    if x[-2] == y[-2]:
        return "; x.mT @ y would fit"
    return "; y @ x would fit" if y[-1] == x[-2] else ""


def broadcast_hint(shapes: tuple[Shape, ...]) -> str:
    """For operands of `shapes` that do not broadcast."""
    if len(shapes) != 2:
        return ""
    for which, shape, other in (("second", shapes[1], shapes[0]), ("first", shapes[0], shapes[1])):
        if len(shape) < len(other) and _broadcasts((*shape, 1), other):
            return f"; give the {which} one a dimension more, as with unsqueeze(-1)"
        if len(shape) == len(other) > 1 and _broadcasts((*shape[:-2], shape[-1], shape[-2]), other):
            return f"; the transpose of the {which} one would fit, as with .mT"
    return ""


def _broadcasts(a: Shape, b: Shape) -> bool:
    return all(n == m or 1 in (n, m) for n, m in zip(reversed(a), reversed(b), strict=False))
