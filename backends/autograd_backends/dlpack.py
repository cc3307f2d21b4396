"""Which device DLPack's numbers mean."""

from __future__ import annotations

from .device import Device, DeviceError
from .lookup import parse_device

__all__ = ["device_of_dlpack"]

#: DLPack's numbers of kinds of devices -> the word of the backend that reads their memory.
WORDS = {1: "cpu", 2: "cuda", 3: "cpu", 10: "cuda", 13: "cuda"}


def device_of_dlpack(kind: int, index: int) -> Device:
    """The device that ``__dlpack_device__`` names.

    Raises
    ------
    DeviceError
        If no backend reaches it.
    """
    word = WORDS.get(int(kind))
    if word is None:
        raise DeviceError(f"DLPack: no backend here reaches devices of DLPack's kind {int(kind)}; move the array first")
    return parse_device(word if word == "cpu" else f"{word}:{int(index)}")
