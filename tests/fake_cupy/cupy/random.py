"""Generator, over NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import ndarray

__all__ = ["Generator", "Philox4x3210"]


class Philox4x3210:
    """A source of bits that starts from `seed`."""

    def __init__(self, seed: Any = None) -> None:
        self.host = np.random.Philox(seed)

    @property
    def _state(self) -> _State:
        return _State(self.host)


class _State:
    """What is written to, or read, as the array that the state of a generator is."""

    def __init__(self, host: np.random.Philox) -> None:
        self.host = host

    def __setitem__(self, key: Any, other: _State) -> None:
        assert key is ...
        self.host.state = other.host.state


class Generator:
    """Numbers of several distributions, on the current device."""

    def __init__(self, bit_generator: Philox4x3210) -> None:
        self.bit_generator = bit_generator
        self.host = np.random.Generator(bit_generator.host)

    def random(self, size: Any = None, dtype: Any = np.float64) -> ndarray:
        """In [0, 1)."""
        return ndarray(np.asarray(self.host.random(size, dtype=_float(dtype))))

    def standard_normal(self, size: Any = None, dtype: Any = np.float64) -> ndarray:
        """Of mean 0 and variance 1."""
        return ndarray(np.asarray(self.host.standard_normal(size, dtype=_float(dtype))))

    def integers(self, low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64) -> ndarray:
        """In ``[low, high)``."""
        return ndarray(np.asarray(self.host.integers(low, high, size, dtype=dtype)))


def _float(dtype: Any) -> Any:
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise TypeError(f"cupy.random: only float32 and float64 are drawn, not {dtype}")
    return dtype
