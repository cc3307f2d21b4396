"""Fourier transforms, over any number of dimensions.

The matrix of a transform is symmetric, so that a transform is its own transpose: with C-linear gradients (`ends`) the
rule of `fftn` is `fftn`. Four ops are recorded; the transforms of one dimension, and those of Hermitian symmetry, are
written with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_backends import dtype_name, kernels, namespace

from ..dims import axes_of, axis_of
from ..registry import Array, op
from .complex import conj, real
from .dtype import has_complex
from .elementwise import mul
from .shape import getitem, place, roll

__all__ = [
    "fft",
    "fftn",
    "fftshift",
    "hfft",
    "hfftn",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfftn",
    "irfft",
    "irfftn",
    "rfft",
    "rfftn",
]

Shape = tuple[int, ...]
Lengths = Sequence[int] | None

#: The norm under which the transform of opposite sign has the same factor.
OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _lengths(
    name: str, shape: Shape, s: Lengths, axes: Lengths, norm: str, half: bool = False
) -> tuple[list[int], tuple[int, ...]]:
    """The dimensions to transform, counted from the front, and the length of each one's signal.

    `half`: of the last one, `shape` has only the half that is not redundant.

    Raises
    ------
    ValueError, IndexError
        If there are no such dimensions, lengths or norm.
    """
    if norm not in OPPOSITE:
        raise ValueError(f"{name}: norm must be 'backward', 'ortho' or 'forward', not {norm!r}")
    rank = len(shape)
    if axes is None:
        count = rank if s is None else len(s)
        if count > rank:
            raise ValueError(f"{name}: s gives {count} lengths, and a tensor of shape {shape} has {rank} dimensions")
        axes = range(rank - count, rank)
    found = () if not axes else axes_of(name, axes, rank) or ()
    if s is not None and len(s) != len(found):
        raise ValueError(f"{name}: s gives {len(s)} lengths for {len(found)} dimensions")
    lengths = [shape[a] for a in found]
    if half and lengths:
        lengths[-1] = 2 * (lengths[-1] - 1)
    if s is not None:
        lengths = [there if n == -1 else n for n, there in zip(s, lengths, strict=True)]
    for axis, n in zip(found, lengths, strict=True):
        if n < 1:
            raise ValueError(f"{name}: a signal has at least one element, and along dimension {axis} it would have {n}")
    return lengths, found


def _complex(x: Array, over: tuple[int, ...]) -> Array:
    """x with complex elements, which the standard's transforms ask for; a copy where there is nothing to transform."""
    return namespace(x).astype(x, kernels(x).complex_dtype(x.dtype), copy=not over)


def _fitted(g: Any, shape: Shape) -> Any:
    """`g`, cut to `shape` or filled up with zeros: the gradient of what was filled up or cut."""
    there = tuple(g.shape)
    if there == shape:
        return g
    common = tuple([slice(0, min(n, m)) for n, m in zip(there, shape, strict=True)])
    part = getitem(g, (*common, ...))
    return part if tuple(part.shape) == shape else place(part, shape, (*common, ...))


# ---------------------------------------------------------------- the four that are recorded


@op(formula="dx = fftn g, cut or filled up to x.shape", floating=True, promote="gradients")
def fftn(x: Array, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Array:
    """The discrete Fourier transform of x over `axes`: the sum of x_j e^(-2 pi i j k / n).

    Parameters
    ----------
    x
        Real or complex, of any shape.
    s
        The length to which x is cut or filled up with zeros, for each of `axes`; -1 or None: as it is.
    axes
        The dimensions; by default all, or as many of the last as there are lengths.
    norm
        ``"backward"``: without a factor; ``"forward"``: divided by the number of elements; ``"ortho"``: by its root.

    Raises
    ------
    ValueError, IndexError
        If there are no such dimensions, lengths or norm.
    """
    lengths, over = _lengths("fftn", tuple(x.shape), s, axes, norm)
    return namespace(x).fft.fftn(_complex(x, over), s=lengths, axes=over, norm=norm)


fftn.backward(x=lambda g, x_shape, s, axes, norm: _fitted(fftn(g, None, _over(x_shape, s, axes), norm), x_shape))


@op(formula="dx = ifftn g, cut or filled up to x.shape", floating=True, promote="gradients")
def ifftn(x: Array, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Array:
    """The inverse of `fftn`: the sum of x_j e^(2 pi i j k / n), divided by the number of elements.

    Parameters
    ----------
    x, s, axes
        As of `fftn`.
    norm
        That of the `fftn` of which it is the inverse.
    """
    lengths, over = _lengths("ifftn", tuple(x.shape), s, axes, norm)
    return namespace(x).fft.ifftn(_complex(x, over), s=lengths, axes=over, norm=norm)


ifftn.backward(x=lambda g, x_shape, s, axes, norm: _fitted(ifftn(g, None, _over(x_shape, s, axes), norm), x_shape))


def _over(shape: Shape, s: Lengths, axes: Lengths) -> tuple[int, ...]:
    return _lengths("fftn", shape, s, axes, "backward")[1]


@op(formula="dx = real fftn g, with g filled up to the whole of its last dimension", floating=True, promote="gradients")
def rfftn(x: Array, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Array:
    """`fftn` of a real x, without the half that is redundant: the last of `axes` has n // 2 + 1 elements.

    Raises
    ------
    TypeError
        If x is complex.
    ValueError, IndexError
        As `fftn`.
    """
    if has_complex(x):
        raise TypeError(f"rfftn: x must be real, and this is {dtype_name(x)}; fftn takes it")
    xp = namespace(x)
    lengths, over = _lengths("rfftn", tuple(x.shape), s, axes, norm)
    if not over:
        raise ValueError("rfftn: there is no dimension to transform")
    wide = xp.astype(x, kernels(x).accumulator(x.dtype), copy=False)
    return xp.fft.rfftn(wide, s=lengths, axes=over, norm=norm)


def _rfftn_x(g: Any, x_shape: Shape, s: Lengths, axes: Lengths, norm: str) -> Any:
    lengths, over = _lengths("rfftn", x_shape, s, axes, norm)
    whole = list(g.shape)
    whole[over[-1]] = lengths[-1]
    # A transform of real numbers over the half alone would need the others' Hermitian symmetry, which g has not.
    return _fitted(real(fftn(_fitted(g, tuple(whole)), None, over, norm)), x_shape)


rfftn.backward(x=_rfftn_x)


@op(formula="dx = conj rfftn g, twice that where an element stands for two", floating=True, promote="gradients")
def irfftn(x: Array, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Array:
    """The inverse of `rfftn`: real, with 2 (m - 1) elements along the last of `axes`, where x has m.

    Parameters
    ----------
    x, axes
        As of `fftn`; what is redundant in x is left out, and not looked at where it is there.
    s
        The lengths of the result, for each of `axes`: give an odd one of the last dimension here.
    norm
        That of the `rfftn` of which it is the inverse.
    """
    lengths, over = _lengths("irfftn", tuple(x.shape), s, axes, norm, half=True)
    if not over:
        raise ValueError("irfftn: there is no dimension to transform")
    return namespace(x).fft.irfftn(_complex(x, over), s=lengths, axes=over, norm=norm)


def _irfftn_x(g: Any, x_shape: Shape, s: Lengths, axes: Lengths, norm: str) -> Any:
    lengths, over = _lengths("irfftn", x_shape, s, axes, norm, half=True)
    found = conj(rfftn(g, None, over, OPPOSITE[norm]))
    array = getattr(g, "array", g)
    xp = namespace(array)
    # All but the first, and the middle one of an even number, stand for their conjugates at the other end too.
    n = lengths[-1]
    k = xp.arange(n // 2 + 1, device=array.device)
    twice = xp.astype((k > 0) & (2 * k < n), array.dtype) + 1.0
    return _fitted(mul(found, xp.reshape(twice, (-1,) + (1,) * (len(x_shape) - 1 - over[-1]))), x_shape)


irfftn.backward(x=_irfftn_x)


# ---------------------------------------------------------------- of one dimension


def _one(n: int | None) -> Lengths:
    return None if n is None else (n,)


def fft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """`fftn` over one dimension."""
    return fftn(x, _one(n), (axis,), norm)


def ifft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """`ifftn` over one dimension."""
    return ifftn(x, _one(n), (axis,), norm)


def rfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """`rfftn` over one dimension."""
    return rfftn(x, _one(n), (axis,), norm)


def irfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """`irfftn` over one dimension."""
    return irfftn(x, _one(n), (axis,), norm)


def hfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """`hfftn` over one dimension."""
    return hfftn(x, _one(n), (axis,), norm)


def ihfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """`ihfftn` over one dimension."""
    return ihfftn(x, _one(n), (axis,), norm)


# ---------------------------------------------------------------- of signals with Hermitian symmetry


def hfftn(x: Any, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Any:
    """`fftn` of a signal with x_(-j) = conj x_j, of which x has the half; real. The arguments are those of `irfftn`."""
    return irfftn(conj(x), s, axes, _opposite("hfftn", norm))


def ihfftn(x: Any, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Any:
    """The inverse of `hfftn`, for a real x. The arguments are those of `rfftn`."""
    return conj(rfftn(x, s, axes, _opposite("ihfftn", norm)))


def _opposite(name: str, norm: str) -> str:
    if norm not in OPPOSITE:
        raise ValueError(f"{name}: norm must be 'backward', 'ortho' or 'forward', not {norm!r}")
    return OPPOSITE[norm]


# ---------------------------------------------------------------- the order of frequencies


def fftshift(x: Any, axes: int | Sequence[int] | None = None) -> Any:
    """x with the zero frequency in the middle of `axes`, by default of all."""
    return _shifted("fftshift", x, axes, lambda n: n // 2)


def ifftshift(x: Any, axes: int | Sequence[int] | None = None) -> Any:
    """The inverse of `fftshift`; of an odd number of frequencies not the same."""
    return _shifted("ifftshift", x, axes, lambda n: -(n // 2))


def _shifted(name: str, x: Any, axes: int | Sequence[int] | None, shift: Any) -> Any:
    rank = len(x.shape)
    given = range(rank) if axes is None else (axes,) if isinstance(axes, int) else axes
    over = tuple([axis_of(name, axis, rank) for axis in given])
    return roll(x, tuple([shift(x.shape[axis]) for axis in over]), over)
