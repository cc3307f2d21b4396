"""Losses that are one op, because many small training steps end in them."""

from __future__ import annotations

from math import prod
from typing import Any

from autograd_backends import namespace

from ..registry import Array, op

__all__ = ["mse"]


@op(formula="dx = 2 g (x - y) / n, dy = -dx", broadcast=True, floating=True)
def mse(x: Array, y: Array) -> Array:
    """The mean of (x - y)^2 over all elements"""
    difference = x - y
    return namespace(difference).mean(difference * difference)


def _mse_x(g: Any, x: Any, y: Any) -> Any:
    difference = x - y
    return difference * (g * (2.0 / max(prod(difference.shape), 1)))


mse.backward(x=_mse_x, y=lambda g, x, y: -_mse_x(g, x, y))
