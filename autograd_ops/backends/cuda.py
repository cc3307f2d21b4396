"""Settings of matrix products on CUDA devices, which are computed as CuPy does by default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

__all__ = [
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "is_built",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "preferred_linalg_library",
    "sdp_kernel",
]

#: ``matmul.allow_tf32`` and its like: can be set, and change nothing.
matmul = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    fp32_precision="none",
)


def is_built() -> bool:
    """Whether this library has CUDA kernels of its own: False, they are CuPy's."""
    return False


def enable_flash_sdp(enabled: bool) -> None:
    """Does nothing."""


enable_math_sdp = enable_mem_efficient_sdp = enable_cudnn_sdp = enable_flash_sdp


def flash_sdp_enabled() -> bool:
    """Whether that kernel of PyTorch's is used: False."""
    return False


mem_efficient_sdp_enabled = flash_sdp_enabled


def math_sdp_enabled() -> bool:
    """Whether attention is computed from its formula: True."""
    return True


@contextmanager
def sdp_kernel(*args: Any, **kwargs: Any) -> Iterator[None]:
    """Does nothing for the length of a ``with`` block."""
    yield


def preferred_linalg_library(backend: Any = None) -> str:
    """Which library linear algebra is computed by: its array library's own, by default."""
    return "default"
