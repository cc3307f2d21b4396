"""Inspection: what this implementation of the standard can do."""

from __future__ import annotations

from autograd_backends import Device, get_backend
from autograd_backends.cuda import is_available

from ..arrays import get_default_device
from ..dtypes import DType, default_complex, get_default_dtype, int64
from . import dtypes as chapter

__all__ = ["__array_namespace_info__"]


class Info:
    """What ``__array_namespace_info__()`` gives."""

    def capabilities(self) -> dict[str, bool | int | None]:
        """What may depend on the values of an array here, and how many dimensions one may have."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device of arrays that are created without ``device=``."""
        return get_default_device()

    def devices(self) -> tuple[Device, ...]:
        """The devices of this machine."""
        words = ["cpu", *(["cuda"] if is_available() else [])]
        found = [device for word in words for device in get_backend(word).devices()]
        default = self.default_device()
        return tuple(found if default in found else [*found, default])

    def default_dtypes(self, *, device: str | None = None) -> dict[str, DType]:
        """The dtypes of arrays that are created without ``dtype=``."""
        return {
            "real floating": get_default_dtype(),
            "complex floating": default_complex(),
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The standard's dtypes by name; those of one kind, such as ``"real floating"``, or of several."""
        found = {name: getattr(chapter, name) for name in chapter.__all__}
        return {
            name: dtype
            for name, dtype in found.items()
            if isinstance(dtype, DType) and (kind is None or chapter.isdtype(dtype, kind))
        }


def __array_namespace_info__() -> Info:
    """What this implementation of the standard can do: devices, dtypes, capabilities."""
    return Info()
