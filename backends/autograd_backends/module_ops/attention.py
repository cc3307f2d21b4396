"""Attention in blocks: no array of all scores is ever made.

Forward goes over the keys in blocks and carries each row's maximum, sum of exponentials and weighted values, rescaled
when the maximum grows (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). Backward makes the
weights of a block again, from the scores and the logarithm of the row's sum (Dao and others, "FlashAttention", 2022).
With weights P, output O and the arriving gradient g, the gradient of the scores is ``P * (g V^T - sum(g * O))``.
"""

from __future__ import annotations

from functools import partial

from ..array_types import Array, Namespace, Shape
from ..options import AttentionModuleOptions
from ..results import Attention, AttentionBackward
from ..shapes import check_argument
from .precision import cast, widened
from .score_blocks import ScoreBlocks, merged, place_in

__all__ = ["attention", "attention_backward"]

#: Which of query, key, value and attn_bias needs a gradient.
Needs = tuple[bool, bool, bool, bool]


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
    holes = scores.has_holes(value)
    if len(scores.places) == 1:
        output, log_sum = _rows(scores, value, *scores.places[0], holes)
    else:
        shape = scores.query.shape[:-1]
        output = xp.empty((*shape, value.shape[-1]), dtype=value.dtype, device=value.device)
        log_sum = xp.empty((*shape, 1), dtype=scores.wide, device=value.device)
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
    name = "attention_backward"
    scores = (blocks or ScoreBlocks)(name, query, key, value, mask, attn_bias, options)
    rows_shape = tuple(query.shape[:3])
    of = f"query {tuple(query.shape)} with value {tuple(value.shape)}"
    for argument, array in (("output", output), ("output_grad", output_grad)):
        check_argument(name, argument, tuple(array.shape), (*rows_shape, value.shape[3]), of)
    check_argument(name, "log_sum", tuple(log_sum.shape), rows_shape, of)
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
        g, o = (merged(xp, widened(xp, x[place])) for x in (grad, out))
        row_sum = xp.expand_dims(xp.vecdot(g, o), axis=-2)
        shift = xp.matrix_transpose(_finite_shift(xp, merged(xp, log_sums[place])))
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
                at = place_in(bias_grad.shape, batch, heads, rows, columns)
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
