"""Samples of resizing and its gradient."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from autograd_ops.ops import InterpolateOptions

from .base import Sample, adjoint, distinct


def linear(d: float) -> float:
    """A tent."""
    return max(0.0, 1.0 - abs(d))


def cubic(a: float) -> Callable[[float], float]:
    """Cubic convolution with parameter `a`, as a function of the distance."""

    def kernel(d: float) -> float:
        d = abs(d)
        if d <= 1:
            return (a + 2) * d**3 - (a + 3) * d**2 + 1
        return a * (d**3 - 5 * d**2 + 8 * d - 4) if d < 2 else 0.0

    return kernel


def lanczos(d: float) -> float:
    """sinc(d) sinc(d / 3)"""
    return float(np.sinc(d) * np.sinc(d / 3)) if abs(d) < 3 else 0.0


LINEAR = ("linear", "bilinear", "trilinear")


def matrix(size: int, out: int, options: InterpolateOptions, scale: float | None) -> np.ndarray:
    """The weight of each input cell in each output cell, from its distance."""
    weights = np.zeros((out, size))
    ratio = Fraction(size, out) if scale is None else 1 / Fraction(scale)
    for o in range(out):
        if options.mode == "nearest":
            weights[o, math.floor(o * ratio)] = 1
        elif options.mode == "nearest_exact":
            weights[o, math.floor((o + Fraction(1, 2)) * ratio)] = 1
        elif options.mode == "area":
            weights[o, math.floor(o * ratio) : math.ceil((o + 1) * ratio)] = 1
            weights[o] /= weights[o].sum()
        elif options.antialias:
            step = Fraction(size - 1, max(out - 1, 1)) if options.align_corners else ratio
            if options.align_corners and out == 1:
                step = Fraction(0)
            width = max(step, Fraction(1))
            kernel = linear if options.mode in LINEAR else cubic(-0.5) if options.mode == "bicubic" else lanczos
            centre = step * (o + Fraction(1, 2))
            weights[o] = [kernel(float((c + Fraction(1, 2) - centre) / width)) for c in range(size)]
            weights[o] /= weights[o].sum()
        else:
            corners = Fraction(o * (size - 1), max(out - 1, 1))
            at = corners if options.align_corners else (o + Fraction(1, 2)) * ratio - Fraction(1, 2)
            if options.mode == "lanczos3":
                weights[o] = [lanczos(float(c - at)) for c in range(size)]
                weights[o] /= weights[o].sum()
            else:
                kernel = linear if options.mode in LINEAR else cubic(-0.75)
                for c in range(math.floor(at) - 1, math.floor(at) + 3):
                    weights[o, min(max(c, 0), size - 1)] += kernel(float(c - at))
    return weights


def interpolate(x: np.ndarray, output_size: Any, options: InterpolateOptions) -> np.ndarray:
    """The matrices applied, dimension by dimension."""
    rank = x.ndim - 2
    sizes = (output_size,) * rank if isinstance(output_size, int) else output_size
    for d, scale in enumerate(options.scales or (None,) * rank):
        x = np.moveaxis(np.tensordot(matrix(x.shape[d + 2], sizes[d], options, scale), x, (1, d + 2)), 0, d + 2)
    return x


def interpolate_backward(x_shape: Any, g: np.ndarray, output_size: Any, options: InterpolateOptions) -> np.ndarray:
    """The adjoint of interpolate."""
    return adjoint(lambda x: interpolate(x, output_size, options), x_shape, g)


#: x, output_size: up, down, both, to and from one cell, the size kept.
SIZES: list[tuple[tuple[int, ...], Any]] = [
    ((1, 2, 2, 3), (4, 5)),
    ((2, 1, 5, 4), (2, 3)),
    ((1, 1, 2, 7), (3, 2)),
    ((1, 1, 1, 3), (2, 1)),
]
SMOOTH = ("bilinear", "bicubic", "lanczos3")

CASES: list[tuple[tuple[int, ...], Any, InterpolateOptions]] = [
    *[
        (x, out, InterpolateOptions(mode, corners))
        for x, out in SIZES[:2]
        for mode in SMOOTH
        for corners in (True, False)
    ],
    *[(x, out, InterpolateOptions(mode)) for x, out in SIZES for mode in ("nearest", "nearest_exact", "area")],
    *[(x, out, InterpolateOptions(mode, i == 0)) for i, (x, out) in enumerate(SIZES[2:]) for mode in SMOOTH],
    *[
        ((1, 2, 5, 2), (3, 4), InterpolateOptions(mode, corners, antialias=True))
        for mode in SMOOTH
        for corners in (True, False)
    ],
    *[
        ((1, 1, 4, 3), (5, 4), InterpolateOptions(mode, False, (1.375, 1.5)))
        for mode in ("nearest", "nearest_exact", "bilinear", "bicubic")
    ],
    ((1, 1, 5, 4), (2, 3), InterpolateOptions("bicubic", False, (0.4375, 0.875), True)),
    ((1, 2, 5), 7, InterpolateOptions("linear", False)),
    ((2, 1, 3), (8,), InterpolateOptions("bicubic", True)),
    ((1, 1, 2, 3, 2), (3, 2, 2), InterpolateOptions("trilinear", False)),
    ((1, 1, 2, 2, 3), 3, InterpolateOptions("nearest_exact")),
    ((1, 1, 1), 20, InterpolateOptions("linear")),
    ((1, 2, 2, 3), (2, 3), InterpolateOptions("bicubic")),
    ((0, 2, 3, 3), (2, 4), InterpolateOptions("bilinear")),
    ((2, 0, 3, 3), (2, 4), InterpolateOptions("nearest")),
]


def output_shape(x_shape: tuple[int, ...], out: Any) -> tuple[int, ...]:
    """[N, C, *out]"""
    return (*x_shape[:2], *((out,) * (len(x_shape) - 2) if isinstance(out, int) else out))


SAMPLES: dict[str, list[Sample]] = {
    "interpolate": [
        Sample(interpolate, distinct(x, seed=i), out, options) for i, (x, out, options) in enumerate(CASES)
    ],
    "interpolate_backward": [
        Sample(interpolate_backward, x, distinct(output_shape(x, out), seed=i), out, options)
        for i, (x, out, options) in enumerate(CASES)
    ],
}
