"""Softmax and the loss of classes as one: the probabilities are never written down, only what makes them."""

from __future__ import annotations

from ..array_types import Array
from ..lookup import kernels, namespace
from .precision import cast, widened

__all__ = ["cross_entropy", "cross_entropy_backward"]


def cross_entropy(x: Array, target: Array, ignore_index: int, mean: bool) -> tuple[Array, Array, Array, Array, Array]:
    """The sum, or the mean, of log(sum(exp(x))) - x[target] over the rows of x [N, C].

    Parameters
    ----------
    x
        [N, C], neither of them 0.
    target
        Integers [N] in [0, C), or `ignore_index`: rows that count for nothing.

    Returns
    -------
    tuple
        The loss, 0-d; the targets as int64 [N], 0 where ignored; what the loss of each row counts, [N, 1] or [1, 1];
        and of each row the largest element and the sum of the exponentials less it, [N, 1].
    """
    xp = namespace(x)
    rows, classes = x.shape
    target = xp.astype(target, xp.int64, copy=False)
    counted = target != ignore_index
    at = xp.where(counted, target, 0)
    kernels(x).check_indices(at, classes, "cross_entropy: target")
    wide = widened(xp, x)
    top = xp.max(wide, axis=1, keepdims=True)
    shifted = wide - top
    total = xp.sum(xp.exp(shifted), axis=1, keepdims=True)
    places = at + xp.arange(0, rows * classes, classes, dtype=at.dtype, device=at.device)
    picked = xp.take(xp.reshape(shifted, (-1,)), places, axis=0)
    loss = xp.sum(xp.where(counted, xp.log(total[:, 0]) - picked, 0.0))
    factor = xp.astype(counted, wide.dtype)
    if mean:
        count = xp.sum(factor)
        nothing = count == 0
        factor = factor / xp.where(nothing, 1.0, count)
        loss = xp.where(nothing, xp.nan, loss / xp.where(nothing, 1.0, count))  # the mean of nothing is no number
    return cast(xp, loss, x.dtype), at, xp.reshape(factor, (-1, 1)), top, total


def cross_entropy_backward(x: Array, output_grad: Array, at: Array, factor: Array, top: Array, total: Array) -> Array:
    """(softmax(x) - 1 at the targets) times `factor` and `output_grad`; the rest is what `cross_entropy` gave"""
    xp = namespace(x)
    classes = xp.arange(x.shape[1], dtype=at.dtype, device=at.device)
    chosen = xp.astype(classes == xp.reshape(at, (-1, 1)), total.dtype)
    soft = xp.exp(widened(xp, x) - top) / total
    grad = (soft - chosen) * (widened(xp, output_grad) * factor)
    return cast(xp, xp.where(factor == 0, 0.0, grad), x.dtype)  # what is ignored stops NaN too
