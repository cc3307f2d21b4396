"""Complex numbers with PyTorch's names. Every Tensor here is what it says: none is lazily conjugated or negated."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..refusals import named
from ..tensor import Tensor
from .products import dot

__all__ = [
    "adjoint",
    "angle",
    "complex",
    "conj",
    "conj_physical",
    "imag",
    "is_complex",
    "is_conj",
    "is_neg",
    "isreal",
    "polar",
    "real",
    "resolve_conj",
    "resolve_neg",
    "sgn",
    "vdot",
    "view_as_complex",
    "view_as_real",
]


# ---------------------------------------------------------------- made of two parts


def complex(real: Tensor, imag: Tensor) -> Tensor:
    """real + i imag, broadcast.

    Raises
    ------
    TypeError
        If they are not float32 or float64, or their dtypes differ.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.complex(ag.tensor([1.0, 2.0]), ag.tensor([3.0, 4.0]))
    tensor([1.+3.j, 2.+4.j])
    """
    if real.dtype is not imag.dtype:
        raise TypeError(
            f"complex: real and imag must have one dtype, and they are {real.dtype.name} and {imag.dtype.name}"
        )
    return ops.complex(real, imag)


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """The complex numbers of size `abs` and `angle`, in radians.

    Raises
    ------
    TypeError
        As `complex`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.polar(ag.tensor([2.0]), ag.tensor([0.0]))
    tensor([2.+0.j])
    """
    return complex(abs * ops.cos(angle), abs * ops.sin(angle))


def view_as_complex(input: Tensor) -> Tensor:
    """The complex numbers whose parts are the two elements of the last dimension: a view where memory allows.

    Raises
    ------
    TypeError, ValueError
        If `input` is not float32 or float64, or its last dimension is not of length 2.
    """
    return ops.view_as_complex(input)


def view_as_real(input: Tensor) -> Tensor:
    """The parts of complex numbers in a new last dimension of length 2: a view where the array library has such.

    Raises
    ------
    TypeError
        If `input` is real.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.view_as_real(ag.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    return ops.view_as_real(input)


# ---------------------------------------------------------------- the parts


def real(input: Tensor) -> Tensor:
    """The real part, a view where the array library has such; of a real Tensor itself."""
    return ops.real(input) if input.dtype.is_complex else input


def imag(input: Tensor) -> Tensor:
    """The imaginary part, a view where the array library has such.

    Raises
    ------
    TypeError
        If `input` is real.
    """
    return ops.imag(input)


def angle(input: Tensor) -> Tensor:
    """The angle in radians: of negative real numbers pi, of other real ones 0. The gradient at 0 is 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.angle(ag.tensor([1j, -1.0]))
    tensor([1.5708, 3.1416])
    """
    if input.dtype.is_complex:
        return ops.atan2(ops.imag(input), ops.real(input))
    floats = input if input.dtype.is_floating_point else ops.mul(input, 1.0)
    return ops.where(floats < 0, math.pi, ops.where(ops.isnan(floats), floats, 0.0))


def sgn(input: Tensor) -> Tensor:
    """``input / |input|``, and 0 at 0; of real numbers `sign`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.sgn(ag.tensor([3 + 4j, 0]))
    tensor([0.6+0.8j, 0. +0.j ])
    """
    return ops.sgn(input)


# ---------------------------------------------------------------- conjugates


def conj(input: Tensor) -> Tensor:
    """The complex conjugate, computed at once; a real Tensor itself."""
    return ops.conj(input) if input.dtype.is_complex else input


conj_physical = conj


def adjoint(input: Tensor) -> Tensor:
    """The conjugate of the matrices in the last two dimensions, transposed.

    Raises
    ------
    ValueError
        If there are fewer than two dimensions.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.adjoint(ag.tensor([[1 + 1j, 2 + 2j]]))
    tensor([[1.-1.j],
            [2.-2.j]])
    """
    if input.ndim < 2:
        raise ValueError(f"adjoint: expected at least 2 dimensions, got shape {tuple(input.shape)}")
    return conj(ops.matrix_transpose(input))


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The sum of the products of one vector's conjugates with another's elements.

    Raises
    ------
    ValueError
        If they are not two vectors.
    """
    return dot(conj(input), other)


def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself: no Tensor is lazily conjugated."""
    return input


def resolve_neg(input: Tensor) -> Tensor:
    """`input` itself: no Tensor is lazily negated."""
    return input


# ---------------------------------------------------------------- questions


def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers."""
    return input.dtype.is_complex


def is_conj(input: Tensor) -> bool:
    """False: no Tensor is lazily conjugated."""
    return False


def is_neg(input: Tensor) -> bool:
    """False: no Tensor is lazily negated."""
    return False


def isreal(input: Tensor) -> Any:
    """Where the imaginary part is 0; everywhere in a real Tensor.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.isreal(ag.tensor([1 + 1j, 2]))
    tensor([False,  True])
    """
    return ops.imag(input) == 0 if input.dtype.is_complex else ops.equal(ops.zeros_like(input), 0)


named(__name__)
