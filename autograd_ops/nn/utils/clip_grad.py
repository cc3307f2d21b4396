"""Gradients made smaller before a step, where they are too large."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from typing import Any

from autograd_backends import device_of, kernels, namespace

from ... import ops
from ...creation import move, tensor
from ...refusals import named
from ...tensor import Tensor
from ...warn import warn_user

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


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
    grads = _gradients(parameters)
    norm = _total_norm("clip_grad_norm_", grads, norm_type, error_if_nonfinite)
    _scale(grads, max_norm, norm)
    return norm


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """PyTorch's older name of `clip_grad_norm_`; it warns."""
    warn_user("nn.utils.clip_grad_norm is deprecated: use nn.utils.clip_grad_norm_", category=FutureWarning)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of several Tensors, taken as one long vector; the arguments are those of `clip_grad_norm_`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.utils.get_total_norm([ag.tensor([3.0]), ag.tensor([[4.0]])])
    tensor(5.)
    """
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    return _total_norm("get_total_norm", listed, norm_type, error_if_nonfinite)


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients as `clip_grad_norm_` does, by a norm that is known."""
    _scale(_gradients(parameters), max_norm, total_norm)


def _total_norm(name: str, tensors: list[Tensor], norm_type: float, error_if_nonfinite: bool) -> Tensor:
    p = float(norm_type)
    if not p > 0:
        raise ValueError(f"{name}: norm_type must be above 0, not {norm_type}")
    if not tensors:
        return tensor(0.0)
    norm = Tensor(_norm([given.array for given in tensors], p))
    if error_if_nonfinite and not math.isfinite(norm.item()):
        raise RuntimeError(
            f"{name}: the norm of the gradients is {norm.item()}; "
            "error_if_nonfinite=False would scale them all the same"
        )
    return norm


def _scale(grads: list[Tensor], max_norm: float, norm: Tensor) -> None:
    # Not looked at here: on an asynchronous device that would wait for it.
    factor = ops.minimum(ops.div(float(max_norm), ops.add(norm.array, 1e-6)), 1.0)
    for grad in grads:
        array = grad.array
        kernels(array).make_current(array)
        array *= _beside(array, factor)
        grad.version[0] += 1


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


named(__name__)
