"""Gradients made smaller before a step, where they are too large."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from typing import Any

from autograd_backends import device_of, kernels, namespace

from ... import ops
from ...creation import move, tensor
from ...tensor import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients by one factor, so that their norm, taken as one long vector, is at most `max_norm`.

    The factor is ``min(1, max_norm / (norm + 1e-6))``.

    Parameters
    ----------
    parameters
        Whose ``grad`` is scaled, in place; those without one are left out.
    max_norm
        The limit.
    norm_type
        The p of the p-norm, above 0; ``inf`` is the largest absolute value.
    error_if_nonfinite
        Refuse gradients whose norm is not finite; otherwise scaling makes them all 0 or NaN.
    foreach
        Accepted for PyTorch's sake; does nothing.

    Returns
    -------
    Tensor
        The norm before, 0-d; in float32 where the gradients are in half precision.

    Raises
    ------
    ValueError
        If `norm_type` is not above 0.
    RuntimeError
        If the norm is not finite and `error_if_nonfinite` is set; then no gradient was changed.

    Notes
    -----
    Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural networks, 2013.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.nn.utils import clip_grad_norm_
    >>> w = ag.zeros(2, requires_grad=True)
    >>> w.grad = ag.tensor([3.0, 4.0])
    >>> clip_grad_norm_([w], max_norm=1.0)
    tensor(5.)
    >>> w.grad
    tensor([0.6, 0.8])
    """
    p = float(norm_type)
    if not p > 0:
        raise ValueError(f"clip_grad_norm_: norm_type must be above 0, not {norm_type}")
    grads = _gradients(parameters)
    if not grads:
        return tensor(0.0)
    norm = _norm([grad.array for grad in grads], p)
    if error_if_nonfinite and not math.isfinite(Tensor(norm).item()):
        raise RuntimeError(
            f"clip_grad_norm_: the norm of the gradients is {Tensor(norm).item()}; "
            "error_if_nonfinite=False would scale them all the same"
        )
    # Not looked at here: on an asynchronous device that would wait for it.
    factor = ops.minimum(ops.div(float(max_norm), ops.add(norm, 1e-6)), 1.0)
    for grad in grads:
        array = grad.array
        kernels(array).make_current(array)
        array *= _beside(array, factor)
        grad.version[0] += 1
    return Tensor(norm)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Set what is below ``-clip_value`` or above ``clip_value`` in the gradients to that.

    Parameters
    ----------
    parameters
        Whose ``grad`` is changed, in place; those without one are left out.
    clip_value
        The limit, not negative.
    foreach
        Accepted for PyTorch's sake; does nothing.

    Raises
    ------
    ValueError
        If `clip_value` is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.nn.utils import clip_grad_value_
    >>> w = ag.zeros(3, requires_grad=True)
    >>> w.grad = ag.tensor([-3.0, 0.5, 2.0])
    >>> clip_grad_value_([w], 1.0)
    >>> w.grad
    tensor([-1. ,  0.5,  1. ])
    """
    limit = float(clip_value)
    if not limit >= 0:
        raise ValueError(f"clip_grad_value_: clip_value must be at least 0, not {clip_value}")
    for grad in _gradients(parameters):
        array = grad.array
        kernels(array).make_current(array)
        array[...] = namespace(array).clip(array, -limit, limit)
        grad.version[0] += 1


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in listed if parameter.grad is not None]


def _norm(arrays: list[Any], p: float) -> Any:
    """The p-norm of `arrays` as one vector: a 0-d array beside the first, in the widest of their accumulators."""
    home = str(device_of(arrays[0]))
    sizes = [ops.abs(ops.astype(array, kernels(array).accumulator(array.dtype))) for array in arrays]
    if math.isinf(p):
        largest = [ops.sum(size) if 0 in size.shape else ops.amax(size) for size in sizes]  # amax of nothing is none
        return reduce(ops.maximum, [move(x, None, home) for x in largest])
    sums = [ops.sum(ops.square(size) if p == 2.0 else ops.pow(size, p)) for size in sizes]
    return ops.pow(reduce(ops.add, [move(x, None, home) for x in sums]), 1.0 / p)


def _beside(array: Any, factor: Any) -> Any:
    """`factor` with the dtype and on the device of `array`."""
    moved = move(factor, None, str(device_of(array)))
    return namespace(moved).astype(moved, array.dtype)
