"""Convolution in one, two or three dimensions, its gradients, and the transposed convolution.

Arrays are in order, [N, C, ...], on both sides of a call, as everything else here wants them. In between each is in the
layout of oneDNN's choice, which has the channels in blocks: even with the copies there and back that is some three times
faster than its implementations for arrays in order.

A transposed convolution is the gradient of a convolution in x, so it is the same three primitives with their roles
exchanged, as in `module_ops.conv`. `rank` is the number of spatial dimensions.
"""

from __future__ import annotations

from typing import Any

from ...array_types import Array, Shape
from ...options import ConvOptions, ConvTransposeOptions
from ...shapes import (
    check_output_grad,
    conv_output_shape,
    conv_transpose_output_shape,
    conv_transpose_windows,
    conv_transpose_x_shape,
    conv_windows,
)
from ...windows import Window
from .buffers import empty
from .constants import (
    BIAS,
    CONVOLUTION_DIRECT,
    DIFF_DST,
    DIFF_SRC,
    DIFF_WEIGHTS,
    DST,
    FORWARD_TRAINING,
    QUERY_DIFF_DST,
    QUERY_DIFF_SRC,
    QUERY_DIFF_WEIGHTS,
    QUERY_DST,
    QUERY_SRC,
    QUERY_WEIGHTS,
    SRC,
    WEIGHTS,
)
from .memory import Handle, Operand, any_layout, dims, in_order
from .plan import Plan, run_or_copy

__all__ = [
    "conv",
    "conv_transpose",
    "conv_transpose_weight_backward",
    "conv_transpose_x_backward",
    "conv_weight_backward",
    "conv_x_backward",
]


def conv(rank: int, x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array | None:
    """x [N, C_in, ...] met by weight [C_out, C_in / groups, ...], and bias [C_out] or None -> [N, C_out, ...]"""
    name = f"conv{rank}d"
    shape = conv_output_shape(name, x.shape, weight.shape, None if bias is None else bias.shape, options)
    windows = conv_windows(name, x.shape, weight.shape, options)
    return _forward(x, weight, bias, shape, windows, options.groups)


def conv_x_backward(
    rank: int, x_shape: Shape, weight: Array, output_grad: Array, options: ConvOptions
) -> Array | None:
    """The gradient of x, of shape `x_shape`, from `output_grad` [N, C_out, ...]"""
    name = f"conv{rank}d"
    shape = conv_output_shape(name, x_shape, weight.shape, None, options)
    check_output_grad(f"{name}_x_backward", output_grad.shape, shape)
    windows = conv_windows(name, x_shape, weight.shape, options)
    return _backward_data(output_grad, weight, x_shape, windows, options.groups)


def conv_weight_backward(
    rank: int, x: Array, weight_shape: Shape, output_grad: Array, options: ConvOptions
) -> Array | None:
    """The gradient of weight, of shape `weight_shape`, from x [N, C_in, ...] and `output_grad` [N, C_out, ...]"""
    name = f"conv{rank}d"
    shape = conv_output_shape(name, x.shape, weight_shape, None, options)
    check_output_grad(f"{name}_weight_backward", output_grad.shape, shape)
    windows = conv_windows(name, x.shape, weight_shape, options)
    return _backward_weights(x, output_grad, weight_shape, windows, options.groups)


def conv_transpose(
    rank: int, x: Array, weight: Array, bias: Array | None, options: ConvTransposeOptions
) -> Array | None:
    """weight [C_in, C_out / groups, ...] laid over the output, times each cell of x [N, C_in, ...] -> [N, C_out, ...]"""
    name = f"conv_transpose{rank}d"
    shape = conv_transpose_output_shape(name, x.shape, weight.shape, None if bias is None else bias.shape, options)
    windows = conv_transpose_windows(name, x.shape, weight.shape, options)
    out = _backward_data(x, weight, shape, windows, options.groups)
    if out is not None and bias is not None:
        out += bias.reshape(-1, *(1,) * rank)
    return out


def conv_transpose_x_backward(
    rank: int, weight: Array, output_grad: Array, options: ConvTransposeOptions
) -> Array | None:
    """The gradient of x [N, C_in, ...], from `output_grad` [N, C_out, ...]"""
    name = f"conv_transpose{rank}d"
    x_shape = conv_transpose_x_shape(name, weight.shape, output_grad.shape, options)
    windows = conv_transpose_windows(name, x_shape, weight.shape, options)
    return _forward(output_grad, weight, None, x_shape, windows, options.groups)


def conv_transpose_weight_backward(
    rank: int, x: Array, weight_shape: Shape, output_grad: Array, options: ConvTransposeOptions
) -> Array | None:
    """The gradient of weight, of shape `weight_shape`, from x [N, C_in, ...] and `output_grad` [N, C_out, ...]"""
    name = f"conv_transpose{rank}d"
    shape = conv_transpose_output_shape(name, x.shape, weight_shape, None, options)
    check_output_grad(f"{name}_weight_backward", output_grad.shape, shape)
    windows = conv_transpose_windows(name, x.shape, weight_shape, options)
    return _backward_weights(output_grad, x, weight_shape, windows, options.groups)


# ---------------------------------------------------------------- the three primitives: arguments have been checked


def _forward(
    x: Array, weight: Array, bias: Array | None, shape: Shape, windows: tuple[Window, ...], groups: int
) -> Array | None:
    out = empty(shape)
    inputs = (x, weight) if bias is None else (x, weight, bias)
    return out if run_or_copy(_plan_forward, (windows, groups), out, *inputs) else None


def _backward_data(
    output_grad: Array, weight: Array, shape: Shape, windows: tuple[Window, ...], groups: int
) -> Array | None:
    out = empty(shape)
    return out if run_or_copy(_plan_backward_data, (windows, groups), out, output_grad, weight) else None


def _backward_weights(
    x: Array, output_grad: Array, shape: Shape, windows: tuple[Window, ...], groups: int
) -> Array | None:
    out = empty(shape)
    return out if run_or_copy(_plan_backward_weights, (windows, groups), out, x, output_grad) else None


Options = tuple[tuple[Window, ...], int]


def _plan_forward(
    plan: Plan, options: Options, out: Operand, x: Operand, weight: Operand, bias: Operand | None = None
) -> None:
    weight = _by_group(weight, options)
    primitive = _described(plan, options, x, weight, out, bias)
    operands = {
        SRC: plan.laid_out(x, primitive, QUERY_SRC),
        WEIGHTS: plan.laid_out(weight, primitive, QUERY_WEIGHTS),
        DST: plan.room_for(out, primitive, QUERY_DST),
    }
    if bias is not None:
        operands[BIAS] = in_order(bias)
    plan.step(primitive, operands)
    plan.deliver(operands[DST], out)


def _plan_backward_data(plan: Plan, options: Options, out: Operand, output_grad: Operand, weight: Operand) -> None:
    weight = _by_group(weight, options)
    primitive = plan.primitive(
        "convolution_backward_data",
        CONVOLUTION_DIRECT,
        *_free(plan, out, weight, output_grad),
        *_positions(options),
        _described(plan, options, out, weight, output_grad, reference=True),
    )
    operands = {
        DIFF_DST: plan.laid_out(output_grad, primitive, QUERY_DIFF_DST),
        WEIGHTS: plan.laid_out(weight, primitive, QUERY_WEIGHTS),
        DIFF_SRC: plan.room_for(out, primitive, QUERY_DIFF_SRC),
    }
    plan.step(primitive, operands)
    plan.deliver(operands[DIFF_SRC], out)


def _plan_backward_weights(plan: Plan, options: Options, out: Operand, x: Operand, output_grad: Operand) -> None:
    out = _by_group(out, options)
    source, weight, output = _free(plan, x, out, output_grad)
    primitive = plan.primitive(
        "convolution_backward_weights",
        CONVOLUTION_DIRECT,
        *(source, weight, None, output),
        *_positions(options),
        _described(plan, options, x, out, output_grad, reference=True),
    )
    operands = {
        SRC: plan.laid_out(x, primitive, QUERY_SRC),
        DIFF_DST: plan.laid_out(output_grad, primitive, QUERY_DIFF_DST),
        DIFF_WEIGHTS: plan.room_for(out, primitive, QUERY_DIFF_WEIGHTS),
    }
    plan.step(primitive, operands)
    plan.deliver(operands[DIFF_WEIGHTS], out)


def _described(
    plan: Plan,
    options: Options,
    x: Operand,
    weight: Operand,
    out: Operand,
    bias: Operand | None = None,
    reference: bool = False,
) -> Handle:
    """The forward primitive."""
    source, kernel, output = _free(plan, x, weight, out)
    return plan.primitive(
        "convolution_forward",
        *(FORWARD_TRAINING, CONVOLUTION_DIRECT),
        *(source, kernel, bias, output),
        *_positions(options),
        reference=reference,
    )


def _free(plan: Plan, *operands: Operand) -> list[Handle]:
    """Descriptors of the shapes of `operands` that leave the layout to the primitive."""
    return [any_layout(plan.lib, *operand.shape) for operand in operands]


def _positions(options: Options) -> list[Any]:
    """Strides, dilations, and the padding before and after: as much as the last position reaches over the end."""
    windows, _ = options
    after = [(w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.size - w.before for w in windows]
    return [
        dims(tuple(w.stride for w in windows)),
        dims(tuple(w.dilation - 1 for w in windows)),
        dims(tuple(w.before for w in windows)),
        dims(tuple(n if n > 0 or -n >= w.stride else 0 for n, w in zip(after, windows, strict=True))),
    ]


def _by_group(weight: Operand, options: Options) -> Operand:
    """weight [C_out, C_in / groups, ...] as oneDNN takes it: with groups [groups, C_out / groups, C_in / groups, ...]"""
    _, groups = options
    if groups == 1:
        return weight
    (channels, *rest), (step, *steps) = weight.shape, weight.strides
    per_group = channels // groups
    return weight.seen_as(groups, per_group, *rest, strides=(per_group * step, step, *steps))
