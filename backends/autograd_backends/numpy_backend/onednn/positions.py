"""What convolutions and pools tell oneDNN of their windows alike."""

from __future__ import annotations

from typing import Any

from ...windows import Window
from .memory import dims

__all__ = ["padding_after", "pool_positions"]


def padding_after(windows: tuple[Window, ...]) -> tuple[int, ...]:
    """The padding after each dimension: as much as the last position reaches over its end."""
    over = [(w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.size - w.before for w in windows]
    return tuple(n if n > 0 or -n >= w.stride else 0 for n, w in zip(over, windows, strict=True))


def pool_positions(windows: tuple[Window, ...]) -> list[Any]:
    """Strides, kernels, dilations, and the padding before and after, as the pooling primitives take them."""
    return [
        dims(tuple(w.stride for w in windows)),
        dims(tuple(w.kernel for w in windows)),
        dims(tuple(w.dilation - 1 for w in windows)),
        dims(tuple(w.before for w in windows)),
        dims(padding_after(windows)),
    ]
