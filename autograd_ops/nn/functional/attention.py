"""Attention, with PyTorch's meaning of masks."""

from __future__ import annotations

from math import prod

from ... import ops
from ...creation import arange
from ...dims import broadcast_shape
from ...ops import AttentionModuleOptions
from ...refusals import named
from ...tensor import Tensor
from .dropout import dropout

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query key^T scale + attn_mask) value (Vaswani and others, "Attention is all you need", 2017).

    Parameters
    ----------
    query, key, value
        [..., H, L, E], [..., H, S, E] and [..., H, S, Ev]; leading dimensions broadcast, and may be missing.
    attn_mask
        Broadcasts to [..., H, L, S]. Bools, True where a query sees a key; or floats, which are added. A query that
        sees no key gives 0.
    dropout_p
        The probability with which each weight is dropped, in training or not: pass 0 in evaluation.
    is_causal
        Whether query i sees keys 0 to i only. Unlike in ``autograd_ops.ops.attention``, the first query and the first
        key stand at one time.
    scale
        By default 1 / sqrt(E).
    enable_gqa
        Whether key and value may have fewer heads, a divisor of H, each read by several heads of the query in a row.

    Returns
    -------
    Tensor
        [..., H, L, Ev]

    Raises
    ------
    ValueError
        If the shapes do not fit, or both `attn_mask` and `is_causal` are given.
    TypeError
        If `attn_mask` is neither of bools nor of floats.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> q = ag.zeros(2, 4)
    >>> v = ag.tensor([[1.0], [3.0]])
    >>> ag.nn.functional.scaled_dot_product_attention(q, q, v, is_causal=True)
    tensor([[1.],
            [2.]])
    """
    name = "scaled_dot_product_attention"
    if attn_mask is not None and is_causal:
        raise ValueError(f"{name}: attn_mask and is_causal exclude each other")
    given = (query, key, value)
    if min(t.ndim for t in given) < 2:
        shapes = ", ".join(str(tuple(t.shape)) for t in given)
        raise ValueError(f"{name}: query, key and value have at least 2 dimensions, got shapes {shapes}")
    batch = broadcast_shape(name, [tuple(t.shape[:-3]) for t in given])
    own, *others = (tuple(t.shape[-3:-2]) or (1,) for t in given)
    shared = broadcast_shape(name, others if enable_gqa else [own, *others])
    heads = own if enable_gqa else shared
    q = _four_dimensional(query, (*batch, *heads))
    k, v = (_four_dimensional(t, (*batch, *shared)) for t in (key, value))
    full = (*batch, *heads, query.shape[-2], key.shape[-2])
    mask, bias = _hidden_and_added(name, attn_mask, full, query)
    causal = is_causal and full[-2] == full[-1]
    if is_causal and not causal:
        rows, columns = (arange(n, device=query.device) for n in full[-2:])
        mask = ops.broadcast_to(columns > ops.expand_dims(rows, 1), (1, 1, *full[-2:]))
    out, _ = attend(q, k, v, mask, bias, AttentionModuleOptions(scale, None, causal), dropout_p)
    lead = full[:-2] if max(t.ndim for t in given) > 2 else ()
    return ops.reshape(out, (*lead, *out.shape[-2:]))


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """What `nn.MultiheadAttention` computes, with its parameters given one by one.

    The sequence comes first, [L, N, E]; the other arguments are the module's, and those of its ``forward``.

    Raises
    ------
    NotImplementedError
        If `static_k` or `static_v` is given.
    ValueError
        If the width of `query` is not `embed_dim_to_check`, or as the module.
    """
    name = "multi_head_attention_forward"
    if static_k is not None or static_v is not None:
        raise NotImplementedError(
            f"{name}: static_k and static_v are not there; scaled_dot_product_attention takes them"
        )
    if query.shape[-1] != embed_dim_to_check:
        raise ValueError(f"{name}: expected a query of width {embed_dim_to_check}, and it has {query.shape[-1]}")
    from ..attention import MultiheadAttention  # which is above this package

    module = MultiheadAttention.of_tensors(
        num_heads,
        dropout_p,
        add_zero_attn,
        (out_proj_weight, out_proj_bias),
        in_proj_weight=None if use_separate_proj_weight else in_proj_weight,
        q_proj_weight=q_proj_weight,
        k_proj_weight=k_proj_weight,
        v_proj_weight=v_proj_weight,
        in_proj_bias=in_proj_bias,
        bias_k=bias_k,
        bias_v=bias_v,
    )
    module.train(training)
    return module(query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal)


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    options: AttentionModuleOptions,
    dropout_p: float,
    need_weights: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """`ops.attention` with dropout, and the weights [B, H, L, S], as dropped, if they are needed."""
    if not need_weights and dropout_p == 0.0:
        return ops.attention(query, key, value, mask, bias, options), None
    weights = dropout(ops.attention_weights(query, key, mask, bias, options), dropout_p)
    group = query.shape[1] // max(1, key.shape[1])
    each = value if group == 1 else ops.repeat(value, group, 1)
    return ops.matmul(weights, each), weights if need_weights else None


def _four_dimensional(x: Tensor, lead: tuple[int, ...]) -> Tensor:
    """x [..., S, E], whose leading dimensions broadcast to `lead` [..., H] -> [B, H, S, E]"""
    shape = (*lead, *x.shape[-2:])
    x = x if x.shape == shape else ops.broadcast_to(x, shape)
    return x if len(lead) == 2 else ops.reshape(x, (prod(lead[:-1]), *shape[-3:]))


def _hidden_and_added(
    name: str, attn_mask: Tensor | None, full: tuple[int, ...], query: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """A mask that broadcasts to `full` [..., H, L, S] as what `ops.attention` takes: a mask, or a bias, or neither."""
    if attn_mask is None:
        return None, None
    shape = (*(1,) * (len(full) - attn_mask.ndim), *attn_mask.shape)
    if len(shape) != len(full) or any(n not in (1, most) for n, most in zip(shape, full, strict=True)):
        raise ValueError(
            f"{name}: attn_mask has shape {tuple(attn_mask.shape)}, which does not broadcast to that of the weights, "
            f"{full}"
        )
    kind = attn_mask.dtype.kind
    if kind not in ("bool", "float"):
        raise TypeError(f"{name}: attn_mask has dtype {attn_mask.dtype.name}; it must be bool or a float")
    if kind == "float" and attn_mask.dtype != query.dtype:
        attn_mask = ops.astype(attn_mask, query.dtype)
    if kind == "bool":
        attn_mask = ops.logical_not(attn_mask)
    # The rows and columns are stretched, the heads are not, and the batch only where it must be one dimension.
    lead = (*(shape if prod(shape[:-3]) == 1 else full)[:-3], shape[-3])
    four = _four_dimensional(ops.broadcast_to(ops.reshape(attn_mask, shape), (*lead, *full[-2:])), lead)
    return (four, None) if kind == "bool" else (None, four)


named(__name__)
