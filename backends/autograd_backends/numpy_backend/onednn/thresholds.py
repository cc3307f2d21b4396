"""From how much work on oneDNN is faster than NumPy: measured by ``benchmarks/onednn_thresholds.py``."""

from __future__ import annotations

__all__ = ["LEAST"]

#: Kernel of the table -> the least work, as the table counts it.
LEAST = {
    "matmul": 262_144,
    "linear": 262_144,
    "linear_x_backward": 262_144,
    "linear_weight_backward": 262_144,
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
    **{f"max_pool{rank}d_with_indices": 2_048 for rank in (1, 2, 3)},
    **{
        f"{name}{rank}d{direction}": 256
        for name in ("conv", "conv_transpose")
        for rank in (1, 2, 3)
        for direction in ("", "_x_backward", "_weight_backward")
    },
}
