"""PyTorch's place of AdamW."""

from .adam import AdamW

__all__ = ["AdamW"]
