"""Attention of several heads as a module."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..creation import empty, zeros
from ..ops import AttentionModuleOptions
from ..tensor import Tensor
from . import functional as F
from . import init
from .functional.attention import attend
from .linear import Linear
from .module import Module
from .parameter import Parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention of several heads, each with its own projections (Vaswani and others, 2017).

    Parameters
    ----------
    embed_dim
        E, the width of queries and of the output.
    num_heads
        H; it divides E.
    dropout
        The probability with which each weight is dropped in training.
    bias
        Whether the projections have biases.
    add_bias_kv
        Whether one more key and value, which are parameters, are appended to all sequences.
    add_zero_attn
        Whether a key and a value of zeros are appended.
    kdim, vdim
        The widths of keys and values, E by default.
    batch_first
        Whether the batch is dimension 0, and not dimension 1, of inputs and output.
    device, dtype
        Of the parameters.

    Attributes
    ----------
    in_proj_weight
        [3 E, E], the projections of queries, keys and values one after the other; None where `kdim` or `vdim` is not E.
    q_proj_weight, k_proj_weight, v_proj_weight
        Then [E, E], [E, kdim] and [E, vdim]; otherwise None.
    in_proj_bias
        [3 E], or None.
    bias_k, bias_v
        [1, 1, E], or None.
    out_proj
        The last, affine map.

    Raises
    ------
    ValueError
        If `num_heads` does not divide `embed_dim`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> attention = ag.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = ag.ones(3, 5, 8)
    >>> output, weights = attention(x, x, x)
    >>> output.shape, weights.shape
    (Size([3, 5, 8]), Size([3, 5, 5]))
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ValueError(
                f"MultiheadAttention: embed_dim {embed_dim} and num_heads {num_heads} must be positive, and num_heads "
                "divide embed_dim"
            )
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn

        def parameter(*size: int) -> Parameter:
            return Parameter(empty(*size, device=device, dtype=dtype))

        together = self.kdim == self.vdim == embed_dim
        for name, there, size in (
            ("in_proj_weight", together, (3 * embed_dim, embed_dim)),
            ("q_proj_weight", not together, (embed_dim, embed_dim)),
            ("k_proj_weight", not together, (embed_dim, self.kdim)),
            ("v_proj_weight", not together, (embed_dim, self.vdim)),
            ("in_proj_bias", bias, (3 * embed_dim,)),
            ("bias_k", add_bias_kv, (1, 1, embed_dim)),
            ("bias_v", add_bias_kv, (1, 1, embed_dim)),
        ):
            self.register_parameter(name, parameter(*size) if there else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self._reset_parameters()

    @classmethod
    def of_tensors(
        cls,
        num_heads: int,
        dropout: float,
        add_zero_attn: bool,
        out_proj: tuple[Tensor, Tensor | None],
        **projections: Tensor | None,
    ) -> MultiheadAttention:
        """One that computes with Tensors that are there, on the tape or not; none becomes a parameter by this.

        Parameters
        ----------
        num_heads, dropout, add_zero_attn
            As when it is made.
        out_proj
            Weight and bias of the last, affine map.
        **projections
            The other attributes that are parameters, by name.
        """
        made, last = cls.__new__(cls), Linear.__new__(Linear)
        Module.__init__(made)
        Module.__init__(last)
        width = out_proj[0].shape[0]
        settings = {"num_heads": num_heads, "dropout": dropout, "add_zero_attn": add_zero_attn, "batch_first": False}
        vars(last).update(weight=out_proj[0], bias=out_proj[1], in_features=width, out_features=width)
        vars(made).update(**settings, embed_dim=width, head_dim=width // num_heads, out_proj=last, **projections)
        return made

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output, and the weights if they are needed.

        Masks are of bools, True where a key is not seen, or of floats, which are added to the scores.

        Parameters
        ----------
        query, key, value
            [L, N, E], [S, N, kdim] and [S, N, vdim]; [N, L, E] and so on with `batch_first`; or all without N.
        key_padding_mask
            [N, S], or [S] without a batch.
        need_weights
            Whether to return the weights. Without, less is computed and less kept.
        attn_mask
            [L, S] or [N H, L, S].
        average_attn_weights
            Whether the weights are averaged over the heads.
        is_causal
            A hint that `attn_mask`, which must be given, is the causal one.

        Returns
        -------
        tuple
            The output, in the layout of `query`, and None or the weights: [N, L, S], or [N, H, L, S] for each head.

        Raises
        ------
        ValueError
            If shapes do not fit, or `is_causal` comes without `attn_mask`.
        TypeError
            If a mask is neither of bools nor of floats.
        """
        if is_causal and attn_mask is None:
            raise ValueError("MultiheadAttention: is_causal says what attn_mask is, and there is none")
        unbatched = self._is_unbatched(query, key, value)
        at = 0 if self.batch_first else 1
        if unbatched:
            # One Tensor stays one, so that it is projected at once.
            batches = {id(x): ops.expand_dims(x, at) for x in (query, key, value)}
            query, key, value = (batches[id(x)] for x in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else ops.expand_dims(key_padding_mask, 0)
        q, k, v = (self._heads(x) for x in self._project(query, key, value))
        hidden, added = self._masks(q, k, attn_mask, key_padding_mask)
        k, v = self._appended(k, self.bias_k), self._appended(v, self.bias_v)
        causal = is_causal and key_padding_mask is None and q.shape[2] == k.shape[2]
        options = AttentionModuleOptions(is_causal=causal)
        dropout_p = self.dropout if self.training else 0.0
        masks = (None, None) if causal else (hidden, added)
        out, weights = attend(q, k, v, *masks, options, dropout_p, need_weights)
        # [N, H, L, E / H] -> [N, L, E] or [L, N, E]
        out = ops.permute(out, (0, 2, 1, 3) if self.batch_first else (2, 0, 1, 3))
        out = self.out_proj(ops.reshape(out, (*out.shape[:2], self.embed_dim)))
        if weights is not None and average_attn_weights:
            weights = ops.mean(weights, (1,))
        if unbatched:
            out = ops.squeeze(out, (at,))
            weights = None if weights is None else ops.squeeze(weights, (0,))
        return out, weights

    def _is_unbatched(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        ranks = (query.ndim, key.ndim, value.ndim)
        if ranks not in ((2, 2, 2), (3, 3, 3)):
            shapes = ", ".join(str(tuple(t.shape)) for t in (query, key, value))
            raise ValueError(f"MultiheadAttention: query, key and value are all 3-d, or all 2-d; got shapes {shapes}")
        return ranks[0] == 2

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        """The projections of query, key and value, in the layouts that these have."""
        width = self.embed_dim
        parts: list[tuple[Any, ...]] = [(slice(i * width, (i + 1) * width), ...) for i in range(3)]
        if self.in_proj_weight is not None and query is key is value:
            together = F.linear(query, self.in_proj_weight, self.in_proj_bias)
            return tuple([ops.getitem(together, (slice(None), slice(None), *part)) for part in parts])
        weights: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        if self.in_proj_weight is not None:
            weights = [ops.getitem(self.in_proj_weight, part) for part in parts]
        biases: Any = [None if self.in_proj_bias is None else ops.getitem(self.in_proj_bias, part) for part in parts]
        return tuple([F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)])

    def _heads(self, x: Tensor) -> Tensor:
        """x [N, L, E] or [L, N, E] -> [N, H, L, E / H]"""
        x = ops.reshape(x, (*x.shape[:2], self.num_heads, self.head_dim))
        return ops.permute(x, (0, 2, 1, 3) if self.batch_first else (1, 2, 0, 3))

    def _appended(self, x: Tensor, extra: Tensor | None) -> Tensor:
        """x [N, H, S, E / H] with `extra` [1, 1, E] and zeros after it, if the module has them"""
        batch, _, _, width = x.shape
        row = (batch, self.num_heads, 1, width)
        parts = [x]
        if extra is not None:
            parts.append(ops.broadcast_to(ops.reshape(extra, (1, *row[1:])), row))
        if self.add_zero_attn:
            parts.append(zeros(*row, dtype=x.dtype, device=x.device))
        return x if len(parts) == 1 else ops.concat(parts, 2)

    def _masks(
        self, q: Tensor, k: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        """Both masks as what `ops.attention` takes, [1 or N, 1 or H, L, S]: what is hidden, and what is added."""
        batch, heads, queries, keys = (*q.shape[:3], k.shape[2])
        hidden: Tensor | None = None
        added: Tensor | None = None
        # The shapes that each mask may have, and what they become.
        layouts: dict[tuple[int, ...], tuple[int, ...]] = {
            (queries, keys): (1, 1, queries, keys),
            (batch * heads, queries, keys): (batch, heads, queries, keys),
        }
        padding_layout: dict[tuple[int, ...], tuple[int, ...]] = {(batch, keys): (batch, 1, 1, keys)}
        for name, mask, shapes in (
            ("attn_mask", attn_mask, layouts),
            ("key_padding_mask", key_padding_mask, padding_layout),
        ):
            if mask is None:
                continue
            shape = tuple(mask.shape)
            if shape not in shapes:
                wanted = " or ".join(map(str, shapes))
                raise ValueError(f"MultiheadAttention: {name} must have shape {wanted}, and has {shape}")
            four = ops.reshape(mask, shapes[shape])
            if mask.dtype.kind == "bool":
                hidden = four if hidden is None else hidden | four
            elif mask.dtype.kind == "float":
                four = ops.astype(four, q.dtype)
                added = four if added is None else added + four
            else:
                raise TypeError(f"MultiheadAttention: {name} has dtype {mask.dtype.name}; it must be bool or a float")
        return self._for_all_keys(hidden, queries), self._for_all_keys(added, queries)

    def _for_all_keys(self, mask: Tensor | None, queries: int) -> Tensor | None:
        """mask [1 or N, 1 or H, 1 or L, S] -> [1 or N, 1 or H, L, S + appended]: nothing hides what is appended"""
        if mask is None:
            return None
        appended = (self.bias_k is not None) + self.add_zero_attn
        if appended:
            nothing = zeros(*mask.shape[:3], appended, dtype=mask.dtype, device=mask.device)
            mask = ops.concat([mask, nothing], 3)
        return ops.broadcast_to(mask, (*mask.shape[:2], queries, mask.shape[3]))
