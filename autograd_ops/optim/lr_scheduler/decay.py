"""Schedules that multiply the rate by a factor: in steps, in each epoch, along a curve, or as a function says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, ClassVar

from ..optimizer import Optimizer
from .scheduler import LRScheduler, one_per_group

__all__ = [
    "ConstantLR",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "StepLR",
]


class StepLR(LRScheduler):
    """Multiply the rate by `gamma` every `step_size` epochs.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    step_size
        How many epochs the rate stays.
    gamma
        The factor.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If `step_size` is not at least 1.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(4):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [1.0]
    1 [1.0]
    2 [0.5]
    3 [0.5]
    """

    relative: ClassVar[bool] = True

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        if step_size < 1:
            raise ValueError(f"StepLR: step_size must be at least 1, not {step_size}")
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        falls = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma if falls else 1.0)


class MultiStepLR(LRScheduler):
    """Multiply the rate by `gamma` at certain epochs.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    milestones
        The epochs; one that comes twice counts twice.
    gamma
        The factor.
    last_epoch
        As of `LRScheduler`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> for epoch in range(4):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [1.0]
    1 [0.5]
    2 [0.5]
    3 [0.25]
    """

    relative: ClassVar[bool] = True

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = dict(Counter(milestones))
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return self._scaled(self.gamma ** self.milestones.get(self.last_epoch, 0))


class ExponentialLR(LRScheduler):
    """Multiply the rate by `gamma` in each epoch.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    gamma
        The factor.
    last_epoch
        As of `LRScheduler`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    relative: ClassVar[bool] = True

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return self._scaled(self.gamma if self.last_epoch > 0 else 1.0)


class LinearLR(LRScheduler):
    """Let a factor on the rate go from `start_factor` to `end_factor` along a line: a warm-up, by default.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    start_factor
        The factor in epoch 0, in (0, 1].
    end_factor
        The factor from epoch `total_iters` on, in [0, 1].
    total_iters
        How many epochs the line takes.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If a factor or `total_iters` is out of its range.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> for epoch in range(4):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [0.5]
    1 [0.75]
    2 [1.0]
    3 [1.0]
    """

    relative: ClassVar[bool] = True

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0.0 < start_factor <= 1.0:
            raise ValueError(f"LinearLR: start_factor must be in (0, 1], not {start_factor}")
        if not 0.0 <= end_factor <= 1.0:
            raise ValueError(f"LinearLR: end_factor must be in [0, 1], not {end_factor}")
        if total_iters < 1:
            raise ValueError(f"LinearLR: total_iters must be at least 1, not {total_iters}")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self.last_epoch > self.total_iters:
            return self._scaled(1.0)
        return self._scaled(self._factor(self.last_epoch) / self._factor(self.last_epoch - 1))

    def _factor(self, epoch: int) -> float:
        return self.start_factor + (self.end_factor - self.start_factor) * epoch / self.total_iters


class ConstantLR(LRScheduler):
    """Multiply the rate by `factor` until epoch `total_iters`.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    factor
        The factor, in [0, 1].
    total_iters
        The epoch in which the rate is itself again.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If `factor` is out of its range.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> for epoch in range(3):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [0.5]
    1 [0.5]
    2 [1.0]
    """

    relative: ClassVar[bool] = True

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0.0 <= factor <= 1.0:
            raise ValueError(f"ConstantLR: factor must be in [0, 1], not {factor}")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor if self.last_epoch == self.total_iters else 1.0)


class PolynomialLR(LRScheduler):
    """Let the rate fall to 0 as ``(1 - epoch / total_iters)^power``.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    total_iters
        The epoch from which on the rate is 0.
    power
        The power.
    last_epoch
        As of `LRScheduler`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> for epoch in range(3):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [1.0]
    1 [0.5]
    2 [0.0]
    """

    relative: ClassVar[bool] = True

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        epoch, end = self.last_epoch, self.total_iters
        if epoch == 0 or epoch > end:
            return self._scaled(1.0)
        return self._scaled(((end - epoch) / (end - epoch + 1)) ** self.power)


class _ByFunction(LRScheduler):
    """What schedules share that are given as functions."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = one_per_group(self, optimizer, "lr_lambda", lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """As of `LRScheduler`; of a callable object its attributes are kept, of a function nothing."""
        state = {name: value for name, value in vars(self).items() if name not in ("optimizer", "lr_lambdas")}
        kept = [None if isinstance(f, FunctionType) else dict(vars(f)) for f in self.lr_lambdas]
        return {**state, "_last_lr": self.get_last_lr(), "base_lrs": list(self.base_lrs), "lr_lambdas": kept}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """As of `LRScheduler`; the functions stay those that were given here."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if attributes is not None:
                vars(function).update(attributes)


class LambdaLR(_ByFunction):
    """Set the rate to the rate at the beginning times a function of the epoch.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    lr_lambda
        A function of the epoch, counted from 0, that gives the factor; or a list of them, one for each parameter group.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If there is a list, and it is not of one function for each parameter group.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[float]:
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * factor(self.last_epoch) for base, factor in pairs]


class MultiplicativeLR(_ByFunction):
    """Multiply the rate, in each epoch, by what a function of the epoch gives.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    lr_lambda
        A function of the epoch, counted from 0 and first asked in epoch 1, that gives the factor; or a list of them,
        one for each parameter group.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If there is a list, and it is not of one function for each parameter group.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    relative: ClassVar[bool] = True

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self._scaled(1.0)
        pairs = zip(self.optimizer.param_groups, self.lr_lambdas, strict=True)
        return [group["lr"] * factor(self.last_epoch) for group, factor in pairs]

    def restart(self) -> None:
        """Go back to epoch 0; as in PyTorch, from the rates of now, times the functions of 0."""
        self.last_epoch = 0
        pairs = zip(self.optimizer.param_groups, self.lr_lambdas, strict=True)
        self._set([group["lr"] * factor(0) for group, factor in pairs])
