"""Attention in blocks that stay in the processor's cache, without warnings of what hidden keys hold.

Where a row has few keys, blocks have whole rows (`attention_rows`), and backward is given the weights.
"""

from __future__ import annotations

import numpy as np

from ..array_types import Array
from ..base import Backend
from ..module_ops.attention import Needs
from ..module_ops.score_blocks import ScoreBlocks
from ..options import AttentionModuleOptions
from ..results import Attention, AttentionBackward
from . import attention_rows as rows
from .blocks import SMALL
from .linear import BLAS

__all__ = ["attention", "attention_backward"]


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


#: The most scores of a block of whole rows.
BLOCK = 2**16


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    options: AttentionModuleOptions,
    blocks: type[ScoreBlocks] | None = None,
) -> Attention:
    with np.errstate(invalid="ignore", over="ignore"):
        if blocks is None and query.size >= SMALL and query.dtype in BLAS:
            given = (query, key, value, mask, attn_bias, options)
            found = rows.forward(_forward, BLOCK, *given, may_make_again=False)
            if found is not None:
                return found
        return Backend.attention(query, key, value, mask, attn_bias, options, blocks or CachedBlocks)


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
    blocks: type[ScoreBlocks] | None = None,
) -> AttentionBackward:
    """`log_sum` may be the weights, or None, where `attention` was done in whole rows"""
    given = (query, key, value, mask, attn_bias)
    blocks = blocks or CachedBlocks
    with np.errstate(invalid="ignore", over="ignore"):
        if log_sum is not None and log_sum.ndim == 4:
            found = rows.backward(_backward, BLOCK, *given, output, log_sum, output_grad, options, needs)
            if found is not None:
                return found
        if log_sum is None or log_sum.ndim == 4:
            log_sum = Backend.attention(*given, options, blocks).log_sum
        return Backend.attention_backward(*given, output, log_sum, output_grad, options, needs, blocks)


# ---------------------------------------------------------------- blocks of whole rows


def _forward(
    scale: float, out: Array, value: Array, weights: Array, query: Array, key: Array, added: Array | None = None
) -> bool:
    np.matmul(query, key.swapaxes(2, 3), out=weights)
    weights *= scale
    if added is not None:
        weights += added
    weights -= np.maximum.reduce(weights, 3, keepdims=True)
    np.exp(weights, out=weights)
    weights /= np.add.reduce(weights, 3, keepdims=True)
    np.matmul(weights, value, out=out)
    return True


def _backward(
    options: tuple[float, bool, bool],
    weights: Array,
    scores_grad: Array,
    query_grad: Array,
    key_grad: Array,
    value_grad: Array,
    query: Array,
    key: Array,
    value: Array,
    output_grad: Array,
) -> bool:
    scale, _, _ = options
    np.matmul(weights.swapaxes(2, 3), output_grad, out=value_grad)
    np.matmul(output_grad, value.swapaxes(2, 3), out=scores_grad)
    scores_grad -= np.vecdot(weights, scores_grad)[..., None]
    scores_grad *= weights
    np.matmul(scores_grad, key, out=query_grad)
    np.matmul(scores_grad.swapaxes(2, 3), query, out=key_grad)
    query_grad *= scale
    key_grad *= scale
    return True
