"""The transformer: layers of attention and of affine maps, with residual connections (Vaswani and others, 2017)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ..creation import full
from ..dtypes import get_default_dtype
from ..tensor import Tensor
from . import functional as F
from . import init
from .attention import MultiheadAttention
from .containers import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = Callable[[Tensor], Tensor]


def _activation(name: str, activation: str | Activation) -> Activation:
    if callable(activation):
        return activation
    named: dict[str, Activation] = {"relu": F.relu, "gelu": F.gelu}
    if activation not in named:
        raise ValueError(f"{name}: activation must be 'relu', 'gelu' or a function, not {activation!r}")
    return named[activation]


class _Layer(Module):
    """What the layers share: the two affine maps, and how a part is added to what goes through it."""

    norm_first: bool
    activation: Activation

    def _add_feed_forward(
        self, d_model: int, dim_feedforward: int, dropout: float, bias: bool, where: dict[str, Any]
    ) -> None:
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _add(self, x: Tensor, part: Activation, norm: LayerNorm, dropout: Dropout) -> Tensor:
        """x + part(x), normalised before `part` or at the end."""
        if self.norm_first:
            return x + dropout(part(norm(x)))
        return norm(x + dropout(part(x)))


class TransformerEncoderLayer(_Layer):
    """Self-attention and two affine maps, each added to its input and normalised.

    Parameters
    ----------
    d_model
        E, the width of the input and of the output.
    nhead
        The number of heads; it divides E.
    dim_feedforward
        The width between the affine maps.
    dropout
        The probability of the dropouts.
    activation
        Between the affine maps: ``"relu"``, ``"gelu"`` or a function.
    layer_norm_eps
        The epsilon of the layer norms.
    batch_first
        Whether the batch is dimension 0, and not dimension 1.
    norm_first
        Whether each part is normalised before it, and not after it has been added.
    bias
        Whether affine maps and layer norms have biases.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> layer(ag.ones(3, 5, 8)).shape
    Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self._add_feed_forward(d_model, dim_feedforward, dropout, bias, where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation("TransformerEncoderLayer", activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """src [S, N, E], [N, S, E] with `batch_first`, or [S, E] -> the same shape

        Masks, and the hint `is_causal`, are those of `MultiheadAttention`.
        """

        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

        x = self._add(src, attend, self.norm1, self.dropout1)
        return self._add(x, self._feed_forward, self.norm2, self.dropout2)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to an encoder's output, and two affine maps, each added to its input and normalised.

    Parameters are those of `TransformerEncoderLayer`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
    >>> layer(ag.ones(3, 4, 8), ag.ones(3, 5, 8)).shape
    Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self._add_feed_forward(d_model, dim_feedforward, dropout, bias, where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation("TransformerDecoderLayer", activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """tgt [T, N, E] and memory [S, N, E], in the layouts of `TransformerEncoderLayer` -> the shape of `tgt`

        Masks of `tgt` are for its self-attention, masks of `memory` for the attention to it.
        """

        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal)[0]

        def attend_to_memory(x: Tensor) -> Tensor:
            return self.multihead_attn(
                x, memory, memory, memory_key_padding_mask, False, memory_mask, is_causal=memory_is_causal
            )[0]

        x = self._add(tgt, attend, self.norm1, self.dropout1)
        x = self._add(x, attend_to_memory, self.norm2, self.dropout2)
        return self._add(x, self._feed_forward, self.norm3, self.dropout3)


def _copies(layer: Module, count: int) -> ModuleList:
    """`count` copies of `layer`, whose parameters start equal."""
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Parameters
    ----------
    encoder_layer
        What is copied; the copies start with its parameters.
    num_layers
        How many copies.
    norm
        Applied at the end; or None.
    enable_nested_tensor, mask_check
        Taken for PyTorch's sake, and not used.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.TransformerEncoderLayer(8, 2, 16)
    >>> ag.nn.TransformerEncoder(layer, 2)(ag.ones(5, 3, 8)).shape
    Size([5, 3, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """src, in the layout of the layers -> the same shape; `is_causal`, the hint, is False by default"""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other.

    Parameters
    ----------
    decoder_layer
        What is copied; the copies start with its parameters.
    num_layers
        How many copies.
    norm
        Applied at the end; or None.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """tgt and memory, in the layouts of the layers -> the shape of `tgt`"""
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask,
                memory_mask,
                tgt_key_padding_mask,
                memory_key_padding_mask,
                bool(tgt_is_causal),
                memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder, and a decoder that attends to what the encoder gives.

    Parameters
    ----------
    d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype
        Those of `TransformerEncoderLayer`.
    num_encoder_layers, num_decoder_layers
        How many layers there are of each.
    custom_encoder, custom_decoder
        Modules to be taken in place of the encoder and the decoder.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> model = ag.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    >>> mask = model.generate_square_subsequent_mask(4)
    >>> model(ag.ones(3, 5, 8), ag.ones(3, 4, 8), tgt_mask=mask).shape
    Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where: dict[str, Any] = {"device": device, "dtype": dtype}
        sizes = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, **where)

        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*sizes, **where)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*sizes, **where)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        self.encoder: Module = custom_encoder
        self.decoder: Module = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """src [S, N, E] and tgt [T, N, E], or [N, S, E] and [N, T, E] with `batch_first` -> the shape of `tgt`

        Raises
        ------
        ValueError
            If `src` and `tgt` differ in their numbers of sequences, or their width is not `d_model`.
        """
        at = 0 if self.batch_first else 1
        for name, x in (("src", src), ("tgt", tgt)):
            if x.ndim not in (2, 3) or x.ndim != src.ndim or x.shape[-1] != self.d_model:
                raise ValueError(
                    f"Transformer: {name} has shape {tuple(x.shape)} and src {tuple(src.shape)}; both are 2-d or 3-d, "
                    f"and their last dimension is d_model, {self.d_model}"
                )
        if src.ndim == 3 and src.shape[at] != tgt.shape[at]:
            raise ValueError(
                f"Transformer: src {tuple(src.shape)} and tgt {tuple(tgt.shape)} must have the same number of "
                f"sequences (dimension {at})"
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            tgt_is_causal,
            memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: str | None = None, dtype: Any = None) -> Tensor:
        """[sz, sz]: 0 on and below the diagonal, -inf above it

        Examples
        --------
        >>> import autograd_ops as ag
        >>> ag.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[  0., -inf],
                [  0.,   0.]])
        """
        hidden = full((sz, sz), -float("inf"), dtype=dtype or get_default_dtype(), device=device)
        return hidden.triu(1)
