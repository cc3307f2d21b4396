"""Negative log-likelihoods as modules; their arguments are those of the functions in `functional`."""

from __future__ import annotations

from ..tensor import Tensor
from . import functional as F
from .loss import _Loss

__all__ = ["GaussianNLLLoss", "PoissonNLLLoss"]


class PoissonNLLLoss(_Loss):
    """e^x - y x, of counts y; see `functional.poisson_nll_loss`."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """log_input and target of one shape -> 0-d, or that shape if not reduced"""
        return F.poisson_nll_loss(log_input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """(log v + (x - y)^2 / v) / 2; see `functional.gaussian_nll_loss`."""

    def __init__(
        self,
        *,
        full: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """input and target of one shape, and variances -> 0-d, or that shape if not reduced"""
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)
