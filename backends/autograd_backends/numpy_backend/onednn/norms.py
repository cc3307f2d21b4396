"""Layer norm, and batch norm made of it.

oneDNN's batch norm of arrays in order, [N, C, ...], is slow. Its layer norm takes each plane of a channel as a row:
that gives the means and variances of planes, of which those of channels are made, and planes that have been brought to
mean 0 and variance 1, from which to the output it is one step. So no sum of squares is of numbers far from their mean.
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

#: OpenBLAS wakes other threads, which would be in the way of oneDNN's, for products of longer rows.
THREADED = 10_000

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
    out = empty((n * channels, x.size // (n * channels)), FLOAT32)
    means, variances = np.empty((n, channels), FLOAT32), np.empty((n, channels), FLOAT32)
    if not run(
        _forward, (epsilon, False, False), out, means.reshape(-1, 1), variances.reshape(-1, 1), x.reshape(out.shape)
    ):
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
    factors = (np.sqrt(variances.astype(np.float64) + epsilon) * scale).astype(FLOAT32)
    shifts = (wide - mean) * scale
    if beta is not None:
        shifts += beta
    if not run(_scale_and_shift, None, out, factors.reshape(-1, 1), shifts.astype(FLOAT32).reshape(-1, 1)):
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
    planes = (n, channels, x.size // (n * channels))
    made, rows, grad = empty(planes, FLOAT32), x.reshape(planes), np.ascontiguousarray(output_grad).reshape(planes)
    per_channel = (1, channels, 1)
    mean = mean.reshape(per_channel)
    if not run(_centred, None, made, rows, mean):
        return None
    # Of few numbers, the sums over the batch are of double precision.
    normal_sum = _products_of_rows(made, grad).sum(0, dtype=np.float64)
    grad_sum = _products_of_rows(grad, np.ones(planes[2], FLOAT32)).sum(0, dtype=np.float64)
    rstd = 1 / np.sqrt(variance.astype(np.float64) + epsilon)
    normal_sum *= rstd
    if needs[0]:
        count = x.size // channels
        scale = rstd if gamma is None else rstd * gamma
        factors = np.stack([-rstd * normal_sum / count, grad_sum / count, scale]).astype(FLOAT32)
        of_normal, of_mean, scale = factors.reshape(3, *per_channel)
        if not run(_through_channels, None, made, of_normal, grad, of_mean, scale):
            return None
    return BatchNormTrainBackward(
        made.reshape(x.shape) if needs[0] else None,
        normal_sum.astype(FLOAT32) if needs[1] else None,
        grad_sum.astype(FLOAT32) if needs[2] else None,
    )


def _products_of_rows(x: Array, y: Array) -> Array:
    """Those of BLAS, which adds up in a quarter of the time of NumPy's sum, if it does so on this thread."""
    return np.vecdot(x, y) if x.shape[-1] <= THREADED else np.einsum("...p,...p->...", x, y)


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


def _scale_and_shift(plan: Plan, _: None, out: Operand, factors: Operand, shifts: Operand) -> None:
    out, factors, shifts = (operand.seen_as(1, *operand.shape) for operand in (out, factors, shifts))
    operands = {SRC: out, SRC_1: factors, DST: out, post_op_argument(0): shifts}
    with plan.shared(prod(out.shape)):
        added = (("binary", BINARY_ADD, shifts),)
        plan.step(plan.primitive("binary", BINARY_MUL, out, factors, out, post_ops=added), operands)


def _centred(plan: Plan, _: None, out: Operand, x: Operand, mean: Operand) -> None:
    with plan.shared(prod(x.shape)):
        plan.step(plan.primitive("binary", BINARY_SUB, x, mean, out), {SRC: x, SRC_1: mean, DST: out})


def _through_channels(
    plan: Plan, _: None, centred: Operand, of_normal: Operand, grad: Operand, of_mean: Operand, scale: Operand
) -> None:
    """(centred of_normal + grad - of_mean) scale, written over `centred`"""
    chain = (BINARY_ADD, grad), (BINARY_SUB, of_mean), (BINARY_MUL, scale)
    operands = {SRC: centred, SRC_1: of_normal, DST: centred}
    operands |= {post_op_argument(place): operand for place, (_, operand) in enumerate(chain)}
    post_ops = tuple(("binary", algorithm, operand) for algorithm, operand in chain)
    with plan.shared(prod(centred.shape)):
        plan.step(plan.primitive("binary", BINARY_MUL, centred, of_normal, centred, post_ops=post_ops), operands)
