"""Device strings: what a user writes to say where an array lives."""

from __future__ import annotations

__all__ = ["Device", "DeviceError"]


class DeviceError(RuntimeError):
    """A device that does not exist, is not installed, or differs from its neighbour's."""


class Device(str):
    """A device string in its full form, such as ``"cpu"``, ``"cuda:1"`` or ``"strict:device1"``.

    It is the string itself, so it compares, hashes and prints as one. Backends make it, after they
    have checked that the device exists.

    Examples
    --------
    >>> Device("cuda:1").type, Device("cuda:1").index
    ('cuda', 1)
    >>> Device("cpu") == "cpu"
    True
    """

    __slots__ = ()

    @property
    def type(self) -> str:
        """The word before the colon: which backend."""
        return self.partition(":")[0]

    @property
    def index(self) -> int | str | None:  # type: ignore[override]  # PyTorch's name; str's own method is not missed
        """What follows the colon: a number where it is one, ``None`` where there is nothing."""
        index = self.partition(":")[2]
        return int(index) if index.isdecimal() else (index or None)

    def __repr__(self) -> str:
        return f"device({str(self)!r})"
