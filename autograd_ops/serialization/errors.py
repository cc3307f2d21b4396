"""What is raised for a file that cannot be loaded."""

from __future__ import annotations

__all__ = ["PlacementError", "SerializationError"]


class SerializationError(RuntimeError):
    """A file that cannot be loaded: cut off, of another format, damaged, or holding what would have to be run."""


class PlacementError(Exception):
    """Carries what went wrong with a device, and not with the file, out of the reading of a file."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error
