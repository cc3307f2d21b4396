"""Linear algebra."""

from __future__ import annotations

import numpy as np

from .core import calling

NAMES = (
    *("cholesky", "det", "eigh", "eigvalsh", "inv", "lstsq", "matrix_power", "matrix_rank", "norm", "pinv", "qr"),
    *("slogdet", "solve", "svd", "tensorinv", "tensorsolve"),
)
globals().update({name: calling(f"linalg.{name}", getattr(np.linalg, name)) for name in NAMES})
__all__ = list(NAMES)
