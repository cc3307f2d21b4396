"""Convolution in one, two or three dimensions, its three gradients, and the transposed convolution.

A transposed convolution is the gradient of a convolution in x, so it is the same three functions of `correlate` with
their roles exchanged. `rank` is the number of spatial dimensions.
"""

from __future__ import annotations

from ..array_types import Array, Shape
from ..lookup import kernels, namespace
from ..options import ConvOptions, ConvTransposeOptions
from ..shapes import (
    check_output_grad,
    conv_output_shape,
    conv_transpose_output_shape,
    conv_transpose_windows,
    conv_transpose_x_shape,
    conv_windows,
)
from .precision import cast, widened

__all__ = [
    "conv",
    "conv_backward",
    "conv_bias_backward",
    "conv_transpose",
    "conv_transpose_weight_backward",
    "conv_transpose_x_backward",
    "conv_weight_backward",
    "conv_x_backward",
]


def conv(rank: int, x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
    """Cross-correlate `x` with `weight`.

    Parameters
    ----------
    x
        [N, C_in, ...]
    weight
        [C_out, C_in / groups, ...]
    bias
        [C_out] or None.

    Returns
    -------
    Array
        [N, C_out, ...]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    xp = namespace(x)
    name = f"conv{rank}d"
    conv_output_shape(name, x.shape, weight.shape, None if bias is None else bias.shape, options)
    windows = conv_windows(name, x.shape, weight.shape, options)
    x_wide = widened(xp, x)
    bias_wide = None if bias is None else widened(xp, bias)
    out = kernels(x_wide).correlate(x_wide, widened(xp, weight), bias_wide, windows, options.groups)
    return cast(xp, out, x.dtype)


def conv_x_backward(rank: int, x_shape: Shape, weight: Array, output_grad: Array, options: ConvOptions) -> Array:
    """The gradient of x, of shape `x_shape`, from `output_grad` [N, C_out, ...]"""
    xp = namespace(output_grad)
    name = f"conv{rank}d"
    check_output_grad(
        f"{name}_x_backward", output_grad.shape, conv_output_shape(name, x_shape, weight.shape, None, options)
    )
    windows = conv_windows(name, x_shape, weight.shape, options)
    grad = widened(xp, output_grad)
    x_grad = kernels(grad).correlate_x_backward(widened(xp, weight), grad, windows, options.groups)
    return cast(xp, x_grad, output_grad.dtype)


def conv_weight_backward(rank: int, x: Array, weight_shape: Shape, output_grad: Array, options: ConvOptions) -> Array:
    """The gradient of weight, of shape `weight_shape`, from x [N, C_in, ...] and `output_grad` [N, C_out, ...]"""
    xp = namespace(output_grad)
    name = f"conv{rank}d"
    check_output_grad(
        f"{name}_weight_backward", output_grad.shape, conv_output_shape(name, x.shape, weight_shape, None, options)
    )
    windows = conv_windows(name, x.shape, weight_shape, options)
    grad = widened(xp, output_grad)
    weight_grad = kernels(grad).correlate_weight_backward(widened(xp, x), grad, windows, options.groups)
    return cast(xp, weight_grad, output_grad.dtype)


def conv_backward(
    rank: int,
    x: Array | None,
    weight: Array | None,
    x_shape: Shape,
    weight_shape: Shape,
    output_grad: Array,
    options: ConvOptions,
    needs: tuple[bool, bool, bool] = (True, True, True),
) -> tuple[Array | None, Array | None, Array | None]:
    """The gradients of x, weight and bias, those that `needs` names, all at once.

    Parameters
    ----------
    x
        [N, C_in, ...] of `x_shape`, or None where the gradient of weight is not needed.
    weight
        [C_out, C_in / groups, ...] of `weight_shape`, or None where the gradient of x is not needed.
    x_shape, weight_shape
        Each is asked for only where its gradient is needed.
    output_grad
        [N, C_out, ...]
    """
    each, name = kernels(output_grad), f"conv{rank}d"
    of_x, of_weight, of_bias = needs
    return (
        getattr(each, f"{name}_x_backward")(x_shape, weight, output_grad, options) if of_x else None,
        getattr(each, f"{name}_weight_backward")(x, weight_shape, output_grad, options) if of_weight else None,
        getattr(each, f"{name}_bias_backward")(output_grad) if of_bias else None,
    )


def conv_bias_backward(output_grad: Array) -> Array:
    """output_grad [N, C_out, ...] summed over batch and positions -> the gradient of bias [C_out]"""
    return namespace(output_grad).sum(output_grad, axis=(0, *range(2, output_grad.ndim)))


# ---------------------------------------------------------------- transposed


def conv_transpose(rank: int, x: Array, weight: Array, bias: Array | None, options: ConvTransposeOptions) -> Array:
    """Lay `weight`, times each cell of `x`, over the output, and add up.

    Parameters
    ----------
    x
        [N, C_in, ...]
    weight
        [C_in, C_out / groups, ...]
    bias
        [C_out] or None.

    Returns
    -------
    Array
        [N, C_out, ...]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    xp = namespace(x)
    name = f"conv_transpose{rank}d"
    conv_transpose_output_shape(name, x.shape, weight.shape, None if bias is None else bias.shape, options)
    windows = conv_transpose_windows(name, x.shape, weight.shape, options)
    x_wide = widened(xp, x)
    out = kernels(x_wide).correlate_x_backward(widened(xp, weight), x_wide, windows, options.groups)
    return cast(xp, _with_bias(out, bias), x.dtype)


def conv_transpose_x_backward(rank: int, weight: Array, output_grad: Array, options: ConvTransposeOptions) -> Array:
    """The gradient of x [N, C_in, ...], from `output_grad` [N, C_out, ...]"""
    xp = namespace(output_grad)
    name = f"conv_transpose{rank}d"
    x_shape = conv_transpose_x_shape(name, weight.shape, output_grad.shape, options)
    windows = conv_transpose_windows(name, x_shape, weight.shape, options)
    grad = widened(xp, output_grad)
    x_grad = kernels(grad).correlate(grad, widened(xp, weight), None, windows, options.groups)
    return cast(xp, x_grad, output_grad.dtype)


def conv_transpose_weight_backward(
    rank: int, x: Array, weight_shape: Shape, output_grad: Array, options: ConvTransposeOptions
) -> Array:
    """The gradient of weight, of shape `weight_shape`, from x [N, C_in, ...] and `output_grad` [N, C_out, ...]"""
    xp = namespace(output_grad)
    name = f"conv_transpose{rank}d"
    check_output_grad(
        f"{name}_weight_backward",
        output_grad.shape,
        conv_transpose_output_shape(name, x.shape, weight_shape, None, options),
    )
    windows = conv_transpose_windows(name, x.shape, weight_shape, options)
    grad = widened(xp, output_grad)
    weight_grad = kernels(grad).correlate_weight_backward(grad, widened(xp, x), windows, options.groups)
    return cast(xp, weight_grad, output_grad.dtype)


def _with_bias(out: Array, bias: Array | None) -> Array:
    """`out` [N, C, ...], which is changed, plus `bias` [C]"""
    if bias is not None:
        xp = namespace(out)
        out += xp.reshape(widened(xp, bias), (-1,) + (1,) * (out.ndim - 2))
    return out
