"""Functions of complex numbers where NumPy's differ from the array API standard at infinities and signed zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["expm1", "tanh"]


def expm1(x: Any) -> Any:
    """e^x - 1, exact near 0: with x = a + ib, expm1(a) cos b - 2 sin(b / 2)^2 + i e^a sin b"""
    a, b = x.real, x.imag
    endless = ~np.isfinite(b)
    with np.errstate(invalid="ignore"):
        real = np.expm1(a) * np.cos(b) - 2 * np.sin(b / 2) ** 2 + 0.0
        imag = np.exp(a) * np.sin(b)
    # An infinite a leaves the size alone, whatever the angle b; an angle of 0 stays one, whatever the size.
    real = np.where(endless & np.isinf(a), np.expm1(a), real)
    imag = np.where(b == 0, b, np.where(endless & (a == -np.inf), 0, imag))
    return _complex(x, real, imag)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent; at an infinite real part 1 or -1, with a zero of the sign of the imaginary part"""
    a, b = x.real, x.imag
    with np.errstate(invalid="ignore"):
        out = np.tanh(x)
    far = np.isinf(a) & np.isfinite(b)
    return _complex(x, np.where(far, np.sign(a), out.real), np.where(far, np.copysign(0, b), out.imag))


def _complex(x: Any, real: Any, imag: Any) -> Any:
    """real + i imag, part by part: a product with i would turn infinities into NaN."""
    out = np.empty_like(x)
    out.real, out.imag = real, imag
    return out
