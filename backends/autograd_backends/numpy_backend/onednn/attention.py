"""Attention: products, softmax and their gradients as one plan a block of rows, whose scores are made whole.

A row's scores are all in one block, so that the softmax is one primitive. They are added to what hides keys, and become
the weights in place. Where the weights are few, backward is given them; where they are not, it makes them again, and
nothing of a row is kept.

Of a query that sees no key, and of what hidden keys hold that is not finite, NaN come out: NumPy does those.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod, sqrt

import numpy as np

from ...array_types import Array, Shape
from ...options import AttentionModuleOptions
from ...results import Attention, AttentionBackward
from ...shapes import attention_output_shape
from ..attention import hidden_keys, keeps_weights, like
from ..buffers import empty
from .constants import (
    BINARY_ADD,
    DIFF_DST,
    DIFF_SRC,
    DST,
    ELTWISE_LINEAR,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    SOFTMAX_ACCURATE,
    SRC,
    SRC_1,
    WEIGHTS,
)
from .memory import FLOAT32, Operand
from .plan import Plan, PostOp, run

__all__ = ["attention", "attention_backward"]

Needs = tuple[bool, bool, bool, bool]

#: The most scores of a block.
BLOCK = 2**20

#: The fewest rows of a block that is not all: with fewer, the keys would be read too often.
ROWS = 32

#: Up to this many multiplications and additions one thread does a product.
ALONE = 2**19


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    options: AttentionModuleOptions,
) -> Attention | None:
    """The values [B, H, Sk, Dv], weighted for each query [B, H, Sq, D] by the softmax of its scores."""
    call = _Call.of("attention", query, key, value, mask, attn_bias, options)
    if call is None:
        return None
    batches, heads, queries, _ = query.shape
    out = empty((batches, queries, heads, value.shape[3]), FLOAT32).transpose(0, 2, 1, 3)
    weights = empty(call.shape, FLOAT32) if keeps_weights(query, key) and call.rows_are_whole else None
    for place, seen in call.blocks:
        at_keys = (*place[:2], slice(seen))
        made = call.room(place, seen) if weights is None else weights[place]
        given = (made, query[place], key[at_keys], *call.added(place, seen))
        if not run(_forward, call.scale, out[place], value[at_keys], *given):
            return None
    return None if np.isnan(np.maximum.reduce(out, None)) else Attention(out, weights)


def attention_backward(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    output: Array,
    log_sum: Array | None,
    output_grad: Array,
    options: AttentionModuleOptions,
    needs: Needs = (True, True, True, True),
) -> AttentionBackward | None:
    """The gradients of `attention`, where that was done here: `log_sum` is the weights, or None"""
    if log_sum is not None and log_sum.ndim == 3:
        return None
    call = _Call.of("attention_backward", query, key, value, mask, attn_bias, options)
    if call is None or output_grad.shape != output.shape:
        return None
    if 0 in output_grad.strides:  # one number stands for many
        output_grad = np.ascontiguousarray(output_grad)
    grads = [like(x) for x in (query, key, value)]
    bias_grad = np.zeros(attn_bias.shape, FLOAT32) if needs[3] and attn_bias is not None else None
    begun: set[tuple[int | None, int | None]] = set()
    for place, seen in reversed(call.blocks):  # the last rows see all keys
        at_keys = (*place[:2], slice(seen))
        scores_grad = call.room(place, seen)
        weights = np.empty(scores_grad.shape, FLOAT32) if log_sum is None else log_sum[place]
        goes_on = (place[0].start, place[1].start) in begun
        begun.add((place[0].start, place[1].start))
        given = (
            *(weights, scores_grad, grads[0][place], grads[1][at_keys], grads[2][at_keys]),
            *(query[place], key[at_keys], value[at_keys], output_grad[place]),
        )
        again = log_sum is None
        more = call.added(place, seen) if again else ()
        if not run(_backward, (call.scale, again, goes_on), *given, *more):
            return None
        if bias_grad is not None:
            part = tuple([slice(None) if n == 1 else s for n, s in zip(bias_grad.shape[:2], place[:2], strict=True)])
            axes = tuple([i for i in (0, 1) if bias_grad.shape[i] == 1])
            bias_grad[(*part, place[2], slice(seen))] += np.add.reduce(scores_grad, axes, keepdims=True)
    if np.isnan(np.maximum.reduce(grads[0], None)):
        return None
    return AttentionBackward(*[g if need else None for g, need in zip(grads, needs[:3], strict=True)], bias_grad)


Place = tuple[slice, slice, slice]


class _Call:
    """A call that can be done here.

    Attributes
    ----------
    shape
        [B, H, Sq, Sk], of all scores.
    scale
        What products are multiplied by.
    lead
        Query `row` sees keys up to `row` plus this; None if it sees all.
    blocks
        Batches, heads and rows, and how many keys these see.
    rows_are_whole
        Whether no block has but some of the rows.
    """

    def __init__(self, shape: Shape, scale: float, lead: int | None, mask: Array | None, bias: Array | None) -> None:
        self.shape = shape
        self.scale = scale
        self.lead = lead
        self.blocks = _blocks(shape, lead)
        self.rows_are_whole = self.blocks[0][0][2] == slice(0, shape[2])
        self._mask, self._bias = mask, bias

    @classmethod
    def of(
        cls,
        name: str,
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None,
        bias: Array | None,
        options: AttentionModuleOptions,
    ) -> _Call | None:
        """None where NumPy is to do it."""
        attention_output_shape(
            *(name, query.shape, key.shape, value.shape),
            *(None if mask is None else mask.shape, None if bias is None else bias.shape),
        )
        shape = (*query.shape[:3], key.shape[2])
        lead = shape[3] - shape[2] if options.is_causal else None
        if (
            not (query.size and key.size and value.size)
            or key.shape[1] != shape[1]
            or options.softcap is not None
            or (lead is not None and lead < 0)
            or (mask is not None and mask.dtype != bool)
            or min(ROWS, shape[2]) * shape[3] > BLOCK
        ):
            return None
        scale = 1.0 / sqrt(query.shape[3]) if options.scale is None else options.scale
        return cls(shape, float(scale), lead, mask, bias)

    def room(self, place: Place, seen: int) -> Array:
        """An array for the scores of a block."""
        return np.empty((*[s.stop - s.start for s in place], seen), FLOAT32)

    def added(self, place: Place, seen: int) -> tuple[Array, ...]:
        """What is added to the scores of a block, [1 or b, 1 or h, rows, seen], if anything is."""
        rows = place[2]
        parts: list[Array] = []
        if self.lead is not None and seen > rows.start + self.lead + 1:
            parts.append(hidden_keys(rows.stop - rows.start, seen, rows.start + self.lead))
        if self._mask is not None:
            parts.append(np.where(_part(self._mask, place, seen), np.float32(-np.inf), np.float32(0)))
        if self._bias is not None:
            parts.append(_part(self._bias, place, seen))
        if not parts:
            return ()
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return (total,)


def _part(x: Array, place: Place, seen: int) -> Array:
    """The block of x [1 or B, 1 or H, Sq, Sk]"""
    batch, heads, rows = place
    whole = slice(None)
    return x[whole if x.shape[0] == 1 else batch, whole if x.shape[1] == 1 else heads, rows, :seen]


@lru_cache(maxsize=64)
def _blocks(shape: Shape, lead: int | None) -> tuple[tuple[Place, int], ...]:
    """The blocks of scores [B, H, Sq, Sk]: keys that causality hides from all rows of a block are left out."""
    batches, heads, queries, keys = shape
    row_step = max(1, min(queries, BLOCK // keys))
    head_step = max(1, min(heads, BLOCK // (keys * row_step)))
    batch_step = max(1, BLOCK // (keys * row_step * heads)) if head_step == heads else 1

    def seen(rows: slice) -> int:
        return keys if lead is None else min(keys, rows.stop + lead)

    return tuple(
        ((batch, head, rows), seen(rows))
        for batch in _slices(batches, batch_step)
        for head in _slices(heads, head_step)
        for rows in _slices(queries, row_step)
    )


def _slices(count: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


# ---------------------------------------------------------------- plans


def _forward(
    plan: Plan,
    scale: float,
    out: Operand,
    value: Operand,
    weights: Operand,
    query: Operand,
    key: Operand,
    added: Operand | None = None,
) -> None:
    with plan.shared(_work(weights, query)):
        _weigh(plan, scale, weights, query, key, added)
        _product(plan, weights, value, out)


def _backward(
    plan: Plan,
    options: tuple[float, bool, bool],
    weights: Operand,
    scores_grad: Operand,
    query_grad: Operand,
    key_grad: Operand,
    value_grad: Operand,
    query: Operand,
    key: Operand,
    value: Operand,
    output_grad: Operand,
    added: Operand | None = None,
) -> None:
    """The gradients; those of keys and values are added to what is there if it `goes_on`."""
    scale, again, goes_on = options
    onto: tuple[PostOp, ...] = (("sum", 1.0),) if goes_on else ()
    scaled = (("eltwise", ELTWISE_LINEAR, scale, 0.0),)
    axis = len(weights.shape) - 1
    with plan.shared(_work(weights, query)):
        if again:
            _weigh(plan, scale, weights, query, key, added)
        _product(plan, _turned(weights), output_grad, value_grad, onto)
        _product(plan, output_grad, _turned(value), scores_grad)
        hint = plan.primitive("softmax_forward", FORWARD_TRAINING, SOFTMAX_ACCURATE, weights, weights, axis)
        primitive = plan.primitive(
            "softmax_backward", SOFTMAX_ACCURATE, scores_grad, scores_grad, weights, axis, hint
        )
        plan.step(primitive, {DST: weights, DIFF_DST: scores_grad, DIFF_SRC: scores_grad})
        _product(plan, scores_grad, key, query_grad, scaled)
        _product(plan, _turned(scores_grad), query, key_grad, (*scaled, *onto))


def _work(weights: Operand, query: Operand) -> int:
    """As a number of elements passed over, which `Plan.shared` compares."""
    return prod(weights.shape) * query.shape[-1] // 2


def _weigh(
    plan: Plan, scale: float, weights: Operand, query: Operand, key: Operand, added: Operand | None
) -> None:
    """softmax(query key^T scale + added)"""
    axis = len(weights.shape) - 1
    _product(plan, query, _turned(key), weights, (("eltwise", ELTWISE_LINEAR, scale, 0.0),))
    if added is not None:
        primitive = plan.primitive("binary", BINARY_ADD, weights, added, weights)
        plan.step(primitive, {SRC: weights, SRC_1: added, DST: weights})
    primitive = plan.primitive("softmax_forward", FORWARD_INFERENCE, SOFTMAX_ACCURATE, weights, weights, axis)
    plan.step(primitive, {SRC: weights, DST: weights})


def _product(plan: Plan, x: Operand, y: Operand, out: Operand, post_ops: tuple[PostOp, ...] = ()) -> None:
    plan.step(plan.primitive("matmul", x, y, None, out, post_ops=post_ops), {SRC: x, WEIGHTS: y, DST: out})


def _turned(x: Operand) -> Operand:
    """[..., n, m] -> [..., m, n]"""
    *lead, n, m = x.shape
    *steps, step_n, step_m = x.strides
    return x.seen_as(*lead, m, n, strides=(*steps, step_m, step_n))
