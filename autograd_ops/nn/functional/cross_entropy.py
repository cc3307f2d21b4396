"""Losses of classes."""

from __future__ import annotations

from autograd_backends.lookup import floating_dtypes

from ... import ops
from ...refusals import named
from ...tensor import Tensor
from .reduction import check_reduction, chosen_reduction, reduced

__all__ = ["cross_entropy", "nll_loss"]


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(x)[y]: how unlikely the scores make the right class.

    Parameters
    ----------
    input
        Scores before the softmax: [N, C], [N, C, d1, ...] or [C].
    target
        Classes, of any integer dtype: [N], [N, d1, ...] or []. Or probabilities, floats of the shape of `input`.
    weight
        [C], a factor for each class; it gets no gradient from targets that are classes.
    size_average, reduce
        PyTorch's older names for `reduction`.
    ignore_index
        Targets of this value count for nothing.
    reduction
        ``"mean"``: the sum over the sum of the targets' weights; ``"sum"``; or ``"none"``.
    label_smoothing
        How much of the target's probability is spread evenly over all classes (Szegedy and others, 2015).

    Returns
    -------
    Tensor
        0-d, or of the shape of the classes if not reduced.

    Raises
    ------
    IndexError
        If a target is neither a class nor `ignore_index`, naming it and C.
    ValueError
        If the shapes do not fit, `label_smoothing` is not in [0, 1], or `ignore_index` is a class while the targets
        are probabilities.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> scores = ag.tensor([[2.0, 0.0], [0.0, 0.0]])
    >>> ag.nn.functional.cross_entropy(scores, ag.tensor([0, 1]), reduction="none")
    tensor([0.1269, 0.6931])
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"cross_entropy: label_smoothing must be in [0, 1], got {label_smoothing}")
    reduction = chosen_reduction(reduction, size_average, reduce)
    if weight is None and not label_smoothing and reduction != "none" and _is_plain(input, target):
        check_reduction("cross_entropy", reduction)
        return ops.cross_entropy(input, target, ignore_index, reduction == "mean")
    log_probs = ops.log_softmax(input, _class_axis("cross_entropy", input))
    if target.dtype.kind == "float":
        if ignore_index >= 0:
            raise ValueError(
                f"cross_entropy: ignore_index={ignore_index} is for targets that are classes, and these are "
                "probabilities; give what is to be ignored probabilities of 0 instead"
            )
        return _of_probabilities(log_probs, target, weight, reduction, label_smoothing)
    return _of_classes("cross_entropy", log_probs, target, weight, ignore_index, reduction, label_smoothing)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-x[y]: `cross_entropy` of what are log-probabilities already.

    Parameters
    ----------
    input
        Log-probabilities: [N, C], [N, C, d1, ...] or [C].
    target
        Classes, of any integer dtype: [N], [N, d1, ...] or [].
    weight, size_average, ignore_index, reduce, reduction
        As in `cross_entropy`.

    Raises
    ------
    IndexError
        If a target is neither a class nor `ignore_index`, naming it and C.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.nll_loss(ag.tensor([[-0.5, -1.0]]), ag.tensor([1]))
    tensor(1.)
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    _class_axis("nll_loss", input)
    return _of_classes("nll_loss", input, target, weight, ignore_index, reduction, 0.0)


def _is_plain(input: Tensor, target: Tensor) -> bool:
    """Whether they are float scores [N, C] and integer classes [N], and not empty."""
    scores, classes = input.array, target.array
    shape = scores.shape
    return (
        len(shape) == 2
        and classes.shape == shape[:1]
        and 0 not in shape
        and scores.dtype in floating_dtypes[type(scores)]
        and target.dtype.kind in ("int", "uint")
    )


def _class_axis(name: str, input: Tensor) -> int:
    if input.ndim == 0:
        raise ValueError(f"{name}: the input has a score for each class, so it cannot be 0-d")
    return 0 if input.ndim == 1 else 1


def _of_classes(
    name: str,
    log_probs: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    smoothing: float,
) -> Tensor:
    axis = _class_axis(name, log_probs)
    shape = log_probs.shape
    if target.shape != shape[:axis] + shape[axis + 1 :]:
        hint = ""
        if target.shape == (*shape[:-1], 1):
            hint = "; drop the last dimension, as with target.squeeze(-1)"
        elif target.shape == shape and len(shape) > 1:
            hint = f"; of one-hot rows take the classes, as with target.argmax({axis}), or make them floats"
        raise ValueError(
            f"{name}: an input of shape {tuple(shape)} takes targets of shape "
            f"{tuple(shape[:axis] + shape[axis + 1 :])}, and these have {tuple(target.shape)}{hint}"
        )
    if target.dtype.kind not in ("int", "uint"):
        raise TypeError(f"{name}: targets must be integers, the classes, not {target.dtype.name}; use target.long()")
    check_reduction(name, reduction)
    loss = ops.nll_loss(log_probs, target, weight, ignore_index, reduction)
    if not smoothing:
        return loss
    spread = -ops.mean(_weighted(log_probs, weight, axis), (axis,))
    spread = ops.where(target.long() == ignore_index, 0.0, spread)
    if reduction != "none":
        spread = ops.sum(spread)
    if reduction == "mean":
        # The sum of the weights of what counts is the loss of log-probabilities that are all -1.
        total = ops.nll_loss(-ops.ones_like(log_probs), target, weight, ignore_index, "sum")
        spread = spread / ops.where(total == 0, 1.0, total)  # the loss is NaN then already
    return loss * (1.0 - smoothing) + spread * smoothing


def _of_probabilities(
    log_probs: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float
) -> Tensor:
    if target.shape != log_probs.shape:
        raise ValueError(
            f"cross_entropy: float targets are probabilities, of the shape of the input, {tuple(log_probs.shape)}, "
            f"and these have {tuple(target.shape)}; classes are integers, as with target.long()"
        )
    axis = _class_axis("cross_entropy", log_probs)
    if smoothing:
        target = target * (1.0 - smoothing) + smoothing / log_probs.shape[axis]
    loss = -ops.sum(_weighted(log_probs, weight, axis) * target, (axis,))
    return reduced("cross_entropy", loss, reduction)


def _weighted(log_probs: Tensor, weight: Tensor | None, axis: int) -> Tensor:
    if weight is None:
        return log_probs
    return log_probs * ops.reshape(weight, (-1,) + (1,) * (log_probs.ndim - axis - 1))


named(__name__)
