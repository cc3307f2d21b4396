"""Fourier transforms."""

from __future__ import annotations

import numpy as np

from .core import calling

NAMES = (
    *("fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft"),
    *("fftfreq", "rfftfreq", "fftshift", "ifftshift"),
)
globals().update({name: calling(f"fft.{name}", getattr(np.fft, name)) for name in NAMES})
__all__ = list(NAMES)
