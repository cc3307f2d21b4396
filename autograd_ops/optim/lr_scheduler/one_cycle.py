"""The rate up to a high value and down to almost nothing, in one cycle over the whole training."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, one_per_group

__all__ = ["OneCycleLR"]


def _cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) * (1.0 + math.cos(math.pi * part)) / 2.0


def _line(start: float, end: float, part: float) -> float:
    return start + (end - start) * part


_STRATEGIES: dict[str, Callable[[float, float, float], float]] = {"cos": _cosine, "linear": _line}


class OneCycleLR(LRScheduler):
    """Let the rate rise from ``max_lr / div_factor`` to `max_lr`, then fall to almost nothing: step it every batch.

    Parameters
    ----------
    optimizer
        Whose learning rates, and momenta, are set.
    max_lr
        The highest rate, or a list of one for each parameter group.
    total_steps
        How many batches there will be; or give `epochs` and `steps_per_epoch`.
    pct_start
        The part of the steps in which the rate rises, in [0, 1].
    anneal_strategy
        ``"cos"`` or ``"linear"``: along what it rises and falls.
    cycle_momentum
        Let the momentum, or Adam's first beta, fall from `max_momentum` to `base_momentum` as the rate rises, and back.
    div_factor
        The highest rate over the first.
    final_div_factor
        The first rate over the last.
    three_phase
        Fall to the first rate as fast as it rose, and only then to the last.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If the number of steps is not given or not above 0, `pct_start` is out of its range, `anneal_strategy` is
        unknown, or the optimizer has no momentum to cycle; and in `step`, if all steps were taken.

    Notes
    -----
    Smith and Topin, Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates, 2018; two
    phases by default, as fast.ai does it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> scheduler = ag.optim.lr_scheduler.OneCycleLR(
    ...     optimizer, max_lr=1.0, total_steps=5, pct_start=0.4, anneal_strategy="linear")
    >>> for batch in range(4):
    ...     print(batch, f"{scheduler.get_last_lr()[0]:.3f}", f"{optimizer.param_groups[0]['momentum']:.3f}")
    ...     optimizer.step()
    ...     scheduler.step()
    0 0.040 0.950
    1 1.000 0.850
    2 0.667 0.883
    3 0.333 0.917
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(self, optimizer)
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("OneCycleLR: give total_steps, or both epochs and steps_per_epoch")
            total_steps = epochs * steps_per_epoch
        if total_steps < 1:
            raise ValueError(f"OneCycleLR: the number of steps must be at least 1, not {total_steps}")
        if not 0.0 <= pct_start <= 1.0:
            raise ValueError(f"OneCycleLR: pct_start must be in [0, 1], not {pct_start}")
        if anneal_strategy not in _STRATEGIES:
            raise ValueError(f"OneCycleLR: anneal_strategy must be 'cos' or 'linear', not {anneal_strategy!r}")
        self.total_steps = total_steps
        self.anneal_strategy = anneal_strategy
        self.cycle_momentum = cycle_momentum
        # Each phase: the step it ends with, and the names of the rate and the momentum it goes to.
        rise = pct_start * total_steps - 1
        self.phases: list[tuple[float, str, str]] = [(rise, "max_lr", "base_momentum")]
        if three_phase:
            self.phases.append((2 * pct_start * total_steps - 2, "initial_lr", "max_momentum"))
        self.phases.append((total_steps - 1, "min_lr", "max_momentum"))
        if last_epoch == -1:
            for group, rate in zip(
                optimizer.param_groups, one_per_group(self, optimizer, "max_lr", max_lr), strict=True
            ):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum and last_epoch == -1:
            lowest = one_per_group(self, optimizer, "base_momentum", base_momentum)
            highest = one_per_group(self, optimizer, "max_momentum", max_momentum)
            for group, low, high in zip(optimizer.param_groups, lowest, highest, strict=True):
                if "momentum" not in group and "betas" not in group:
                    raise ValueError(
                        f"OneCycleLR: {type(optimizer).__name__} has neither momentum nor betas; "
                        "pass cycle_momentum=False"
                    )
                group["base_momentum"], group["max_momentum"] = low, high
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch > self.total_steps:
            raise ValueError(f"OneCycleLR: all of its {self.total_steps} steps were taken")
        return [self._value(group, "initial_lr", 1) for group in self.optimizer.param_groups]

    def _set(self, rates: list[float]) -> None:
        super()._set(rates)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                momentum = self._value(group, "max_momentum", 2)
                if "betas" in group:
                    group["betas"] = (momentum, *group["betas"][1:])
                else:
                    group["momentum"] = momentum

    def _value(self, group: dict[str, float], start: str, to: int) -> float:
        """The value, now, of what goes from ``group[start]`` to ``group[phase[to]]`` in each phase, one by one."""
        begin = 0.0
        for phase in self.phases:
            end = phase[0]
            if self.last_epoch <= end or phase is self.phases[-1]:
                break
            begin, start = end, str(phase[to])
        part = (self.last_epoch - begin) / (end - begin) if end != begin else 1.0
        return _STRATEGIES[self.anneal_strategy](group[start], group[str(phase[to])], part)
