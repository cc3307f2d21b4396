"""Losses that are 0 beyond a margin: of pairs, of triplets, and of the scores of classes."""

from __future__ import annotations

import math
from collections.abc import Callable

from autograd_backends import kernels

from ... import ops
from ...creation import arange, zeros
from ...indexing import check_indices, gather
from ...refusals import named
from ...tensor import Tensor
from .distance import pairwise_distance
from .reduction import check_reduction, chosen_reduction, reduced

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def _hinge(x: Tensor) -> Tensor:
    """max(x, 0), with gradient 1 at 0."""
    return ops.clamp(x, 0.0, None)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin - y (x1 - x2)): x1 is to be above x2 where y is 1, below where it is -1.

    `size_average`, `reduce` and `reduction` are those of `mse_loss`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.margin_ranking_loss(ag.tensor([1.0]), ag.tensor([3.0]), ag.tensor([1.0]))
    tensor(2.)
    """
    if not input1.ndim == input2.ndim == target.ndim:
        raise ValueError(
            "margin_ranking_loss: input1, input2 and target must have as many dimensions as each other, got shapes "
            f"{tuple(input1.shape)}, {tuple(input2.shape)} and {tuple(target.shape)}"
        )
    loss = _hinge(margin - target * (input1 - input2))
    return reduced("margin_ranking_loss", loss, chosen_reduction(reduction, size_average, reduce))


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """x where y is 1, max(0, margin - x) where it is -1; x is a distance.

    `size_average`, `reduce` and `reduction` are those of `mse_loss`.
    """
    far = ops.where(target != 1, _hinge(margin - input), 0.0)
    loss = far + ops.where(target != -1, input, 0.0)
    return reduced("hinge_embedding_loss", loss, chosen_reduction(reduction, size_average, reduce))


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos(x1, x2) where y is 1, max(0, cos(x1, x2) - margin) where it is -1.

    Parameters
    ----------
    input1, input2
        [N, D] or [D].
    target
        1 or -1, [N] or 0-d.
    margin
        In [-1, 1].
    size_average, reduce, reduction
        As in `mse_loss`.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([[3.0, 4.0]])
    >>> ag.nn.functional.cosine_embedding_loss(x, ag.tensor([[1.0, 0.0]]), ag.tensor([1]))
    tensor(0.4)
    """
    if target.ndim not in (0, 1) or input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise ValueError(
            "cosine_embedding_loss: takes inputs [N, D] and a target [N], or [D] and a 0-d target, not "
            f"{tuple(input1.shape)}, {tuple(input2.shape)} and {tuple(target.shape)}"
        )
    axis = target.ndim
    # The squares get a small number each, so that the gradient is finite where a vector is 0.
    lengths = (ops.sum(ops.square(input1), (axis,)) + 1e-12) * (ops.sum(ops.square(input2), (axis,)) + 1e-12)
    cosine = ops.sum(input1 * input2, (axis,)) / ops.sqrt(lengths)
    loss = ops.where(target == 1, 1.0 - cosine, 0.0) + ops.where(target == -1, _hinge(cosine - margin), 0.0)
    return reduced("cosine_embedding_loss", loss, chosen_reduction(reduction, size_average, reduce))


# ---------------------------------------------------------------- triplets


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d as of `pairwise_distance`.

    Parameters
    ----------
    anchor, positive, negative
        [N, D] or [D].
    margin
        By how much the negative is to be farther off; positive.
    p, eps
        Of the distance.
    swap
        Take the negative's distance from the positive where that is the smaller one.
    size_average, reduce, reduction
        As in `mse_loss`.

    Notes
    -----
    Balntas, Riba, Ponsa and Mikolajczyk, Learning local feature descriptors with triplets, 2016.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    return _triplet(
        "triplet_margin_loss",
        (anchor, positive, negative),
        lambda a, b: pairwise_distance(a, b, p, eps),
        margin,
        swap,
        reduction,
    )


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own, by default `pairwise_distance`."""
    name = "triplet_margin_with_distance_loss"
    return _triplet(name, (anchor, positive, negative), distance_function or pairwise_distance, margin, swap, reduction)


def _triplet(
    name: str,
    triplet: tuple[Tensor, Tensor, Tensor],
    distance: Callable[[Tensor, Tensor], Tensor],
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    anchor, positive, negative = triplet
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise ValueError(
            f"{name}: anchor, positive and negative must have as many dimensions as each other, got shapes "
            f"{tuple(anchor.shape)}, {tuple(positive.shape)} and {tuple(negative.shape)}"
        )
    if not margin > 0:
        raise ValueError(f"{name}: margin must be positive, not {margin}")
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return reduced(name, _hinge(near - far + margin), reduction)


# ---------------------------------------------------------------- scores of classes


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + e^(-y x)), y being 1 or -1; `size_average`, `reduce` and `reduction` are those of `mse_loss`."""
    return reduced(
        "soft_margin_loss", -ops.logsigmoid(target * input), chosen_reduction(reduction, size_average, reduce)
    )


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(y log sigmoid(x) + (1 - y) log sigmoid(-x)), averaged over the classes.

    Parameters
    ----------
    input, target
        [..., C]; targets are 0 or 1.
    weight
        [C], a factor for each class.
    size_average, reduce, reduction
        As in `mse_loss`.
    """
    loss = -(target * ops.logsigmoid(input) + (1 - target) * ops.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = ops.mean(loss, (input.ndim - 1,))
    return reduced("multilabel_soft_margin_loss", loss, chosen_reduction(reduction, size_average, reduce))


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over the other classes j of w_y max(0, margin - x_y + x_j)^p, over the number of classes.

    Parameters
    ----------
    input
        Scores, [N, C] or [C].
    target
        The right classes y, [N] or 0-d.
    p
        1 or 2.
    margin
        By how much the right score is to be the highest.
    weight
        [C], a factor for each right class.
    size_average, reduce, reduction
        As in `mse_loss`.

    Raises
    ------
    ValueError
        If `p` is neither 1 nor 2, or the shapes do not fit.
    IndexError
        If a class is not in [0, C).
    """
    name = "multi_margin_loss"
    if p not in (1, 2):
        raise ValueError(f"{name}: p must be 1 or 2, not {p}")
    if input.ndim not in (1, 2) or target.numel() != (input.shape[0] if input.ndim == 2 else 1):
        raise ValueError(
            f"{name}: takes scores [N, C] and classes [N], or [C] and one class, not {tuple(input.shape)} and "
            f"{tuple(target.shape)}"
        )
    reduction = chosen_reduction(reduction, size_average, reduce)
    classes = input.shape[-1]
    check_indices(target, classes, name)
    index = ops.reshape(target, (*input.shape[:-1], 1))
    axis = input.ndim - 1
    short = ops.relu(margin - gather(input, axis, index) + input)
    if p == 2:
        short = ops.square(short)
    if weight is not None:
        short = short * ops.reshape(weight[ops.reshape(target, (target.numel(),))], tuple(index.shape))
    others = arange(classes, device=input.device) != index
    loss = ops.sum(ops.where(others, short, 0.0), (axis,)) / classes
    return reduced(name, ops.reshape(loss, tuple(target.shape)), reduction)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over right classes i and wrong ones j of max(0, 1 - x_i + x_j), over the number of classes.

    Parameters
    ----------
    input
        Scores, [N, C] or [C].
    target
        The right classes, of the same shape; those from the first -1 on do not count.
    size_average, reduce, reduction
        As in `mse_loss`.

    Raises
    ------
    ValueError
        If the shapes differ.
    IndexError
        If a class is not in [-1, C).
    """
    name = "multilabel_margin_loss"
    if input.ndim not in (1, 2) or input.shape != target.shape:
        raise ValueError(
            f"{name}: takes scores [N, C] or [C] and classes of the same shape, not {tuple(input.shape)} and "
            f"{tuple(target.shape)}"
        )
    reduction = chosen_reduction(reduction, size_average, reduce)
    check_reduction(name, reduction)
    classes = input.shape[-1]
    scores, listed = (ops.reshape(t, (math.prod(t.shape[:-1]), classes)) for t in (input, target))
    inside = ops.all((listed >= -1) & (listed < classes)).array
    kernels(inside).refuse_unless(inside, IndexError(f"{name}: a class is not in [-1, {classes})"))
    counts = ops.cumsum((listed < 0).long(), 1) == 0
    chosen = ops.where(counts, listed, 0)
    # How often each class is named before the first -1: the wrong ones never.
    named = zeros(*scores.shape, dtype=input.dtype, device=input.device).scatter_add(1, chosen, counts.to(input.dtype))
    gaps = 1.0 - ops.expand_dims(gather(scores, 1, chosen), 2) + ops.expand_dims(scores, 1)
    pairs = ops.expand_dims(counts, 2) & ops.expand_dims(named == 0, 1)
    loss = ops.sum(ops.where(pairs, ops.relu(gaps), 0.0), (1, 2)) / classes
    return reduced(name, ops.reshape(loss, tuple(input.shape[:-1])), reduction)


named(__name__)
