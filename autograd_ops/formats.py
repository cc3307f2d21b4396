"""PyTorch's words for how memory is laid out. Here it has strides, and the order of a Tensor's dimensions."""

from __future__ import annotations

__all__ = [
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "layout",
    "memory_format",
    "preserve_format",
    "strided",
]


class _Word:
    """One of a few constants; each is itself."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"autograd_ops.{self._name}"


class layout(_Word):  # PyTorch's name
    """How a Tensor keeps its elements: `strided`, the only way here."""

    __slots__ = ()


class memory_format(_Word):  # PyTorch's name
    """The order of dimensions in memory; a wish, which is granted only when it is `contiguous_format`."""

    __slots__ = ()


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
