"""Determinants and their logarithms."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels
from autograd_backends.results import SlogdetResult

from ...registry import Array, op
from ..complex import conj
from ..dtype import zeros_like
from ..product import matmul
from ..reduce import sum
from ..shape import expand_dims, matrix_transpose
from .common import check_square, diagonal_of, is_complex
from .solve import inv, inv_ex

__all__ = ["cofactor", "cofactor_backward", "det", "slogdet"]


@op(formula="dx = g cofactor(x)")
def det(x: Array) -> Array:
    """The determinant of square matrices x [..., n, n] -> [...]"""
    check_square("det", x)
    return kernels(x).det(x)


det.backward(x=lambda g, x: _each(g) * cofactor(x))


def _each(values: Any) -> Any:
    """Numbers [...] as [..., 1, 1]."""
    return expand_dims(expand_dims(values, -1), -1)


@op(formula="dx = cofactor_backward(x, g)")
def cofactor(x: Array) -> Array:
    """The derivative of the determinant by each element of x [..., n, n], finite for singular x too"""
    check_square("cofactor", x)
    return kernels(x).cofactor(x)


cofactor.backward(x=lambda g, x: cofactor_backward(x, g))


@op(formula="doutput_grad = cofactor_backward(x, g), dx by the inverse of x", promote=True)
def cofactor_backward(x: Array, output_grad: Array) -> Array:
    """The derivative of ``sum(output_grad * cofactor(x))`` by x [..., n, n]"""
    check_square("cofactor_backward", x)
    return kernels(x).cofactor_backward(x, output_grad)


def _third(g: Any, x: Any, output_grad: Any) -> Any:
    # The third derivative of the determinant in the directions g and output_grad, by d(x^-1) = -x^-1 dx x^-1: for a
    # singular matrix this form of it does not exist.
    if x.shape[-1] < 3:
        return zeros_like(x)
    inverse = inv(x)
    p, q = matmul(inverse, g), matmul(inverse, output_grad)
    pq = matmul(p, q)
    trace_p, trace_q = _each_trace(p), _each_trace(q)
    both = pq + matmul(q, p)
    scale = trace_p * trace_q - _each_trace(pq)
    inner = scale * inverse - trace_p * matmul(q, inverse) - trace_q * matmul(p, inverse) + matmul(both, inverse)
    return _each(det(x)) * matrix_transpose(inner)


def _each_trace(x: Any) -> Any:
    return _each(sum(diagonal_of(x), (x.ndim - 2,), False))


cofactor_backward.backward(x=_third, output_grad=lambda g, x: cofactor_backward(x, g))


@op(formula="dx = (dlogabsdet + i Im(dsign sign)) x^-T", outputs=("sign", "logabsdet"))
def slogdet(x: Array) -> SlogdetResult:
    """The sign, a number of absolute value 1 or 0, and the logarithm of the absolute value, of the determinant

    Of square matrices x [..., n, n] -> [...]; minus infinity for a singular one.
    """
    check_square("slogdet", x)
    return SlogdetResult(*kernels(x).slogdet(x))


def _slogdet_x(g: Any, x: Any, sign: Any) -> Any:
    # log det = log|det| + i arg det has the derivative tr(x^-1 dx).
    g_sign, scale = g
    if is_complex(x):
        turn = g_sign * sign
        scale = scale + (turn - conj(turn)) * 0.5
    return _each(scale) * matrix_transpose(inv_ex(x).inverse)


slogdet.backward(x=_slogdet_x)
