"""From how much work on oneDNN is faster than NumPy: measured by ``benchmarks/onednn_thresholds.py``."""

from __future__ import annotations

__all__ = ["LEAST"]

#: Kernel of the table -> the least work, as the table counts it.
LEAST = {
    "matmul": 262_144,
    "linear": 262_144,
    "linear_x_backward": 262_144,
    "linear_weight_backward": 262_144,
    **{
        f"{name}{rank}d{direction}": 256
        for name in ("conv", "conv_transpose")
        for rank in (1, 2, 3)
        for direction in ("", "_x_backward", "_weight_backward")
    },
}
