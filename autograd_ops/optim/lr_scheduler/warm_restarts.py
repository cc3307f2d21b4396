"""The rate along a cosine, again and again."""

from __future__ import annotations

import math

from ..optimizer import Optimizer
from .scheduler import LRScheduler

__all__ = ["CosineAnnealingWarmRestarts"]


class CosineAnnealingWarmRestarts(LRScheduler):
    r"""Let the rate fall along half a cosine to `eta_min`, start again at the top, and so on.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    T_0
        How many epochs the first fall takes.
    T_mult
        What each later fall is longer by.
    eta_min
        The lowest rate.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If `T_0` or `T_mult` is no int of at least 1.

    Notes
    -----
    Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for epoch in range(4):
    ...     print(epoch, f"{scheduler.get_last_lr()[0]:.1f}")
    ...     optimizer.step()
    ...     scheduler.step()
    0 1.0
    1 0.5
    2 1.0
    3 0.5
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"CosineAnnealingWarmRestarts: {name} must be an int of at least 1, not {value!r}")
        self.T_0 = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self._find_place(last_epoch + 1)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        height = (1.0 + math.cos(math.pi * self.T_cur / self.T_i)) / 2.0
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to `epoch`, which may lie between two.

        Raises
        ------
        ValueError
            If `epoch` is negative.
        """
        if epoch is not None and epoch < 0:
            raise ValueError(f"CosineAnnealingWarmRestarts: epoch may not be negative, got {epoch}")
        self._count_step()
        epoch = self.last_epoch + 1 if epoch is None else epoch
        self._find_place(epoch)
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())

    def restart(self) -> None:
        """Go back to epoch 0, and the rates of it."""
        self._find_place(0)
        super().restart()

    def _find_place(self, epoch: float) -> None:
        """Which fall `epoch` is in, how long that is, and how far it has come."""
        self.T_i, self.T_cur = self.T_0, epoch
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0
            return
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
