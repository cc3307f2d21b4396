"""Shape ops: most give a view, a window on the memory of their input."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from autograd_backends import ShapeError, kernels, namespace

from ..registry import Array, Arrays, op
from .dtype import zeros_like

__all__ = [
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "getitem",
    "inverse",
    "matrix_transpose",
    "overwrite",
    "permute",
    "place",
    "rejoin",
    "repeat",
    "reshape",
    "roll",
    "split",
    "squeeze",
    "stack",
    "sum_to",
    "tril",
    "triu",
    "unstack",
]


@op(formula="dx = reshape(g, x.shape)", view=lambda base, value, shape: reshape(value, base.shape))
def reshape(x: Array, shape: tuple[int, ...]) -> Array:
    """The elements of x in another shape; one length may be -1. A view where x is contiguous."""
    try:
        return namespace(x).reshape(x, shape)
    except ValueError:
        raise ShapeError(
            f"reshape: the {x.size} elements of shape {tuple(x.shape)} do not fill {tuple(shape)}"
        ) from None


reshape.backward(x=lambda g, x_shape: reshape(g, x_shape))


def inverse(axes: Sequence[int]) -> tuple[int, ...]:
    """The order of dimensions that undoes `axes`."""
    back = [0] * len(axes)
    for i, axis in enumerate(axes):
        back[axis] = i
    return tuple(back)


@op(formula="dx = permute(g, inverse of axes)", view=lambda base, value, axes: permute(value, inverse(axes)))
def permute(x: Array, axes: tuple[int, ...]) -> Array:
    """The dimensions of x in the order of `axes`, each in ``[0, x.ndim)``"""
    return namespace(x).permute_dims(x, axes)


permute.backward(x=lambda g, axes: permute(g, inverse(axes)))


@op(formula="dx = g^T", view=lambda base, value: matrix_transpose(value))
def matrix_transpose(x: Array) -> Array:
    """The last two dimensions of x exchanged"""
    return namespace(x).matrix_transpose(x)


matrix_transpose.backward(x=lambda g: matrix_transpose(g))


@op(formula="dx = squeeze(g, axis)", view=lambda base, value, axis: reshape(value, base.shape))
def expand_dims(x: Array, axis: int) -> Array:
    """x with a new dimension of length 1 at `axis`"""
    return namespace(x).expand_dims(x, axis=axis)


expand_dims.backward(x=lambda g, x_shape: reshape(g, x_shape))


@op(formula="dx = reshape(g, x.shape)", view=lambda base, value, axis: reshape(value, base.shape))
def squeeze(x: Array, axis: tuple[int, ...]) -> Array:
    """x without the dimensions of length 1 that `axis` names"""
    return namespace(x).squeeze(x, axis)


squeeze.backward(x=lambda g, x_shape: reshape(g, x_shape))


def _no_write(base: Any, value: Any, shape: Any) -> Any:
    raise ValueError("an expanded tensor cannot be changed in place: one element stands for many")


@op(formula="dx = sum of g over the dimensions that x was stretched along", view=_no_write)
def broadcast_to(x: Array, shape: tuple[int, ...]) -> Array:
    """x, stretched along dimensions of length 1 and given new leading ones"""
    return namespace(x).broadcast_to(x, shape)


broadcast_to.backward(x=lambda g, x_shape: sum_to(g, x_shape))


@op(formula="dx = g, stretched to x.shape")
def sum_to(x: Array, shape: tuple[int, ...]) -> Array:
    """x, summed over the dimensions along which an array of `shape` is stretched to the shape of x"""
    xp = namespace(x)
    lead = len(x.shape) - len(shape)
    stretched = [i + lead for i, n in enumerate(shape) if n == 1 and x.shape[i + lead] != 1]
    if lead == 0 and stretched:
        return xp.sum(x, axis=tuple(stretched), keepdims=True)
    return xp.reshape(xp.sum(x, axis=(*range(lead), *stretched)), shape) if lead else xp.asarray(x, copy=True)


sum_to.backward(x=lambda g, x_shape: broadcast_to(reshape(g, _with_ones(g.shape, x_shape)), x_shape))


def _with_ones(shape: tuple[int, ...], larger: tuple[int, ...]) -> tuple[int, ...]:
    return (1,) * (len(larger) - len(shape)) + tuple(shape)


@op(formula="dx = flip(g, axis)")
def flip(x: Array, axis: tuple[int, ...]) -> Array:
    """x with the order along the dimensions of `axis` reversed; a copy"""
    xp = namespace(x)
    return xp.asarray(xp.flip(x, axis=axis), copy=True)


flip.backward(x=lambda g, axis: flip(g, axis))


@op(formula="dx = roll(g, -shift, axis)")
def roll(x: Array, shift: tuple[int, ...], axis: tuple[int, ...] | None) -> Array:
    """x, moved along `axis` by `shift`; what falls off one end comes in at the other"""
    xp = namespace(x)
    return xp.roll(x, shift if axis is not None else shift[0], axis=axis)


roll.backward(x=lambda g, shift, axis: roll(g, tuple([-s for s in shift]), axis))


# ---------------------------------------------------------------- several into one


@op(formula="dx_i = the part of g that came from x_i", promote=True)
def concat(xs: Arrays, axis: int) -> Array:
    """The arrays one after the other along `axis`"""
    return namespace(xs[0]).concat(xs, axis=axis)


def _parts(g: Any, shapes: Sequence[tuple[int, ...]], axis: int) -> list[Any]:
    axis = axis % len(g.shape)
    parts, start = [], 0
    for shape in shapes:
        stop = start + shape[axis]
        parts.append(getitem(g, (slice(None),) * axis + (slice(start, stop), ...)))
        start = stop
    return parts


concat.backward(xs=lambda g, xs_shape, axis: _parts(g, xs_shape, axis))


@op(formula="that of concat", recorded=lambda xs, axis: concat(xs, axis))
def rejoin(xs: Arrays, axis: int) -> Array:
    """`concat` for gradients: where the arrays are the parts of one already, that one, and nothing is copied"""
    return kernels(xs[0]).rejoin(xs, axis)


@op(formula="dx_i = g at i along axis", promote=True)
def stack(xs: Arrays, axis: int) -> Array:
    """The arrays, all of one shape, side by side along a new dimension"""
    return namespace(xs[0]).stack(xs, axis=axis)


def _slices(g: Any, count: int, axis: int) -> list[Any]:
    lead = (slice(None),) * (axis % len(g.shape))
    return [getitem(g, (*lead, i, ...)) for i in range(count)]


stack.backward(xs=lambda g, xs_shape, axis: _slices(g, len(xs_shape), axis))


# ---------------------------------------------------------------- one into several


def _places(count: int, axis: int) -> list[tuple[Any, ...]]:
    """The keys of what `unstack` gives."""
    lead = (slice(None),) * axis
    return [(*lead, i, ...) for i in range(count)]


@op(formula="dx = the gradients, stacked", outputs=..., view=_places)
def unstack(x: Array, axis: int) -> Array:
    """A view of each place of x along `axis`, in ``[0, x.ndim)``; one op for all, whose gradient is in one piece"""
    return tuple([x[key] for key in _places(x.shape[axis], axis)])


unstack.backward(x=lambda g, axis: stack(g, axis))


def _stretches(count: int, lengths: tuple[int, ...], axis: int) -> list[tuple[Any, ...]]:
    """The keys of what `split` gives."""
    lead = (slice(None),) * axis
    return [(*lead, slice(end - n, end), ...) for n, end in zip(lengths, accumulate(lengths), strict=True)]


@op(formula="dx = the gradients, one after the other", outputs=..., view=_stretches)
def split(x: Array, lengths: tuple[int, ...], axis: int) -> Array:
    """Views of x along `axis`, in ``[0, x.ndim)``, of lengths that add up to its own; one op for all, as `unstack`"""
    return tuple([x[key] for key in _stretches(len(lengths), lengths, axis)])


split.backward(x=lambda g, axis: rejoin(g, axis))


# ---------------------------------------------------------------- basic indexing


@op(formula="dx = zeros with g at key", view=lambda base, value, key: overwrite(base, value, key))
def getitem(x: Array, key: tuple[Any, ...]) -> Array:
    """x[key] for a key of integers, slices, None and one ``...`` at its end at the latest"""
    return x[key]


getitem.backward(x=lambda g, x_shape, key: place(g, x_shape, key))


@op(formula="dx = g[key]")
def place(x: Array, shape: tuple[int, ...], key: tuple[Any, ...]) -> Array:
    """Zeros of `shape` with x at `key`"""
    xp = namespace(x)
    return _set(xp.zeros(shape, dtype=x.dtype, device=x.device), key, x)


def _set(out: Array, key: tuple[Any, ...], value: Array) -> Array:
    """`out`, a new array, with `value` at `key`; the standard assigns to keys without None only."""
    if None in key:
        key = tuple([k for k in key if k is not None])
        value = namespace(out).reshape(value, out[key].shape)
    out[key] = value
    return out


place.backward(x=lambda g, key: getitem(g, key))


@op(formula="dx = g with zeros at key, dvalue = g[key]")
def overwrite(x: Array, value: Array, key: tuple[Any, ...]) -> Array:
    """A copy of x with `value` at `key`"""
    return _set(namespace(x).asarray(x, copy=True), key, value)


overwrite.backward(
    x=lambda g, key: overwrite(g, zeros_like(getitem(g, key)), key),
    value=lambda g, key: getitem(g, key),
)


# ---------------------------------------------------------------- triangles and repeats


@op(formula="dx = tril(g, k)")
def tril(x: Array, k: int = 0) -> Array:
    """x with zeros above the k-th diagonal of its last two dimensions"""
    return namespace(x).tril(x, k=k)


tril.backward(x=lambda g, k: tril(g, k))


@op(formula="dx = triu(g, k)")
def triu(x: Array, k: int = 0) -> Array:
    """x with zeros below the k-th diagonal of its last two dimensions"""
    return namespace(x).triu(x, k=k)


triu.backward(x=lambda g, k: triu(g, k))


@op(formula="dx = g summed over the copies")
def repeat(x: Array, repeats: int, axis: int) -> Array:
    """Each element along `axis` as often as `repeats` says"""
    return namespace(x).repeat(x, repeats, axis=axis)


def _sum_copies(g: Any, x_shape: tuple[int, ...], repeats: int, axis: int) -> Any:
    axis = axis % len(x_shape)
    copies = reshape(g, (*x_shape[: axis + 1], repeats, *x_shape[axis + 1 :]))
    return reshape(sum_to(copies, (*x_shape[: axis + 1], 1, *x_shape[axis + 1 :])), x_shape)


repeat.backward(x=_sum_copies)
