"""Resizing: by the ``resampling`` primitive, by products of matrices, and backwards by an average pool.

oneDNN's own way back from the nearest or from a linear mode is a reference implementation in all but name, three to
nine times as slow as NumPy's. But the gradient of what was repeated is a sum over windows side by side, which is an
average; and any other is a product with the matrix of the weights, as in NumPy's kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from math import prod

import numpy as np

from ...array_types import Array, Shape
from ...module_ops.interpolate import Along, interpolate_backward_by, interpolate_by
from ...options import InterpolateOptions
from ...resampling import Resize
from ...shapes import interpolate_resizes
from ..interpolate import is_tame, product_along
from .constants import DST, FORWARD_INFERENCE, RESAMPLING_LINEAR, RESAMPLING_NEAREST, SRC
from .memory import Operand, in_order
from .plan import Plan, made
from .pools import sums
from .products import matmul

__all__ = ["interpolate", "interpolate_backward"]

#: From how many elements on its products are faster than BLAS's, which does those of a batch one by one.
LARGE = 2**17

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
    if options.mode.startswith("nearest"):
        return None
    return _by_products(x, lambda along: interpolate_by(along, x, output_size, options))


def interpolate_backward(x_shape: Shape, grad: Array, output_size: Shape, options: InterpolateOptions) -> Array | None:
    """`grad` [N, C, *output_size] brought back to the cells that it came from -> the gradient of x, of `x_shape`"""
    resizes = interpolate_resizes("interpolate_backward", x_shape, output_size, options, grad.shape)
    if _repeats(resizes):
        return sums(grad, tuple([resize.out // resize.size for resize in resizes]))
    return _by_products(grad, lambda along: interpolate_backward_by(along, x_shape, grad, output_size, options))


def _by_products(x: Array, resized: Callable[[Along], Array]) -> Array | None:
    if x.size < LARGE:
        return None
    with np.errstate(all="ignore"):
        out = resized(_along)
    return out if is_tame(min(x, out, key=np.size)) else None


def _multiplied(x: Array, y: Array) -> Array:
    out = matmul(x, y)
    return x @ y if out is None else out


_along = partial(product_along, _multiplied)


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
