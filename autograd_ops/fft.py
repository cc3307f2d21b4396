"""Fourier transforms with the names of ``torch.fft``.

In all of them ``norm`` is the factor: of a transform without ``i`` in its name ``"backward"`` (or None) is none,
``"forward"`` divides by the number of elements and ``"ortho"`` by its root; each inverse undoes the transform of the
same norm. ``n`` and ``s`` are lengths to which the signal is cut or filled up with zeros. float32 gives complex64,
float64 complex128, and integers the default dtype. Every one can be differentiated any number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import ops
from .creation import arange
from .dtypes import get_default_dtype
from .refusals import named
from .tensor import Tensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

Dims = Sequence[int] | None


def _one(name: str, op: Callable[..., Any], input: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    if input.ndim == 0:
        raise ValueError(f"{name}: a 0-d tensor has no dimension to transform")
    _refuse_complex(name, input)
    out: Tensor = op(input, n, dim, norm or "backward")
    return out


def _many(name: str, op: Callable[..., Any], input: Tensor, s: Dims, dim: Dims, norm: str | None) -> Tensor:
    _refuse_complex(name, input)
    over = dim if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    out: Tensor = op(input, s if s is None else tuple(s), over, norm or "backward")
    return out


def _refuse_complex(name: str, input: Tensor) -> None:
    if name.startswith(("rfft", "ihfft")) and input.dtype.is_complex:
        whole = name.replace("rfft", "fft").replace("ihfft", "ifft")
        raise TypeError(f"{name}: input must be real, and this is {input.dtype.name}; {whole} takes it")


# ---------------------------------------------------------------- of complex signals


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The discrete Fourier transform along `dim`: the sum of x_j e^(-2 pi i j k / n).

    Raises
    ------
    ValueError, IndexError
        If there is no such dimension, length or norm.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.fft.fft(ag.tensor([1.0, 0.0, -1.0, 0.0])).real
    tensor([0., 2., 0., 2.])
    """
    return _one("fft", ops.fft, input, n, dim, norm)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`."""
    return _one("ifft", ops.ifft, input, n, dim, norm)


def fft2(input: Tensor, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`fftn` over two dimensions."""
    return _many("fft2", ops.fftn, input, s, dim, norm)


def ifft2(input: Tensor, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `fft2`."""
    return _many("ifft2", ops.ifftn, input, s, dim, norm)


def fftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The transform along each of `dim`, by default all, or as many of the last as `s` has lengths.

    Parameters
    ----------
    input
        Real or complex, of any shape.
    s
        A length for each dimension; -1 leaves it as it is.
    dim
        The dimensions.
    norm
        ``"backward"``, ``"ortho"`` or ``"forward"``.

    Raises
    ------
    ValueError, IndexError
        If there are no such dimensions, lengths or norm.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, 3, requires_grad=True)
    >>> ag.fft.fftn(x).abs().sum().backward()
    >>> x.grad
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    return _many("fftn", ops.fftn, input, s, dim, norm)


def ifftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of `fftn`."""
    return _many("ifftn", ops.ifftn, input, s, dim, norm)


# ---------------------------------------------------------------- of real signals


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """`fft` of a real signal, without the redundant half: n // 2 + 1 elements.

    Raises
    ------
    TypeError
        If `input` is complex.
    """
    return _one("rfft", ops.rfft, input, n, dim, norm)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`: `n` real elements, by default 2 (m - 1) of m.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([1.0, 2.0, 4.0])
    >>> ag.fft.irfft(ag.fft.rfft(x), n=3)
    tensor([1., 2., 4.])
    """
    return _one("irfft", ops.irfft, input, n, dim, norm)


def rfft2(input: Tensor, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`rfftn` over two dimensions."""
    return _many("rfft2", ops.rfftn, input, s, dim, norm)


def irfft2(input: Tensor, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `rfft2`."""
    return _many("irfft2", ops.irfftn, input, s, dim, norm)


def rfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """`fftn` of a real signal, without the redundant half of the last of `dim`.

    Raises
    ------
    TypeError
        If `input` is complex.
    """
    return _many("rfftn", ops.rfftn, input, s, dim, norm)


def irfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of `rfftn`; `s` are the lengths of the result."""
    return _many("irfftn", ops.irfftn, input, s, dim, norm)


# ---------------------------------------------------------------- of signals with a real transform


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """`fft` of a signal with x_(-j) = conj x_j, given by its half: `n` real elements, by default 2 (m - 1) of m."""
    return _one("hfft", ops.hfft, input, n, dim, norm)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`.

    Raises
    ------
    TypeError
        If `input` is complex.
    """
    return _one("ihfft", ops.ihfft, input, n, dim, norm)


def hfft2(input: Tensor, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`hfftn` over two dimensions."""
    return _many("hfft2", ops.hfftn, input, s, dim, norm)


def ihfft2(input: Tensor, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `hfft2`."""
    return _many("ihfft2", ops.ihfftn, input, s, dim, norm)


def hfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """`fftn` of a signal with x_(-j) = conj x_j, given by the half of its last dimension; real."""
    return _many("hfftn", ops.hfftn, input, s, dim, norm)


def ihfftn(input: Tensor, s: Dims = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of `hfftn`.

    Raises
    ------
    TypeError
        If `input` is complex.
    """
    return _many("ihfftn", ops.ihfftn, input, s, dim, norm)


# ---------------------------------------------------------------- frequencies and their order


def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False
) -> Tensor:
    """The frequencies of the elements of an `fft` of `n` samples that are `d` apart, in cycles.

    Raises
    ------
    ValueError
        If `n` is not positive, or `d` is 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.fft.fftfreq(5)
    tensor([ 0. ,  0.2,  0.4, -0.4, -0.2])
    """
    step = _step("fftfreq", n, d)
    k = arange(n, device=device)
    found = (k - n * (2 * k >= n).long()).to(dtype or get_default_dtype()) * step
    return found.requires_grad_(requires_grad)


def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, device: str | None = None, requires_grad: bool = False
) -> Tensor:
    """The frequencies of the elements of an `rfft`: n // 2 + 1 of them, none negative.

    Raises
    ------
    ValueError
        As `fftfreq`.
    """
    step = _step("rfftfreq", n, d)
    found = arange(n // 2 + 1, device=device).to(dtype or get_default_dtype()) * step
    return found.requires_grad_(requires_grad)


def _step(name: str, n: int, d: float) -> float:
    if n < 1 or d == 0:
        raise ValueError(f"{name}: n must be positive and d not 0, and they are {n} and {d}")
    return 1.0 / (n * d)


def fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """`input` with the zero frequency in the middle of `dim`, by default of all."""
    out: Tensor = ops.fftshift(input, dim)
    return out


def ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    out: Tensor = ops.ifftshift(input, dim)
    return out


named(__name__)
