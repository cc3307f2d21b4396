"""Matrix products. `linear` is in `linear`, einsum in `einsum`."""

from __future__ import annotations

from typing import Any

from autograd_backends import ShapeError, namespace

from ..registry import Array, op
from .shape import expand_dims, matrix_transpose, reshape, sum_to

__all__ = ["matmul"]


@op(formula="dx = g y^T, dy = x^T g", promote=True)
def matmul(x: Array, y: Array) -> Array:
    """x [..., n, k] @ y [..., k, m] -> [..., n, m]; a vector on either side is a row or a column that falls away"""
    if x.ndim == 0 or y.ndim == 0:
        raise ShapeError("matmul: a 0-d operand has no dimension to multiply along; use *")
    k, rows = x.shape[-1], y.shape[0] if y.ndim == 1 else y.shape[-2]
    if k != rows:
        raise _unfit(x.shape, y.shape)
    return namespace(x).matmul(x, y)


def _unfit(x: tuple[int, ...], y: tuple[int, ...]) -> ShapeError:
    from autograd_backends.shapes import matmul_hint  # not before it is needed: it brings the shapes of every module op

    which = "only" if len(y) == 1 else "second last"
    return ShapeError(
        f"matmul: the last dimension of x, {x[-1]}, must equal the {which} dimension of y, {y[-2:][0]} "
        f"(shapes {tuple(x)} and {tuple(y)}){matmul_hint(x, y)}"
    )


def _matmul_x(g: Any, x_shape: tuple[int, ...], y: Any) -> Any:
    y_vector, x_vector = y.ndim == 1, len(x_shape) == 1
    if y_vector:
        g, y = expand_dims(g, -1), expand_dims(y, -1)
    if x_vector:
        g = expand_dims(g, -2)
    out = matmul(g, matrix_transpose(y))
    rows = (1, *x_shape) if x_vector else x_shape
    out = out if tuple(out.shape) == tuple(rows) else sum_to(out, rows)
    return reshape(out, x_shape) if x_vector else out


def _matmul_y(g: Any, x: Any, y_shape: tuple[int, ...]) -> Any:
    y_vector, x_vector = len(y_shape) == 1, x.ndim == 1
    if y_vector:
        g = expand_dims(g, -1)
    if x_vector:
        g, x = expand_dims(g, -2), expand_dims(x, -2)
    out = matmul(matrix_transpose(x), g)
    columns = (*y_shape, 1) if y_vector else y_shape
    out = out if tuple(out.shape) == tuple(columns) else sum_to(out, columns)
    return reshape(out, y_shape) if y_vector else out


matmul.backward(x=_matmul_x, y=_matmul_y)
