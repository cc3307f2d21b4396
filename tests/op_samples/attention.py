"""Samples of attention and its gradients: every option alone, and together."""

from __future__ import annotations

from collections import namedtuple
from itertools import product
from typing import Any

import numpy as np

from autograd_ops.ops import AttentionModuleOptions

from .base import Sample, complex_step, distinct

Gradients = namedtuple("Gradients", ["query_grad", "key_grad", "value_grad", "attn_bias_grad"])


def attention(query: Any, key: Any, value: Any, mask: Any, bias: Any, options: AttentionModuleOptions) -> Any:
    """The definition, a query at a time, over the keys that it sees."""
    return visit(query, key, value, mask, bias, options)[0]


def visit(query: Any, key: Any, value: Any, mask: Any, bias: Any, options: AttentionModuleOptions) -> tuple[Any, Any]:
    """The output, and the logarithm of each row's sum."""
    batch, heads, queries, width = query.shape
    keys = key.shape[2]
    kind = np.result_type(query, key, value, *([] if bias is None else [bias]))
    out = np.zeros((batch, heads, queries, value.shape[3]), kind)
    log_sum = np.full((batch, heads, queries), -np.inf, kind)
    scale = width**-0.5 if options.scale is None else options.scale
    whole = (batch, heads, queries, keys)
    hidden = np.zeros(whole, bool) if mask is None else np.broadcast_to(mask, whole)
    added = np.zeros(whole) if bias is None else np.broadcast_to(bias, whole)
    for b, h, i in np.ndindex(batch, heads, queries):
        g = h // (heads // key.shape[1])
        total: Any = 0.0
        for j in range(keys):
            if hidden[b, h, i, j] or (options.is_causal and j > i + keys - queries):
                continue
            score = (query[b, h, i] * key[b, g, j]).sum() * scale
            if options.softcap is not None:
                score = options.softcap * np.tanh(score / options.softcap)
            power = np.exp(score + added[b, h, i, j])
            total = total + power
            out[b, h, i] += power * value[b, g, j]
        if total != 0:
            out[b, h, i] /= total
            log_sum[b, h, i] = np.log(total)
    return out, log_sum


def attention_backward(
    query: Any,
    key: Any,
    value: Any,
    mask: Any,
    bias: Any,
    _output: Any,
    _log_sum: Any,
    g: Any,
    options: AttentionModuleOptions,
    needs: Any = (True,) * 4,
) -> Any:
    """By complex steps through the definition."""
    given = [query, key, value, bias]

    def gradient(at: int) -> Any:
        if given[at] is None or not needs[at]:
            return None

        def moved(x: Any) -> Any:
            q, k, v, b = [x if i == at else a for i, a in enumerate(given)]
            return attention(q, k, v, mask, b, options)

        return complex_step(moved, given[at], g)

    return Gradients(*map(gradient, range(4)))


def hiding(shape: tuple[int, ...]) -> np.ndarray:
    """A mask that hides some keys, and from the second query all."""
    mask = np.cos(3.1 * np.arange(np.prod(shape))).reshape(shape) > 0.4
    if len(shape) == 4 and shape[2] > 1:
        mask[..., 1, :] = True
    return mask


#: B, H, Hk, Sq, Sk, D, Dv
SIZES = [(1, 1, 1, 3, 3, 2, 2), (2, 2, 1, 2, 3, 2, 1), (1, 4, 2, 3, 2, 1, 2)]
EMPTY = [
    (0, 1, 1, 2, 2, 2, 2),
    (1, 1, 1, 2, 0, 2, 1),
    (1, 2, 1, 0, 2, 2, 1),
    (1, 2, 1, 2, 2, 0, 1),
    (2, 0, 0, 2, 2, 1, 1),
]
OPTIONS = [
    AttentionModuleOptions(),
    AttentionModuleOptions(scale=0.3, is_causal=True),
    AttentionModuleOptions(softcap=0.8),
    AttentionModuleOptions(softcap=1.5, is_causal=True),
]
NEEDS = [tuple(i == at for i in range(4)) for at in range(4)]


def inputs(sizes: tuple[int, ...], masked: bool, biased: bool, wide: bool) -> tuple[Any, ...]:
    """Query, key, value, mask and bias; `wide` ones have a value for each batch and head."""
    batch, heads, key_heads, queries, keys, width, value_width = sizes
    whole = (batch, heads, queries, keys) if wide else (1, 1, queries, keys)
    return (
        distinct((batch, heads, queries, width), seed=1),
        distinct((batch, key_heads, keys, width), seed=2),
        distinct((batch, key_heads, keys, value_width), seed=3),
        hiding(whole) if masked else None,
        distinct(whole, seed=4) if biased else None,
    )


SAMPLES: dict[str, list[Sample]] = {"attention": [], "attention_backward": []}
for _i, (_options, _masked, _biased) in enumerate(product(OPTIONS, (False, True), (False, True))):
    for _sizes in (SIZES[_i % 3], SIZES[(_i + 1) % 3])[: 1 + _masked]:
        _given = inputs(_sizes, _masked, _biased, wide=_i % 4 < 2)
        _grad = distinct((*_given[0].shape[:3], _sizes[-1]), seed=5)
        SAMPLES["attention"].append(Sample(attention, *_given, _options))
        SAMPLES["attention_backward"].append(
            Sample(attention_backward, *_given, *visit(*_given, _options), _grad, _options)
        )
_given = inputs(SIZES[1], True, True, wide=True)
for _needs in NEEDS:
    SAMPLES["attention_backward"].append(
        Sample(
            attention_backward,
            *_given,
            *visit(*_given, OPTIONS[3]),
            distinct((*_given[0].shape[:3], SIZES[1][-1]), seed=5),
            OPTIONS[3],
            _needs,
        )
    )
for _sizes in EMPTY:
    _given = inputs(_sizes, True, True, wide=False)
    _grad = distinct((*_given[0].shape[:3], _sizes[-1]), seed=5)
    SAMPLES["attention"].append(Sample(attention, *_given, OPTIONS[1]))
    SAMPLES["attention_backward"].append(
        Sample(attention_backward, *_given, *visit(*_given, OPTIONS[1]), _grad, OPTIONS[1])
    )
