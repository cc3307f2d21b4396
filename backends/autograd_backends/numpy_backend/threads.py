"""How many threads NumPy's BLAS and oneDNN may use."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from .onednn import threads as onednn

__all__ = ["set_threads"]

#: What the function that sets it is called in the OpenBLAS of NumPy's wheels, by how it was built.
SETTERS = (
    *("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads"),
    *("openblas_set_num_threads64_", "openblas_set_num_threads"),
)


def set_threads(number: int) -> None:
    """Let products run on `number` threads from now on: those of oneDNN, and of the OpenBLAS in NumPy's wheel."""
    onednn.set_threads(number)
    for setter in _blas():
        setter(number)


@cache
def _blas() -> tuple[Callable[[int], object], ...]:
    """The setter of NumPy's own OpenBLAS; of another BLAS, such as conda's, none is known here."""
    return tuple(_setters(Path(np.__file__).parents[1] / "numpy.libs", Path(np.__file__).parent / ".dylibs"))


def _setters(*folders: Path) -> Iterator[Callable[[int], object]]:
    for file in (file for folder in folders for file in folder.glob("*openblas*")):
        with suppress(OSError):
            library = ctypes.CDLL(str(file))
            for name in SETTERS:
                if hasattr(library, name):
                    yield getattr(library, name)
                    break
