"""The default of every module op, in standard array API calls.

A module is a family of ops; the private functions beside an op are its own. They take and give arrays of any
backend.
"""

from .attention import Attention, AttentionBackward, attention, attention_backward
from .bits import pack_bits, unpack_bits
from .conv import (
    conv,
    conv_bias_backward,
    conv_transpose,
    conv_transpose_weight_backward,
    conv_transpose_x_backward,
    conv_weight_backward,
    conv_x_backward,
)
from .ctc import CtcStates, ctc_loss, ctc_loss_backward, ctc_states
from .deform_conv import (
    DeformConv2dBackward,
    DeformSamples,
    deform_conv2d,
    deform_conv2d_backward,
    deform_samples,
)
from .embedding import embedding, embedding_backward
from .grid_sample import GridSampleBackward, grid_sample, grid_sample_backward
from .interpolate import interpolate, interpolate_backward
from .linear import linear, linear_bias_backward, linear_weight_backward, linear_x_backward
from .norm import (
    BatchNormTrain,
    BatchNormTrainBackward,
    GroupNormBackward,
    LayerNorm,
    LayerNormBackward,
    RmsNorm,
    RmsNormBackward,
    batch_norm_train,
    batch_norm_train_backward,
    group_norm,
    group_norm_backward,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
)
from .pad import pad, pad_backward
from .pool import (
    MaxPoolWithIndices,
    adaptive_avg_pool,
    adaptive_avg_pool_backward,
    adaptive_max_pool_with_indices,
    avg_pool,
    avg_pool_backward,
    gather_planes,
    max_pool_with_indices,
    scatter_planes,
)
from .softmax import log_softmax, log_softmax_backward, logsumexp, softmax, softmax_backward
from .special import erf
from .unfold import fold4d, unfold, unfold4d, unfold_backward

__all__ = [
    "Attention",
    "AttentionBackward",
    "BatchNormTrain",
    "BatchNormTrainBackward",
    "CtcStates",
    "DeformConv2dBackward",
    "DeformSamples",
    "GridSampleBackward",
    "GroupNormBackward",
    "LayerNorm",
    "LayerNormBackward",
    "MaxPoolWithIndices",
    "RmsNorm",
    "RmsNormBackward",
    "adaptive_avg_pool",
    "adaptive_avg_pool_backward",
    "adaptive_max_pool_with_indices",
    "attention",
    "attention_backward",
    "avg_pool",
    "avg_pool_backward",
    "batch_norm_train",
    "batch_norm_train_backward",
    "conv",
    "conv_bias_backward",
    "conv_transpose",
    "conv_transpose_weight_backward",
    "conv_transpose_x_backward",
    "conv_weight_backward",
    "conv_x_backward",
    "ctc_loss",
    "ctc_loss_backward",
    "ctc_states",
    "deform_conv2d",
    "deform_conv2d_backward",
    "deform_samples",
    "embedding",
    "embedding_backward",
    "erf",
    "fold4d",
    "gather_planes",
    "grid_sample",
    "grid_sample_backward",
    "group_norm",
    "group_norm_backward",
    "interpolate",
    "interpolate_backward",
    "layer_norm",
    "layer_norm_backward",
    "linear",
    "linear_bias_backward",
    "linear_weight_backward",
    "linear_x_backward",
    "log_softmax",
    "log_softmax_backward",
    "logsumexp",
    "max_pool_with_indices",
    "pack_bits",
    "pad",
    "pad_backward",
    "rms_norm",
    "rms_norm_backward",
    "scatter_planes",
    "softmax",
    "softmax_backward",
    "unfold",
    "unfold4d",
    "unfold_backward",
    "unpack_bits",
]
