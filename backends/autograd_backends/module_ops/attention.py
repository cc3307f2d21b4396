"""Attention in blocks: no array of all scores is ever made.

Forward goes over the keys in blocks and carries each row's maximum, sum of exponentials and weighted values, rescaled
when the maximum grows (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). Backward makes the
weights of a block again, from the scores and the logarithm of the row's sum (Dao and others, "FlashAttention", 2022).
With weights P, output O and the arriving gradient g, the gradient of the scores is ``P * (g V^T - sum(g * O))``.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import isqrt, sqrt
from typing import Any, NamedTuple

from ..array_types import Array, Namespace, Shape
from ..lookup import namespace
from ..options import AttentionModuleOptions
from ..shapes import attention_output_shape
from .precision import cast, widened

__all__ = ["Attention", "AttentionBackward", "ScoreBlocks", "attention", "attention_backward"]

#: Which of query, key, value and attn_bias needs a gradient.
Needs = tuple[bool, bool, bool, bool]


class Attention(NamedTuple):
    """Output [B, H, Sq, Dv], and the logarithm of each row's sum of exponentials [B, H, Sq], -inf for a row that sees
    no key; in float32 for half precision."""

    output: Array
    log_sum: Array


class AttentionBackward(NamedTuple):
    """The gradients of query, key, value and attn_bias, each of the shape of its input; None where not needed."""

    query_grad: Array | None
    key_grad: Array | None
    value_grad: Array | None
    attn_bias_grad: Array | None


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    options: AttentionModuleOptions,
    blocks: type[ScoreBlocks] | None = None,
) -> Attention:
    """The values, weighted for each query by the softmax of its scores over the keys.

    Parameters
    ----------
    query, key, value
        [B, H, Sq, D], [B, Hk, Sk, D] and [B, Hk, Sk, Dv]; query head h reads key head ``h // (H / Hk)``.
    mask
        Bools [1 or B, 1 or H, Sq, Sk], True where a query does not see a key; or None.
    attn_bias
        [1 or B, 1 or H, Sq, Sk], added to the scores; or None. A key at -inf is not seen.
    blocks
        How the scores are made, and how many at a time, if not as in `ScoreBlocks`.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    TypeError
        If `mask` is not of bools.
    """
    scores = (blocks or ScoreBlocks)("attention", query, key, value, mask, attn_bias, options)
    xp = scores.xp
    # A weight of 0 times an infinite value would be NaN.
    holes = scores.can_hide and not bool(xp.all(xp.isfinite(value)))
    shape, sums_shape = (*scores.query.shape[:-1], value.shape[-1]), (*scores.query.shape[:-1], 1)
    if len(scores.places) == 1:
        output, log_sum = _rows(scores, value, *scores.places[0], holes)
    else:
        output = xp.empty(shape, dtype=value.dtype, device=value.device)
        log_sum = xp.empty(sums_shape, dtype=scores.wide, device=value.device)
        for batch, heads, rows, columns in scores.places:
            place = (batch, heads, slice(None), rows, slice(None))
            out, sums = _rows(scores, value, batch, heads, rows, columns, holes)
            output[place] = xp.reshape(out, output[place].shape)
            log_sum[place] = xp.reshape(sums, log_sum[place].shape)
    return Attention(xp.reshape(output, (*query.shape[:-1], value.shape[-1])), xp.reshape(log_sum, query.shape[:-1]))


def _rows(
    scores: ScoreBlocks,
    value: Array,
    batch: slice,
    heads: slice,
    rows: slice,
    columns: tuple[slice, ...],
    holes: bool,
) -> tuple[Array, Array]:
    """The output of rows that see `columns`, [b, h, G rows, Dv], and the logarithms of their sums [b, h, 1, G rows]."""
    xp = scores.xp
    q = scores.scaled_query(batch, heads, rows)
    if not columns:
        nothing = partial(xp.full, device=value.device)
        shape = q.shape[:-1]
        return (
            nothing((*shape, value.shape[-1]), 0.0, dtype=value.dtype),
            nothing((*shape[:2], 1, shape[2]), -xp.inf, dtype=scores.wide),
        )
    top = total = weighted = None
    for part in columns:
        block = scores.block(q, batch, heads, rows, part)[0]
        block_top = xp.max(block, axis=-2, keepdims=True)
        new_top = block_top if top is None else xp.maximum(top, block_top)
        shift = _finite_shift(xp, new_top)
        weights = scores.powers(block, shift)
        sums = scores.sums(weights)
        values = _weighted(xp, weights, widened(xp, value[batch, heads, part, :]), holes)
        if top is None:
            total, weighted = sums, values
        else:
            shrink = xp.exp(top - shift)
            total = total * shrink + sums
            weighted = weighted * xp.matrix_transpose(shrink) + values
        top = new_top
        del block, weights  # before the next ones are made
    # The logarithm of 0 is right, -inf, but NumPy warns of it.
    empty = total == 0
    total = xp.where(empty, 1.0, total)
    out = cast(xp, weighted / xp.matrix_transpose(total), value.dtype)
    return out, xp.where(empty, -xp.inf, xp.log(total) + shift)


def attention_backward(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    output: Array,
    log_sum: Array,
    output_grad: Array,
    options: AttentionModuleOptions,
    needs: Needs = (True, True, True, True),
    blocks: type[ScoreBlocks] | None = None,
) -> AttentionBackward:
    """The gradients of ``attention``; its arguments, and besides them:

    Parameters
    ----------
    output, log_sum
        [B, H, Sq, Dv] and [B, H, Sq], as ``attention`` gave them.
    output_grad
        [B, H, Sq, Dv]
    needs
        Which of query, key, value and attn_bias needs a gradient.
    """
    scores = (blocks or ScoreBlocks)("attention_backward", query, key, value, mask, attn_bias, options)
    xp = scores.xp
    grad, out = scores.grouped(output_grad), scores.grouped(output)
    log_sums = scores.grouped(xp.expand_dims(log_sum, axis=-1))
    query_grad = _Total(scores, scores.query.shape) if needs[0] else None
    key_grad = _Total(scores, key.shape) if needs[1] else None
    value_grad = _Total(scores, value.shape) if needs[2] else None
    bias_grad = _Total(scores, scores.bias.shape) if needs[3] and scores.bias is not None else None
    for batch, heads, rows, column_blocks in scores.places:
        place = (batch, heads, slice(None), rows, slice(None))
        q = scores.scaled_query(batch, heads, rows)
        harmless_q = scores.harmless(q)
        g, o = (_merged(xp, widened(xp, x[place])) for x in (grad, out))
        row_sum = xp.expand_dims(xp.vecdot(g, o), axis=-2)
        shift = xp.matrix_transpose(_finite_shift(xp, _merged(xp, log_sums[place])))
        for columns in column_blocks:
            at_keys = (batch, heads, columns, slice(None))
            block, capped = scores.block(q, batch, heads, rows, columns)
            weights = scores.powers(block, shift)
            if value_grad is not None:
                value_grad.add(at_keys, xp.matmul(weights, g))
            if query_grad is None and key_grad is None and bias_grad is None:
                continue
            scores_grad = xp.matmul(widened(xp, value[at_keys]), xp.matrix_transpose(g))
            scores_grad -= row_sum
            scores_grad *= weights
            scores_grad = scores.unhidden(weights, scores_grad)
            if bias_grad is not None:
                at = _cut(bias_grad.shape, batch, heads, rows, columns)
                bias_grad.add(at, scores.summed_to(scores_grad, bias_grad.shape, rows))
            if capped is not None:
                scores_grad = scores.unhidden(weights, scores_grad * (1.0 - capped * capped))
            if query_grad is not None:
                k = scores.harmless(widened(xp, key[at_keys]))
                query_grad.add(place, xp.matmul(xp.matrix_transpose(scores_grad), k) * scores.scale)
            if key_grad is not None:
                key_grad.add(at_keys, xp.matmul(scores_grad, harmless_q) * (scores.softcap or 1.0))
            del block, capped, weights, scores_grad  # before the next ones are made
    return AttentionBackward(
        None if query_grad is None else query_grad.like(query),
        None if key_grad is None else key_grad.like(key),
        None if value_grad is None else value_grad.like(value),
        None if bias_grad is None or attn_bias is None else bias_grad.like(attn_bias),
    )


class _Total:
    """A gradient, added up from what the blocks give; where there is but one block, what that gives."""

    def __init__(self, scores: ScoreBlocks, shape: Shape) -> None:
        self.scores = scores
        self.shape = shape
        self.array: Array | None = None

    def add(self, place: tuple[slice, ...], x: Array) -> None:
        """Add `x`, in any shape of as many elements, at `place`."""
        if self.array is None and self.scores.is_one_block:
            self.array = x
            return
        if self.array is None:
            self.array = self._zeros()
        self.scores.add_at(self.array, place, self.scores.xp.reshape(x, self.array[place].shape))

    def like(self, x: Array) -> Array:
        """The sum, in the shape and dtype of `x`."""
        array = self._zeros() if self.array is None else self.array
        return cast(self.scores.xp, self.scores.xp.reshape(array, x.shape), x.dtype)

    def _zeros(self) -> Array:
        return self.scores.xp.zeros(self.shape, dtype=self.scores.wide, device=self.scores.query.device)


class ScoreBlocks:
    """The scores of a call, a block at a time; a backend may subclass it with faster steps.

    The G query heads that read one key head are a dimension of their own: query [B, Hk, G, Sq, D], mask and bias
    [1 or B, 1 or Hk, 1 or G, Sq, Sk]. A block of scores is [b, h, columns, G rows]: keys before queries, because
    reductions over the keys then go along rows of memory.

    Attributes
    ----------
    size
        How many scores a block has, at most.
    wide
        The dtype that sums are taken in.
    can_hide
        Whether there may be keys that a query does not see.
    places
        Where the blocks are: batches, key heads and rows, and the blocks of columns that these rows see.
    is_one_block
        Whether one block is all.
    """

    size = 2**24

    def __init__(
        self,
        op_name: str,
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None,
        bias: Array | None,
        options: AttentionModuleOptions,
    ) -> None:
        self.xp = xp = namespace(query)
        shapes = (tuple(a.shape) for a in (query, key, value))
        optional = (None if a is None else tuple(a.shape) for a in (mask, bias))
        attention_output_shape(op_name, *shapes, *optional)
        if mask is not None and mask.dtype != xp.bool:
            raise TypeError(f"{op_name}: mask has dtype {mask.dtype}; it must be bool, True where a key is not seen")
        self.key_heads, self.keys = key.shape[1:3]
        self.group = query.shape[1] // max(1, self.key_heads)
        self.wide = widened(xp, query[:0, ...]).dtype
        self.query, self.key = self.grouped(query), key
        self.mask = None if mask is None else self.grouped(mask)
        self.bias = None if bias is None else self.grouped(bias)
        self.softcap = options.softcap
        self.scale = 1.0 / sqrt(max(1, query.shape[-1])) if options.scale is None else options.scale
        #: Query `row` sees keys up to `row` plus this.
        self.lead = self.keys - query.shape[2] if options.is_causal else None
        self.can_hide = not (mask is None and bias is None and self.lead is None)
        self.places = _places(self.size, self.query.shape[:4], self.keys, self.lead)
        self.is_one_block = len(self.places) == 1 and len(self.places[0][3]) == 1

    def grouped(self, x: Array) -> Array:
        """x [B, 1 or H, ...] -> [B, 1 or Hk, 1 or G, ...]"""
        heads = (1, 1) if x.shape[1] == 1 else (self.key_heads, self.group)
        return self.xp.reshape(x, (x.shape[0], *heads, *x.shape[2:]))

    # ------------------------------------------------------------ what is in them

    def scaled_query(self, batch: slice, heads: slice, rows: slice) -> Array:
        """Rows of the query, times the scale, over the softcap: [b, h, G rows, D]"""
        query = widened(self.xp, self.query[batch, heads, :, rows, :])
        return _merged(self.xp, query * (self.scale / (self.softcap or 1.0)))

    def block(
        self, scaled_query: Array, batch: slice, heads: slice, rows: slice, columns: slice
    ) -> tuple[Array, Array | None]:
        """Scores [b, h, columns, G rows], -inf where hidden; and the tanh in them, if there is a softcap."""
        xp = self.xp
        key = widened(xp, self.key[batch, heads, columns, :])
        scores = xp.matmul(key, xp.matrix_transpose(scaled_query))
        capped = None
        if self.softcap is not None:
            capped = xp.tanh(scores)
            scores = capped * self.softcap
        if not self.can_hide:
            return scores, capped
        shape = scores.shape
        scores = xp.reshape(scores, (*shape[:3], self.group, rows.stop - rows.start))
        hidden = None if self.mask is None else self._turned(self.mask, batch, heads, rows, columns)
        if self.bias is not None:
            bias = self._turned(self.bias, batch, heads, rows, columns)
            scores += cast(xp, bias, scores.dtype)
            hidden = _either(hidden, bias == -xp.inf)
        if self.lead is not None and columns.stop - 1 > rows.start + self.lead:
            row, column = (xp.arange(s.start, s.stop, device=scores.device) for s in (rows, columns))
            hidden = _either(hidden, xp.reshape(column, (-1, 1, 1)) > row + self.lead)
        if hidden is not None:
            scores = self.hide(scores, hidden)
        return xp.reshape(scores, shape), capped

    def _turned(self, x: Array, batch: slice, heads: slice, rows: slice, columns: slice) -> Array:
        """x [1 or B, 1 or Hk, 1 or G, Sq, Sk] -> the block of it, [1 or b, 1 or h, columns, 1 or G, rows]"""
        return self.xp.permute_dims(x[_cut(x.shape, batch, heads, rows, columns)], (0, 1, 4, 2, 3))

    def summed_to(self, x: Array, shape: Shape, rows: slice) -> Array:
        """x [b, h, columns, G rows] -> [b, h, G, rows, columns], summed over batches and heads where `shape` has 1"""
        xp = self.xp
        x = xp.reshape(x, (*x.shape[:3], self.group, rows.stop - rows.start))
        x = xp.permute_dims(x, (0, 1, 3, 4, 2))
        axes: Any = tuple(i for i in range(3) if shape[i] == 1 and x.shape[i] != 1)
        return xp.sum(x, axis=axes, keepdims=True) if axes else x

    # ------------------------------------------------------------ steps

    def hide(self, scores: Array, hidden: Array) -> Array:
        """`scores`, which are the caller's, with -inf where `hidden`."""
        return self.xp.where(hidden, -self.xp.inf, scores)

    def powers(self, scores: Array, shift: Array) -> Array:
        """exp(scores - shift); `scores` are the caller's."""
        scores -= shift
        return self.xp.exp(scores)

    def sums(self, weights: Array) -> Array:
        """[b, h, columns, G rows] -> [b, h, 1, G rows]"""
        return self.xp.sum(weights, axis=-2, keepdims=True)

    def add_at(self, target: Array, place: tuple[slice, ...], x: Array) -> None:
        """Add `x` to `target` at `place`."""
        target[place] += x

    def unhidden(self, weights: Array, x: Array) -> Array:
        """`x`, which is the caller's, with 0 where the weight is 0, whatever hidden keys made of it."""
        return self.xp.where(weights == 0, 0.0, x) if self.can_hide else x

    def harmless(self, x: Array) -> Array:
        """`x` with 0 in place of what is not finite, if that may be hidden; where it is not, the weights are NaN."""
        return self.xp.where(self.xp.isfinite(x), x, 0.0) if self.can_hide else x


@lru_cache(maxsize=256)
def _places(
    size: int, shape: tuple[int, int, int, int], keys: int, lead: int | None
) -> tuple[tuple[slice, slice, slice, tuple[slice, ...]], ...]:
    """The blocks, of at most `size` scores if that can be, of a query of `shape` [B, Hk, G, Sq].

    Columns that causality hides from all rows of a block are left out.
    """
    batches, key_heads, group, queries = shape
    column_step = max(1, min(keys, isqrt(size)))
    room = max(1, size // (max(1, group) * column_step))
    row_step = max(1, min(room, queries))
    head_step = max(1, min(room // row_step, key_heads))
    batch_step = max(1, room // (row_step * head_step))

    def seen(rows: slice) -> tuple[slice, ...]:
        return _slices(keys if lead is None else min(keys, rows.stop + lead), column_step)

    return tuple(
        (batch, heads, rows, seen(rows))
        for batch in _slices(batches, batch_step)
        for heads in _slices(key_heads, head_step)
        for rows in _slices(queries, row_step)
    )


def _slices(count: int, step: int) -> tuple[slice, ...]:
    return tuple(slice(start, min(start + step, count)) for start in range(0, count, step))


def _cut(shape: Shape, batch: slice, heads: slice, rows: slice, columns: slice) -> tuple[slice, ...]:
    """Where the block is in an array of `shape` [1 or B, 1 or Hk, 1 or G, Sq, Sk]."""
    everything = slice(None)
    return (
        everything if shape[0] == 1 else batch,
        everything if shape[1] == 1 else heads,
        everything,
        rows,
        columns,
    )


def _merged(xp: Namespace, x: Array) -> Array:
    """x [b, h, G, rows, n] -> [b, h, G rows, n]"""
    return xp.reshape(x, (*x.shape[:2], x.shape[2] * x.shape[3], x.shape[4]))


def _either(hidden: Array | None, more: Array) -> Array:
    return more if hidden is None else hidden | more


def _finite_shift(xp: Namespace, top: Array) -> Array:
    """`top` with 0 in place of -inf: what is subtracted from scores that are all -inf."""
    return xp.where(top == -xp.inf, 0.0, top)


def _weighted(xp: Namespace, weights: Array, value: Array, holes: bool) -> Array:
    """weights [b, h, columns, G rows], value [b, h, columns, Dv] -> [b, h, G rows, Dv]

    With `holes`, a value that is not finite counts only where its weight is not 0.
    """
    weights = xp.matrix_transpose(weights)
    if not holes:
        return xp.matmul(weights, value)
    out = xp.matmul(weights, xp.where(xp.isfinite(value), value, 0.0))
    seen = xp.astype(weights != 0, weights.dtype)
    for kind, where in ((xp.inf, value == xp.inf), (-xp.inf, value == -xp.inf), (xp.nan, xp.isnan(value))):
        out = xp.where(xp.matmul(seen, xp.astype(where, seen.dtype)) > 0, out + kind, out)
    return out
