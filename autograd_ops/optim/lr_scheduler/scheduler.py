"""LRScheduler: counts epochs, and sets the learning rate of each parameter group."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

from ...refusals import named_init
from ...warn import warn_user
from ..optimizer import Optimizer

__all__ = ["LRScheduler", "check_optimizer", "one_per_group"]


class LRScheduler:
    """What every schedule is: `step` is called once an epoch, after the optimizer's steps, and sets the rates.

    A subclass overrides `get_lr`. The schedules here compute a rate from the rate before it, so that two of them on
    one optimizer multiply.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    last_epoch
        -1 to begin. To go on after an epoch, its number; then each parameter group must have ``"initial_lr"``, and
        the rate for the next epoch.

    Attributes
    ----------
    base_lrs
        The rate that each parameter group began with.
    last_epoch
        How often `step` was called.

    Raises
    ------
    TypeError
        If `optimizer` is none.
    ValueError
        If `last_epoch` is not -1 and a parameter group does not say what rate it began with.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.optim.lr_scheduler import LRScheduler
    >>> class InverseRoot(LRScheduler):
    ...     def get_lr(self):
    ...         return [lr / (self.last_epoch + 1) ** 0.5 for lr in self.base_lrs]
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = InverseRoot(optimizer)
    >>> for epoch in range(3):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    #: Whether `get_lr` changes the present rates, rather than computing new ones from `base_lrs`.
    relative: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        named_init(cls)

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = check_optimizer(self, optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise ValueError(
                    f"{type(self).__name__}: to go on after epoch {last_epoch}, parameter group {i} must have "
                    "'initial_lr'; load the optimizer's state first"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch + 1
        self._step_count = 1
        going_on = last_epoch != -1 and self.relative  # then the present rates are those of this epoch already
        self._set(self._scaled(1.0) if going_on else self.get_lr())

    def get_lr(self) -> list[float]:
        """The rate of each parameter group for epoch `last_epoch`; `step` calls it."""
        raise NotImplementedError(f"{type(self).__name__} does not override get_lr")

    def get_last_lr(self) -> list[float]:
        """The rate of each parameter group, as set last."""
        return list(self._last_lr)

    def step(self) -> None:
        """Go on to the next epoch.

        Warns
        -----
        UserWarning
            At the first call, if the optimizer has not stepped yet: the first rate would never be used.
        """
        self._count_step()
        self.last_epoch += 1
        self._set(self.get_lr())

    def restart(self) -> None:
        """Go back to epoch 0, and the rates of it."""
        for group, rate in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = rate
        self.last_epoch = 0
        self._set(self.get_lr())

    def _count_step(self) -> None:
        if self._step_count == 1 and not self.optimizer.has_stepped:
            warn_user(
                f"{type(self).__name__}: scheduler.step() came before the first optimizer.step(), so that the first "
                "learning rate is never used; call optimizer.step() first"
            )
        self._step_count += 1

    def state_dict(self) -> dict[str, Any]:
        """A copy of all that the schedule knows, but for the optimizer."""
        return {name: deepcopy(value) for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave. The rates themselves come with the optimizer's own state."""
        vars(self).update(deepcopy(state_dict))

    def _set(self, rates: list[float]) -> None:
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = list(rates)

    def _scaled(self, factor: float) -> list[float]:
        """The present rates, times `factor`."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]


def check_optimizer(scheduler: object, optimizer: Any) -> Optimizer:
    """`optimizer`, if it is one.

    Raises
    ------
    TypeError
        If not.
    """
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(scheduler).__name__}: expected an Optimizer, got {type(optimizer).__name__}")
    return optimizer


def one_per_group(scheduler: object, optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """`value` for each parameter group: itself, if it is a list of the right length.

    Raises
    ------
    ValueError
        If it is of another length.
    """
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(f"{type(scheduler).__name__}: {name} has {len(value)} values for {groups} parameter groups")
    return list(value)
