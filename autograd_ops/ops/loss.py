"""Losses whose derivative is not that of the formula they are computed by."""

from __future__ import annotations

from typing import Any

from ..registry import Array, op
from .compare import where
from .elementwise import clamp, log, log1p

__all__ = ["binary_cross_entropy"]

#: Logarithms are at least this, so that a certain and wrong prediction costs much, but not infinitely much.
_LEAST_LOG = -100.0


def _log(x: Any) -> Any:
    return where(x > 0, clamp(log(where(x > 0, x, 1.0)), _LEAST_LOG), _LEAST_LOG)


def _log_rest(x: Any) -> Any:
    return where(x < 1, clamp(log1p(-where(x < 1, x, 0.0)), _LEAST_LOG), _LEAST_LOG)


@op(
    formula="dx = g (x - target) / max(x (1 - x), 1e-12), dtarget = g (log(1 - x) - log x)",
    broadcast=True,
    floating=True,
)
def binary_cross_entropy(x: Array, target: Array) -> Array:
    """-(target log x + (1 - target) log(1 - x)) for x in [0, 1], each logarithm at least -100"""
    return -(target * _log(x) + (1.0 - target) * _log_rest(x))


binary_cross_entropy.backward(
    x=lambda g, x, target: g * ((x - target) / clamp(x * (1.0 - x), 1e-12)),
    target=lambda g, x: g * (_log_rest(x) - _log(x)),
)
