"""Settings of cuDNN, which is not used: convolutions are CuPy's matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["flags", "is_acceptable", "is_available", "version"]

enabled: bool = True
benchmark: bool = False
benchmark_limit: int = 10
deterministic: bool = False
allow_tf32: bool = True


def is_available() -> bool:
    """Whether cuDNN is used: False."""
    return False


def version() -> int | None:
    """The version of cuDNN: None, as it is not used."""
    return None


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN would take it: False."""
    return False


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Does nothing for the length of a ``with`` block."""
    yield
