"""What is raised for a file that cannot be loaded."""

from __future__ import annotations

__all__ = ["SerializationError"]


class SerializationError(RuntimeError):
    """A file that cannot be loaded: cut off, of another format, damaged, or holding what would have to be run."""
