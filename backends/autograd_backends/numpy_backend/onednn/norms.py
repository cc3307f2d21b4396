"""Layer norm, and batch norm.

oneDNN's batch norm of arrays in order, [N, C, ...], is slow. Its layer norm takes each plane of a channel as a row:
that gives the means and variances of planes, of which those of channels are made, and planes that have been brought to
mean 0 and variance 1, from which to the output it is one step. Where planes are small, and on the way back, NumPy and
BLAS add up, and one pass does the rest. Those sums are of what is not centred: what lies too far from 0 for that is
left to NumPy's kernels.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ...array_types import Array
from ...results import BatchNormTrain, BatchNormTrainBackward, LayerNorm, LayerNormBackward
from ...shapes import check_batch_norm, check_layer_norm
from ..buffers import empty
from .constants import (
    BACKWARD,
    BACKWARD_DATA,
    BINARY_ADD,
    BINARY_MUL,
    BINARY_SUB,
    DIFF_DST,
    DIFF_SCALE,
    DIFF_SHIFT,
    DIFF_SRC,
    DST,
    FORWARD_TRAINING,
    MEAN,
    SCALE,
    SHIFT,
    SRC,
    SRC_1,
    USE_SCALE,
    USE_SHIFT,
    VARIANCE,
    post_op_argument,
)
from .memory import FLOAT32, Operand, in_order
from .plan import Plan, run, run_copied

__all__ = ["batch_norm_train", "batch_norm_train_backward", "layer_norm", "layer_norm_backward"]

Needs = tuple[bool, bool, bool]

#: Sums of so many numbers are exact enough in float32, and OpenBLAS wakes no other thread for them, which would be in
#: the way of oneDNN's.
PIECE = 2**12

#: Below this length of rows a call of BLAS costs more than the product.
SHORT = 64

#: Up to this size of planes it pays to repeat the values of channels for all of its cells.
LONG = 128

#: How many standard deviations from 0 a mean may be, that a variance is the mean square less the square of the mean.
CLOSE = 4.0

#: How many standard deviations from 0 a mean may be, that its last digits do not matter.
NEAR = 32.0


def layer_norm(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> LayerNorm | None:
    """x [..., d] with rows of mean 0 and variance 1, times gamma [d], plus beta [d]"""
    check_layer_norm(
        "layer_norm", x.shape, None if gamma is None else gamma.shape, None if beta is None else beta.shape
    )
    out, lead = empty(x.shape, FLOAT32), (*x.shape[:-1], 1)
    mean, variance = np.empty(lead, FLOAT32), np.empty(lead, FLOAT32)
    options = epsilon, gamma is not None, beta is not None
    given = (mean, variance, x, *(p for p in (gamma, beta) if p is not None))
    if not run(_forward, options, out, *given) and not run_copied(_forward, options, out, *given):
        return None
    rstd = _rstd(variance, epsilon)
    return LayerNorm(out, mean, rstd) if _is_near(mean, rstd) else None


def layer_norm_backward(
    x: Array, gamma: Array | None, mean: Array, rstd: Array, output_grad: Array, needs: Needs = (True, True, True)
) -> LayerNormBackward | None:
    """The gradients of x [..., d], gamma [d] and beta [d], from rows' mean and rstd [..., 1]"""
    with np.errstate(divide="ignore", over="ignore"):
        variance = 1 / (rstd * rstd)
    x_grad, of_scale, of_shift = (
        empty(x.shape, FLOAT32),
        np.empty(x.shape[-1:], FLOAT32),
        np.empty(x.shape[-1:], FLOAT32),
    )
    scale = np.ones(x.shape[-1:], FLOAT32) if gamma is None else gamma
    given = of_scale, of_shift, x, scale, mean, variance, output_grad
    options = needs[1] or needs[2]
    if not run(_backward, options, x_grad, *given) and not run_copied(_backward, options, x_grad, *given):
        return None
    return LayerNormBackward(
        x_grad if needs[0] else None, of_scale if needs[1] else None, of_shift if needs[2] else None
    )


def batch_norm_train(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> BatchNormTrain | None:
    """x [N, C, ...] with channels of mean 0 and variance 1, times gamma [C], plus beta [C]"""
    check_batch_norm(
        *("batch_norm_train", x.shape, None if gamma is None else gamma.shape, None if beta is None else beta.shape),
        True,
    )
    n, channels = x.shape[:2]
    if x.ndim == 2 or not x.size or not x.flags.c_contiguous:
        return None
    if x.size > LONG * n * channels:
        return _batch_norm_by_rows(x, gamma, beta, epsilon)
    planes, count = x.reshape(n, channels, -1), x.size // channels
    mean = sums(planes).sum(0) / count
    variance = np.maximum(sums_of_products(planes, planes).sum(0) / count - mean * mean, 0)
    scale = 1 / np.sqrt(variance + epsilon)
    if not are_near(mean, scale):
        return None
    if gamma is not None:
        scale *= gamma
    shift = -mean * scale
    if beta is not None:
        shift += beta
    out = empty(x.shape, FLOAT32)
    to, of, (scale, shift) = _beside(np.stack([scale, shift]), out, x)
    if not run(scale_and_shift, None, to, of, scale, shift):
        return None
    return BatchNormTrain(out, mean.astype(FLOAT32), variance.astype(FLOAT32))


def _batch_norm_by_rows(x: Array, gamma: Array | None, beta: Array | None, epsilon: float) -> BatchNormTrain | None:
    n, channels = x.shape[:2]
    rows = x.reshape(n * channels, -1)
    out = empty(rows.shape, FLOAT32)
    means, variances = np.empty((2, n, channels), FLOAT32)
    if not run(_forward, (epsilon, False, False), out, means.reshape(-1, 1), variances.reshape(-1, 1), rows):
        return None
    # The mean of the planes' variances, and the variance of their means: of few numbers, so in double precision.
    wide = means.astype(np.float64)
    mean = wide.mean(0)
    variance = (variances + (wide - mean) ** 2).mean(0)
    scale = 1 / np.sqrt(variance + epsilon)
    if not _is_near(means, scale):
        return None
    if gamma is not None:
        scale *= gamma
    factors = np.sqrt(variances.astype(np.float64) + epsilon) * scale
    shifts = (wide - mean) * scale
    if beta is not None:
        shifts += beta
    factors, shifts = np.stack([factors, shifts]).astype(FLOAT32).reshape(2, 1, -1, 1)
    whole = out[None]
    if not run(scale_and_shift, None, whole, whole, factors, shifts):
        return None
    return BatchNormTrain(out.reshape(x.shape), mean.astype(FLOAT32), variance.astype(FLOAT32))


def batch_norm_train_backward(
    x: Array,
    gamma: Array | None,
    mean: Array,
    variance: Array,
    epsilon: float,
    output_grad: Array,
    needs: Needs = (True, True, True),
) -> BatchNormTrainBackward | None:
    """The gradients of x [N, C, ...], gamma [C] and beta [C], from channels' mean and variance"""
    n, channels = x.shape[:2]
    if x.ndim == 2 or not x.size or not x.flags.c_contiguous or output_grad.shape != x.shape:
        return None
    rstd = 1 / np.sqrt(variance.astype(np.float64) + epsilon)
    if not are_near(mean, rstd):
        return None
    grad = np.ascontiguousarray(output_grad)
    planes, grads, count = x.reshape(n, channels, -1), grad.reshape(n, channels, -1), x.size // channels
    grad_sum = sums(grads).sum(0)
    normal_sum = (sums_of_products(planes, grads).sum(0) - mean * grad_sum) * rstd
    x_grad = None
    if needs[0]:
        of_x = -rstd * normal_sum / count
        scale = rstd if gamma is None else rstd * gamma
        x_grad = empty(x.shape, FLOAT32)
        factors = np.stack([of_x, grad_sum / count + mean * of_x, scale])
        to, of, by, (of_x, less, scale) = _beside(factors, x_grad, x, grad)
        if not run(through_channels, None, to, of, of_x, by, less, scale):
            return None
    return BatchNormTrainBackward(
        x_grad,
        normal_sum.astype(FLOAT32) if needs[1] else None,
        grad_sum.astype(FLOAT32) if needs[2] else None,
    )


def sums(planes: Array) -> Array:
    """[N, C, P] -> [N, C]: pieces of rows in the precision of float32, which are few, and these in that of float64."""
    pieces = range(0, planes.shape[-1], PIECE)
    return sum(np.einsum("ncp->nc", planes[..., at : at + PIECE]).astype(np.float64) for at in pieces)


def sums_of_products(x: Array, y: Array) -> Array:
    """The same of x y: BLAS is faster, where its calls are not too many."""
    cells = x.shape[-1]
    if cells < SHORT:
        return np.einsum("ncp,ncp->nc", x, y).astype(np.float64)
    pieces = [slice(at, at + PIECE) for at in range(0, cells, PIECE)]
    return sum(np.vecdot(x[..., piece], y[..., piece]).astype(np.float64) for piece in pieces)


def _beside(values: Array, *arrays: Array) -> list[Array]:
    """Arrays [N, C, ...], and values [..., C] of channels, shaped to meet in `binary`: it likes long rows best."""
    n, channels = arrays[0].shape[:2]
    cells = arrays[0].size // (n * channels)
    values = values.astype(FLOAT32)
    if cells <= LONG:
        return [*(x.reshape(n, -1) for x in arrays), values.repeat(cells, 1)[:, None]]
    return [*(x.reshape(n, channels, cells) for x in arrays), values[:, None, :, None]]


def are_near(mean: Array, rstd: Array) -> bool:
    """Whether channels are so near to 0, for their variance, that it is exact enough to add up what is not centred."""
    return bool(((np.abs(mean) * rstd <= CLOSE) & (rstd > 0)).all())


def _is_near(mean: Array, rstd: Array) -> bool:
    """Whether the means are so near to 0 that what was lost of them, by adding up in float32, does not matter.

    Not where one is NaN. What is farther NumPy's kernels do, which look at what the mean missed.
    """
    return bool(np.maximum.reduce(np.abs(mean * rstd), None) <= NEAR)


def _rstd(variance: Array, epsilon: float) -> Array:
    with np.errstate(divide="ignore"):
        variance += epsilon
        np.sqrt(variance, out=variance)
        return np.divide(1, variance, out=variance)


# ---------------------------------------------------------------- plans


def _forward(
    plan: Plan,
    options: tuple[float, bool, bool],
    out: Operand,
    mean: Operand,
    variance: Operand,
    x: Operand,
    *parameters: Operand,
) -> None:
    epsilon, scaled, shifted = options
    out, x = in_order(out), in_order(x)
    mean, variance = mean.seen_as(*mean.shape[:-1]), variance.seen_as(*mean.shape[:-1])
    flags = (USE_SCALE if scaled else 0) | (USE_SHIFT if shifted else 0)
    operands = {SRC: x, DST: out, MEAN: mean, VARIANCE: variance}
    given = iter(parameters)
    if scaled:
        operands[SCALE] = in_order(next(given))
    if shifted:
        operands[SHIFT] = in_order(next(given))
    with plan.shared(prod(x.shape)):
        plan.step(
            plan.primitive("layer_normalization_forward", FORWARD_TRAINING, x, out, mean, epsilon, flags), operands
        )


def _backward(
    plan: Plan,
    of_parameters: bool,
    x_grad: Operand,
    of_scale: Operand,
    of_shift: Operand,
    x: Operand,
    scale: Operand,
    mean: Operand,
    variance: Operand,
    output_grad: Operand,
) -> None:
    x, output_grad, scale = in_order(x), in_order(output_grad), in_order(scale)
    mean, variance = in_order(mean), in_order(variance)
    mean, variance = mean.seen_as(*mean.shape[:-1]), variance.seen_as(*variance.shape[:-1])
    flags = USE_SCALE | USE_SHIFT if of_parameters else USE_SCALE
    operands = {SRC: x, DIFF_DST: output_grad, MEAN: mean, VARIANCE: variance, SCALE: scale, DIFF_SRC: x_grad}
    if of_parameters:
        # The shift is asked for, and not read.
        operands |= {SHIFT: scale, DIFF_SCALE: of_scale, DIFF_SHIFT: of_shift}
    kind = BACKWARD if of_parameters else BACKWARD_DATA
    with plan.shared(prod(x.shape)):
        hint = plan.primitive("layer_normalization_forward", FORWARD_TRAINING, x, x, mean, 0.0, flags)
        primitive = plan.primitive("layer_normalization_backward", kind, x_grad, output_grad, x, mean, 0.0, flags, hint)
        plan.step(primitive, operands)


def scale_and_shift(plan: Plan, _: None, out: Operand, x: Operand, scale: Operand, shift: Operand) -> None:
    """x scale + shift"""
    added = (("binary", BINARY_ADD, shift),)
    with plan.shared(prod(x.shape)):
        primitive = plan.primitive("binary", BINARY_MUL, x, scale, out, post_ops=added)
        plan.step(primitive, {SRC: x, SRC_1: scale, DST: out, post_op_argument(0): shift})


def through_channels(
    plan: Plan, _: None, out: Operand, x: Operand, of_x: Operand, grad: Operand, less: Operand, scale: Operand
) -> None:
    """(x of_x + grad - less) scale"""
    chain = (BINARY_ADD, grad), (BINARY_SUB, less), (BINARY_MUL, scale)
    operands = {SRC: x, SRC_1: of_x, DST: out}
    operands |= {post_op_argument(place): operand for place, (_, operand) in enumerate(chain)}
    post_ops = tuple(("binary", algorithm, operand) for algorithm, operand in chain)
    with plan.shared(prod(x.shape)):
        plan.step(plan.primitive("binary", BINARY_MUL, x, of_x, out, post_ops=post_ops), operands)
