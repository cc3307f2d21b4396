"""Reductions and scans. `axis` is a tuple of dimensions, each in ``[0, x.ndim)``, or None for all."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels, namespace
from autograd_backends.lookup import floating_dtypes

from ..registry import Array, op
from .compare import equal, isfinite, isnan, logical_or, where
from .complex import conj
from .dtype import accumulator, astype, has_complex, ones_like
from .elementwise import exp
from .shape import broadcast_to, concat, flip, getitem, inverse, permute, reshape

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "cumprod",
    "cumsum",
    "logsumexp",
    "mean",
    "norm2",
    "prod",
    "prod_others",
    "std",
    "sum",
    "var",
]

Axes = tuple[int, ...] | None


def count(shape: tuple[int, ...], axis: Axes) -> int:
    """How many elements of an array of `shape` are reduced to one."""
    n = 1
    for i in range(len(shape)) if axis is None else axis:
        n *= shape[i]
    return n


def _kept(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """`shape` with length 1 along the reduced dimensions."""
    return tuple([1 if axis is None or i in axis else n for i, n in enumerate(shape)])


def unreduce(g: Any, shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Any:
    """The gradient of a reduction's output, stretched to the `shape` of its input."""
    if not keepdims and axis is not None:
        g = reshape(g, _kept(shape, axis))
    return broadcast_to(g, shape)


def _signed(xp: Any, x: Array) -> Array:
    """x, as int64 unless of floats: the standard has no sum of bools, and adds up unsigned integers unsigned."""
    return x if x.dtype in floating_dtypes[type(x)] else xp.astype(x, xp.int64, copy=False)


@op(formula="dx = g, stretched to x.shape")
def sum(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The sum over `axis`; of integers and bools, int64"""
    xp = namespace(x)
    return xp.sum(_signed(xp, x), axis=axis, keepdims=keepdims)


sum.backward(x=lambda g, x_shape, axis, keepdims: unreduce(g, x_shape, axis, keepdims))


@op(formula="dx = g / n, stretched to x.shape", floating=True)
def mean(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The mean over `axis`"""
    return namespace(x).mean(x, axis=axis, keepdims=keepdims)


def _mean_x(g: Any, x_shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Any:
    return unreduce(g / max(count(x_shape, axis), 1), x_shape, axis, keepdims)


mean.backward(x=_mean_x)


@op(formula="dx = 2 g conj(x - mean x) / (n - correction)", floating=True)
def var(x: Array, axis: Axes = None, correction: float = 1.0, keepdims: bool = False) -> Array:
    """The variance over `axis`: squared distances from the mean, summed, over n - `correction`; real"""
    return _variance(x, axis, correction, keepdims)


def _variance(x: Array, axis: Axes, correction: float, keepdims: bool) -> Array:
    xp = namespace(x)
    wide = xp.astype(x, accumulator(x), copy=False)
    centred = wide - xp.mean(wide, axis=axis, keepdims=True)
    total = xp.sum(_squares(xp, centred), axis=axis, keepdims=keepdims)
    freedom = count(x.shape, axis) - correction
    if freedom > 0:
        spread = total / freedom
    else:  # total / 0, without a warning
        spread = xp.where(total > 0, xp.full_like(total, xp.inf), xp.full_like(total, xp.nan))
    return _narrowed(xp, spread, x)


def _squares(xp: Any, x: Array) -> Array:
    """|x|^2, real"""
    return xp.real(x) ** 2 + xp.imag(x) ** 2 if has_complex(x) else x * x


def _narrowed(xp: Any, out: Array, x: Array) -> Array:
    """`out`, which may be in a wider dtype, in that of x; what is real stays so."""
    return out if has_complex(x) else xp.astype(out, x.dtype, copy=False)


def _centred(x: Any, axis: Axes) -> Any:
    return x - mean(x, axis, True)


def _var_x(g: Any, x: Any, axis: Axes, correction: float, keepdims: bool) -> Any:
    n = count(x.shape, axis)
    scale = 2.0 / (n - correction) if n > correction else float("nan")
    return unreduce(g, tuple(x.shape), axis, keepdims) * (conj(_centred(x, axis)) * scale)


var.backward(x=_var_x)


@op(formula="dx = g conj(x - mean x) / ((n - correction) out), 0 where out is 0", floating=True)
def std(x: Array, axis: Axes = None, correction: float = 1.0, keepdims: bool = False) -> Array:
    """The standard deviation over `axis`: the root of the variance"""
    xp = namespace(x)
    wide = xp.astype(x, accumulator(x), copy=False)
    return _narrowed(xp, xp.sqrt(_variance(wide, axis, correction, keepdims)), x)


def _std_x(g: Any, x: Any, out: Any, axis: Axes, correction: float, keepdims: bool) -> Any:
    n = count(x.shape, axis)
    scale = 1.0 / (n - correction) if n > correction else float("nan")
    each = where(out == 0, 0.0, g) / where(out == 0, 1.0, out)
    return unreduce(each, tuple(x.shape), axis, keepdims) * (conj(_centred(x, axis)) * scale)


std.backward(x=_std_x)


@op(formula="dx = g, shared evenly among the elements that equal the maximum", real=True)
def amax(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The largest element over `axis`; NaN if any is"""
    return namespace(x).max(x, axis=axis, keepdims=keepdims)


@op(formula="dx = g, shared evenly among the elements that equal the minimum", real=True)
def amin(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The smallest element over `axis`; NaN if any is"""
    return namespace(x).min(x, axis=axis, keepdims=keepdims)


def _share(g: Any, x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    kept = out if keepdims else reshape(out, _kept(x.shape, axis))
    ties = logical_or(equal(x, kept), isnan(x))  # a NaN is the extreme, and equals nothing
    # In half precision the number of ties may overflow: count and divide in the wider dtype, then come back.
    n = astype(sum(ties, axis, True), accumulator(x))
    g = g if keepdims else reshape(g, _kept(x.shape, axis))
    return where(ties, astype(g / n, x.dtype), 0.0)


amax.backward(x=_share)
amin.backward(x=_share)


@op(nondiff=True, real=True)
def argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """The index of the largest element along one dimension, or in the flattened array; the first of equals"""
    return namespace(x).argmax(x, axis=axis, keepdims=keepdims)


@op(nondiff=True, real=True)
def argmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """The index of the smallest element along one dimension, or in the flattened array; the first of equals"""
    return namespace(x).argmin(x, axis=axis, keepdims=keepdims)


@op(nondiff=True, real=True)
def argsort(x: Array, axis: int, descending: bool = False) -> Array:
    """The indices that put x in order along `axis`; equal elements keep their order"""
    xp = namespace(x)
    x = xp.astype(x, xp.uint8) if x.dtype == xp.bool else x
    return xp.astype(xp.argsort(x, axis=axis, descending=descending, stable=True), xp.int64, copy=False)


@op(nondiff=True)
def all(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether all elements over `axis` are true"""
    return namespace(x).all(x, axis=axis, keepdims=keepdims)


@op(nondiff=True)
def any(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether any element over `axis` is true"""
    return namespace(x).any(x, axis=axis, keepdims=keepdims)


@op(formula="dx = g e^x / sum e^x", floating=True)
def logsumexp(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """log of the sum of e^x over `axis`, without overflow"""
    return kernels(x).logsumexp(x, axis, keepdims)


def _logsumexp_x(g: Any, x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    shift = out if keepdims else reshape(out, _kept(x.shape, axis))
    # Where all of x is -inf, so is out, and e^(x - out) would not be a number.
    weights = exp(x - where(isfinite(shift), shift, 0.0))
    # They add up to 1 but for the rounding of out, which for large numbers is not small.
    total = sum(weights, axis, True)
    return unreduce(g, tuple(x.shape), axis, keepdims) * (weights / where(total == 0, 1.0, total))


logsumexp.backward(x=_logsumexp_x)


@op(formula="dx = g conj x / out, 0 where out is 0", floating=True)
def norm2(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The 2-norm over `axis`: the root of the sum of |x|^2"""
    xp = namespace(x)
    wide = xp.astype(x, accumulator(x), copy=False)
    return _narrowed(xp, xp.sqrt(xp.sum(_squares(xp, wide), axis=axis, keepdims=keepdims)), x)


def _norm2_x(g: Any, x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    each = where(out == 0, 0.0, g) / where(out == 0, 1.0, out)
    return unreduce(each, tuple(x.shape), axis, keepdims) * conj(x)


norm2.backward(x=_norm2_x)


@op(formula="dx_i = sum of g_j for j >= i")
def cumsum(x: Array, axis: int) -> Array:
    """Running sums along `axis`; of integers and bools, int64"""
    xp = namespace(x)
    return xp.cumulative_sum(_signed(xp, x), axis=axis)


cumsum.backward(x=lambda g, axis: flip(cumsum(flip(g, (axis,)), axis), (axis,)))


@op(formula="dx_i = g times the product of the other elements")
def prod(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The product over `axis`; of integers and bools, int64"""
    xp = namespace(x)
    return xp.prod(_signed(xp, x), axis=axis, keepdims=keepdims)


def _prod_x(g: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
    shape = tuple(x.shape)
    return unreduce(g, shape, axis, keepdims) * prod_others(x, tuple(range(len(shape))) if axis is None else axis)


prod.backward(x=_prod_x)


def _prod_others_recorded(x: Any, axis: tuple[int, ...]) -> Any:
    """The same as products of the rows of a matrix whose diagonal is 1, so that `prod` differentiates it."""
    shape = tuple(x.shape)
    rest = tuple([i for i in range(len(shape)) if i not in axis])
    order = (*rest, *axis)
    n = count(shape, axis)
    rows = reshape(permute(x, order), (*[shape[i] for i in rest], 1, n))
    array = getattr(x, "array", x)
    xp = namespace(array)
    diagonal = xp.eye(n, dtype=xp.bool, device=array.device)
    products = prod(where(diagonal, 1.0, rows), (len(rest) + 1,), False)
    return permute(reshape(products, tuple([shape[i] for i in order])), inverse(order))


@op(formula="as of the products of all but one element, each one product", recorded=_prod_others_recorded)
def prod_others(x: Array, axis: tuple[int, ...]) -> Array:
    """For each element, the product over `axis` of the others: no division, so zeros do no harm"""
    xp = namespace(x)
    rest = tuple([i for i in range(len(x.shape)) if i not in axis])
    order = (*rest, *axis)
    moved = xp.permute_dims(x, order)
    rows = xp.reshape(moved, (*[x.shape[i] for i in rest], count(x.shape, axis)))
    before = xp.cumulative_prod(rows, axis=-1, include_initial=True)[..., :-1]
    after = xp.flip(xp.cumulative_prod(xp.flip(rows, axis=-1), axis=-1, include_initial=True), axis=-1)[..., 1:]
    return xp.permute_dims(xp.reshape(before * after, moved.shape), inverse(order))


@op(formula="dx_i = out_(i-1) times the sum of g_j x_(i+1) ... x_j for j >= i")
def cumprod(x: Array, axis: int) -> Array:
    """Running products along `axis`; of integers and bools, int64"""
    xp = namespace(x)
    if x.dtype not in floating_dtypes[type(x)]:
        return xp.cumulative_prod(_signed(xp, x), axis=axis)
    wide = xp.astype(x, accumulator(x), copy=False)
    return xp.astype(xp.cumulative_prod(wide, axis=axis), x.dtype, copy=False)


def _cumprod_x(g: Any, x: Any, axis: int) -> Any:
    # No division, so zeros do no harm.
    axis = axis % len(x.shape)
    n = x.shape[axis]
    if n == 0:
        return ones_like(g)

    def part(a: Any, start: int, stop: int) -> Any:
        return getitem(a, (*(slice(None),) * axis, slice(start, stop), ...))

    before = concat([ones_like(part(x, 0, 1)), cumprod(part(x, 0, n - 1), axis)], axis)
    # sums_i = g_i + x_(i+1) sums_(i+1), in steps that double: sums has the first `step` terms of each, and links the
    # products x_(i+1) ... x_(i+step) that stand before the terms of sums_(i+step).
    sums, links, step = g, part(x, 1, n), 1
    while step < n:
        grown = part(sums, 0, n - step) + links * part(sums, step, n)
        sums = concat([grown, part(sums, n - step, n)], axis)
        if 2 * step < n:
            links = part(links, 0, n - 2 * step) * part(links, step, n - step)
        step *= 2
    return before * sums


cumprod.backward(x=_cumprod_x)
