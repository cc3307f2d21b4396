"""Samples of Fourier transforms, against sums of exponentials written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import Sample, distinct, distinct_complex


def along(x: np.ndarray, axis: int, n: int, sign: int, norm: str, inverse: bool) -> np.ndarray:
    """The sum of x_j e^(sign 2 pi i j k / n) along `axis`, for x cut or filled up to n."""
    x = np.moveaxis(x, axis, -1)[..., :n]
    m = x.shape[-1]
    matrix = np.exp(sign * 2j * np.pi * np.outer(np.arange(m), np.arange(n)) / n)
    divided = {"backward": inverse, "forward": not inverse, "ortho": True}[norm]
    factor = (n**-0.5 if norm == "ortho" else 1 / n) if divided else 1.0
    return np.moveaxis(factor * (x @ matrix), -1, axis)


def geometry(x: np.ndarray, s: Any, axes: Any) -> tuple[list[int], list[int]]:
    """The dimensions and their lengths."""
    if axes is None:
        axes = range(x.ndim if s is None else len(s))
        axes = [a - len(axes) for a in axes]
    lengths = [x.shape[a] if s is None or s[i] == -1 else s[i] for i, a in enumerate(axes)]
    return list(axes), lengths


def fftn(x: np.ndarray, s: Any = None, axes: Any = None, norm: str = "backward") -> np.ndarray:
    """One dimension after the other."""
    out = x.astype(complex)
    for axis, n in zip(*geometry(x, s, axes), strict=True):
        out = along(out, axis, n, -1, norm, inverse=False)
    return out


def ifftn(x: np.ndarray, s: Any = None, axes: Any = None, norm: str = "backward") -> np.ndarray:
    """One dimension after the other, with the opposite sign."""
    out = x.astype(complex)
    for axis, n in zip(*geometry(x, s, axes), strict=True):
        out = along(out, axis, n, 1, norm, inverse=True)
    return out


def rfftn(x: np.ndarray, s: Any = None, axes: Any = None, norm: str = "backward") -> np.ndarray:
    """The first half of the whole."""
    over, lengths = geometry(x, s, axes)
    return np.take(fftn(x, s, axes, norm), range(lengths[-1] // 2 + 1), over[-1])


def irfftn(x: np.ndarray, s: Any = None, axes: Any = None, norm: str = "backward") -> np.ndarray:
    """Of the whole, whose other half are the conjugates, what is real."""
    over, lengths = geometry(x, s, axes)
    last = over.pop()
    n = 2 * (x.shape[last] - 1) if s is None or s[-1] == -1 else lengths[-1]
    out = ifftn(x, lengths[:-1], over, norm) if over else x.astype(complex)
    half = np.moveaxis(out, last, -1)[..., : n // 2 + 1]
    whole = np.zeros((*half.shape[:-1], n), complex)
    whole[..., : half.shape[-1]] = half
    whole[..., 0] = whole[..., 0].real
    for k in range(1, (n + 1) // 2):
        whole[..., n - k] = np.conj(whole[..., k])
    if n % 2 == 0:
        whole[..., n // 2] = whole[..., n // 2].real
    return np.moveaxis(along(whole, -1, n, 1, norm, inverse=True).real, -1, last)


ARGUMENTS: list[tuple[tuple[int, ...], Sequence[Any]]] = [
    ((5,), ()),
    ((2, 3), ()),
    ((2, 3), (None, (-1,))),
    ((3, 2), (None, (0,), "ortho")),
    ((2, 4), ((5,), (1,))),
    ((2, 5), ((3,), (-1,), "forward")),
    ((2, 3, 2), ((3, 4),)),
    ((3, 2, 4), ((2, -1), (0, 2), "ortho")),
    ((2, 3), (None, (1, 0), "forward")),
    ((0, 3), (None, (1,))),
]
HALVES: list[tuple[tuple[int, ...], Sequence[Any]]] = [
    ((3,), ()),
    ((4,), ((7,),)),
    ((2, 3), ()),
    ((3, 2), (None, (0,), "ortho")),
    ((2, 3), ((2,), (1,))),
    ((2, 2), ((6,), (-1,), "forward")),
    ((2, 3, 2), ((3, 3),)),
    ((3, 2, 3), ((2, -1), (0, 2), "ortho")),
    ((0, 3), (None, (1,))),
]


def samples(reference: Any, make: Any, arguments: Sequence[tuple[tuple[int, ...], Sequence[Any]]]) -> list[Sample]:
    """A sample for each shape and its arguments."""
    return [Sample(reference, make(shape, seed=i), *rest, half=False) for i, (shape, rest) in enumerate(arguments)]


INTEGERS = np.array([[1, -2, 3], [0, 5, -1]])

SAMPLES: dict[str, list[Sample]] = {
    "fftn": [
        *samples(fftn, distinct_complex, ARGUMENTS),
        *samples(fftn, distinct, ARGUMENTS),
        Sample(fftn, INTEGERS, dtype="complex64"),
        Sample(fftn, distinct_complex(())),
    ],
    "ifftn": [*samples(ifftn, distinct_complex, ARGUMENTS), *samples(ifftn, distinct, ARGUMENTS[:3])],
    "rfftn": [*samples(rfftn, distinct, ARGUMENTS), Sample(rfftn, INTEGERS, dtype="complex64")],
    "irfftn": [*samples(irfftn, distinct_complex, HALVES), *samples(irfftn, distinct, HALVES[:3])],
}
