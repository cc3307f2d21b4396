"""What optimizers do to a parameter, in place."""

from __future__ import annotations

from collections.abc import Sequence

from ..array_types import Array
from ..lookup import namespace
from ..options import AdamStep

__all__ = ["adam_step", "descend"]


def descend(arrays: Sequence[Array], grads: Sequence[Array], rate: float) -> None:
    """``array -= rate * grad`` for each of `arrays` and its gradient; all are of one dtype."""
    for array, grad in zip(arrays, grads, strict=True):
        array -= rate * grad


def adam_step(array: Array, grad: Array, mean: Array, square: Array, largest: Array | None, step: AdamStep) -> None:
    """One step of Adam, which changes `array` and its moments, all of one shape, in place.

    Parameters
    ----------
    array, grad
        A parameter and its gradient, to be followed downwards.
    mean, square, largest
        The moments of the gradient, and with ``amsgrad`` the largest second one so far.
    """
    mean *= step.beta1
    mean += (1.0 - step.beta1) * grad
    square *= step.beta2
    square += (1.0 - step.beta2) * grad * grad
    if largest is not None:
        largest[...] = namespace(array).maximum(largest, square)
        square = largest
    root = namespace(array).sqrt(square)
    root += step.slack
    if step.shrink != 1.0:
        array *= step.shrink
    array -= step.pace * mean / root
