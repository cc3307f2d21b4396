"""Helpers of tests: Tensors compared with a tolerance, and made at random."""

from .comparison import assert_close
from .making import make_tensor

__all__ = ["assert_close", "make_tensor"]
