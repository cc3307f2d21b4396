"""The exponential of a matrix."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels

from ...registry import Array, op
from ..dtype import zeros_like
from ..shape import concat, getitem, matrix_transpose
from .common import check_square

__all__ = ["matrix_exp"]


@op(formula="dx = the upper right block of e^[[x^T, g], [0, x^T]]")
def matrix_exp(x: Array) -> Array:
    """e^x, the sum of x^k / k!, of square matrices x [..., n, n]"""
    check_square("matrix_exp", x)
    return kernels(x).matrix_exp(x)


def _matrix_exp_x(g: Any, x: Any) -> Any:
    # Mathias, "A chain rule for matrix functions and applications" (1996).
    transposed = matrix_transpose(x)
    n = x.shape[-1]
    above = concat([transposed, g], -1)
    below = concat([zeros_like(transposed), transposed], -1)
    return getitem(
        matrix_exp(concat([above, below], -2)), (*[slice(None)] * (x.ndim - 2), slice(0, n), slice(n, 2 * n))
    )


matrix_exp.backward(x=_matrix_exp_x)
