"""Attention in blocks that stay in the processor's cache, without warnings of what hidden keys hold."""

from __future__ import annotations

import numpy as np

from .. import module_ops
from ..array_types import Array
from ..module_ops.attention import Attention, AttentionBackward, Needs
from ..options import AttentionModuleOptions

__all__ = ["attention", "attention_backward"]

#: Elements of a block of scores; a few such blocks are in use at a time.
BLOCK = 2**17


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    options: AttentionModuleOptions,
    block: int = BLOCK,
) -> Attention:
    with np.errstate(invalid="ignore", over="ignore"):
        return module_ops.attention(query, key, value, mask, attn_bias, options, block)


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
    block: int = BLOCK,
) -> AttentionBackward:
    with np.errstate(invalid="ignore", over="ignore"):
        return module_ops.attention_backward(
            query, key, value, mask, attn_bias, output, log_sum, output_grad, options, needs, block
        )
