"""Versions, by PyTorch's names."""

from . import __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip"]

#: The version of CUDA that this library was built with: none, it is CuPy's.
cuda: str | None = None
hip: str | None = None
debug = False
git_version = "unknown"
