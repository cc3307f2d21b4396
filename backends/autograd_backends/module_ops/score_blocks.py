"""The scores of attention, a block at a time: where the blocks are, and what is in them."""

from __future__ import annotations

from functools import lru_cache
from math import isqrt, sqrt
from typing import Any

from ..array_types import Array, Namespace, Shape
from ..lookup import dtype_name, namespace
from ..options import AttentionModuleOptions
from ..shapes import attention_output_shape
from .precision import cast, widened

__all__ = ["ScoreBlocks", "merged", "place_in"]


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
            raise TypeError(
                f"{op_name}: mask has dtype {dtype_name(mask)}; it must be bool, True where a key is not seen"
            )
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
        return merged(self.xp, query * (self.scale / (self.softcap or 1.0)))

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
        return self.xp.permute_dims(x[place_in(x.shape, batch, heads, rows, columns)], (0, 1, 4, 2, 3))

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

    def has_holes(self, value: Array) -> bool:
        """Whether a hidden value may not be finite: a weight of 0 times it would be NaN.

        To look at the values would be to wait for an asynchronous device, so it may be so wherever a key may be hidden.
        """
        return self.can_hide

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


def place_in(shape: Shape, batch: slice, heads: slice, rows: slice, columns: slice) -> tuple[slice, ...]:
    """Where the block is in an array of `shape` [1 or B, 1 or Hk, 1 or G, Sq, Sk]."""
    everything = slice(None)
    return (
        everything if shape[0] == 1 else batch,
        everything if shape[1] == 1 else heads,
        everything,
        rows,
        columns,
    )


def merged(xp: Namespace, x: Array) -> Array:
    """x [b, h, G, rows, n] -> [b, h, G rows, n]"""
    return xp.reshape(x, (*x.shape[:2], x.shape[2] * x.shape[3], x.shape[4]))


def _either(hidden: Array | None, more: Array) -> Array:
    return more if hidden is None else hidden | more
