"""What PyTorch has beside Tensor of ``nn.functional``: most are the same, some take their arguments in another way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..nn import functional as F
from ..nn.functional import (
    adaptive_avg_pool1d,
    adaptive_max_pool1d,
    avg_pool1d,
    bilinear,
    celu,
    celu_,
    channel_shuffle,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    cosine_similarity,
    hardshrink,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool3d,
    native_channel_shuffle,
    pairwise_distance,
    pixel_shuffle,
    pixel_unshuffle,
    prelu,
    rms_norm,
    rrelu,
    rrelu_,
    selu,
    selu_,
    threshold,
    threshold_,
)
from ..nn.utils.norms import norm_except_dim
from ..refusals import named
from ..tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "alpha_dropout",
    "avg_pool1d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "ctc_loss",
    "dropout",
    "dropout_",
    "embedding",
    "feature_alpha_dropout",
    "feature_dropout",
    "group_norm",
    "hardshrink",
    "hinge_embedding_loss",
    "instance_norm",
    "kl_div",
    "layer_norm",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool3d",
    "native_channel_shuffle",
    "norm_except_dim",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
]


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`functional.batch_norm`, with the weights first."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`functional.instance_norm`, with the weights first."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`functional.group_norm`."""
    return F.group_norm(input, num_groups, weight, bias, eps)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """`functional.layer_norm`."""
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """`functional.embedding`, with the table first; here a `padding_idx` of -1 is none."""
    padding = None if padding_idx < 0 else padding_idx
    return F.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


# ---------------------------------------------------------------- dropout, where `train` must be given


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`functional.dropout`."""
    return F.dropout(input, p, train)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`functional.dropout`, in place."""
    return F.dropout(input, p, train, inplace=True)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`functional.alpha_dropout`."""
    return F.alpha_dropout(input, p, train)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout of whole channels of `input` [N, C, ...]."""
    rank = input.ndim - 2
    if rank not in (1, 2, 3):
        raise ValueError(f"feature_dropout: takes [N, C, ...] of 3 to 5 dimensions, not shape {tuple(input.shape)}")
    return (F.dropout1d, F.dropout2d, F.dropout3d)[rank - 1](input, p, train)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`functional.feature_alpha_dropout`."""
    return F.feature_alpha_dropout(input, p, train)


# ---------------------------------------------------------------- losses, where `reduction` may be a number

_REDUCTIONS = ("none", "mean", "sum")


def _reduction(name: str, reduction: int | str) -> str:
    if isinstance(reduction, str):
        return reduction
    if reduction not in (0, 1, 2):
        raise ValueError(f"{name}: reduction must be 0, 1 or 2, for 'none', 'mean' or 'sum', not {reduction!r}")
    return _REDUCTIONS[reduction]


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int | str = 1,
) -> Tensor:
    """`functional.binary_cross_entropy_with_logits`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    name = "binary_cross_entropy_with_logits"
    return F.binary_cross_entropy_with_logits(
        input, target, weight, reduction=_reduction(name, reduction), pos_weight=pos_weight
    )


def kl_div(input: Tensor, target: Tensor, reduction: int | str = 1, *, log_target: bool = False) -> Tensor:
    """`functional.kl_div`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    return F.kl_div(input, target, reduction=_reduction("kl_div", reduction), log_target=log_target)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int | str = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """`functional.ctc_loss`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    how = _reduction("ctc_loss", reduction)
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int | str = 1
) -> Tensor:
    """`functional.cosine_embedding_loss`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    how = _reduction("cosine_embedding_loss", reduction)
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=how)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int | str = 1) -> Tensor:
    """`functional.hinge_embedding_loss`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    how = _reduction("hinge_embedding_loss", reduction)
    return F.hinge_embedding_loss(input, target, margin, reduction=how)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int | str = 1
) -> Tensor:
    """`functional.margin_ranking_loss`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    how = _reduction("margin_ranking_loss", reduction)
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=how)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int | str
) -> Tensor:
    """`functional.poisson_nll_loss`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    how = _reduction("poisson_nll_loss", reduction)
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=how)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int | str = 1,
) -> Tensor:
    """`functional.triplet_margin_loss`; `reduction` 0, 1, 2 is ``"none"``, ``"mean"``, ``"sum"``."""
    how = _reduction("triplet_margin_loss", reduction)
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=how)


named(__name__)
