"""softmax and its logarithm, from shifted exponentials that cannot overflow."""

from __future__ import annotations

from ..array_types import Array, Namespace
from ..lookup import namespace
from .precision import cast, widened

__all__ = ["log_softmax", "log_softmax_backward", "logsumexp", "softmax", "softmax_backward"]


def softmax(x: Array, axis: int) -> Array:
    """exp(x) / sum(exp(x)) along `axis`; NaN where every element is -inf, or one is +inf."""
    xp = namespace(x)
    if 0 in x.shape:
        return xp.asarray(x, copy=True)
    wide = widened(xp, x)
    powers = xp.exp(wide - xp.max(wide, axis=axis, keepdims=True))
    return cast(xp, powers / xp.sum(powers, axis=axis, keepdims=True), x.dtype)


def log_softmax(x: Array, axis: int) -> Array:
    """x - log(sum(exp(x))) along `axis`; NaN where every element is -inf, or one is +inf."""
    xp = namespace(x)
    if 0 in x.shape:
        return xp.asarray(x, copy=True)
    wide = widened(xp, x)
    shifted = wide - xp.max(wide, axis=axis, keepdims=True)
    return cast(xp, shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True)), x.dtype)


def softmax_backward(output: Array, output_grad: Array, axis: int) -> Array:
    """output * (output_grad - sum(output_grad * output)) along `axis`"""
    xp = namespace(output)
    out, grad = widened(xp, output), widened(xp, output_grad)
    return cast(xp, out * (grad - xp.sum(grad * out, axis=axis, keepdims=True)), output_grad.dtype)


def log_softmax_backward(output: Array, output_grad: Array, axis: int) -> Array:
    """output_grad - exp(output) * sum(output_grad) along `axis`"""
    xp = namespace(output)
    out, grad = widened(xp, output), widened(xp, output_grad)
    return cast(xp, grad - xp.exp(out) * xp.sum(grad, axis=axis, keepdims=True), output_grad.dtype)


def logsumexp(x: Array, axis: int | tuple[int, ...] | None, keepdims: bool) -> Array:
    """log(sum(exp(x))) along `axis`: -inf where every element is -inf or there is none, +inf where one is +inf."""
    xp = namespace(x)
    wide = widened(xp, x)
    sizes = xp.real(wide) if xp.isdtype(wide.dtype, "complex floating") else wide  # e^x is as large as these say
    shift = _finite(xp, _largest(xp, sizes, axis))
    total = xp.sum(xp.exp(wide - shift), axis=axis, keepdims=True)
    # The logarithm of 0 is right, -inf, but NumPy warns of it.
    empty = total == 0
    out = xp.where(empty, -xp.inf, xp.log(xp.where(empty, 1.0, total)) + shift)
    if not keepdims:
        out = xp.squeeze(out, axis=tuple(range(x.ndim)) if axis is None else axis)
    return cast(xp, out, x.dtype)


def _largest(xp: Namespace, x: Array, axis: int | tuple[int, ...] | None) -> Array:
    """The largest elements along `axis`, which stays with length 1; of none, -inf."""
    if 0 not in x.shape:
        return xp.max(x, axis=axis, keepdims=True)
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    reduced = {a % x.ndim for a in axes}
    shape = tuple([1 if i in reduced else n for i, n in enumerate(x.shape)])
    return xp.full(shape, -xp.inf, dtype=x.dtype, device=x.device)


def _finite(xp: Namespace, x: Array) -> Array:
    """`x` with 0 in place of what is not finite."""
    return xp.where(xp.isfinite(x), x, xp.zeros_like(x))
