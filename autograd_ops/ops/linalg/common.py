"""What the rules of decompositions are written with, and what every op here asks of its matrices."""

from __future__ import annotations

from typing import Any

from autograd_backends import ShapeError, dtype_name, namespace

from ..compare import where
from ..complex import conj
from ..reduce import sum
from ..shape import expand_dims, getitem, matrix_transpose

__all__ = [
    "absent",
    "adjoint",
    "check",
    "check_square",
    "columns",
    "diagonal_matrix",
    "diagonal_of",
    "identity",
    "is_any",
    "is_complex",
    "off_diagonal",
    "rows",
]

DTYPES = ("float32", "float64", "complex64", "complex128")


def check(name: str, x: Any, what: str = "x") -> None:
    """Refuse what is not a batch of matrices of a dtype that decompositions are computed in.

    Raises
    ------
    TypeError
        Of another dtype than float32, float64 and complex numbers of these.
    ShapeError
        Of less than two dimensions.
    """
    dtype = dtype_name(x)
    if dtype not in DTYPES:
        half = dtype in ("float16", "bfloat16")
        raise TypeError(
            f"{name}: {what} must be of float32, float64, complex64 or complex128, and is of {dtype}; "
            + ("half precision is too coarse for linear algebra: cast it to float32" if half else "cast it first")
        )
    if x.ndim < 2:
        raise ShapeError(f"{name}: {what} must have at least two dimensions, and has shape {tuple(x.shape)}")


def check_square(name: str, x: Any, what: str = "x") -> None:
    """Refuse what is not a batch of square matrices.

    Raises
    ------
    TypeError, ShapeError
        As `check`; and if rows and columns are not as many.
    """
    check(name, x, what)
    if x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name}: {what} must be a batch of square matrices, and has shape {tuple(x.shape)}")


def is_complex(x: Any) -> bool:
    """Whether an array or Tensor is of complex numbers."""
    return dtype_name(getattr(x, "array", x)).startswith("complex")


def adjoint(x: Any) -> Any:
    """The conjugate transpose; of real x, the transpose"""
    return conj(matrix_transpose(x))


def identity(n: int, beside: Any) -> Any:
    """A mask [n, n] of bools, true on the diagonal, where `beside` is."""
    array = getattr(beside, "array", beside)
    xp = namespace(array)
    return xp.eye(n, dtype=xp.float32, device=array.device) != 0


def off_diagonal(numerator: Any, denominator: Any) -> Any:
    """numerator / denominator off the diagonal, where the denominator is 0, and 0 on it"""
    mask = identity(denominator.shape[-1], denominator)
    return where(mask, 0.0, numerator / where(mask, 1.0, denominator))


def diagonal_matrix(values: Any) -> Any:
    """The matrices [..., n, n] with `values` [..., n] on their diagonals"""
    return where(identity(values.shape[-1], values), expand_dims(values, -2), 0.0)


def diagonal_of(x: Any) -> Any:
    """The diagonals [..., n] of square matrices x"""
    return sum(where(identity(x.shape[-1], x), x, 0.0), (x.ndim - 1,), False)


def rows(x: Any, start: int, stop: int | None = None) -> Any:
    """Some of the rows of matrices x"""
    return getitem(x, (*(slice(None),) * (x.ndim - 2), slice(start, stop), ...))


def columns(x: Any, start: int, stop: int | None = None) -> Any:
    """Some of the columns of matrices x"""
    return getitem(x, (*(slice(None),) * (x.ndim - 1), slice(start, stop), ...))


def absent(g: Any, i: int) -> bool:
    """Whether no gradient arrived at output `i` of several, so that zeros stand there."""
    return i in getattr(g, "missing", ())


def is_any(g: Any) -> bool:
    """Whether an element is not 0."""
    array = getattr(g, "array", g)
    return bool(namespace(array).any(array != 0))
