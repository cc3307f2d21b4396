"""The extension for Fourier transforms.

`n` and `s` are lengths to which the signal is cut or filled up with zeros. `norm` is the factor: ``"backward"`` divides
the inverse by the number of elements, ``"forward"`` the other, ``"ortho"`` both by its root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from .. import fft as transforms
from .. import ops
from ..tensor import Tensor

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

Norm: TypeAlias = Literal["backward", "ortho", "forward"]
Several: TypeAlias = Sequence[int] | None


def fft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The Fourier transform along `axis`: the sum of x_j e^(-2 pi i j k / n)."""
    return ops.fft(x, n, axis, norm)


def ifft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The inverse of `fft`."""
    return ops.ifft(x, n, axis, norm)


def fftn(x: Tensor, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward") -> Tensor:
    """The Fourier transform along several axes, by default all."""
    return ops.fftn(x, s, axes, norm)


def ifftn(x: Tensor, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward") -> Tensor:
    """The inverse of `fftn`."""
    return ops.ifftn(x, s, axes, norm)


def rfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """`fft` of a real x, without the half that is redundant."""
    return ops.rfft(x, n, axis, norm)


def irfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The inverse of `rfft`, of even length unless `n` says otherwise."""
    return ops.irfft(x, n, axis, norm)


def rfftn(x: Tensor, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward") -> Tensor:
    """`fftn` of a real x, without the half of the last axis that is redundant."""
    return ops.rfftn(x, s, axes, norm)


def irfftn(x: Tensor, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward") -> Tensor:
    """The inverse of `rfftn`, of even length in the last axis unless `s` says otherwise."""
    return ops.irfftn(x, s, axes, norm)


def hfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The transform of a signal with x_(-j) = conj x_j, of which x has the half: real."""
    return ops.hfft(x, n, axis, norm)


def ihfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The inverse of `hfft`."""
    return ops.ihfft(x, n, axis, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: str | None = None) -> Tensor:
    """The frequencies of `fft` for `n` samples, `d` apart: 0 first, then the positive, then the negative ones."""
    return transforms.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: str | None = None) -> Tensor:
    """The frequencies of `rfft` for `n` samples, `d` apart."""
    return transforms.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: int | Several = None) -> Tensor:
    """x with frequency 0 in the middle of `axes`, by default of all."""
    return ops.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Several = None) -> Tensor:
    """The inverse of `fftshift`."""
    return ops.ifftshift(x, axes)
