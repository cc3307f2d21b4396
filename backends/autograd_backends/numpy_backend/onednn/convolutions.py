"""Convolution in one, two or three dimensions, its gradients, and the transposed convolution.

Arrays are in order, [N, C, ...], on both sides of a call, as everything else here wants them. In between each is in the
layout of oneDNN's choice, which has the channels in blocks: even with the copies there and back that is one and a half
to two and a half times as fast as its implementation for arrays in order, which makes columns as NumPy's kernel does.
But where the kernel has one cell there are no columns to make, and a gradient in an x of few channels would compute
whole blocks: those are two to six times as fast in order.

A transposed convolution is the gradient of a convolution in x, so it is the same three primitives with their roles
exchanged, as in `module_ops.conv`. `rank` is the number of spatial dimensions.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import prod
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
from ..buffers import empty
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
from .memory import FLOAT32, Handle, Operand, Refused, any_layout, dims, in_order
from .plan import Plan, run, run_copied
from .positions import padding_after

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


def conv_x_backward(rank: int, x_shape: Shape, weight: Array, output_grad: Array, options: ConvOptions) -> Array | None:
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
    """weight [C_in, C_out / groups, ...], times each cell of x [N, C_in, ...], laid over the output [N, C_out, ...]"""
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
    out = empty(shape, FLOAT32)
    given = (out, x, weight) if bias is None else (out, x, weight, bias)
    return _given(_plan_forward, windows, groups, *given)


def _backward_data(
    output_grad: Array, weight: Array, shape: Shape, windows: tuple[Window, ...], groups: int
) -> Array | None:
    out = empty(shape, FLOAT32)
    return _given(_plan_backward_data, windows, groups, out, output_grad, weight)


def _backward_weights(
    x: Array, output_grad: Array, shape: Shape, windows: tuple[Window, ...], groups: int
) -> Array | None:
    out = empty(shape, FLOAT32)
    return _given(_plan_backward_weights, windows, groups, out, x, output_grad)


def _given(build: Any, windows: tuple[Window, ...], groups: int, out: Array, *inputs: Array) -> Array | None:
    """`out`, when `build` has been run."""
    done = run(build, (windows, groups), out, *inputs) or run_copied(build, (windows, groups), out, *inputs)
    return out if done else None


#: The most channels of an x whose gradient is computed in order.
FEW = 4

#: How many multiplications and additions take as long as what `Plan.shared` has in mind for an element.
PRODUCTS = 128

#: The same in one dimension, where for each product more is copied into blocks of channels and back: it is shared from
#: some 0.3 ms on as well.
PRODUCTS_1D = 64

#: The windows and the number of groups.
Options = tuple[tuple[Window, ...], int]


def _plan_forward(
    plan: Plan, options: Options, out: Operand, x: Operand, weight: Operand, bias: Operand | None = None
) -> None:
    weight = _by_group(weight, options)
    with plan.shared(_work(options, x, weight)):
        primitive = _chosen(_of_one_cell(options), lambda free: _described(plan, free, options, x, weight, out, bias))
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

    def described(free: bool) -> Handle:
        return plan.primitive(
            "convolution_backward_data",
            CONVOLUTION_DIRECT,
            *_layouts(plan, free, out, weight, output_grad),
            *_positions(options),
            _described(plan, free, options, out, weight, output_grad, reference=True),
        )

    few = options[1] == 1 and out.shape[1] <= FEW
    with plan.shared(_work(options, output_grad, weight)):
        primitive = _chosen(few or _of_one_cell(options), described)
        operands = {
            DIFF_DST: plan.laid_out(output_grad, primitive, QUERY_DIFF_DST),
            WEIGHTS: plan.laid_out(weight, primitive, QUERY_WEIGHTS),
            DIFF_SRC: plan.room_for(out, primitive, QUERY_DIFF_SRC),
        }
        plan.step(primitive, operands)
        plan.deliver(operands[DIFF_SRC], out)


def _plan_backward_weights(plan: Plan, options: Options, out: Operand, x: Operand, output_grad: Operand) -> None:
    out = _by_group(out, options)

    def described(free: bool) -> Handle:
        source, weight, output = _layouts(plan, free, x, out, output_grad)
        return plan.primitive(
            "convolution_backward_weights",
            CONVOLUTION_DIRECT,
            *(source, weight, None, output),
            *_positions(options),
            _described(plan, free, options, x, out, output_grad, reference=True),
        )

    with plan.shared(_work(options, x, out)):
        primitive = _chosen(_of_one_cell(options), described)
        operands = {
            SRC: plan.laid_out(x, primitive, QUERY_SRC),
            DIFF_DST: plan.laid_out(output_grad, primitive, QUERY_DIFF_DST),
            DIFF_WEIGHTS: plan.room_for(out, primitive, QUERY_DIFF_WEIGHTS),
        }
        plan.step(primitive, operands)
        plan.deliver(operands[DIFF_WEIGHTS], out)


def _work(options: Options, of_batch: Operand, weight: Operand) -> int:
    """How much there is to do for the batch of an operand, as passes over elements: some 0.3 ms are done by one thread.

    With a second one a convolution is five steps, in each of which the threads wait for each other.
    """
    windows, _ = options
    products = of_batch.shape[0] * prod(w.out for w in windows) * prod(weight.shape)
    return products // (PRODUCTS_1D if len(windows) == 1 else PRODUCTS)


def _chosen(in_order: bool, described: Callable[[bool], Handle]) -> Handle:
    """``described(True)``, the primitive for layouts of its choice; where arrays in order are faster, that for them."""
    if in_order:
        with suppress(Refused):
            return described(False)
    return described(True)


def _of_one_cell(options: Options) -> bool:
    """Whether the kernel has one cell."""
    windows, _ = options
    return all(w.kernel == 1 for w in windows)


def _described(
    plan: Plan,
    free: bool,
    options: Options,
    x: Operand,
    weight: Operand,
    out: Operand,
    bias: Operand | None = None,
    reference: bool = False,
) -> Handle:
    """The forward primitive."""
    source, kernel, output = _layouts(plan, free, x, weight, out)
    return plan.primitive(
        "convolution_forward",
        *(FORWARD_TRAINING, CONVOLUTION_DIRECT),
        *(source, kernel, bias, output),
        *_positions(options),
        reference=reference,
    )


def _layouts(plan: Plan, free: bool, x: Operand, weight: Operand, out: Operand) -> list[Any]:
    """Descriptors of x, weight and out: weight's layout is the primitive's choice, and if `free` that of all."""
    return [any_layout(plan.lib, *o.shape) if free or o is weight else o for o in (x, weight, out)]


def _positions(options: Options) -> list[Any]:
    """Strides, dilations, and the padding before and after."""
    windows, _ = options
    return [
        dims(tuple(w.stride for w in windows)),
        dims(tuple(w.dilation - 1 for w in windows)),
        dims(tuple(w.before for w in windows)),
        dims(padding_after(windows)),
    ]


def _by_group(weight: Operand, options: Options) -> Operand:
    """weight [C_out, C_in / groups, ...] as oneDNN takes it, by groups [groups, C_out / groups, C_in / groups, ...]"""
    _, groups = options
    if groups == 1:
        return weight
    (channels, *rest), (step, *steps) = weight.shape, weight.strides
    per_group = channels // groups
    return weight.seen_as(groups, per_group, *rest, strides=(per_group * step, step, *steps))
