"""The rate up and down between two bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, one_per_group

__all__ = ["CyclicLR"]


class CyclicLR(LRScheduler):
    """Let the rate go from `base_lr` to `max_lr` and back along straight lines, again and again; step after each batch.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    base_lr, max_lr
        The bounds, or lists of one for each parameter group.
    step_size_up, step_size_down
        How many steps the rate rises, and falls: by default as many.
    mode
        ``"triangular"``; ``"triangular2"``, where each cycle is half as high as the one before; or ``"exp_range"``,
        where the height is multiplied by `gamma` in each step.
    gamma
        Of ``"exp_range"``.
    scale_fn
        What the height is multiplied by, instead of `mode`: a function.
    scale_mode
        What `scale_fn` is given: ``"cycle"``, the number of the cycle from 1, or ``"iterations"``, of steps from 0.
    cycle_momentum
        Let the momentum, or Adam's first beta, go the other way, between `max_momentum` and `base_momentum`.
    base_momentum, max_momentum
        Its bounds, or lists of one for each parameter group.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If `mode` is unknown, or the optimizer has no momentum to cycle.

    Notes
    -----
    Smith, Cyclical Learning Rates for Training Neural Networks, 2017.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> scheduler = ag.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
    >>> for batch in range(5):
    ...     print(batch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [0.0]
    1 [0.5]
    2 [1.0]
    3 [0.5]
    4 [0.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(self, optimizer)
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(f"CyclicLR: mode must be 'triangular', 'triangular2' or 'exp_range', not {mode!r}")
        lowest = one_per_group(self, optimizer, "base_lr", base_lr)
        self.max_lrs = one_per_group(self, optimizer, "max_lr", max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self.scale_fn = scale_fn
        self.scale_mode = scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            for group in optimizer.param_groups:
                if "momentum" not in group and "betas" not in group:
                    raise ValueError(
                        f"CyclicLR: {type(optimizer).__name__} has neither momentum nor betas; "
                        "pass cycle_momentum=False"
                    )
            self.base_momentums = one_per_group(self, optimizer, "base_momentum", base_momentum)
            self.max_momentums = one_per_group(self, optimizer, "max_momentum", max_momentum)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, lowest, strict=True):
                group["lr"] = group["initial_lr"] = rate
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        height = self._height()
        return [base + (top - base) * height for base, top in zip(self.base_lrs, self.max_lrs, strict=True)]

    def _height(self) -> float:
        """Where between the bounds it is now, from 0 to 1."""
        cycle = math.floor(1.0 + self.last_epoch / self.total_size)
        along = 1.0 + self.last_epoch / self.total_size - cycle
        rising = along <= self.step_ratio
        height = along / self.step_ratio if rising else (along - 1.0) / (self.step_ratio - 1.0)
        if self.scale_fn is not None:
            return height * self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.mode == "triangular2":
            return height / 2.0 ** (cycle - 1)
        return height * self.gamma**self.last_epoch if self.mode == "exp_range" else height

    def _set(self, rates: list[float]) -> None:
        super()._set(rates)
        if not self.cycle_momentum:
            return
        height = self._height()
        for group, base, top in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True):
            momentum = top - (top - base) * height
            if "betas" in group:
                group["betas"] = (momentum, *group["betas"][1:])
            else:
                group["momentum"] = momentum

    def state_dict(self) -> dict[str, Any]:
        """As of `LRScheduler`, but for `scale_fn`, which is not saved."""
        return {name: value for name, value in super().state_dict().items() if name != "scale_fn"}
