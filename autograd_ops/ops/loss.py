"""Losses: those whose derivative is not the derivative of their formula, and those worth a node of their own."""

from __future__ import annotations

import math
from typing import Any

from autograd_backends import kernels, namespace

from ..registry import Array, ShapeOf, op
from .activation import softmax
from .compare import where
from .elementwise import clamp, log, log1p

__all__ = [
    "binary_cross_entropy",
    "cross_entropy",
    "cross_entropy_backward",
    "mse",
    "nll_loss",
    "nll_loss_backward",
    "nll_loss_gather",
]

# ---------------------------------------------------------------- of distances


@op(formula="dx = 2 g (x - y) / n, dy = -dx", broadcast=True, floating=True, real=True)
def mse(x: Array, y: Array) -> Array:
    """The mean of (x - y)^2 over all elements"""
    difference = x - y
    return namespace(difference).mean(difference * difference)


def _mse_x(g: Any, x: Any, y: Any) -> Any:
    difference = x - y
    return difference * (g * (2.0 / max(math.prod(difference.shape), 1)))


mse.backward(x=_mse_x, y=lambda g, x, y: -_mse_x(g, x, y))


# ---------------------------------------------------------------- of probabilities

#: Logarithms are at least this, so that a certain and wrong prediction costs much, but not infinitely much.
_LEAST_LOG = -100.0


def _log(x: Any) -> Any:
    return where(x > 0, clamp(log(where(x > 0, x, 1.0)), _LEAST_LOG), _LEAST_LOG)


def _log_rest(x: Any) -> Any:
    return where(x < 1, clamp(log1p(-where(x < 1, x, 0.0)), _LEAST_LOG), _LEAST_LOG)


@op(
    formula="dx = g (x - target) / max(x (1 - x), 1e-12), dtarget = g (log(1 - x) - log x)",
    broadcast=True,
    floating=True,
    real=True,
)
def binary_cross_entropy(x: Array, target: Array) -> Array:
    """-(target log x + (1 - target) log(1 - x)) for x in [0, 1], each logarithm at least -100"""
    return -(target * _log(x) + (1.0 - target) * _log_rest(x))


binary_cross_entropy.backward(
    x=lambda g, x, target: g * ((x - target) / clamp(x * (1.0 - x), 1e-12)),
    target=lambda g, x: g * (_log_rest(x) - _log(x)),
)

# ---------------------------------------------------------------- of classes


@op(
    formula="dx = g factor (softmax x - 1 at the target)",
    nondiff=("target",),
    saves=("at", "factor", "top", "total"),
    real=True,
    fresh=True,
)
def cross_entropy(x: Array, target: Array, ignore_index: int, mean: bool) -> Array:
    """log(sum(exp(x))) - x[target] of each row, summed.

    The softmax and `nll_loss` as one node, for the common case.

    Parameters
    ----------
    x
        [N, C], neither of them 0.
    target
        Integers [N] in [0, C), or `ignore_index`.
    ignore_index
        Rows with this target count for nothing.
    mean
        Divide by the number of rows that count.

    Raises
    ------
    IndexError
        If a target is neither a class nor `ignore_index`.
    """
    return kernels(x).cross_entropy(x, target, ignore_index, mean)


def _cross_entropy_backward_recorded(x: Any, output_grad: Any, at: Any, factor: Any, top: Any, total: Any) -> Any:
    at, factor = getattr(at, "array", at), getattr(factor, "array", factor)
    xp = namespace(at)
    chosen = xp.arange(x.shape[1], dtype=at.dtype, device=at.device) == xp.reshape(at, (-1, 1))
    return where(factor == 0, 0.0, (softmax(x, 1) - xp.astype(chosen, factor.dtype)) * (output_grad * factor))


@op(
    formula="of g factor (softmax x - 1 at the target)",
    nondiff=("at", "factor", "top", "total"),
    recorded=_cross_entropy_backward_recorded,
)
def cross_entropy_backward(x: Array, output_grad: Array, at: Array, factor: Array, top: Array, total: Array) -> Array:
    """The gradient of x [N, C], from the gradient of the loss, 0-d, and what `cross_entropy` saves: the targets [N],
    what each row's loss counts, [N, 1] or [1, 1], each row's largest element and its sum of exponentials less it"""
    return kernels(x).cross_entropy_backward(x, output_grad, at, factor, top, total)


cross_entropy.backward(x=lambda g, x, at, factor, top, total: cross_entropy_backward(x, g, at, factor, top, total))


@op(
    formula="dlog_probs = g factor at the targets, 0 elsewhere; factor is -1, or the target's weight over -sum",
    nondiff=("target", "weight"),
    saves=("at", "factor"),
    real=True,
)
def nll_loss(log_probs: Array, target: Array, weight: Array | None, ignore_index: int, reduction: str) -> Array:
    """What the log-probabilities of the right classes lack.

    No number is looked at on the host, so that nothing waits for an asynchronous device.

    Parameters
    ----------
    log_probs
        [N, C, ...], or [C].
    target
        Integers in [0, C), or `ignore_index`: [N, ...], or 0-d.
    weight
        [C], a factor for each class, or None.
    ignore_index
        Targets of this value count for nothing.
    reduction
        ``"mean"``, over the sum of the weights of what counts; ``"sum"``; else none.

    Raises
    ------
    IndexError
        If a target is neither a class nor `ignore_index`.
    """
    xp = namespace(log_probs)
    axis = min(log_probs.ndim - 1, 1)
    target = xp.astype(target, xp.int64, copy=False)
    ignored = target == ignore_index
    target = xp.where(ignored, 0, target)
    kernels(log_probs).check_indices(target, log_probs.shape[axis], "nll_loss: target")
    wide = kernels(log_probs).accumulator(log_probs.dtype)
    factor = xp.astype(ignored, wide) - 1.0
    if weight is not None:
        taken = xp.reshape(xp.take(weight, xp.reshape(target, (-1,)), axis=0), target.shape)
        factor = factor * xp.astype(taken, wide, copy=False)
    if reduction == "mean":
        total = xp.sum(factor)
        nothing = total == 0
        factor = factor / -xp.where(nothing, 1.0, total)
    at = _places(target, log_probs.shape[axis], math.prod(log_probs.shape[axis + 1 :]))
    loss = _gathered(log_probs, at, factor, reduction in ("mean", "sum"))
    if reduction == "mean":
        loss = xp.where(nothing, xp.nan, loss)  # the mean of nothing is no number; its gradient is 0
    return loss, at, factor


def _places(target: Array, classes: int, after: int) -> Array:
    """Where among all elements in a row of [N, classes, ...] those of `target` [N, ...] are; `after` each other."""
    xp = namespace(target)
    if after == 0:
        return xp.reshape(target, (-1,))  # no element, so no place
    rows = xp.reshape(target, (-1, after))
    starts = xp.arange(0, rows.shape[0] * classes * after, classes * after, dtype=target.dtype, device=target.device)
    at = rows * after + xp.reshape(starts, (-1, 1))
    if after > 1:
        at = at + xp.arange(after, dtype=target.dtype, device=target.device)
    return xp.reshape(at, (-1,))


def _gathered(x: Array, at: Array, factor: Array, summed: bool) -> Array:
    xp = namespace(x)
    picked = xp.reshape(xp.take(xp.reshape(x, (-1,)), at, axis=0), factor.shape)
    # Where the factor is 0, x counts for nothing, even if it is infinite.
    terms = xp.where(factor == 0, 0.0, xp.astype(picked, factor.dtype, copy=False)) * factor
    return xp.astype(xp.sum(terms) if summed else terms, x.dtype, copy=False)


nll_loss.backward(log_probs=lambda g, log_probs_shape, at, factor: nll_loss_backward(log_probs_shape, g, at, factor))


@op(formula="doutput_grad = g factor at the places", nondiff=("at", "factor"))
def nll_loss_backward(log_probs: ShapeOf, output_grad: Array, at: Array, factor: Array) -> Array:
    """The gradient of log_probs [N, C, ...]: zeros, with `output_grad`, [N, ...] or 0-d, times `factor` [N, ...]
    at the places `at` [N ...] of its elements in a row"""
    xp = namespace(output_grad)
    # Where the factor is 0, the gradient counts for nothing, even if it is NaN, as that of a mean of nothing may be.
    counted = xp.where(factor == 0, 0.0, xp.astype(output_grad, factor.dtype, copy=False))
    values = xp.astype(counted * factor, output_grad.dtype, copy=False)
    zeros = xp.zeros((math.prod(log_probs),), dtype=output_grad.dtype, device=output_grad.device)
    return xp.reshape(kernels(output_grad).scatter(zeros, at, xp.reshape(values, (-1,))), log_probs)


nll_loss_backward.backward(
    output_grad=lambda g, at, factor, output_grad_shape: nll_loss_gather(g, at, factor, output_grad_shape == ())
)


@op(formula="dx = g factor at the places, 0 elsewhere", nondiff=("at", "factor"))
def nll_loss_gather(x: Array, at: Array, factor: Array, summed: bool) -> Array:
    """x [N, C, ...] at the places `at` [N ...] of its elements in a row, times `factor` [N, ...]; `summed` or not"""
    return _gathered(x, at, factor, summed)


nll_loss_gather.backward(x=lambda g, x_shape, at, factor: nll_loss_backward(x_shape, g, at, factor))
