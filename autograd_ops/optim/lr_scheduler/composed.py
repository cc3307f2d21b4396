"""Schedules made of others: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .scheduler import LRScheduler

__all__ = ["ChainedScheduler", "SequentialLR"]


class _Composed(LRScheduler):
    """What both share: the schedules they are made of, on one optimizer."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        self._schedulers = list(schedulers)
        if not self._schedulers:
            raise ValueError(f"{name}: the list of schedulers is empty")
        self.optimizer = self._schedulers[0].optimizer if optimizer is None else optimizer
        for i, scheduler in enumerate(self._schedulers):
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(f"{name}: scheduler {i} is a ReduceLROnPlateau, which must be stepped with a metric")
            if scheduler.optimizer is not self.optimizer:
                raise ValueError(f"{name}: scheduler {i} has another optimizer")

    def _take_rates(self) -> None:
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> list[float]:
        """The present rates."""
        return self.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """A copy of all that it knows, and under ``"_schedulers"`` what each of them knows."""
        own = {name: value for name, value in vars(self).items() if name not in ("optimizer", "_schedulers")}
        return {**own, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_Composed):
    """One schedule after the other, each of which begins at its milestone with its epoch 0.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    schedulers
        The schedules, all of that optimizer.
    milestones
        The epochs at which each but the first begins.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If there is not one milestone less than schedules, or one of them has another optimizer.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> first, then = ConstantLR(optimizer, factor=0.5, total_iters=9), ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler = SequentialLR(optimizer, [first, then], milestones=[2])
    >>> for epoch in range(4):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [0.5]
    1 [0.5]
    2 [1.0]
    3 [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        super().__init__(schedulers, optimizer)
        if len(milestones) != len(self._schedulers) - 1:
            raise ValueError(
                f"SequentialLR: {len(self._schedulers)} schedulers need {len(self._schedulers) - 1} milestones, "
                f"not {len(milestones)}"
            )
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        # Each has set the rates of its own epoch 0 when it was made; the first one's count.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        first = self._schedulers[0]
        first.last_epoch = 0
        first._set(first.get_lr())
        self._take_rates()

    def step(self) -> None:
        """Go on to the next epoch."""
        self.last_epoch += 1
        which = bisect_right(self._milestones, self.last_epoch)
        if which > 0 and self._milestones[which - 1] == self.last_epoch:
            self._schedulers[which].restart()
        else:
            self._schedulers[which].step()
        self._take_rates()


class ChainedScheduler(_Composed):
    """Several schedules at once: each steps in every epoch, so that their factors multiply.

    Parameters
    ----------
    schedulers
        The schedules.
    optimizer
        Theirs, by default that of the first.

    Raises
    ------
    ValueError
        If there is none, or one of them has another optimizer.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> both = [ConstantLR(optimizer, factor=0.5, total_iters=2), ExponentialLR(optimizer, gamma=0.5)]
    >>> scheduler = ChainedScheduler(both)
    >>> for epoch in range(3):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [0.5]
    1 [0.25]
    2 [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        super().__init__(schedulers, optimizer)
        self._take_rates()

    def step(self) -> None:
        """Go on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._take_rates()
