"""The logarithm of the gamma function and its derivatives.

The formulas are those of the NIST Digital Library of Mathematical Functions: 5.7.3 (series), 5.11.1 and 5.11.2
(asymptotic), 5.5.3 and 5.5.4 (reflection); for the Hurwitz zeta function 25.11.5 (Euler and Maclaurin).
"""

from __future__ import annotations

import math
from typing import Any

from ..array_types import Array, Namespace
from ..lookup import namespace
from .precision import cast, doubled
from .special import polynomial

__all__ = ["digamma", "lgamma", "zeta"]

#: lgamma(2 + t) = t * (1 - Euler's constant) + the sum over k >= 2 of (-1)^k (zeta(k) - 1) / k t^k: from k = 30 down.
NEAR_TWO = (
    *(3.1044247747322276e-11, -6.4229645638381e-11, 1.330476437424449e-10, -2.7595228851242334e-10),
    *(5.731367241678862e-10, -1.1921401405860912e-09, 2.4836745438024785e-09, -5.183475041970047e-09),
    *(1.0838659214896955e-08, -2.2711094608943164e-08, 4.7698101693639804e-08, -1.0043224823968099e-07),
    *(2.1207184805554665e-07, -4.492469198764566e-07, 9.55141213040742e-07, -2.039215753801366e-06),
    *(4.374866789907488e-06, -9.439488275268397e-06, 2.050721277567069e-05, -4.492623673813314e-05),
    *(9.945751278180853e-05, -0.00022315475845357939, 0.0005096695247430425, -0.001192753911703261),
    *(0.0028905103307415234, -0.007385551028673986, 0.020580808427784546, -0.0673523010531981),
    *(0.3224670334241132, 0.42278433509846713, 0.0),
)
#: B_2k / (2k (2k - 1)), the coefficients of Stirling's series in 1 / x^2, from k = 10 down.
STIRLING = (
    *(-1.3924322169059011, 0.17964437236883057, -0.029550653594771242, 0.00641025641025641, -0.0019175269175269176),
    *(0.0008417508417508417, -0.0005952380952380953, 0.0007936507936507937, -0.002777777777777778, 1 / 12),
)
#: B_2k / 2k, those of its derivative.
STIRLING_SLOPE = (
    *(-26.456212121212122, 3.0539543302701198, -0.4432598039215686, 1 / 12, -0.021092796092796094),
    *(0.007575757575757576, -0.004166666666666667, 0.003968253968253968, -0.008333333333333333, 1 / 12),
)
#: B_2k / (2k)!, from k = 1 up.
BERNOULLI = (
    *(0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07),
    *(2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13),
    *(8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19),
)
#: From here on the asymptotic series are exact.
LARGE = 9.0
#: From here on lgamma is infinite in float64.
ENDLESS = 2.556348e305


def lgamma(x: Array) -> Array:
    """log |gamma(x)|, element by element: infinite where gamma has poles."""
    xp = namespace(x)
    wide = doubled(xp, x)
    size = xp.abs(wide)
    out = _lgamma_positive(xp, size)
    # Gamma(x) Gamma(-x) = -pi / (x sin(pi x)). The sine is 0 at whole numbers, where there are poles.
    sine = xp.abs(xp.sin(math.pi * _from_nearest(xp, size)))
    pole = (wide <= 0) & (sine == 0)
    safe = xp.where(pole | (wide > 0), xp.ones_like(wide), size)
    mirrored = math.log(math.pi) - xp.log(safe) - xp.log(xp.where(sine == 0, xp.ones_like(wide), sine)) - out
    out = xp.where(wide < 0, mirrored, out)
    out = xp.where(pole | (size > ENDLESS), xp.full_like(wide, xp.inf), out)
    return cast(xp, out, x.dtype)


def _from_nearest(xp: Namespace, x: Array) -> Array:
    """x less the nearest whole number; 0 of infinities."""
    finite = xp.where(xp.isinf(x), xp.zeros_like(x), x)
    return finite - xp.round(finite)


def _lgamma_positive(xp: Namespace, x: Array) -> Array:
    """lgamma(x) for x >= 0; at 0 and from ENDLESS on any number."""
    ones = xp.ones_like(x)
    # Stirling.
    large = xp.where((x < LARGE) | (x > ENDLESS), LARGE * ones, x)
    inverse = 1.0 / large
    log = xp.log(large)
    stirling = large * (log - 1.0) - 0.5 * log + 0.5 * math.log(2 * math.pi)
    stirling = stirling + inverse * polynomial(STIRLING, inverse * inverse)
    # From 2.5 to there: down to [1.5, 2.5), with the factors passed.
    near = xp.where((x >= 2.5) & (x < LARGE), x, 2.0 * ones)
    factors = ones
    for _ in range(int(LARGE - 2.0)):
        above = near >= 2.5
        near = xp.where(above, near - 1.0, near)
        factors = xp.where(above, factors * near, factors)
    # Below 1.5: up by one, and below 0.5 by two.
    tiny, small = x < 0.5, x < 1.5
    t = xp.where(x >= 2.5, near - 2.0, xp.where(tiny, x, xp.where(small, x - 1.0, x - 2.0)))
    series = polynomial(NEAR_TWO, t)
    below = xp.log1p(xp.where(small, t, 0.0 * ones)) + xp.log(xp.where(tiny & (x > 0), x, ones))
    return xp.where(x >= LARGE, stirling, xp.where(x >= 2.5, xp.log(factors) + series, series - below))


def digamma(x: Array) -> Array:
    """The derivative of lgamma, element by element: infinite at 0, NaN at the other poles."""
    xp = namespace(x)
    wide = doubled(xp, x)
    ones = xp.ones_like(wide)
    below = wide < 0.0
    positive = xp.where(below, 1.0 - wide, wide)
    shifted = xp.where((positive == 0) | xp.isinf(positive), LARGE * ones, positive)
    before = 0.0 * ones
    for _ in range(int(LARGE)):
        small = shifted < LARGE
        before = xp.where(small, before + 1.0 / shifted, before)
        shifted = xp.where(small, shifted + 1.0, shifted)
    inverse = 1.0 / shifted
    square = inverse * inverse
    out = xp.log(shifted) - 0.5 * inverse - square * polynomial(STIRLING_SLOPE, square) - before
    # digamma(x) = digamma(1 - x) - pi / tan(pi x); as of whole numbers the tangent is exact near them.
    away = _from_nearest(xp, wide)
    whole = away == 0
    tangent = xp.tan(math.pi * xp.where(below & ~whole, away, 0.25 * ones))
    out = xp.where(below, out - math.pi / tangent, out)
    out = xp.where((below & whole) | (wide == -xp.inf), xp.full_like(wide, xp.nan), out)
    out = xp.where(wide == xp.inf, xp.full_like(wide, xp.inf), out)
    at_zero = xp.where(_is_negative_zero(xp, wide), xp.full_like(wide, xp.inf), xp.full_like(wide, -xp.inf))
    return cast(xp, xp.where(wide == 0, at_zero, out), x.dtype)


def _is_negative_zero(xp: Namespace, x: Array) -> Array:
    """Where x, if it is 0, is -0."""
    return xp.atan2(xp.zeros_like(x), x) > 1.0


def zeta(s: Any, q: Array) -> Array:
    """Hurwitz's zeta function, the sum over k >= 0 of (q + k)^(-s), for s > 1, element by element.

    Infinite where a term is; NaN for negative q if s is not a whole number.
    """
    xp = namespace(q)
    wide = doubled(xp, q)
    power = doubled(xp, s) if hasattr(s, "dtype") else xp.full_like(wide, float(s))
    power, wide = xp.broadcast_arrays(power, wide)
    ones = xp.ones_like(wide)
    valid = power > 1.0
    exponent = xp.where(valid, power, 2.0 * ones)
    pole = (wide <= 0.0) & (wide == xp.floor(wide))
    whole = exponent == xp.floor(exponent)
    fine = xp.where(pole | xp.isnan(wide) | xp.isinf(wide), ones, wide)
    below = fine < 0.0
    # Of negative q the terms with q + k < 0 are those of two other sums: 0 < rest < 1 is q plus a whole number.
    rest = xp.where(below, fine - xp.floor(fine), fine)
    out = _zeta_positive(xp, exponent, rest)
    sign = xp.where(xp.remainder(exponent, 2.0 * ones) == 0, ones, -ones)
    other = xp.where(below, -fine - xp.floor(-fine), ones)
    beyond = xp.where(below, 1.0 - fine, ones)
    passed = _zeta_positive(xp, exponent, other) - _zeta_positive(xp, exponent, beyond)
    out = xp.where(below, out + sign * passed, out)
    out = xp.where(below & ~whole, xp.full_like(out, xp.nan), out)
    out = xp.where(wide == xp.inf, 0.0 * ones, xp.where(wide == -xp.inf, xp.full_like(out, xp.nan), out))
    out = xp.where(pole | (power == 1.0), xp.full_like(out, xp.inf), out)
    out = xp.where((power < 1.0) | xp.isnan(power) | xp.isnan(wide), xp.full_like(out, xp.nan), out)
    return cast(xp, out, q.dtype)


def _zeta_positive(xp: Namespace, s: Array, q: Array) -> Array:
    """zeta(s, q) for s > 1 and q > 0: ten terms, and the rest by Euler and Maclaurin."""
    total = xp.zeros_like(q)
    for k in range(10):
        total = total + (q + float(k)) ** -s
    end = q + 10.0
    tail = end**-s
    total = total + tail * end / (s - 1.0) + 0.5 * tail
    rising, factor = s, tail / end
    for k, coefficient in enumerate(BERNOULLI):
        total = total + coefficient * rising * factor
        rising = rising * (s + (2.0 * k + 1.0)) * (s + (2.0 * k + 2.0))
        factor = factor / end / end
    return total
