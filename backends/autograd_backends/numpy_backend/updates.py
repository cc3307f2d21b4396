"""Optimizers' updates on NumPy: the calls of the default, without new arrays, block by block.

A block and what is computed of it stay in the processor's cache, so that the passes over them cost little more than
one. A number beside a small array is a 0-d array: to convert a Python number takes as long as the arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..array_types import Array
from ..options import AdamStep
from .blocks import BLOCK, in_cache
from .onednn.gate import gate

__all__ = ["adam_step", "descend"]

add, multiply, subtract, divide, sqrt, maximum = np.add, np.multiply, np.subtract, np.divide, np.sqrt, np.maximum


def descend(arrays: Sequence[Array], grads: Sequence[Array], rate: float) -> None:
    """``array -= rate * grad`` for each of `arrays` and its gradient; all are of one dtype."""
    pace = _number(rate, arrays[0].dtype)
    for array, grad in zip(arrays, grads, strict=True):
        if array.size < BLOCK:
            array -= pace * grad
        else:
            _descend(array, grad, pace)


def _descend_by_blocks(array: Array, grad: Array, pace: Array) -> None:
    for part, slope in in_cache(array, grad):
        part -= pace * slope


_descend = gate("descend", lambda: _descend_by_blocks)


def adam_step(array: Array, grad: Array, mean: Array, square: Array, largest: Array | None, step: AdamStep) -> None:
    """`module_ops.updates.adam_step`, the same operations in the same order."""
    dtype = array.dtype
    beta1, new1 = _number(step.beta1, dtype), _number(1.0 - step.beta1, dtype)
    beta2, new2 = _number(step.beta2, dtype), _number(1.0 - step.beta2, dtype)
    pace, slack = np.array(step.pace, dtype), np.array(step.slack, dtype)
    shrink = None if step.shrink == 1.0 else _number(step.shrink, dtype)
    arrays = (array, grad, mean, square) if largest is None else (array, grad, mean, square, largest)
    for w, g, m, v, *most in in_cache(*arrays):
        move, root = np.empty(w.shape, dtype), np.empty(w.shape, dtype)  # of what is 0-d, results would be scalars
        multiply(g, new1, move)
        multiply(m, beta1, m)
        add(m, move, m)
        multiply(g, new2, move)
        multiply(move, g, move)
        multiply(v, beta2, v)
        add(v, move, v)
        for u in most:
            v = maximum(u, v, out=u)
        sqrt(v, root)
        add(root, slack, root)
        multiply(m, pace, move)
        divide(move, root, move)
        if shrink is not None:
            multiply(w, shrink, w)
        subtract(w, move, w)


@lru_cache(maxsize=64)
def _number(value: float, dtype: Any) -> Array:
    """`value` as a 0-d array."""
    return np.array(value, dtype)
