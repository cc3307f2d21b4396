"""linear on NumPy: one product, whatever the leading dimensions, in few calls.

``ndarray.dot`` is the cheapest way into BLAS; it takes half the time of ``@`` on a product of 32 x 16 x 16.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ..array_types import Array
from ..base import Backend
from ..shapes import linear_output_shape

__all__ = [
    "BLAS",
    "MANY",
    "linear",
    "linear_bias_backward",
    "linear_weight_backward",
    "linear_x_backward",
    "ones",
    "small_linear_backward",
]

#: dtypes that BLAS multiplies.
BLAS = frozenset((np.dtype(np.float32), np.dtype(np.float64)))

#: Up to this many rows a product with ones adds them up faster than a reduction, and as exactly.
_FEW = 256

#: Products of fewer multiplications are so small that what finds their kernel costs more than they do.
_SMALL = 2**15

#: For more elements BLAS would wake its threads for it: they and oneDNN's would be in each other's way.
MANY = 2**18


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    """x [..., d_input] @ weight [d_input, d_output] + bias [d_output] -> [..., d_output]"""
    rank = x.ndim
    if rank < 2 or weight.ndim != 2 or x.dtype not in BLAS:
        return Backend.linear(x, weight, bias)
    d_input, d_output = weight.shape
    if x.shape[-1] != d_input or (bias is not None and bias.shape != (d_output,)):
        linear_output_shape(x.shape, weight.shape, None if bias is None else bias.shape)  # which says so
    out = x.dot(weight) if rank == 2 else _rows(x).dot(weight)
    if bias is not None:
        out += bias
    return out if rank == 2 else out.reshape(*x.shape[:-1], d_output)


def linear_x_backward(weight: Array, output_grad: Array) -> Array:
    """output_grad [..., d_output] @ weight.T -> the gradient of x [..., d_input]"""
    if output_grad.ndim < 2 or output_grad.dtype not in BLAS:
        return Backend.linear_x_backward(weight, output_grad)
    if output_grad.ndim == 2:
        return output_grad.dot(weight.T)
    return _rows(output_grad).dot(weight.T).reshape(*output_grad.shape[:-1], weight.shape[0])


def linear_weight_backward(x: Array, output_grad: Array) -> Array:
    """x.T @ output_grad, summed over all leading dimensions -> the gradient of weight [d_input, d_output]"""
    if x.ndim < 2 or output_grad.dtype not in BLAS:
        return Backend.linear_weight_backward(x, output_grad)
    return x.T.dot(output_grad) if x.ndim == 2 else _rows(x).T.dot(_rows(output_grad))


def linear_bias_backward(output_grad: Array) -> Array:
    """output_grad [..., d_output] summed over all leading dimensions -> the gradient of bias [d_output]"""
    in_place = output_grad.ndim == 2 or output_grad.flags.c_contiguous  # as rows
    if not in_place or output_grad.ndim < 2 or output_grad.dtype not in BLAS or not output_grad.size:
        return Backend.linear_bias_backward(output_grad)
    rows = output_grad if output_grad.ndim == 2 else _rows(output_grad)
    n, d_output = rows.shape
    at_once = min(_FEW, MANY // d_output)
    if n <= at_once:
        return ones(n, rows.dtype).dot(rows)
    if at_once < 2:
        return Backend.linear_bias_backward(rows)
    sums = np.empty((-(-n // at_once), d_output), rows.dtype)
    for i, total in enumerate(sums):
        part = rows[i * at_once : (i + 1) * at_once]
        ones(len(part), rows.dtype).dot(part, total)
    return linear_bias_backward(sums)


def small_linear_backward(
    x: Array, weight: Array, output_grad: Array, transposed: bool, needs: tuple[bool, bool, bool]
) -> tuple[Array | None, Array | None, Array | None] | None:
    """`Backend.linear_backward` of small matrices, in the calls that the kernels for each would make; else None."""
    dtype = output_grad.dtype
    if x is None or x.ndim != 2 or x.dtype is not dtype or dtype not in BLAS:
        return None
    rows = len(x)
    if rows > _FEW or output_grad.size * x.shape[1] > _SMALL:
        return None
    of_x, of_weight, of_bias = needs
    x_grad = weight_grad = bias_grad = None
    if of_x:
        x_grad = output_grad.dot(weight if transposed else weight.T)
    if of_weight:
        weight_grad = output_grad.T.dot(x) if transposed else x.T.dot(output_grad)
    if of_bias:
        bias_grad = ones(rows, dtype).dot(output_grad)
    return x_grad, weight_grad, bias_grad


def _rows(x: Array) -> Array:
    """[..., d] as a matrix; d may be 0."""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


@lru_cache(maxsize=64)
def ones(n: int, dtype: Any) -> Array:
    """A vector of ones [n], to add up with."""
    return np.ones(n, dtype)
