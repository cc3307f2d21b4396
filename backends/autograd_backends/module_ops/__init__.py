"""The default of every module op, in standard array API calls."""

from .linear import linear

__all__ = ["linear"]
