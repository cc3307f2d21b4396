"""From how much work on oneDNN is faster than NumPy: measured by ``benchmarks/onednn_thresholds.py``."""

from __future__ import annotations

__all__ = ["LEAST"]

#: Kernel of the table -> the least work, as the table counts it.
LEAST = {
    "matmul": 32_768,
    "linear": 32_768,
    "linear_x_backward": 32_768,
    "linear_weight_backward": 32_768,
    "linear_bias_backward": 9_216,
    **{
        f"{name}{rank}d{direction}": 256
        for name in ("conv", "conv_transpose")
        for rank in (1, 2, 3)
        for direction in ("", "_x_backward", "_weight_backward")
    },
}
