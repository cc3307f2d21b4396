"""`fake_cupy` in place of CuPy for a while, whether that is installed or not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import array_api_compat

import autograd_backends
from autograd_backends import lookup

__all__ = ["FOLDER", "stand_in"]

FOLDER = Path(__file__).parent / "fake_cupy"

#: The modules that are CuPy, or know it.
OURS = ("cupy", "cupyx", "array_api_compat.cupy", "autograd_backends.cupy_backend")


def _ours() -> list[str]:
    return [name for name in sys.modules if any(name == own or name.startswith(f"{own}.") for own in OURS)]


@contextmanager
def stand_in() -> Iterator[Any]:
    """Import the stand-in as ``cupy``, with a backend that is not loaded yet; afterwards all is as it was."""
    before = {name: sys.modules.pop(name) for name in _ours()}
    loaded = lookup._loaded.pop("cuda", None)
    sys.path.insert(0, str(FOLDER))
    try:
        yield import_module("cupy")
    finally:
        sys.path.remove(str(FOLDER))
        for name in _ours():
            del sys.modules[name]
        sys.modules.update(before)
        lookup._loaded.pop("cuda", None)
        if loaded is not None:
            lookup._loaded["cuda"] = loaded
        for package, name in ((array_api_compat, "cupy"), (autograd_backends, "cupy_backend")):
            package.__dict__.pop(name, None)
            if f"{package.__name__}.{name}" in before:
                setattr(package, name, before[f"{package.__name__}.{name}"])
