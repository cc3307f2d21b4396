"""What convolutions and pools tell oneDNN of their windows alike."""

from __future__ import annotations

from ...windows import Window

__all__ = ["padding_after"]


def padding_after(windows: tuple[Window, ...]) -> tuple[int, ...]:
    """The padding after each dimension: as much as the last position reaches over its end."""
    over = [(w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.size - w.before for w in windows]
    return tuple(n if n > 0 or -n >= w.stride else 0 for n, w in zip(over, windows, strict=True))
