"""Resizing: by the ``resampling`` primitive, and back from what was repeated by an average pool.

oneDNN's own way back is a reference implementation in all but name, three to nine times as slow as NumPy's products of
matrices. But the gradient of what was repeated is a sum over windows side by side, which is an average.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np

from ...array_types import Array, Shape
from ...options import InterpolateOptions
from ...resampling import Resize
from ...shapes import interpolate_resizes
from ..interpolate import is_tame
from .averages import sums
from .constants import DST, FORWARD_INFERENCE, RESAMPLING_LINEAR, RESAMPLING_NEAREST, SRC
from .memory import Operand, in_order
from .plan import Plan, made

__all__ = ["interpolate", "interpolate_backward"]

_LINEAR = ("linear", "bilinear", "trilinear")


def interpolate(x: Array, output_size: Shape, options: InterpolateOptions) -> Array | None:
    """x [N, C, ...] resized -> [N, C, *output_size]"""
    resizes = interpolate_resizes("interpolate", x.shape, output_size, options)
    shape = (*x.shape[:2], *[resize.out for resize in resizes])
    if prod(shape) and x.flags.c_contiguous:
        if _repeats(resizes):
            return made(_resampled, RESAMPLING_NEAREST, shape, x)
        if _is_linear(resizes):
            out = made(_resampled, RESAMPLING_LINEAR, shape, x)
            # It multiplies by weights of 0, too.
            if out is not None and is_tame(min(x, out, key=np.size)):
                return out
    return None


def interpolate_backward(x_shape: Shape, grad: Array, output_size: Shape, options: InterpolateOptions) -> Array | None:
    """`grad` [N, C, *output_size] brought back to the cells that it came from -> the gradient of x, of `x_shape`"""
    resizes = interpolate_resizes("interpolate_backward", x_shape, output_size, options, grad.shape)
    if _repeats(resizes):
        return sums(grad, tuple([resize.out // resize.size for resize in resizes]))
    return None


@lru_cache(maxsize=512)
def _repeats(resizes: tuple[Resize, ...]) -> bool:
    """Whether each cell becomes several equal ones, as many in one place as in another."""
    return len(resizes) <= 3 and all(
        r.mode.startswith("nearest") and r.scale is None and not r.out % r.size for r in resizes
    )


@lru_cache(maxsize=512)
def _is_linear(resizes: tuple[Resize, ...]) -> bool:
    """Whether oneDNN's linear mode does this: from cell to cell, with the outer edges where they are."""
    return len(resizes) <= 3 and all(
        r.mode in _LINEAR and r.scale is None and not r.align_corners and not r.antialias for r in resizes
    )


# ---------------------------------------------------------------- plans


def _resampled(plan: Plan, algorithm: int, out: Operand, x: Operand) -> None:
    with plan.shared(prod(out.shape)):
        primitive = plan.primitive("resampling_forward", FORWARD_INFERENCE, algorithm, None, in_order(x), out)
        plan.step(primitive, {SRC: x, DST: out})
