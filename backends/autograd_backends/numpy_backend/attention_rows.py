"""Attention in blocks that have whole rows: all the scores of a query in one, so that its softmax is one.

How a block is done is the caller's, NumPy's or oneDNN's. Where the weights are few, backward is given them in place of
the logarithms of sums; where they are not, `backward` makes them again, and nothing of a row is kept.

Of a query that sees no key, and of what hidden keys hold that is not finite, NaN come out: then there is no result, and
the blocks of `score_blocks` do it, which look at such things.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod, sqrt
from typing import Any

import numpy as np

from ..array_types import Array, Shape
from ..options import AttentionModuleOptions
from ..results import Attention, AttentionBackward
from ..shapes import attention_output_shape
from .buffers import empty

__all__ = ["Needs", "Step", "backward", "forward"]

Needs = tuple[bool, bool, bool, bool]

#: Does a block: ``step(options, *arrays)`` writes to the first ones, and says whether it could.
Step = Callable[..., bool]

#: The fewest rows of a block that is not all: with fewer, the keys would be read too often.
ROWS = 32


def forward(
    step: Step,
    most: int,
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    options: AttentionModuleOptions,
    may_make_again: bool = True,
) -> Attention | None:
    """The values, weighted for each query by the softmax of its scores; None if it is not to be done here.

    Parameters
    ----------
    step
        ``step(scale, out, value, weights, query, key, *added)``, arrays of a block, writes to `out` and `weights`;
        `added` to the scores is one array or none.
    most
        The most scores that a block has.
    may_make_again
        Whether `backward` may have to make the weights again.
    """
    call = _Call.of("attention", most, query, key, value, mask, attn_bias, options)
    if call is None or not (call.keeps_weights or may_make_again):
        return None
    batches, heads, queries, _ = query.shape
    out = empty((batches, queries, heads, value.shape[3]), value.dtype).transpose(0, 2, 1, 3)
    weights = empty(call.shape, query.dtype) if call.keeps_weights else None
    room: Any = call.room() if weights is None else None
    for place, seen in call.blocks:
        at_keys = (*place[:2], slice(seen))
        part = (out[place], value[at_keys], room(place, seen) if weights is None else weights[place])
        if not step(call.scale, *part, query[place], key[at_keys], *call.added(place, seen)):
            return None
    return None if np.isnan(np.maximum.reduce(out, None)) else Attention(out, weights)


def backward(
    step: Step,
    most: int,
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    output: Array,
    weights: Array | None,
    output_grad: Array,
    options: AttentionModuleOptions,
    needs: Needs,
) -> AttentionBackward | None:
    """The gradients, from the weights, or None, that `forward` gave; None if it is not to be done here.

    Parameters
    ----------
    step
        ``step((scale, again, goes_on), weights, scores_grad, query_grad, key_grad, value_grad, query, key, value,
        output_grad, *added)`` writes to `scores_grad`, the gradient of what the softmax takes, and the three after it:
        to those of keys and values it adds if it `goes_on`. If it is to make the weights `again`, it writes to them.
    """
    call = _Call.of("attention_backward", most, query, key, value, mask, attn_bias, options)
    if call is None or output_grad.shape != output.shape:
        return None
    if 0 in output_grad.strides:  # one number stands for many
        output_grad = np.ascontiguousarray(output_grad)
    grads = _gradients(query, key, value)
    bias_grad = np.zeros(attn_bias.shape, attn_bias.dtype) if needs[3] and attn_bias is not None else None
    room = call.room()
    again: Any = call.room() if weights is None else None
    begun: set[Any] = set()
    for place, seen in reversed(call.blocks):  # the last rows see all keys
        at_keys = (*place[:2], slice(seen))
        heads = (place[0].start, place[1].start)
        scores_grad = room(place, seen)
        given = (
            *(again(place, seen) if weights is None else weights[place], scores_grad),
            *(grads[0][place], grads[1][at_keys], grads[2][at_keys]),
            *(query[place], key[at_keys], value[at_keys], output_grad[place]),
        )
        how = (call.scale, again is not None, heads in begun)
        if not step(how, *given, *(() if again is None else call.added(place, seen))):
            return None
        begun.add(heads)
        if bias_grad is not None:
            axes = tuple([i for i in (0, 1) if bias_grad.shape[i] == 1])
            part = _part(bias_grad, place, seen)
            part += np.add.reduce(scores_grad, axes, keepdims=True)
    if np.isnan(np.maximum.reduce(grads[0], None)):
        return None
    query_grad, key_grad, value_grad = (g if need else None for g, need in zip(grads, needs[:3], strict=True))
    return AttentionBackward(query_grad, key_grad, value_grad, bias_grad)


#: Batches, heads, and queries.
Place = tuple[slice, slice, slice]


class _Call:
    """A call that can be done here.

    Attributes
    ----------
    shape
        [B, H, Sq, Sk], of all scores.
    scale
        What products are multiplied by.
    blocks
        Where each is, and how many keys its queries see.
    keeps_weights
        Whether backward is given them: where they are few beside query, key, value and output.
    """

    def __init__(
        self,
        query: Array,
        key: Array,
        mask: Array | None,
        bias: Array | None,
        scale: float,
        lead: int | None,
        most: int,
    ) -> None:
        self.shape = (*query.shape[:3], key.shape[2])
        self.scale = scale
        self.blocks = _blocks(self.shape, lead, most)
        self.keeps_weights = key.shape[2] <= 4 * query.shape[3] and self.blocks[0][0][2] == slice(0, query.shape[2])
        self._dtype = query.dtype
        self._lead, self._mask, self._bias = lead, mask, bias

    @classmethod
    def of(
        cls,
        name: str,
        most: int,
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None,
        bias: Array | None,
        options: AttentionModuleOptions,
    ) -> _Call | None:
        """None where it is not to be done here."""
        attention_output_shape(
            *(name, query.shape, key.shape, value.shape),
            *(None if mask is None else mask.shape, None if bias is None else bias.shape),
        )
        queries, keys = query.shape[2], key.shape[2]
        lead = keys - queries if options.is_causal else None
        if (
            not (query.size and key.size and value.size)
            or key.shape[1] != query.shape[1]
            or options.softcap is not None
            or options.scale == 0
            or (lead is not None and lead < 0)
            or (mask is not None and mask.dtype != bool)
            or min(ROWS, queries) * keys > most
        ):
            return None
        scale = 1.0 / sqrt(query.shape[3]) if options.scale is None else float(options.scale)
        return cls(query, key, mask, bias, scale, lead, most)

    def room(self) -> Callable[[Place, int], Array]:
        """What gives arrays for the scores of a block, each in place of the last."""
        memory = empty((max(_size(*block) for block in self.blocks),), self._dtype)

        def of(place: Place, seen: int) -> Array:
            return memory[: _size(place, seen)].reshape(*[s.stop - s.start for s in place], seen)

        return of

    def added(self, place: Place, seen: int) -> tuple[Array, ...]:
        """What is added to the scores of a block, [1 or b, 1 or h, rows, seen], if anything is."""
        rows = place[2]
        parts: list[Array] = []
        if self._lead is not None and seen > rows.start + self._lead + 1:
            parts.append(_later_keys(rows.stop - rows.start, seen, rows.start + self._lead, self._dtype))
        if self._mask is not None:
            parts.append(np.where(_part(self._mask, place, seen), self._dtype.type(-np.inf), self._dtype.type(0)))
        if self._bias is not None:
            parts.append(_part(self._bias, place, seen))
        return (sum(parts[1:], parts[0]),) if parts else ()


def _part(x: Array, place: Place, seen: int) -> Array:
    """The block of x [1 or B, 1 or H, Sq, Sk]"""
    batch, heads, rows = place
    whole = slice(None)
    return x[whole if x.shape[0] == 1 else batch, whole if x.shape[1] == 1 else heads, rows, :seen]


@lru_cache(maxsize=32)
def _later_keys(rows: int, columns: int, lead: int, dtype: Any) -> Array:
    """[1, 1, rows, columns], -inf where causality hides a key, else 0: query `row` sees up to key ``row + lead``."""
    seen = np.tri(rows, columns, lead, bool)
    return np.where(seen, dtype.type(0), dtype.type(-np.inf))[None, None]


def _gradients(query: Array, key: Array, value: Array) -> list[Array]:
    """Empty arrays for the gradients of the three; parts of one if these are, so that `rejoin` need not copy them."""
    batches, heads, length, width = query.shape
    step = heads * width * query.itemsize
    strides = (3 * step * length, width * query.itemsize, 3 * step, query.itemsize)
    whole = query.base
    parts = (query, key, value)
    if (
        whole is None
        or whole.nbytes != 3 * query.nbytes
        or any(x.strides != strides or x.base is not whole for x in parts)
    ):
        return [_like(x) for x in parts]
    memory = empty((batches, length, 3, heads, width), query.dtype)
    return [memory[:, :, i].transpose(0, 2, 1, 3) for i in range(3)]


def _like(x: Array) -> Array:
    """An empty array of the shape of x [B, H, S, D] whose dimensions lie in memory in the same order."""
    batches, heads, length, width = x.shape
    if x.strides[1] >= x.strides[2]:
        return empty(x.shape, x.dtype)
    return empty((batches, length, heads, width), x.dtype).transpose(0, 2, 1, 3)


def _size(place: Place, seen: int) -> int:
    return seen * prod([s.stop - s.start for s in place])


@lru_cache(maxsize=64)
def _blocks(shape: Shape, lead: int | None, most: int) -> tuple[tuple[Place, int], ...]:
    """The blocks of scores [B, H, Sq, Sk]: keys that causality hides from all queries of a block are left out."""
    batches, heads, queries, keys = shape
    row_step = max(1, min(queries, most // keys))
    head_step = max(1, min(heads, most // (keys * row_step)))
    batch_step = max(1, most // (keys * row_step * heads)) if head_step == heads else 1
    return tuple(
        ((batch, head, rows), keys if lead is None else min(keys, rows.stop + lead))
        for batch in _slices(batches, batch_step)
        for head in _slices(heads, head_step)
        for rows in _slices(queries, row_step)
    )


def _slices(count: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
