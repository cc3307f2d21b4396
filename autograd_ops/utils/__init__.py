"""Helpers around training."""

from . import data, dlpack

__all__ = ["data", "dlpack"]
