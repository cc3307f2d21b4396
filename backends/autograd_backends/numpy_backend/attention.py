"""Attention in blocks that stay in the processor's cache, without warnings of what hidden keys hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..array_types import Array
from ..base import Backend
from ..module_ops.attention import Needs
from ..module_ops.score_blocks import ScoreBlocks
from ..options import AttentionModuleOptions
from ..results import Attention, AttentionBackward

__all__ = ["attention", "attention_backward", "hidden_keys", "keeps_weights", "like"]


class CachedBlocks(ScoreBlocks):
    """Blocks of which a few fit into the cache, worked on in place."""

    size = 2**17

    def hide(self, scores: Array, hidden: Array) -> Array:
        np.copyto(scores, -np.inf, where=hidden)
        return scores

    def powers(self, scores: Array, shift: Array) -> Array:
        scores -= shift
        return np.exp(scores, out=scores)

    def sums(self, weights: Array) -> Array:
        # A product with ones adds up faster than a reduction.
        return np.matmul(np.ones((1, weights.shape[-2]), weights.dtype), weights)

    def add_at(self, target: Array, place: tuple[slice, ...], x: Array) -> None:
        # Without the copy of the sum onto itself that ``target[place] += x`` ends with.
        part = target[place]
        part += x

    def has_holes(self, value: Array) -> bool:
        return self.can_hide and not np.isfinite(value).all()

    def unhidden(self, weights: Array, x: Array) -> Array:
        if self.can_hide:
            np.copyto(x, 0.0, where=weights == 0)
        return x


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    options: AttentionModuleOptions,
    blocks: type[ScoreBlocks] | None = CachedBlocks,
) -> Attention:
    with np.errstate(invalid="ignore", over="ignore"):
        return Backend.attention(query, key, value, mask, attn_bias, options, blocks)


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
    blocks: type[ScoreBlocks] | None = CachedBlocks,
) -> AttentionBackward:
    with np.errstate(invalid="ignore", over="ignore"):
        return Backend.attention_backward(
            query, key, value, mask, attn_bias, output, log_sum, output_grad, options, needs, blocks
        )


def keeps_weights(query: Array, key: Array) -> bool:
    """Whether the weights are so few that backward is given them: no more than query, key, value and output are."""
    return bool(key.shape[2] <= 4 * query.shape[3])


@lru_cache(maxsize=32)
def hidden_keys(rows: int, columns: int, lead: int) -> Array:
    """[1, 1, rows, columns], -inf where causality hides a key, else 0: query `row` sees up to key ``row + lead``."""
    seen = np.tri(rows, columns, lead, bool)
    return np.where(seen, np.float32(0), np.float32(-np.inf))[None, None]


def like(x: Array) -> Array:
    """An empty array of the shape of x [B, H, S, D] whose dimensions lie in memory in the same order."""
    if x.strides[1] >= x.strides[2]:
        return np.empty(x.shape, x.dtype)
    batches, heads, length, width = x.shape
    return np.empty((batches, length, heads, width), x.dtype).transpose(0, 2, 1, 3)
