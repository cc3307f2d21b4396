"""Distances between Tensors and between the rows of matrices."""

from __future__ import annotations

from .. import ops
from ..creation import tensor
from ..dims import axis_of, broadcast_shape
from ..refusals import named
from ..tensor import Tensor
from .reductions import norm

__all__ = ["cdist", "dist", "pdist", "renorm"]


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of input - other.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.dist(ag.tensor([1.0, 2.0]), ag.tensor([4.0, 6.0]))
    tensor(5.)
    """
    return norm(input - other, p)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = None) -> Tensor:
    """The p-norm of the difference of each row of `x1` [..., n, d] and each of `x2` [..., m, d]: [..., n, m].

    The gradient of a distance that is 0 is 0.

    Parameters
    ----------
    compute_mode
        How distances with p = 2 are found. ``"use_mm_for_euclid_dist"``: by a matrix product, as |x|^2 - 2 x y + |y|^2,
        which needs no memory for all differences, but where two rows are close loses digits, up to half of them.
        ``"donot_use_mm_for_euclid_dist"``: from the differences. By default,
        ``"use_mm_for_euclid_dist_if_necessary"``, from the differences of up to 25 rows each.

    Raises
    ------
    ValueError
        If one has fewer than two dimensions, the rows differ in length, p is negative, or there is no such mode.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.cdist(ag.tensor([[0.0, 0.0]]), ag.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[5., 0.]])
    """
    if x1.ndim < 2 or x2.ndim < 2:
        raise ValueError(f"cdist: expected matrices, got shapes {tuple(x1.shape)} and {tuple(x2.shape)}")
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"cdist: the rows have lengths {x1.shape[-1]} and {x2.shape[-1]}")
    if p < 0:
        raise ValueError(f"cdist: p must not be negative, got {p}")
    if compute_mode not in (None, *_MODES):
        raise ValueError(f"cdist: compute_mode must be one of {', '.join(_MODES)}, not {compute_mode!r}")
    broadcast_shape("cdist", (x1.shape[:-2], x2.shape[:-2]))
    many = max(x1.shape[-2], x2.shape[-2]) > 25 and compute_mode != "donot_use_mm_for_euclid_dist"
    if p == 2 and (many or compute_mode == "use_mm_for_euclid_dist"):
        return _by_product(x1, x2)
    difference = ops.expand_dims(x1, x1.ndim - 1) - ops.expand_dims(x2, x2.ndim - 2)
    if not difference.shape[-1]:
        return ops.sum(difference, (difference.ndim - 1,), False)
    return norm(difference, p, -1)


#: PyTorch's words for how euclidean distances are found.
_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def _by_product(x1: Tensor, x2: Tensor) -> Tensor:
    squares = [ops.sum(ops.square(x), (x.ndim - 1,), True) for x in (x1, x2)]
    products = ops.matmul(x1, ops.matrix_transpose(x2))
    total = squares[0] + ops.matrix_transpose(squares[1]) - 2.0 * products
    # What is not above 0 is 0 but for rounding.
    apart = total > 0
    return ops.where(apart, ops.sqrt(ops.where(apart, total, 1.0)), 0.0)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of the differences of rows i < j of `input` [n, d], one row after the other: [n (n - 1) / 2].

    Raises
    ------
    ValueError
        If `input` is no matrix, or p is negative.
    """
    if input.ndim != 2:
        raise ValueError(f"pdist: expected a matrix, got shape {tuple(input.shape)}")
    if p < 0:
        raise ValueError(f"pdist: p must not be negative, got {p}")
    n = input.shape[0]
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    first, second = [_rows(input, [pair[side] for pair in pairs]) for side in (0, 1)]
    difference = first - second
    if not difference.numel():
        return ops.sum(difference, (1,), False)
    return norm(difference, p, 1)


def _rows(x: Tensor, numbers: list[int]) -> Tensor:
    return ops.take_rows(x, tensor(numbers, dtype="int64", device=x.device))


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`input` with each part along `dim` whose p-norm is larger scaled down to the norm `maxnorm`.

    Raises
    ------
    ValueError
        If `input` has fewer than two dimensions, p is not positive, or `maxnorm` is negative.
    """
    if input.ndim < 2:
        raise ValueError(f"renorm: expected at least 2 dimensions, got {input.ndim}")
    if p <= 0 or maxnorm < 0:
        raise ValueError(f"renorm: p must be positive and maxnorm not negative, got {p} and {maxnorm}")
    axis = axis_of("renorm", dim, input.ndim)
    size = norm(input, p, tuple([i for i in range(input.ndim) if i != axis]), True)
    # PyTorch's small number, by which a norm is a little less than `maxnorm` afterwards.
    return input * ops.where(size > maxnorm, maxnorm / (size + 1e-7), 1.0)


named(__name__)
