"""Functions that the array API standard lacks."""

from __future__ import annotations

import math

from ..array_types import Array, Namespace
from ..lookup import namespace
from .precision import cast, doubled, widened

__all__ = ["erf", "erfc", "erfcx", "erfinv", "ndtri", "polynomial"]

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
#: erfc(x) = exp(-x^2) / x * (1 / sqrt(pi) - z * P(z) / Q(z)) for x >= 4, where z = 1 / x^2.
FAR_P = (
    *(1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1),
    *(1.60837851487422766e-2, 6.58749161529837803e-4),
)
FAR_Q = (
    *(1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2),
    2.33520497626869185e-3,
)
SPLIT, FAR = 0.46875, 4.0
#: erf(x) is 1 to double precision from here on.
ONE = 6.0


def erf(x: Array) -> Array:
    """The error function, element by element: to about 1e-15 in float64, to the last digits in float32."""
    xp = namespace(x)
    wide = widened(xp, x)
    size = xp.minimum(xp.abs(wide), xp.full_like(wide, ONE))
    square = xp.minimum(size, xp.full_like(wide, SPLIT)) ** 2
    small = wide * polynomial(SMALL_P, square) / polynomial(SMALL_Q, square)
    large = 1 - xp.exp(-size * size) * polynomial(LARGE_P, size) / polynomial(LARGE_Q, size)
    out = xp.where(size <= SPLIT, small, xp.where(wide < 0, -large, large))
    return cast(xp, out, x.dtype)


def erfc(x: Array) -> Array:
    """1 - erf(x), element by element, to the last digits also where it is tiny."""
    xp = namespace(x)
    wide = doubled(xp, x)
    # Beyond 28 it is 0 in float64; NaN stays.
    size = xp.minimum(xp.abs(wide), xp.full_like(wide, 28.0))
    coarse, fine = _square(xp, size)
    tail = xp.exp(-coarse) * xp.exp(-fine) * _scaled_tail(xp, size)
    out = xp.where(size <= SPLIT, 1.0 - _small(xp, wide), xp.where(wide < 0, 2.0 - tail, tail))
    return cast(xp, out, x.dtype)


def erfcx(x: Array) -> Array:
    """e^(x^2) erfc(x), element by element: it neither vanishes nor loses digits for large x."""
    xp = namespace(x)
    wide = doubled(xp, x)
    # From here down it is infinite in float64.
    infinite = wide < -26.628
    near = xp.where(infinite, xp.zeros_like(wide), xp.minimum(wide, xp.full_like(wide, SPLIT)))
    coarse, fine = _square(xp, near)
    power = xp.exp(coarse) * xp.exp(fine)
    negative = 2.0 * power - _scaled_tail(xp, xp.maximum(-near, xp.full_like(wide, SPLIT)))
    middle = power * (1.0 - _small(xp, wide))
    positive = _scaled_tail(xp, xp.maximum(wide, xp.full_like(wide, SPLIT)))
    out = xp.where(wide > SPLIT, positive, xp.where(wide < -SPLIT, negative, middle))
    out = xp.where(infinite, xp.full_like(wide, xp.inf), out)
    return cast(xp, xp.where(xp.isnan(wide), wide, out), x.dtype)


def _square(xp: Namespace, x: Array) -> tuple[Array, Array]:
    """x^2 in two parts: the square of x cut to few digits, which is exact, and the rest."""
    coarse = xp.floor(x * 16.0) / 16.0
    return coarse * coarse, (x - coarse) * (x + coarse)


def _small(xp: Namespace, x: Array) -> Array:
    """erf(x) for |x| <= SPLIT; beyond it any number."""
    square = xp.minimum(xp.abs(x), xp.full_like(x, SPLIT)) ** 2
    near = xp.minimum(xp.maximum(x, xp.full_like(x, -SPLIT)), xp.full_like(x, SPLIT))
    return near * polynomial(SMALL_P, square) / polynomial(SMALL_Q, square)


def _scaled_tail(xp: Namespace, x: Array) -> Array:
    """e^(x^2) erfc(x) for x >= SPLIT; below it any number."""
    near = xp.minimum(x, xp.full_like(x, FAR))
    middle = polynomial(LARGE_P, near) / polynomial(LARGE_Q, near)
    far = xp.maximum(x, xp.full_like(x, FAR))
    z = 1.0 / far / far
    beyond = (1.0 / math.sqrt(math.pi) - z * polynomial(FAR_P, z) / polynomial(FAR_Q, z)) / far
    return xp.where(x <= FAR, middle, beyond)


# M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Appl. Statist. 37 (1988), 477.
#: The quantile of p is q * P(r) / Q(r) with q = p - 1/2 and r = 0.425^2 - q^2, for |q| <= 0.425.
CENTRE_P = (
    *(2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4),
    *(1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0),
)
CENTRE_Q = (
    *(5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4),
    *(5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0),
)
#: In the tails P(r) / Q(r) with r = sqrt(-log(the smaller of p and 1 - p)): of r - 1.6 up to 5, of r - 5 beyond.
NEAR_P = (
    *(7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0),
    *(3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0),
)
NEAR_Q = (
    *(1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1),
    *(6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0),
)
REST_P = (
    *(2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2),
    *(2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0),
)
REST_Q = (
    *(2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4),
    *(1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
)


def ndtri(x: Array) -> Array:
    """The quantile of the normal distribution, element by element: infinite at 0 and 1, NaN beyond."""
    xp = namespace(x)
    p = doubled(xp, x)
    return cast(xp, _quantile(xp, p - 0.5, xp.minimum(p, 1.0 - p)), x.dtype)


def erfinv(x: Array) -> Array:
    """The inverse of erf, element by element: infinite at -1 and 1, NaN beyond."""
    xp = namespace(x)
    wide = doubled(xp, x)
    out = _quantile(xp, wide * 0.5, (1.0 - xp.abs(wide)) * 0.5) * math.sqrt(0.5)
    return cast(xp, out, x.dtype)


def _quantile(xp: Namespace, q: Array, tail: Array) -> Array:
    """The normal quantile of p, given p - 1/2 and the smaller of p and 1 - p."""
    central = xp.abs(q) <= 0.425
    near = xp.where(central, q, xp.zeros_like(q))
    square = 0.180625 - near * near
    centre = near * polynomial(CENTRE_P, square) / polynomial(CENTRE_Q, square)
    inside = tail > 0
    root = xp.sqrt(-xp.log(xp.where(inside, tail, xp.full_like(q, 0.5))))
    middle = xp.minimum(root, xp.full_like(q, 5.0)) - 1.6
    rest = xp.maximum(root, xp.full_like(q, 5.0)) - 5.0
    size = xp.where(
        root <= 5.0,
        polynomial(NEAR_P, middle) / polynomial(NEAR_Q, middle),
        polynomial(REST_P, rest) / polynomial(REST_Q, rest),
    )
    size = xp.where(inside, size, xp.where(tail == 0, xp.full_like(q, xp.inf), xp.full_like(q, xp.nan)))
    return xp.where(central, centre, xp.where(q < 0, -size, size))


def polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """Horner's scheme, highest power first."""
    out = x * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        out = out * x + coefficient
    return out
