"""The rate lowered when a metric stops getting better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, one_per_group

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rate by `factor` when a metric has not got better for more than `patience` epochs.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    mode
        ``"min"`` where less is better, ``"max"`` where more is.
    factor
        What the rate is multiplied by, below 1.
    patience
        How many epochs without an improvement are let pass.
    threshold
        How large an improvement must be to count.
    threshold_mode
        ``"rel"``: `threshold` is a part of the best value; ``"abs"``: it is a difference.
    cooldown
        How many epochs after a fall are not counted.
    min_lr
        The lowest rate, or a list of one for each parameter group.
    eps
        Falls of the rate that are not larger than this are left out.

    Raises
    ------
    ValueError
        If `factor` is not below 1, or a mode is unknown.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if not factor < 1.0:
            raise ValueError(f"ReduceLROnPlateau: factor must be below 1, not {factor}")
        if mode not in ("min", "max"):
            raise ValueError(f"ReduceLROnPlateau: mode must be 'min' or 'max', not {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"ReduceLROnPlateau: threshold_mode must be 'rel' or 'abs', not {threshold_mode!r}")
        self.optimizer = check_optimizer(self, optimizer)
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lrs: list[float] = one_per_group(self, optimizer, "min_lr", min_lr)
        self.eps = eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Any) -> None:  # type: ignore[override]
        """Go on to the next epoch.

        Parameters
        ----------
        metrics
            The metric of this epoch: a number, or a Tensor of one element.
        """
        metric = float(metrics)
        self.last_epoch += 1
        if self.is_better(metric, self.best):
            self.best = metric
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.num_bad_epochs > self.patience:
            lower = [max(lr * self.factor, floor) for lr, floor in zip(rates, self.min_lrs, strict=True)]
            rates = [new if lr - new > self.eps else lr for lr, new in zip(rates, lower, strict=True)]
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._set(rates)

    def is_better(self, metric: float, best: float) -> bool:
        """Whether `metric` is an improvement on `best` that counts."""
        sign = -1.0 if self.mode == "min" else 1.0
        bar = best * (1.0 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return metric < bar if self.mode == "min" else metric > bar
