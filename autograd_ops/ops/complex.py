"""Complex numbers: their two parts, and their conjugates.

The tape carries C-linear gradients, with no conjugate in them (`autograd_ops.ends` says why), so the derivative of what
is holomorphic is the same for real and complex numbers. What is here is not holomorphic: its rules are those of a
function of two reals, written for ``g = dL/d(real) - i dL/d(imag)``.
"""

from __future__ import annotations

from typing import Any

from autograd_backends import dtype_name, kernels, namespace

from ..registry import Array, op
from .dtype import zeros_like

__all__ = ["complex", "conj", "imag", "real"]


def _is_complex(x: Any) -> bool:
    return dtype_name(x).startswith("complex")


@op(formula="dx = real g, dy = -imag g", broadcast=True, floating=True)
def complex(x: Array, y: Array) -> Array:
    """x + i y, of real x and y"""
    array = x if hasattr(x, "dtype") else y
    name = dtype_name(array)
    if name not in ("float32", "float64"):
        raise TypeError(f"complex: the parts must be float32 or float64, and these are {name}")
    return kernels(array).complex(x, y)


complex.backward(x=lambda g: real(g), y=lambda g: -imag(g))


def _conj_written(base: Any, value: Any) -> Any:
    """`base` after its conjugate was set to `value`."""
    return conj(value)


# Of real numbers it is the identity, and gives the very memory of x: hence a view op.
@op(formula="dx = conj g", view=_conj_written)
def conj(x: Array) -> Array:
    """The complex conjugate of x; a real x itself"""
    return namespace(x).conj(x) if _is_complex(x) else x


conj.backward(x=lambda g: conj(g))


def _real_written(base: Any, value: Any) -> Any:
    """`base` after its real part was set to `value`."""
    return complex(value, imag(base)) if _is_complex(getattr(base, "array", base)) else value


# The gradient is real: the registry casts it to the dtype of x.
@op(formula="dx = g", promote="gradients", view=_real_written)
def real(x: Array) -> Array:
    """The real part of x; a real x itself"""
    return namespace(x).real(x) if _is_complex(x) else x


real.backward(x=lambda g: g)


def _imag_written(base: Any, value: Any) -> Any:
    """`base` after its imaginary part was set to `value`."""
    return complex(real(base), value)


@op(formula="dx = -i g", view=_imag_written)
def imag(x: Array) -> Array:
    """The imaginary part of a complex x"""
    if not _is_complex(x):
        raise TypeError(f"imag: x must be complex, and this is {dtype_name(x)}")
    return namespace(x).imag(x)


imag.backward(x=lambda g: complex(zeros_like(g), -g))
