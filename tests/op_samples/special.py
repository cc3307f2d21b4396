"""Samples of special functions, against integrals, series and Python's math."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .base import Sample, distinct
from .elementwise import as_floats, unary


def digamma(x: float) -> float:
    """By its recurrence up to 30, and there by the asymptotic series."""
    below = 0.0
    while x < 30:
        below += 1 / x
        x += 1
    return math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6) - below


def zeta(s: float, q: float) -> float:
    """Two hundred terms and the rest by Euler and Maclaurin; those of a negative q are added as they come."""
    end = q + 200
    terms = math.fsum((q + k) ** -s for k in range(200))
    rest = end ** (1 - s) / (s - 1) + end**-s / 2 + s * end ** (-s - 1) / 12
    return terms + rest - s * (s + 1) * (s + 2) * end ** (-s - 3) / 720


def bessel(order: int, scaled: bool) -> Any:
    """The mean of e^(x cos t) cos(order t) over the circle: the rule of equal steps is exact to the last digit."""
    angles = 2 * np.pi * np.arange(64) / 64

    def function(x: np.ndarray) -> np.ndarray:
        power = np.exp(np.multiply.outer(x, np.cos(angles)) - (np.abs(x)[..., None] if scaled else 0.0))
        return np.mean(power * np.cos(order * angles), axis=-1)

    return function


def inverse(function: Any, low: float, high: float) -> Any:
    """The inverse of a growing function, by bisection."""

    def found(y: float) -> float:
        a, b = low, high
        for _ in range(200):
            middle = 0.5 * (a + b)
            a, b = (middle, b) if function(middle) < y else (a, middle)
        return 0.5 * (a + b)

    return found


def each(function: Any) -> Any:
    """A function of floats, element by element."""
    return np.vectorize(function, otypes=[float])


def _erfcx(x: float) -> float:
    return math.exp(x * x) * math.erfc(x)


_erfc, _lgamma = each(math.erfc), each(math.lgamma)
_erfinv = each(inverse(math.erf, -6.0, 6.0))
_ndtri = each(inverse(lambda t: 0.5 * math.erfc(-t * math.sqrt(0.5)), -38.0, 8.5))
ORDERS = np.array([2.0, 3.0, 4.0])

SAMPLES: dict[str, list[Sample]] = {
    "erfc": [*unary(_erfc), Sample(_erfc, np.array([-6.0, 2.9, 5.0, 9.0]), half=False)],
    "erfcx": [*unary(each(_erfcx)), Sample(each(_erfcx), np.array([0.3, 0.6, 3.9, 4.5]))],
    "erfinv": [*unary(_erfinv, -0.95, 0.95), as_floats(_erfinv, np.array([0, 0]))],
    "ndtri": [*unary(_ndtri, 0.05, 0.95, integers=None), Sample(_ndtri, np.array([0.01, 0.2, 0.98]))],
    "lgamma": [
        *unary(_lgamma, 0.2, 5.0, integers=None),
        Sample(_lgamma, np.array([1.0, 2.0, 2.5, 9.0, 12.5])),
        Sample(_lgamma, np.array([-0.4, -1.6, -2.3])),
        as_floats(_lgamma, np.array([1, 2, 5])),
    ],
    "digamma": [*unary(each(digamma), 0.3, 4.0), Sample(each(digamma), np.array([-0.4, -1.6, -2.3, 12.0]))],
    "zeta": [
        Sample(each(zeta), 2.0, distinct((2, 3), 0.5, 3.0)),
        Sample(each(zeta), 3, distinct((4,), 0.5, 3.0)),
        Sample(each(zeta), 1.5, distinct((), 1.0, 3.0)),
        Sample(each(zeta), ORDERS, distinct((2, 1), 0.5, 3.0)),
        Sample(each(zeta), np.array([2, 3]), distinct((2,), 0.5, 3.0), note="integers s"),
        Sample(each(zeta), 2.0, np.array([-0.4, -1.6])),
        Sample(each(zeta), 3.0, np.array([-0.4, -1.6])),
        Sample(each(zeta), 2.0, np.zeros((0, 2))),
        as_floats(each(zeta), 3, np.array([1, 2])),
    ],
    "i0": [*unary(bessel(0, False)), Sample(bessel(0, False), np.array([-3.5, 0.0, 6.0]))],
    "i1": [*unary(bessel(1, False)), Sample(bessel(1, False), np.array([-3.5, 0.0, 6.0]))],
    "i0e": [*unary(bessel(0, True)), Sample(bessel(0, True), np.array([-3.5, 6.0, 15.0]))],
    "i1e": [
        *unary(bessel(1, True)),
        Sample(bessel(1, True), np.array([-3.5, 6.0, 15.0])),
        Sample(bessel(1, True), np.zeros(2), smooth=False),
    ],
}
