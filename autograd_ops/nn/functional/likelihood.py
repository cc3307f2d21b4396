"""Negative log-likelihoods of distributions whose parameters a model gives."""

from __future__ import annotations

import math

from autograd_backends import kernels

from ... import ops
from ...creation import full_like
from ...refusals import named
from ...tensor import Tensor
from .reduction import check_reduction, chosen_reduction, reduced

__all__ = ["gaussian_nll_loss", "poisson_nll_loss"]


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """e^x - y x: the negative log-likelihood of counts y of a Poisson distribution of mean e^x, but for log y!.

    Parameters
    ----------
    input
        x, the logarithm of the mean; or without `log_input` the mean m itself: m - y log(m + eps).
    target
        y, not negative.
    log_input
        What `input` is.
    full
        Add Stirling's approximation of log y! where y is above 1.
    eps
        Keeps the logarithm finite.
    size_average, reduce, reduction
        As in `mse_loss`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.poisson_nll_loss(ag.tensor([0.0]), ag.tensor([3.0]))
    tensor(1.)
    """
    loss = ops.exp(input) - target * input if log_input else input - target * ops.log(input + eps)
    if full:
        many = ops.where(target > 1, target, 1)
        stirling = many * ops.log(many) - many + ops.log(many * (2.0 * math.pi)) * 0.5
        loss = loss + ops.where(target > 1, stirling, 0.0)
    return reduced("poisson_nll_loss", loss, chosen_reduction(reduction, size_average, reduce))


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """(log v + (x - y)^2 / v) / 2: the negative log-likelihood of y of a normal distribution of mean x, variance v.

    Parameters
    ----------
    input, target
        The means and what was seen; they broadcast.
    var
        The variances: of the shape of `input`, with a last dimension of 1, or without the last; or one number.
    full
        Add log(2 pi) / 2.
    eps
        The least variance; the gradient does not see it.
    reduction
        As in `mse_loss`.

    Raises
    ------
    ValueError
        If the shape of `var` does not fit, or a variance is negative.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.gaussian_nll_loss(ag.tensor([0.0]), ag.tensor([2.0]), ag.tensor([1.0]))
    tensor(2.)
    """
    name = "gaussian_nll_loss"
    check_reduction(name, reduction)
    given = var if isinstance(var, Tensor) else full_like(input, var)
    if given.shape != input.shape:
        if tuple(given.shape) == tuple(input.shape[:-1]):
            given = ops.expand_dims(given, given.ndim)
        elif tuple(given.shape) != (*input.shape[:-1], 1):
            raise ValueError(
                f"{name}: var must have the shape of the input, {tuple(input.shape)}, one with a last dimension of 1 "
                f"or without the last, and has {tuple(given.shape)}"
            )
    good = ops.all(given >= 0).array
    kernels(good).refuse_unless(good, ValueError(f"{name}: a variance is negative"))
    fixed = given.detach()
    variance = given + (ops.clamp(fixed, eps, None) - fixed)
    loss = (ops.log(variance) + ops.square(input - target) / variance) * 0.5
    if full:
        loss = loss + 0.5 * math.log(2.0 * math.pi)
    return reduced(name, loss, reduction)


named(__name__)
