"""PyTorch's place of Variable."""

from . import Variable

__all__ = ["Variable"]
