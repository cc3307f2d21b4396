"""Samples of linear algebra.

References are written out by the definitions. Only which of the equally right vectors `eigh`, `eig` and `svd` give is
LAPACK's choice, and is taken from it here; that they decompose the matrix is tested in ``tests/linalg``.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np

from .base import Sample, distinct, distinct_complex

# ---------------------------------------------------------------- references


def each(function: Any) -> Any:
    """`function` of one matrix, for a batch of them."""

    def batched(x: np.ndarray, *rest: Any) -> np.ndarray:
        batch = x.shape[:-2]
        first = np.asarray(function(np.zeros(x.shape[-2:], x.dtype), *rest))
        out = np.empty((*batch, *first.shape), first.dtype)
        for at in np.ndindex(batch):
            out[at] = function(x[at], *rest)
        return out

    return batched


@each
def det(x: np.ndarray) -> Any:
    """The sum over all permutations."""
    n = len(x)
    total = x.dtype.type(0)
    for p in permutations(range(n)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        total += sign * math.prod([x[i, p[i]] for i in range(n)], start=x.dtype.type(1))
    return total


@each
def cofactor(x: np.ndarray) -> np.ndarray:
    """Determinants without a row and a column."""
    n = len(x)
    out = np.zeros_like(x)
    for i, j in np.ndindex(n, n):
        out[i, j] = (-1) ** (i + j) * det(np.delete(np.delete(x, i, 0), j, 1))
    return out


@each
def second(x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """By a difference, which is exact with a step of 1: a cofactor is linear in each element."""
    n = len(x)
    out = np.zeros_like(x)
    for i, j in np.ndindex(n, n):
        unit = np.zeros_like(x)
        unit[i, j] = 1
        out[i, j] = np.sum(g * (cofactor(x + unit) - cofactor(x - unit))) / 2
    return out


def inv(x: np.ndarray) -> np.ndarray:
    """Cofactors over the determinant; NaN where that is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        d = det(x)[..., None, None]
        return np.where(d == 0, np.nan, np.swapaxes(cofactor(x), -1, -2) / d)


def inv_ex(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The inverse, and where there is none."""
    return inv(x), (det(x) == 0).astype(np.int32)


def slogdet(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The determinant by its size and its direction."""
    d = det(x)
    return np.where(d == 0, 0, d / np.where(d == 0, 1, np.abs(d))), np.log(np.abs(d))


def triangle(a: np.ndarray, upper: bool, unitriangular: bool) -> np.ndarray:
    """What counts of a triangular matrix."""
    k = int(unitriangular)
    return (np.triu(a, k) if upper else np.tril(a, -k)) + k * np.eye(a.shape[-1])


def pinv(x: np.ndarray, absolute: Any, relative: Any, hermitian: bool = False) -> np.ndarray:
    """(x^H x)^-1 x^H of a tall matrix, x^H (x x^H)^-1 of a wide one, and diagonal matrices by their elements."""
    h = np.conj(np.swapaxes(x, -1, -2))
    if 0 in x.shape:
        return np.zeros(h.shape, x.dtype)
    if x.shape[-1] == x.shape[-2] and np.array_equal(x, np.tril(np.triu(x))):
        size = np.abs(x).max((-1, -2), keepdims=True)
        kept = np.abs(x) > np.maximum(absolute, relative * size)
        return np.where(kept, 1 / np.where(kept, x, 1), 0)
    return inv(h @ x) @ h if x.shape[-2] >= x.shape[-1] else h @ inv(x @ h)


@each
def cholesky(x: np.ndarray) -> np.ndarray:
    """Column by column; NaN where a root is of no positive number."""
    out = np.zeros_like(x)
    for j in range(len(x)):
        rest = (x[j, j] - np.sum(np.abs(out[j, :j]) ** 2)).real
        if rest <= 0:
            return np.full_like(x, np.nan)
        out[j, j] = np.sqrt(rest)
        for i in range(j + 1, len(x)):
            out[i, j] = (x[i, j] - np.sum(out[i, :j] * np.conj(out[j, :j]))) / out[j, j]
    return out


def cholesky_ex(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The factor, and where there is none."""
    out = cholesky(x)
    return out, np.isnan(out).any((-1, -2)).astype(np.int32)


def reflections(x: np.ndarray, complete: bool) -> tuple[np.ndarray, np.ndarray]:
    """QR by one Householder reflection a column, whose result is real, as LAPACK has it."""
    n, m = x.shape
    q, r = np.eye(n, dtype=x.dtype), x.copy()
    for k in range(min(n, m)):
        column = r[k:, k]
        if not np.any(column[1:]) and not np.imag(column[0]):
            continue
        beta = -math.copysign(np.linalg.norm(column), column[0].real)
        v = column / (column[0] - beta)
        v[0] = 1
        tau = (beta - column[0]) / beta
        h = np.eye(n, dtype=x.dtype)
        h[k:, k:] -= tau * np.outer(v, np.conj(v))
        r = np.conj(h.T) @ r
        q = q @ h
    k = n if complete else min(n, m)
    return q[:, :k], np.triu(r)[:k]


def qr(x: np.ndarray, mode: str = "reduced") -> tuple[np.ndarray, np.ndarray]:
    """`reflections` of a batch."""
    complete = mode == "complete"
    return each(lambda x: reflections(x, complete)[0])(x), each(lambda x: reflections(x, complete)[1])(x)


def elimination(x: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Gauss's, with the largest number of a column as pivot."""
    out, pivots = x.copy(), []
    for k in range(min(x.shape)):
        p = k + int(np.argmax(np.abs(out[k:, k])))
        pivots.append(p + 1)
        out[[k, p]] = out[[p, k]]
        out[k + 1 :, k] /= out[k, k] if out[k, k] else 1
        out[k + 1 :, k + 1 :] -= np.outer(out[k + 1 :, k], out[k, k + 1 :])
    return out, pivots


def lu_factor(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`elimination` of a batch."""
    return each(lambda x: elimination(x)[0])(x), each(lambda x: np.array(elimination(x)[1], np.int32))(x)


def row_order(pivots: np.ndarray, n: int) -> np.ndarray:
    """The exchanges, one after the other."""
    out = np.empty((*pivots.shape[:-1], n), np.int64)
    for at in np.ndindex(pivots.shape[:-1]):
        rows = list(range(n))
        for k, p in enumerate(pivots[at]):
            rows[k], rows[p - 1] = rows[p - 1], rows[k]
        out[at] = rows
    return out


def matrix_exp(x: np.ndarray) -> np.ndarray:
    """The series, of a small part of x, squared."""
    part, term = x / 64, np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    out = np.zeros_like(x)
    for k in range(1, 25):
        out, term = out + term, term @ part / k
    for _ in range(6):
        out = out @ out
    return out


def eigh(x: np.ndarray) -> tuple[np.ndarray, ...]:
    """LAPACK's."""
    return tuple(np.linalg.eigh(x))


def eigvalsh(x: np.ndarray) -> np.ndarray:
    """The ordered eigenvalues of a Hermitian matrix."""
    return eigh(x)[0]


def eig(x: np.ndarray) -> tuple[np.ndarray, ...]:
    """LAPACK's, as complex numbers."""
    return tuple(part.astype(complex) for part in np.linalg.eig(x))


def eigvals(x: np.ndarray) -> np.ndarray:
    """In LAPACK's order."""
    return eig(x)[0]


def svd(x: np.ndarray, full_matrices: bool = False) -> tuple[np.ndarray, ...]:
    """LAPACK's."""
    return tuple(np.linalg.svd(x, full_matrices))


def svdvals(x: np.ndarray) -> np.ndarray:
    """The roots of the eigenvalues of x x^H or x^H x, whichever is smaller."""
    h = np.conj(np.swapaxes(x, -1, -2))
    square = x @ h if x.shape[-2] <= x.shape[-1] else h @ x
    return np.sqrt(np.linalg.eigvalsh(square))[..., ::-1]


# ---------------------------------------------------------------- samples


def square(*shape: int, seed: int = 0, complex: bool = False) -> np.ndarray:
    """Well conditioned: with a larger diagonal, whose elements differ."""
    x = (distinct_complex if complex else distinct)(shape, -0.9, 1.0, seed)
    return x + np.eye(shape[-1]) * np.linspace(1.5, 3.5, shape[-1])


def hermitian(*shape: int, seed: int = 0, complex: bool = False) -> np.ndarray:
    """With eigenvalues well apart, and positive."""
    x = square(*shape, seed=seed, complex=complex)
    return (x + np.conj(np.swapaxes(x, -1, -2))) / 2 + np.eye(shape[-1]) * np.linspace(1.0, 4.0, shape[-1])


SQUARE = [
    square(3, 3, seed=1),
    square(2, 2, 2, seed=2),
    square(2, 2, seed=3, complex=True),
    square(1, 1, seed=4),
    square(2, 2, 2, seed=5, complex=True),
    np.zeros((0, 0)),
    np.zeros((0, 2, 2)),
    np.zeros((2, 0, 0)),
]
HERMITIAN = [
    hermitian(3, 3, seed=1),
    hermitian(2, 2, 2, seed=2),
    hermitian(2, 2, seed=3, complex=True),
    hermitian(1, 1, seed=4),
    np.zeros((0, 0)),
    np.zeros((0, 2, 2)),
]
SINGULAR = np.stack([np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[2.0, 1.0], [0.5, 1.0]])])


def oblong(*shape: int, seed: int, complex: bool = False) -> np.ndarray:
    """Matrices of more rows than columns, or of more columns, with singular values well apart."""
    n, m = shape[-2:]
    x = (distinct_complex if complex else distinct)(shape, -0.5, 0.6, seed)
    return x + np.eye(n, m) * np.linspace(1.0, 3.0, m)


OBLONG = [
    oblong(2, 3, 2, seed=1),
    oblong(2, 3, seed=2),
    oblong(3, 2, seed=3, complex=True),
    oblong(2, 3, seed=4, complex=True),
]
EMPTY = [np.zeros(shape) for shape in ((0, 3), (3, 0), (0, 2, 3))]

#: Of which only a triangle is read, so that one element alone cannot be moved.
fixed: dict[str, Any] = {"half": False, "smooth": False}

SAMPLES: dict[str, list[Sample]] = {
    "inv": [Sample(inv, x, half=False) for x in SQUARE],
    "inv_ex": [Sample(inv_ex, x, half=False) for x in SQUARE],
    "det": [Sample(det, x, half=False) for x in [*SQUARE, SINGULAR, np.zeros((3, 3))]],
    "cofactor": [Sample(cofactor, x, half=False) for x in [*SQUARE, SINGULAR]],
    "cofactor_backward": [
        Sample(second, square(3, 3, seed=1), distinct((3, 3), seed=2), half=False),
        Sample(second, square(2, 2, seed=3, complex=True), distinct_complex((2, 2), seed=4), half=False),
        Sample(second, square(1, 1, seed=5), distinct((1, 1), seed=6), half=False),
        Sample(second, SINGULAR[0], distinct((2, 2), seed=7), half=False, note="singular"),
        Sample(second, np.zeros((2, 0, 0)), np.zeros((2, 0, 0)), half=False),
    ],
    "slogdet": [Sample(slogdet, x, half=False) for x in SQUARE],
    "matrix_exp": [Sample(matrix_exp, x, half=False) for x in [*SQUARE, 5 * distinct((2, 2), -1, 0, 8)]],
    "solve": [
        Sample(lambda a, b: inv(a) @ b, a, b, half=False)
        for a, b in [
            (square(3, 3, seed=1), distinct((3, 2), seed=2)),
            (square(2, 2, 2, seed=3), distinct((2, 1), seed=4)),
            (square(2, 2, seed=5), distinct((2, 2, 3), seed=6)),
            (square(2, 2, seed=5, complex=True), distinct_complex((2, 1), seed=6)),
            (np.zeros((0, 0)), np.zeros((0, 2))),
            (square(2, 2), np.zeros((2, 0))),
        ]
    ],
    "solve_triangular": [
        Sample(lambda a, b, u, t=False: inv(triangle(a, u, t)) @ b, a, b, *options, half=False)
        for a, b, *options in [
            (square(3, 3, seed=1), distinct((3, 2), seed=2), True),
            (square(3, 3, seed=1), distinct((3, 2), seed=2), False),
            (square(2, 2, 2, seed=3), distinct((2, 1), seed=4), True, True),
            (square(2, 2, seed=5), distinct((2, 2, 3), seed=6), False, True),
            (square(2, 2, seed=5, complex=True), distinct_complex((2, 1), seed=6), True, False),
            (np.zeros((0, 0)), np.zeros((0, 2)), True),
        ]
    ],
    "pinv": [
        *[Sample(pinv, x, 0.0, 1e-6, half=False) for x in [*OBLONG, *EMPTY]],
        Sample(pinv, np.diag([3.0, 1.0, 0.5]), 0.75, 0.0, smooth=False, half=False, note="of rank 2"),
        Sample(pinv, np.diag([3.0, 1.0, -0.5]), 0.0, 0.25, True, smooth=False, half=False, note="hermitian, of rank 2"),
    ],
    "cholesky": [Sample(cholesky, x, **fixed) for x in HERMITIAN],
    "cholesky_ex": [Sample(cholesky_ex, x, **fixed) for x in HERMITIAN],
    "qr": [
        *[Sample(qr, x, half=False) for x in [*OBLONG, *SQUARE[:6], *EMPTY]],
        Sample(qr, oblong(2, 3, seed=5), "complete", half=False),
        Sample(qr, square(3, 3, seed=6), "complete", half=False),
    ],
    "lu_factor": [Sample(lu_factor, x, half=False) for x in [*OBLONG, *SQUARE[:6], 0.5 - SQUARE[0][::-1], *EMPTY]],
    "row_order": [
        Sample(row_order, np.array([3, 3, 3], np.int32), 4),
        Sample(row_order, np.array([[2, 2], [1, 3]], np.int32), 3),
        Sample(row_order, np.zeros((2, 0), np.int32), 3),
    ],
    "eigh": [Sample(eigh, x, **fixed) for x in HERMITIAN],
    "eigvalsh": [Sample(eigvalsh, x, **fixed) for x in HERMITIAN],
    # The phase of complex vectors is LAPACK's choice, and differences show how it changes.
    "eig": [Sample(eig, x, half=False, smooth=False) for x in SQUARE],
    "eigvals": [Sample(eigvals, x, half=False) for x in SQUARE],
    "svd": [
        *[Sample(svd, x, half=False, smooth=not np.iscomplexobj(x)) for x in [*OBLONG, *SQUARE[:6], *EMPTY]],
        Sample(svd, square(3, 3, seed=7), True, half=False),
    ],
    "svdvals": [Sample(svdvals, x, half=False) for x in [*OBLONG, *SQUARE[:6], *EMPTY]],
}
