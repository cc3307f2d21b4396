"""Linear algebra on batches of matrices [..., n, m], by the ``linalg`` extension of the array API standard.

Libraries report a matrix without a decomposition for the whole batch, or not at all; here it is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
from numpy.linalg import LinAlgError as LibraryError

from ..array_types import Array
from ..errors import LinAlgError
from ..lookup import kernels, namespace, scalar_to_array
from ..results import EigenResult, FactorInfo, LUResult, QRResult, SVDResult

__all__ = [
    "cholesky_ex",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv_ex",
    "lu",
    "matrix_exp",
    "order_of_rows",
    "pinv",
    "qr",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
]


# ---------------------------------------------------------------- what has no decomposition


def _elements(x: Array) -> tuple[Array, tuple[int, ...]]:
    """The matrices of a batch one after the other, and the shape of the batch."""
    batch = tuple(x.shape[:-2])
    return namespace(x).reshape(x, (math.prod(batch), *x.shape[-2:])), batch


def _named(name: str, x: Array, at: int, said: str) -> LinAlgError:
    """The error for matrix number `at` of the batch x."""
    where = f"(batch element {at}): " if x.ndim > 2 else ""
    return LinAlgError(f"{name}: {where}{said}")


def _attempt(name: str, x: Array, call: Callable[[Array], Any], said: str) -> Any:
    """``call(x)``.

    Raises
    ------
    LinAlgError
        If the library cannot: naming the first matrix for which it cannot, and saying `said`.
    """
    try:
        out = call(x)
    except LibraryError:
        matrices, _ = _elements(x)
        at = next(i for i in range(matrices.shape[0]) if not _works(call, matrices[i, ...]))
        raise _named(name, x, at, said) from None
    if not kernels(x).reports_singular:
        xp = namespace(x)
        first = out if hasattr(out, "dtype") else out[0]
        kernels(x).refuse_unless(xp.all(xp.isfinite(first)), LinAlgError(f"{name}: {said}"))
    return out


def _works(call: Callable[[Array], Any], matrix: Array) -> bool:
    try:
        call(matrix)
    except LibraryError:
        return False
    return True


def _marked(x: Array, call: Callable[[Array], Array]) -> FactorInfo:
    """``call(x)`` with NaN for each matrix for which the library cannot, and 1 for each of these, 0 for the others."""
    xp = namespace(x)
    try:
        out = call(x)
    except LibraryError:
        matrices, batch = _elements(x)
        works = [_works(call, matrices[i, ...]) for i in range(matrices.shape[0])]
        good = xp.reshape(xp.asarray(works, dtype=xp.bool, device=x.device), (*batch, 1, 1))
        identity = xp.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        out = xp.where(good, call(xp.where(good, x, identity)), xp.asarray(math.nan, dtype=x.dtype, device=x.device))
        return FactorInfo(out, xp.astype(as_array(xp.logical_not(xp.reshape(good, batch))), xp.int32))
    bad = as_array(xp.logical_not(xp.all(xp.isfinite(out), axis=(-2, -1))))
    return FactorInfo(out, xp.astype(bad, xp.int32))


def as_array(x: Any) -> Array:
    """A scalar of the library, which some of NumPy's functions give, as a 0-d array; arrays as they are."""
    return scalar_to_array[type(x)](x) if type(x) in scalar_to_array else x


def refuse_marked(name: str, x: Array, info: Array, said: str) -> None:
    """Refuse a batch x of which `info` marks a matrix.

    Raises
    ------
    LinAlgError
        Naming the first one and saying `said`.
    """
    xp = namespace(x)
    marked = xp.reshape(info, (-1,)) != 0
    backend = kernels(x)
    if not backend.reports_singular:
        backend.refuse_unless(xp.logical_not(xp.any(marked)), LinAlgError(f"{name}: {said}"))
    elif bool(xp.any(marked)):
        raise _named(name, x, int(xp.argmax(xp.astype(marked, xp.int8))), said)


# ---------------------------------------------------------------- inverses


def inv_ex(x: Array) -> FactorInfo:
    """The inverses of x [..., n, n], NaN for a singular matrix; and int32 [...], 1 for each of these."""
    return _marked(x, namespace(x).linalg.inv)


def solve(a: Array, b: Array) -> Array:
    """The x of a x = b, for a [..., n, n] and b [..., n, k]"""
    xp = namespace(a)
    try:
        out = xp.linalg.solve(a, b)
    except LibraryError:
        refuse_marked("solve", a, inv_ex(a).info, SINGULAR)
        raise
    if not kernels(a).reports_singular:
        kernels(a).refuse_unless(xp.all(xp.isfinite(out)), LinAlgError(f"solve: {SINGULAR}"))
    return out


SINGULAR = "the matrix is singular, so it has no inverse"


def solve_triangular(a: Array, b: Array, upper: bool, unitriangular: bool) -> Array:
    """The x of a x = b, for a [..., n, n] of which one triangle counts, and b [..., n, k]; infinite if a is singular"""
    xp = namespace(a)
    triangle = xp.triu(a, k=int(unitriangular)) if upper else xp.tril(a, k=-int(unitriangular))
    identity = xp.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    if unitriangular:
        return xp.linalg.solve(triangle + identity, b)
    # A zero on the diagonal would be refused: the same division by it that substitution does, done beforehand.
    diagonal = xp.sum(triangle * identity, axis=-1, keepdims=True)
    rows = xp.where(identity != 0, identity, xp.where(diagonal == 0, 0 * triangle, triangle / _or_one(diagonal)))
    return xp.linalg.solve(rows, b / diagonal)


def _or_one(x: Array) -> Array:
    return namespace(x).where(x == 0, namespace(x).ones_like(x), x)


def pinv(x: Array, absolute: Array, relative: Array, hermitian: bool) -> Array:
    """The pseudoinverses of x [..., n, m], in which singular values up to the larger of two tolerances count as 0.

    Both broadcast with [...]; `relative` is counted from the largest singular value.
    """
    xp = namespace(x)
    if hermitian:
        values, right = eigh("pinv", x)
        left, sizes = xp.conj(right) if _is_complex(x) else right, xp.abs(values)
    else:
        u, values, vh = svd("pinv", x, False)
        left, right = (xp.conj(u), xp.conj(xp.matrix_transpose(vh))) if _is_complex(x) else (u, xp.matrix_transpose(vh))
        sizes = values
    if not sizes.shape[-1]:
        return xp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=x.dtype, device=x.device)
    cutoff = _cutoff(sizes, absolute, relative)
    kept = sizes > cutoff
    inverse = xp.where(kept, 1.0 / xp.where(kept, values, xp.ones_like(values)), xp.zeros_like(values))
    return xp.matmul(right * xp.expand_dims(xp.astype(inverse, x.dtype), axis=-2), xp.matrix_transpose(left))


def _cutoff(sizes: Array, absolute: Any, relative: Any) -> Array:
    """Below what a singular value counts as 0: [..., 1]."""
    xp = namespace(sizes)
    largest = xp.max(sizes, axis=-1, keepdims=True)
    return xp.maximum(_last(sizes, relative) * largest, _last(sizes, absolute))


def _last(beside: Array, tolerance: Any) -> Array:
    """A number, or numbers [...] as [..., 1], of the dtype of `beside`."""
    xp = namespace(beside)
    if hasattr(tolerance, "dtype"):
        return xp.expand_dims(xp.astype(tolerance, beside.dtype), axis=-1)
    return xp.full((1,), float(tolerance), dtype=beside.dtype, device=beside.device)


def _is_complex(x: Array) -> bool:
    return namespace(x).isdtype(x.dtype, "complex floating")


# ---------------------------------------------------------------- decompositions


def cholesky_ex(x: Array) -> FactorInfo:
    """Lower triangular l with l l^H = x, for x [..., n, n] of which the lower triangle counts; NaN where there is none.

    Also int32 [...], 1 for each matrix that is not positive-definite.
    """
    return _marked(x, namespace(x).linalg.cholesky)


def qr(x: Array, mode: str) -> QRResult:
    """q with orthonormal columns and upper triangular r, q r = x; `mode` is ``"reduced"`` or ``"complete"``"""
    return QRResult(*namespace(x).linalg.qr(x, mode=mode))


NOT_CONVERGED = "the iteration did not converge, as with NaN or an infinity in the matrix"


def eigh(name: str, x: Array) -> EigenResult:
    """Real eigenvalues [..., n] in rising order, and eigenvectors [..., n, n] as columns, of Hermitian x [..., n, n]"""
    return EigenResult(*_attempt(name, x, namespace(x).linalg.eigh, NOT_CONVERGED))


def eigvalsh(x: Array) -> Array:
    """The eigenvalues that `eigh` gives"""
    out: Array = _attempt("eigvalsh", x, namespace(x).linalg.eigvalsh, NOT_CONVERGED)
    return out


def eig(x: Array) -> EigenResult:
    """Complex eigenvalues [..., n], and eigenvectors [..., n, n] as columns of length 1, of any x [..., n, n]"""
    values, vectors = _attempt("eig", x, lambda x: _general("eig", x), NOT_CONVERGED)
    dtype = _complex_dtype(x)
    xp = namespace(x)
    return EigenResult(xp.astype(values, dtype, copy=False), xp.astype(vectors, dtype, copy=False))


def eigvals(x: Array) -> Array:
    """The eigenvalues that `eig` gives"""
    values = _attempt("eigvals", x, lambda x: _general("eigvals", x), NOT_CONVERGED)
    return namespace(x).astype(values, _complex_dtype(x), copy=False)


def _general(name: str, x: Array) -> Any:
    """``eig`` or ``eigvals`` of the library; it came late to the standard, and where it is not yet, NumPy's."""
    found = getattr(namespace(x).linalg, name, None)
    if found is not None:
        return found(x)
    backend = kernels(x)
    out = getattr(numpy.linalg, name)(backend.to_host(x))
    parts = out if isinstance(out, tuple) else (out,)
    moved = [backend.asarray(part, _complex_dtype(x), backend.device_of(x)) for part in parts]
    return moved if isinstance(out, tuple) else moved[0]


def _complex_dtype(x: Array) -> Any:
    xp = namespace(x)
    return xp.complex64 if x.dtype in (xp.float32, xp.complex64) else xp.complex128


def svd(name: str, x: Array, full_matrices: bool) -> SVDResult:
    """u [..., n, k], s [..., k] in falling order and vh [..., k, m] with u s vh = x, k the smaller of n and m"""

    def call(x: Array) -> Any:
        return namespace(x).linalg.svd(x, full_matrices=full_matrices)

    return SVDResult(*_attempt(name, x, call, NOT_CONVERGED))


def svdvals(x: Array) -> Array:
    """The singular values that `svd` gives"""
    out: Array = _attempt("svdvals", x, namespace(x).linalg.svdvals, NOT_CONVERGED)
    return out


def lu(x: Array) -> LUResult:
    """Rows of x [..., n, m] in another order as l u, packed into one, by elimination with partial pivoting"""
    xp = namespace(x)
    n, m = x.shape[-2:]
    packed, batch = _elements(x)
    rows, columns = (xp.arange(size, dtype=xp.int64, device=x.device) for size in (n, m))
    zero = xp.zeros((), dtype=x.dtype, device=x.device)
    pivots = []
    for k in range(min(n, m)):
        sizes = xp.abs(packed[:, :, k])
        pivot = xp.argmax(xp.where(rows >= k, sizes, -xp.ones_like(sizes)), axis=-1, keepdims=True)
        pivots.append(pivot)
        packed = _exchanged(packed, k, pivot)
        head = packed[:, k : k + 1, k : k + 1]
        below = xp.reshape(rows > k, (n, 1))
        factors = xp.where(below, packed[:, :, k : k + 1] / _or_one(head), zero)
        rest = packed - xp.matmul(factors, xp.where(columns > k, packed[:, k : k + 1, :], zero))
        packed = xp.where(below & (columns == k), factors, rest)
    packed = xp.reshape(xp.asarray(packed, copy=True), x.shape)
    if not pivots:
        return LUResult(packed, xp.zeros((*batch, 0), dtype=xp.int32, device=x.device))
    return LUResult(packed, xp.astype(xp.reshape(xp.concat(pivots, axis=-1) + 1, (*batch, min(n, m))), xp.int32))


def order_of_rows(pivots: Array, n: int) -> Array:
    """Which row is where, int64 [..., n], after exchanging row k with row ``pivots[..., k] - 1``, for each k in turn"""
    xp = namespace(pivots)
    batch = tuple(pivots.shape[:-1])
    places = xp.astype(xp.reshape(pivots, (math.prod(batch), pivots.shape[-1])), xp.int64) - 1
    start = xp.reshape(xp.arange(n, dtype=xp.int64, device=pivots.device), (n, 1))
    order = xp.asarray(xp.broadcast_to(start, (places.shape[0], n, 1)), copy=True)
    for k in range(places.shape[-1]):
        order = _exchanged(order, k, places[:, k : k + 1])
    return xp.reshape(order, (*batch, n))


def _exchanged(x: Array, k: int, pivot: Array) -> Array:
    """x [batch, n, m] with row k and row `pivot` [batch, 1] exchanged."""
    xp = namespace(x)
    rows = xp.arange(x.shape[-2], dtype=xp.int64, device=x.device)
    swap = xp.where(rows == k, pivot, xp.where(rows == pivot, xp.full_like(pivot, k), rows))
    return xp.take_along_axis(x, xp.broadcast_to(xp.expand_dims(swap, axis=-1), x.shape), axis=-2)


# ---------------------------------------------------------------- the exponential

#: Coefficients of the diagonal Pade approximant of degree 13 to e^x, and the norm up to which it is exact to double
#: precision (Higham, "The scaling and squaring method for the matrix exponential revisited", 2005).
PADE = tuple(
    math.factorial(26 - j) * math.factorial(13) / (math.factorial(26) * math.factorial(13 - j) * math.factorial(j))
    for j in range(14)
)
PADE_NORM = 5.371920351148152


def matrix_exp(x: Array) -> Array:
    """e^x of square matrices [..., n, n], by scaling and squaring a Pade approximant (Higham 2005)"""
    if 0 in x.shape:
        return namespace(x).asarray(x, copy=True)
    xp = namespace(x)
    norms = xp.max(xp.sum(xp.abs(x), axis=-2), axis=-1)
    finite = xp.where(xp.isfinite(norms), norms, xp.zeros_like(norms))
    halvings = xp.ceil(xp.log2(xp.maximum(finite, xp.full_like(norms, PADE_NORM)) / PADE_NORM))
    a = x * xp.astype(xp.reshape(2.0 ** (-halvings), (*halvings.shape, 1, 1)), x.dtype)
    out = _pade(a)
    for step in range(int(xp.max(halvings))):
        out = xp.where(xp.reshape(halvings > step, (*halvings.shape, 1, 1)), xp.matmul(out, out), out)
    return out


def _pade(a: Array) -> Array:
    xp = namespace(a)
    identity = xp.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    a2 = xp.matmul(a, a)
    a4 = xp.matmul(a2, a2)
    a6 = xp.matmul(a2, a4)

    def half(first: int) -> Array:
        """The terms of the even powers of a, or of the odd ones without one a, whose first coefficient is given."""
        c = PADE[first::2]
        low = c[0] * identity + c[1] * a2 + c[2] * a4 + c[3] * a6
        return low + xp.matmul(a6, c[4] * a2 + c[5] * a4 + c[6] * a6)

    odd, even = xp.matmul(a, half(1)), half(0)
    return solve(even - odd, even + odd)
