"""Resizing, in any number of dimensions. It is linear: its gradient is its adjoint, and each one's is the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograd_backends import kernels
from autograd_backends.options import InterpolateOptions, per_dimension

from ..registry import Array, ShapeOf, op

__all__ = ["InterpolateBackward", "interpolate", "interpolate_backward"]

Size = int | Sequence[int]


def _sizes(name: str, output_size: Size, rank: int) -> tuple[int, ...]:
    return per_dimension(name, "output_size", output_size, rank)


@op(formula="dx = g, brought back to the cells that it came from with the same weights", fresh=True)
def interpolate(x: Array, output_size: Size, options: InterpolateOptions) -> Array:
    """x resized.

    Parameters
    ----------
    x
        [N, C, ...], with any number of spatial dimensions: ``[N, C, H, W]`` for images.
    output_size
        The size of each spatial dimension, or one for all.
    options
        The mode, and how positions are computed: with ``align_corners`` cell o of the output lies at
        ``o (in - 1) / max(out - 1, 1)``, otherwise at ``(o + 1/2) in / out - 1/2``. Bilinear reads what is before the
        first cell as that cell; bicubic convolution (Keys 1981, a = -0.75) repeats the cells at the edge; lanczos3
        leaves out what is outside, and divides by the sum of the weights.

    Returns
    -------
    Array
        [N, C, *output_size]

    Raises
    ------
    ShapeError
        If a size is 0, or the number of sizes is not that of the spatial dimensions.
    TypeError
        If x has integers, and the mode gives fractions.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> x = ag.tensor([[[[0.0, 2.0]]]])
    >>> ops.interpolate(x, (1, 3), ops.InterpolateOptions("bilinear"))
    tensor([[[[0., 1., 2.]]]])
    """
    return kernels(x).interpolate(x, _sizes("interpolate", output_size, x.ndim - 2), options)


interpolate.backward(
    x=lambda g, x_shape, output_size, options: interpolate_backward(x_shape, g, output_size, options),
)


@op(formula="dgrad = interpolate(g)", fresh=True)
def interpolate_backward(x: ShapeOf, grad: Array, output_size: Size, options: InterpolateOptions) -> Array:
    """The gradient of x [N, C, ...], of which only the shape is used, from `grad` [N, C, *output_size]"""
    return kernels(grad).interpolate_backward(x, grad, _sizes("interpolate_backward", output_size, len(x) - 2), options)


interpolate_backward.backward(
    grad=lambda g, output_size, options: interpolate(g, output_size, options),
)


class InterpolateBackward(NamedTuple):
    """The result of `interpolate_backward` by name, for code that wants each backward to give a named tuple."""

    x_grad: Any
