"""From how much work on oneDNN does what NumPy did: measured by ``benchmarks/onednn_thresholds.py``."""

from __future__ import annotations

__all__ = ["LEAST"]

#: Where OpenBLAS wakes a second thread, at the earliest of the versions that NumPy has come with. Its threads and
#: oneDNN's are in each other's way, two to eight times slower than either alone, so all larger products are oneDNN's,
#: though on one thread it is not before four times this size that it is the faster.
THREADED = 2**18 + 1

#: Convolutions pay from the smallest on; but a program with nothing larger need not load the library, some 10 ms.
SOME = 256

#: Kernel of the table -> the least work, as the table counts it.
LEAST = {
    **dict.fromkeys(("matmul", "matmul_into", "linear", "linear_x_backward", "linear_weight_backward"), THREADED),
    "descend": 2**16,
    "adam_step": 2**16,
    "relu": 262_144,
    "relu_backward": 262_144,
    "sigmoid": 4_096,
    "sigmoid_backward": 32_768,
    "silu": 4_096,
    "silu_backward": 4_096,
    "attention": 2_048,
    "attention_backward": 2_048,
    "gelu": 2_048,
    "gelu_backward": 2_048,
    "softmax": 4_096,
    "log_softmax": 8_192,
    "softmax_backward": 8_192,
    "log_softmax_backward": 8_192,
    "layer_norm": 4_096,
    "layer_norm_backward": 4_096,
    "batch_norm_train": 16_384,
    "batch_norm_train_backward": 32_768,
    **{f"max_pool{rank}d{kind}": 2_048 for rank in (1, 2, 3) for kind in ("", "_with_indices")},
    "scatter_cells": 512,
    **{f"{name}{rank}d": 16_384 for name in ("avg_pool", "adaptive_avg_pool") for rank in (1, 2, 3)},
    **{f"{name}{rank}d_backward": 4_096 for name in ("avg_pool", "adaptive_avg_pool") for rank in (1, 2, 3)},
    "group_norm": 32_768,
    "group_norm_backward": 32_768,
    "interpolate": 4_096,
    "interpolate_backward": 16_384,
    **dict.fromkeys(("lstm", "lstm_backward", "gru", "gru_backward"), 2_048),
    **{f"max_pool{rank}d_with_indices": 2_048 for rank in (1, 2, 3)},
    **{f"conv{rank}d_backward": SOME for rank in (1, 2, 3)},
    **{
        f"{name}{rank}d{direction}": SOME
        for name in ("conv", "conv_transpose")
        for rank in (1, 2, 3)
        for direction in ("", "_x_backward", "_weight_backward")
    },
}
