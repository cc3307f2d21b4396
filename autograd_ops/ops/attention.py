"""Attention: one op, whose tape keeps the output and a number a row, and the weights only where they are few.

Its backward is fused and not linear, so it has a second form written in ops, from all weights at once; that is also
the form for those who want the weights themselves.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from autograd_backends import kernels
from autograd_backends.options import AttentionModuleOptions
from autograd_backends.results import AttentionBackward

from ..registry import Array, op
from .activation import softmax
from .compare import equal, isfinite, logical_or, not_equal, where
from .dtype import accumulator, astype, ones_like
from .elementwise import tanh
from .product import matmul
from .reduce import amax, sum
from .shape import expand_dims, matrix_transpose, reshape, sum_to, triu

__all__ = ["AttentionBackward", "attention", "attention_backward", "attention_weights"]

Needs = tuple[bool, bool, bool, bool]


@op(
    formula="with P the weights, s the scores: ds = P (g V^T - sum(g out)), dV = P^T g, dQ = ds K scale, "
    "dK = ds^T Q scale, dattn_bias = ds; under a softcap ds times 1 - tanh^2 for Q and K",
    nondiff=("mask",),
    saves=("log_sum",),
    promote=True,
    fresh=True,
    real=True,
)
def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None = None,
    attn_bias: Array | None = None,
    options: AttentionModuleOptions = AttentionModuleOptions(),  # noqa: B008  # frozen
) -> Array:
    """The values, weighted for each query by the softmax of its scores over the keys (Vaswani and others, 2017).

    The scores are ``query key^T scale``, then ``softcap tanh(scores / softcap)``, then -inf where hidden by the mask
    or by causality, then plus the bias. What a hidden key or its value holds makes no difference, even if it is not
    finite. A query that sees no key gives 0, and gradients 0.

    Parameters
    ----------
    query
        [B, H, Sq, D]
    key, value
        [B, Hk, Sk, D] and [B, Hk, Sk, Dv]; Hk divides H, and query head h reads head ``h // (H / Hk)``.
    mask
        Bools [1 or B, 1 or H, Sq, Sk], True where a query does not see a key; or None.
    attn_bias
        [1 or B, 1 or H, Sq, Sk], added to the scores; or None.
    options
        Scale, softcap and causality.

    Returns
    -------
    Array
        [B, H, Sq, Dv]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    TypeError
        If `mask` is not of bools.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> q = ag.zeros(1, 1, 2, 4)
    >>> v = ag.tensor([[[[1.0], [3.0]]]])
    >>> ag.ops.attention(q, q, v, None, None, ag.ops.AttentionModuleOptions(is_causal=True)).flatten()
    tensor([1., 2.])
    """
    return kernels(query).attention(query, key, value, mask, attn_bias, options)


attention.joint(
    lambda g, query, key, value, mask, attn_bias, out, log_sum, options, needs: attention_backward(
        query, key, value, mask, attn_bias, out, log_sum, g, options, needs
    )
)


def _grouped(x: Any, key_heads: int) -> Any:
    """x [B, 1 or H, ...] -> [B, 1 or Hk, 1 or H / Hk, ...]: the query heads that read one key head side by side"""
    heads = (1, 1) if x.shape[1] == 1 else (key_heads, x.shape[1] // max(1, key_heads))
    return reshape(x, (x.shape[0], *heads, *x.shape[2:]))


def _wide(x: Any) -> Any:
    """Half precision as float32."""
    return astype(x, accumulator(x))


def attention_weights(
    query: Any,
    key: Any,
    mask: Any | None = None,
    attn_bias: Any | None = None,
    options: AttentionModuleOptions = AttentionModuleOptions(),  # noqa: B008  # frozen
) -> Any:
    """The weights by which `attention` takes the values, all of them: [B, H, Sq, Sk].

    Arguments are those of `attention`. A query that sees no key has weights 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.ops.attention_weights(ag.zeros(1, 1, 1, 3), ag.zeros(1, 1, 2, 3)).flatten()
    tensor([0.5, 0.5])
    """
    weights, _, _ = _weights_and_more(query, key, mask, attn_bias, options)
    weights = reshape(weights, (*query.shape[:3], key.shape[2]))
    return astype(weights, query.dtype)


def _weights_and_more(query: Any, key: Any, mask: Any, attn_bias: Any, options: AttentionModuleOptions) -> Any:
    """The weights [B, Hk, G, Sq, Sk], the tanh in the scores or None, and where keys are hidden or None."""
    queries, keys, key_heads = query.shape[2], key.shape[2], key.shape[1]
    scale = _scale(query, options)
    products = matmul(_grouped(_wide(query), key_heads) * (scale / (options.softcap or 1.0)), _columns(_wide(key)))
    capped = None if options.softcap is None else tanh(products)
    scores = products if capped is None else capped * options.softcap
    hidden = None if mask is None else _grouped(mask, key_heads)
    if attn_bias is not None:
        bias = _grouped(_wide(attn_bias), key_heads)
        scores = scores + bias
        hidden = _either(hidden, equal(bias, -float("inf")))
    if options.is_causal:
        hidden = _either(hidden, not_equal(triu(ones_like(scores), keys - queries + 1), 0.0))
    if hidden is None or not keys:
        return (softmax(scores, -1) if keys else scores), capped, hidden
    scores = where(hidden, -float("inf"), scores)
    empty = equal(amax(scores, (4,), True), -float("inf"))
    return where(empty, 0.0, softmax(where(empty, 0.0, scores), -1)), capped, hidden


def _columns(key: Any) -> Any:
    """key [B, Hk, Sk, D] -> [B, Hk, 1, D, Sk]"""
    return matrix_transpose(expand_dims(key, 2))


def _scale(query: Any, options: AttentionModuleOptions) -> float:
    return 1.0 / sqrt(max(1, query.shape[-1])) if options.scale is None else options.scale


def _either(hidden: Any, more: Any) -> Any:
    return more if hidden is None else logical_or(hidden, more)


def _attention_backward_recorded(
    query: Any,
    key: Any,
    value: Any,
    mask: Any,
    attn_bias: Any,
    output: Any,
    log_sum: Any,
    output_grad: Any,
    options: AttentionModuleOptions,
    needs: Needs = (True,) * 4,
) -> AttentionBackward:
    # The weights again, from the inputs: the output and the sums are constants to the tape.
    key_heads = key.shape[1]
    weights, capped, hidden = _weights_and_more(query, key, mask, attn_bias, options)

    def quiet(x: Any) -> Any:
        return x if hidden is None else where(isfinite(x), x, 0.0)

    def unhidden(x: Any) -> Any:
        return x if hidden is None else where(hidden, 0.0, x)

    grad = _grouped(_wide(output_grad), key_heads)
    value_grad = query_grad = key_grad = bias_grad = None
    if needs[2]:
        value_grad = astype(sum(matmul(matrix_transpose(weights), grad), (2,)), value.dtype)
    if needs[0] or needs[1] or needs[3]:
        products = unhidden(matmul(grad, _columns(_wide(value))))
        scores_grad = weights * (products - sum(weights * products, (4,), True))
        if needs[3] and attn_bias is not None:
            bias_grad = sum_to(reshape(scores_grad, (*query.shape[:3], key.shape[2])), attn_bias.shape)
            bias_grad = astype(bias_grad, attn_bias.dtype)
        if capped is not None:
            scores_grad = unhidden(scores_grad * (1.0 - capped * capped))
        scale = _scale(query, options)
        if needs[0]:
            found = matmul(scores_grad, expand_dims(quiet(_wide(key)), 2)) * scale
            query_grad = astype(reshape(found, query.shape), query.dtype)
        if needs[1]:
            found = matmul(matrix_transpose(scores_grad), _grouped(quiet(_wide(query)), key_heads)) * scale
            key_grad = astype(sum(found, (2,)), key.dtype)
    return AttentionBackward(query_grad, key_grad, value_grad, bias_grad)


@op(
    formula="that of the formula of attention",
    outputs=("query_grad", "key_grad", "value_grad", "attn_bias_grad"),
    nondiff=("mask", "output", "log_sum"),
    recorded=_attention_backward_recorded,
)
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
) -> AttentionBackward:
    """The gradients of `attention`, from its output [B, H, Sq, Dv] and the logarithms of the rows' sums of exponentials
    [B, H, Sq], or what the backend gave in their place; None for what `needs` does not ask for"""
    return kernels(query).attention_backward(
        query, key, value, mask, attn_bias, output, log_sum, output_grad, options, needs
    )
