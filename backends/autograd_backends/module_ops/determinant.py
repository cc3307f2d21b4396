"""The derivatives of the determinant, by singular values: exact to rounding for singular matrices too.

With x = u s v^H, the matrix of cofactors is that of the diagonal s, turned: det(u v^H) conj(u) cof(s) v^T. The
determinant of a diagonal matrix and its derivatives are products of all but one or two of its elements, so nothing is
divided by what may be 0.
"""

from __future__ import annotations

from ..array_types import Array
from ..lookup import namespace
from ..results import SlogdetResult
from .linalg import as_array, svd

__all__ = ["cofactor", "cofactor_backward", "det", "slogdet"]


def det(x: Array) -> Array:
    """The determinant of x [..., n, n] -> [...]"""
    out: Array = namespace(x).linalg.det(x)
    return out


def slogdet(x: Array) -> SlogdetResult:
    """The sign of the determinant of x [..., n, n], and the logarithm of its absolute value -> [...] each"""
    sign, logarithm = namespace(x).linalg.slogdet(x)
    return SlogdetResult(as_array(sign), as_array(logarithm))


def cofactor(x: Array) -> Array:
    """The derivative of the determinant of x [..., n, n] by its elements: [..., n, n]"""
    xp = namespace(x)
    if 0 in x.shape:
        return xp.asarray(x, copy=True)
    left, s, right, sign = _turned(x)
    return xp.matmul(left * _row(x, sign * _all_but_one(s)), right)


def cofactor_backward(x: Array, output_grad: Array) -> Array:
    """The derivative of ``sum(output_grad * cofactor(x))`` by x, itself symmetric: a second derivative"""
    xp = namespace(x)
    if 0 in x.shape:
        return xp.asarray(x, copy=True)
    left, s, right, sign = _turned(x)
    # In the turned coordinates, for i != j: the product of all s but two, i and j, times g_jj at ii and -g_ji at ij.
    turned = xp.matmul(xp.matrix_transpose(left), xp.matmul(output_grad, xp.matrix_transpose(right)))
    others = xp.astype(_all_but_two(s), x.dtype)
    identity = xp.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    diagonal = xp.sum(turned * identity, axis=-1, keepdims=True)
    at_diagonal = identity * xp.matmul(others, diagonal)
    middle = xp.expand_dims(xp.astype(sign, x.dtype), axis=-1) * (at_diagonal - others * xp.matrix_transpose(turned))
    return xp.matmul(left, xp.matmul(middle, right))


def _turned(x: Array) -> tuple[Array, Array, Array, Array]:
    """conj(u), s, v^T and det(u v^H) [..., 1]."""
    xp = namespace(x)
    u, s, vh = svd("det", x, False)
    sign = xp.linalg.det(u) * xp.linalg.det(vh)
    return xp.conj(u), s, xp.conj(vh), xp.reshape(sign, (*x.shape[:-2], 1))


def _row(x: Array, values: Array) -> Array:
    xp = namespace(x)
    return xp.expand_dims(xp.astype(values, x.dtype), axis=-2)


def _products_before(s: Array) -> Array:
    """For each element of s [..., n] the product of those before it."""
    return namespace(s).cumulative_prod(s, axis=-1, include_initial=True)[..., :-1]


def _products_after(s: Array) -> Array:
    xp = namespace(s)
    return xp.flip(_products_before(xp.flip(s, axis=-1)), axis=-1)


def _all_but_one(s: Array) -> Array:
    """For each element of s [..., n] the product of the others."""
    return _products_before(s) * _products_after(s)


def _all_but_two(s: Array) -> Array:
    """For each two elements i and j of s [..., n] the product of the others: [..., n, n], 0 where i is j."""
    xp = namespace(s)
    n = s.shape[-1]
    # Of those between i and j > i: running products of s with 1 in place of what is not after i.
    later = xp.triu(xp.ones((n, n), dtype=xp.int8, device=s.device), k=1) != 0
    after = xp.where(later, xp.expand_dims(s, axis=-2), xp.ones((), dtype=s.dtype, device=s.device))
    between = _products_before(after)
    above = xp.expand_dims(_products_before(s), axis=-1) * between * xp.expand_dims(_products_after(s), axis=-2)
    upper = xp.where(later, above, xp.zeros((), dtype=s.dtype, device=s.device))
    return upper + xp.matrix_transpose(upper)
