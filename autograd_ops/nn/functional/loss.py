"""Losses of values and of probabilities. Those of classes are in `cross_entropy`."""

from __future__ import annotations

import math

from autograd_backends import kernels

from ... import ops
from ...refusals import named
from ...tensor import Tensor
from ...warn import warn_user
from .reduction import chosen_reduction, reduced, warn_if_shapes_differ

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "smooth_l1_loss",
]


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """w (x - y)^2.

    Parameters
    ----------
    input, target
        Of one shape; shapes that broadcast warn.
    size_average, reduce
        PyTorch's older names for `reduction`.
    reduction
        ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.
    weight
        A factor for each element, of the shape of `input`; the mean is then the sum over the sum of the weights.

    Raises
    ------
    ValueError
        If `weight` has another shape.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.mse_loss(ag.tensor([1.0, 2.0]), ag.tensor([1.0, 4.0]))
    tensor(2.)
    """
    if input.array.shape != target.array.shape:
        warn_if_shapes_differ("mse_loss", input, target)
    reduction = chosen_reduction(reduction, size_average, reduce)
    if reduction == "mean" and weight is None:
        return ops.mse(input, target)
    return _weighted("mse_loss", ops.square(input - target), input, weight, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """w |x - y|; the arguments are those of `mse_loss`."""
    warn_if_shapes_differ("l1_loss", input, target)
    reduction = chosen_reduction(reduction, size_average, reduce)
    return _weighted("l1_loss", ops.abs(input - target), input, weight, reduction)


def _weighted(name: str, loss: Tensor, input: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    """`loss` times `weight`, reduced; the mean is over the sum of the weights."""
    if weight is None:
        return reduced(name, loss, reduction)
    _of_input_shape(name, input, weight)
    if reduction == "mean":
        return ops.sum(loss * weight) / ops.sum(weight)
    return reduced(name, loss * weight, reduction)


def _of_input_shape(name: str, input: Tensor, weight: Tensor) -> None:
    if weight.shape != input.shape:
        raise ValueError(
            f"{name}: the weight must have the shape of the input, {tuple(input.shape)}, and has {tuple(weight.shape)}"
        )


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """|x - y| - beta / 2, and (x - y)^2 / (2 beta) where |x - y| is below `beta` (Girshick, Fast R-CNN, 2015).

    The other arguments are those of `mse_loss`.

    Raises
    ------
    ValueError
        If `beta` is negative.
    """
    if beta < 0:
        raise ValueError(f"smooth_l1_loss: beta may not be negative, got {beta}")
    warn_if_shapes_differ("smooth_l1_loss", input, target)
    distance = ops.abs(input - target)
    loss = distance if beta == 0 else _huber(distance, beta) / beta
    return reduced("smooth_l1_loss", loss, chosen_reduction(reduction, size_average, reduce))


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """w (x - y)^2 / 2, and w delta (|x - y| - delta / 2) where |x - y| is above `delta` (Huber, 1964).

    The other arguments are those of `mse_loss`, but that the mean is over the number of elements also with a `weight`.

    Raises
    ------
    ValueError
        If `delta` is not positive, or `weight` has another shape than `input`.
    """
    if delta <= 0:
        raise ValueError(f"huber_loss: delta must be positive, got {delta}")
    warn_if_shapes_differ("huber_loss", input, target)
    loss = _huber(ops.abs(input - target), delta)
    if weight is not None:
        _of_input_shape("huber_loss", input, weight)
        loss = loss * weight
    return reduced("huber_loss", loss, reduction)


def _huber(distance: Tensor, delta: float) -> Tensor:
    # Of the near part and the rest of the distance, so that no branch is infinite where another is taken.
    near = ops.clamp(distance, None, delta)
    if delta == math.inf:
        return ops.square(near) * 0.5
    return ops.square(near) * 0.5 + (distance - near) * delta


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-w (y log x + (1 - y) log(1 - x)), each logarithm at least -100.

    Parameters
    ----------
    input
        Probabilities, in [0, 1]. Of a sigmoid's input, `binary_cross_entropy_with_logits` is more exact.
    target
        Numbers in [0, 1], of the same shape.
    weight
        A factor for each element; broadcasts.
    size_average, reduce, reduction
        As in `mse_loss`.

    Raises
    ------
    ValueError
        If the shapes differ, or an element of `input` is not in [0, 1].

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.binary_cross_entropy(ag.tensor([0.5, 0.5]), ag.tensor([1.0, 0.0]))
    tensor(0.6931)
    """
    _same_shape("binary_cross_entropy", input, target)
    good = ops.all((input >= 0) & (input <= 1)).array
    kernels(good).refuse_unless(
        good,
        ValueError(
            "binary_cross_entropy: the input must be probabilities, in [0, 1]; "
            "for raw scores there is binary_cross_entropy_with_logits"
        ),
    )
    loss = ops.binary_cross_entropy(input, target)
    if weight is not None:
        loss = loss * weight
    return reduced("binary_cross_entropy", loss, chosen_reduction(reduction, size_average, reduce))


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """-w (p y log sigmoid(x) + (1 - y) log(1 - sigmoid(x))), without overflow.

    Parameters
    ----------
    input
        Numbers of any size, before the sigmoid.
    target
        Numbers in [0, 1], of the same shape.
    weight
        w, a factor for each element; broadcasts.
    size_average, reduce, reduction
        As in `mse_loss`.
    pos_weight
        p, a factor for what is positive; broadcasts.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.binary_cross_entropy_with_logits(ag.tensor([0.0]), ag.tensor([1.0]))
    tensor(0.6931)
    """
    _same_shape("binary_cross_entropy_with_logits", input, target)
    # log(1 - sigmoid(x)) is logsigmoid(x) - x.
    positive = ops.logsigmoid(input)
    if pos_weight is not None:
        positive = positive * (target * (pos_weight - 1) + 1)
    loss = (1 - target) * input - positive
    if weight is not None:
        loss = loss * weight
    return reduced("binary_cross_entropy_with_logits", loss, chosen_reduction(reduction, size_average, reduce))


def _same_shape(name: str, input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        raise ValueError(
            f"{name}: the target must have the shape of the input, {tuple(input.shape)}, and has {tuple(target.shape)}"
        )


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """y (log y - x), the divergence of log-probabilities x from probabilities y (Kullback and Leibler, 1951).

    Parameters
    ----------
    input
        Log-probabilities.
    target
        Probabilities, or with `log_target` their logarithms; of the same shape. 0 log 0 is 0.
    size_average, reduce
        PyTorch's older names for `reduction`.
    reduction
        ``"batchmean"``, the sum over the first dimension's length, is the divergence as it is defined; ``"mean"``,
        which divides by the number of all elements, warns. Or ``"sum"``, ``"none"``.
    log_target
        Whether `target` is given in logarithms.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> p = ag.tensor([[0.5, 0.5]])
    >>> ag.nn.functional.kl_div(p.log(), p, reduction="batchmean")
    tensor(0.)
    """
    warn_if_shapes_differ("kl_div", input, target)
    reduction = chosen_reduction(reduction, size_average, reduce)
    if log_target:
        loss = ops.exp(target) * (target - input)
    else:
        loss = target * (ops.log(ops.where(target == 0, 1.0, target)) - input)
    if reduction == "batchmean":
        return ops.sum(loss) / input.shape[0]
    if reduction == "mean":
        warn_user("kl_div: reduction='mean' divides by the number of all elements; 'batchmean' is the divergence")
    return reduced("kl_div", loss, reduction)


named(__name__)
