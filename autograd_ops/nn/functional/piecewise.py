"""Activation functions made of pieces: of straight ones, or of a straight and an exponential one."""

from __future__ import annotations

from typing import Any

from ... import ops
from ...inplace import in_place
from ...random import rand_like
from ...refusals import named
from ...tensor import Tensor

__all__ = [
    "celu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "prelu",
    "rrelu",
    "selu",
    "softshrink",
    "threshold",
]

#: Of `selu`: the fixed point of mean 0 and variance 1 (Klambauer and others, 2017, section 2).
_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def _perhaps_in_place(function: Any, input: Tensor, inplace: bool, *options: Any) -> Tensor:
    if inplace:
        return in_place(input, function, *options, name=f"{function.__name__.lstrip('_')}_")
    return function(input, *options)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above `threshold`, `value` elsewhere.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.threshold(ag.tensor([0.5, 2.0]), 1.0, -7.0)
    tensor([-7.,  2.])
    """
    return _perhaps_in_place(_threshold, input, inplace, threshold, value)


def _threshold(x: Tensor, bound: float, value: float) -> Tensor:
    return ops.where(x <= bound, value, x)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """0 where -lambd <= x <= lambd, x elsewhere."""
    return ops.where((input >= -lambd) & (input <= lambd), 0.0, input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x moved by `lambd` towards 0, and 0 where it is nearer than that.

    Raises
    ------
    ValueError
        If `lambd` is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.softshrink(ag.tensor([-2.0, 0.25, 1.0]))
    tensor([-1.5,  0. ,  0.5])
    """
    if not lambd >= 0:
        raise ValueError(f"softshrink: lambd must be at least 0, not {lambd}")
    return input - ops.clamp(input, -lambd, lambd)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6, straight lines near the sigmoid."""
    return _perhaps_in_place(_hardsigmoid, input, inplace)


def _hardsigmoid(x: Tensor) -> Tensor:
    return ops.hardtanh(x + 3.0, 0.0, 6.0) / 6.0


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x hardsigmoid(x) (Howard and others, Searching for MobileNetV3, 2019)."""
    return _perhaps_in_place(_hardswish, input, inplace)


def _hardswish(x: Tensor) -> Tensor:
    return x * ops.hardtanh(x + 3.0, 0.0, 6.0) / 6.0


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """s x where positive, s a (e^x - 1) elsewhere, with s and a that keep a mean of 0 and a variance of 1.

    Klambauer, Unterthiner, Mayr and Hochreiter, Self-Normalizing Neural Networks, 2017.
    """
    return _perhaps_in_place(_selu, input, inplace)


def _selu(x: Tensor) -> Tensor:
    return ops.elu(x, _SELU_ALPHA) * _SELU_SCALE


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, alpha (e^(x / alpha) - 1) elsewhere, with slope 1 at 0 (Barron, 2017).

    Raises
    ------
    ZeroDivisionError
        If `alpha` is 0.
    """
    if alpha == 0:
        raise ZeroDivisionError("celu: alpha may not be 0")
    return _perhaps_in_place(_celu, input, inplace, alpha)


def _celu(x: Tensor, alpha: float) -> Tensor:
    return ops.relu(x) + ops.expm1(ops.clamp(x, None, 0.0) / alpha) * alpha


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, w x elsewhere, with a learned slope w (He and others, 2015).

    Parameters
    ----------
    input
        [N, C, ...], or of any shape where there is one slope.
    weight
        One slope, or [C], one for each channel; of one dimension, or 0-d.

    Raises
    ------
    ValueError
        If there are several slopes and not as many as channels.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.prelu(ag.tensor([[-1.0, -1.0]]), ag.tensor([0.25, 0.5]))
    tensor([[-0.25, -0.5 ]])
    """
    if weight.ndim > 1:
        raise ValueError(f"prelu: the weight must have one dimension or none, and has shape {tuple(weight.shape)}")
    count = weight.numel()
    channels = input.shape[1] if input.ndim > 1 else 1
    if count not in (1, channels):
        raise ValueError(f"prelu: {count} slopes for {channels} channels; give 1 or {channels}")
    if count > 1:
        weight = ops.reshape(weight, (1, count, *(1,) * (input.ndim - 2)))
    elif weight.ndim > input.ndim:
        weight = ops.reshape(weight, ())
    above = input > 0
    # Of what is left of each side, so that a slope's gradient never multiplies a positive infinity by 0.
    return ops.where(above, input, 0.0) + ops.where(above, 0.0, input) * weight


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x where positive, r x elsewhere; r is drawn evenly from [lower, upper) in training, else their mean.

    Xu, Wang, Chen and Li, Empirical Evaluation of Rectified Activations in Convolution Network, 2015.

    Raises
    ------
    ValueError
        If `lower` is above `upper`.
    """
    if lower > upper:
        raise ValueError(f"rrelu: lower {lower} is above upper {upper}")
    return _perhaps_in_place(_rrelu, input, inplace, lower, upper, training)


def _rrelu(x: Tensor, lower: float, upper: float, training: bool) -> Tensor:
    if not training:
        return ops.leaky_relu(x, (lower + upper) / 2)
    slope = rand_like(x) * (upper - lower) + lower
    return ops.where(x > 0, x, x * slope)


named(__name__)
