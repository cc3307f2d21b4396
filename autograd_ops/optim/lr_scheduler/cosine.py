"""The rate along a cosine."""

from __future__ import annotations

import math
from typing import ClassVar

from ..optimizer import Optimizer
from .scheduler import LRScheduler

__all__ = ["CosineAnnealingLR"]


class CosineAnnealingLR(LRScheduler):
    r"""Let the rate fall along half a cosine, from where it begins to `eta_min`.

    In epoch t it is ``eta_min + (lr - eta_min) (1 + cos(pi t / T_max)) / 2``; after `T_max` it rises again.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    T_max
        The epoch in which the rate is `eta_min`.
    eta_min
        The lowest rate.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If `T_max` is not at least 1.

    Notes
    -----
    Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017, without the restarts.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> for epoch in range(3):
    ...     print(epoch, f"{scheduler.get_last_lr()[0]:.1f}")
    ...     optimizer.step()
    ...     scheduler.step()
    0 1.0
    1 0.5
    2 0.0
    """

    relative: ClassVar[bool] = True

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_max < 1:
            raise ValueError(f"CosineAnnealingLR: T_max must be at least 1, not {T_max}")
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self._scaled(1.0)
        before, now = self._height(self.last_epoch - 1), self._height(self.last_epoch)
        if (self.last_epoch - 1) % (2 * self.T_max) == self.T_max:
            # The rate was eta_min itself, so there is no proportion to go on from.
            pairs = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
            return [group["lr"] + (base - self.eta_min) * now for group, base in pairs]
        return [self.eta_min + (group["lr"] - self.eta_min) * now / before for group in self.optimizer.param_groups]

    def _height(self, epoch: int) -> float:
        """Where the cosine is in `epoch`, from 1 at the top to 0."""
        return (1.0 + math.cos(math.pi * epoch / self.T_max)) / 2.0
