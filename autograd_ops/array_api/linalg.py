"""The extension for linear algebra."""

from __future__ import annotations

from .linear_algebra import matmul, matrix_transpose, tensordot, vecdot

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]
