"""Functions that the array API standard lacks."""

from __future__ import annotations

from ..array_types import Array
from ..lookup import namespace
from .precision import cast, widened

__all__ = ["erf"]

# W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969), 631-637.
#: erf(x) = x * P(x^2) / Q(x^2) for |x| <= 0.46875, highest power first.
SMALL_P = (
    *(1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2),
    3.20937758913846947e3,
)
SMALL_Q = (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3)
#: erfc(x) = exp(-x^2) * P(x) / Q(x) for 0.46875 <= x <= 4; beyond it few digits are needed.
LARGE_P = (
    *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1),
    *(2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3),
    1.23033935479799725e3,
)
LARGE_Q = (
    *(1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3),
    *(3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
)
SPLIT = 0.46875
#: erf(x) is 1 to double precision from here on.
ONE = 6.0


def erf(x: Array) -> Array:
    """The error function, element by element: to about 1e-15 in float64, to the last digits in float32."""
    xp = namespace(x)
    wide = widened(xp, x)
    size = xp.minimum(xp.abs(wide), xp.full_like(wide, ONE))
    square = xp.minimum(size, xp.full_like(wide, SPLIT)) ** 2
    small = wide * _polynomial(SMALL_P, square) / _polynomial(SMALL_Q, square)
    large = 1 - xp.exp(-size * size) * _polynomial(LARGE_P, size) / _polynomial(LARGE_Q, size)
    out = xp.where(size <= SPLIT, small, xp.where(wide < 0, -large, large))
    return cast(xp, out, x.dtype)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """Horner's scheme, highest power first."""
    out = x * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        out = out * x + coefficient
    return out
