"""Complex numbers: their two parts, and their conjugates.

The tape carries C-linear gradients, with no conjugate in them (`autograd_ops.ends` says why), so the derivative of what
is holomorphic is the same for real and complex numbers. What is here is not holomorphic: its rules are those of a
function of two reals, written for ``g = dL/d(real) - i dL/d(imag)``.
"""

from __future__ import annotations

from typing import Any

from autograd_backends import dtype_name, kernels, namespace

from ..registry import Array, op
from .dtype import has_complex, zeros_like

__all__ = ["complex", "conj", "imag", "real", "view_as_complex", "view_as_real"]


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
    return namespace(x).conj(x) if has_complex(x) else x


conj.backward(x=lambda g: conj(g))


def _known_window(part: Array, x: Array) -> Array:
    """`part`, if it is known to share the memory of x; else a copy, so that it shares none without a word."""
    return part if kernels(x).shares_memory(part, x) else namespace(x).asarray(part, copy=True)


def _real_written(base: Any, value: Any) -> Any:
    """`base` after its real part was set to `value`."""
    return complex(value, imag(base)) if has_complex(base) else value


# The gradient is real: the registry casts it to the dtype of x.
@op(formula="dx = g", promote="gradients", view=_real_written)
def real(x: Array) -> Array:
    """The real part of x; a real x itself"""
    return _known_window(namespace(x).real(x), x) if has_complex(x) else x


real.backward(x=lambda g: g)


def _imag_written(base: Any, value: Any) -> Any:
    """`base` after its imaginary part was set to `value`."""
    return complex(real(base), value)


@op(formula="dx = -i g", view=_imag_written)
def imag(x: Array) -> Array:
    """The imaginary part of a complex x"""
    if not has_complex(x):
        raise TypeError(f"imag: x must be complex, and this is {dtype_name(x)}")
    return _known_window(namespace(x).imag(x), x)


imag.backward(x=lambda g: complex(zeros_like(g), -g))


@op(formula="dx = the conjugate of g, viewed as complex", view=lambda base, value: view_as_complex(value))
def view_as_real(x: Array) -> Array:
    """The parts of a complex x side by side, [..., 2]; a view where the library has such"""
    if not has_complex(x):
        raise TypeError(f"view_as_real: x must be complex, and this is {dtype_name(x)}")
    return kernels(x).view_as_real(x)


view_as_real.backward(x=lambda g: conj(view_as_complex(g)))


@op(formula="dx = conj g, viewed as real", view=lambda base, value: view_as_real(value))
def view_as_complex(x: Array) -> Array:
    """The complex numbers whose parts are side by side in x [..., 2]; a view where the library has such, and x is so"""
    if dtype_name(x) not in ("float32", "float64"):
        raise TypeError(f"view_as_complex: x must be float32 or float64, and this is {dtype_name(x)}")
    if not x.shape or x.shape[-1] != 2:
        raise ValueError(f"view_as_complex: the last dimension holds the two parts, and x has shape {tuple(x.shape)}")
    return kernels(x).view_as_complex(x)


view_as_complex.backward(x=lambda g: view_as_real(conj(g)))
