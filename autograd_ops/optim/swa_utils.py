"""Averages of a model's weights along training, which often do better than the last ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from itertools import chain
from typing import Any, cast

from ..creation import tensor
from ..dtypes import int64
from ..nn.module import Module
from ..nn.normalization import _BatchNorm
from ..tape import no_grad
from ..tensor import Tensor
from .lr_scheduler.scheduler import LRScheduler, check_optimizer, one_per_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

#: The new average, from the one before, the weight now, and the number of models in the average.
Average = Callable[[Any, Any, Any], Any]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """``decay average + (1 - decay) weight``: the exponential moving average, for `AveragedModel`.

    Raises
    ------
    ValueError
        If `decay` is not in [0, 1].
    """
    _check_decay(decay)
    return lambda average, weight, count: average * decay + weight * (1.0 - decay)


def get_swa_avg_fn() -> Average:
    """``average + (weight - average) / (count + 1)``: the mean of all, for `AveragedModel`."""
    return lambda average, weight, count: average + (weight - average) / (count + 1)


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """`get_ema_avg_fn` for lists of averages and weights, which it changes in place."""
    _check_decay(decay)
    return _in_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """`get_swa_avg_fn` for lists of averages and weights, which it changes in place."""
    return _in_lists(get_swa_avg_fn())


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"swa_utils: decay must be in [0, 1], not {decay}")


def _in_lists(average: Average) -> Callable[..., None]:
    @no_grad
    def update(averages: Iterable[Tensor], weights: Iterable[Tensor], count: Any) -> None:
        for kept, weight in zip(averages, weights, strict=True):
            kept.copy_(average(kept, weight, count) if kept.dtype.is_floating_point else weight)

    return update


class AveragedModel(Module):
    """A copy of a model whose weights are averages of the model's.

    Parameters
    ----------
    model
        Is copied; its parameters stay as they are.
    device
        Where the averages are; by default where the model is.
    avg_fn
        Gives the new average: ``avg_fn(average, weight, n_averaged)``; by default the mean of all.
    multi_avg_fn
        Changes lists of averages in place, instead of `avg_fn`: see `get_ema_multi_avg_fn`.
    use_buffers
        Whether buffers are averaged as well; otherwise they are copied.

    Attributes
    ----------
    module
        The model of averages, which calls go to.
    n_averaged
        How often `update_parameters` was called.

    Raises
    ------
    ValueError
        If both functions are given.

    Notes
    -----
    Izmailov and others, Averaging Weights Leads to Wider Optima and Better Generalization, 2018.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> model = ag.nn.Linear(1, 1, bias=False)
    >>> averaged = ag.optim.swa_utils.AveragedModel(model)
    >>> for weight in (1.0, 3.0):
    ...     ag.nn.init.constant_(model.weight, weight).requires_grad_(True) is model.weight
    ...     averaged.update_parameters(model)
    True
    True
    >>> averaged(ag.ones(1, 1)).tolist()
    [[2.0]]
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: str | None = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ValueError("AveragedModel: give avg_fn or multi_avg_fn, not both")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the model of averages gives."""
        return self.module(*args, **kwargs)

    @no_grad
    def update_parameters(self, model: Module) -> None:
        """Take the weights that `model` has now into the averages."""
        averages, weights = list(self._averaged(self.module)), list(self._averaged(model))
        pairs = [(kept, new.detach().to(kept.device)) for kept, new in zip(averages, weights, strict=True)]
        count = int(self.n_averaged)
        if count == 0:
            for kept, new in pairs:
                kept.copy_(new)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn([kept for kept, _ in pairs], [new for _, new in pairs], count)
        elif self.avg_fn is None:
            get_swa_multi_avg_fn()([kept for kept, _ in pairs], [new for _, new in pairs], count)
        else:
            for kept, new in pairs:
                kept.copy_(self.avg_fn(kept.detach(), new, self.n_averaged))
        if not self.use_buffers:
            for kept, new in zip(self.module.buffers(), model.buffers(), strict=True):
                kept.copy_(new)
        self.n_averaged.add_(1)

    def _averaged(self, model: Module) -> Iterable[Tensor]:
        return chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


@no_grad
def update_bn(loader: Iterable[Any], model: Module, device: str | None = None) -> None:
    """Let the batch norms of `model` take their running statistics anew from the batches of `loader`.

    Parameters
    ----------
    loader
        Batches, or lists and tuples whose first item is the batch.
    model
        Is called on each.
    device
        Where batches are moved to first.
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    was_training = model.training
    momenta = {norm: norm.momentum for norm in norms}
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    model.train()
    for batch in loader:
        input = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(input if device is None else input.to(device))
    for norm, momentum in momenta.items():
        norm.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Let the rate go to `swa_lr` within `anneal_epochs` epochs, and stay there.

    Parameters
    ----------
    optimizer
        Whose learning rates are set.
    swa_lr
        The rate at the end, or a list of one for each parameter group.
    anneal_epochs
        How many epochs it takes.
    anneal_strategy
        ``"cos"`` or ``"linear"``.
    last_epoch
        As of `LRScheduler`.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = ag.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for epoch in range(3):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [1.0]
    1 [0.75]
    2 [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(self, optimizer)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"SWALR: anneal_strategy must be 'cos' or 'linear', not {anneal_strategy!r}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"SWALR: anneal_epochs must be an int of at least 0, not {anneal_epochs!r}")
        for group, rate in zip(optimizer.param_groups, one_per_group(self, optimizer, "swa_lr", swa_lr), strict=True):
            group["swa_lr"] = rate
        self.anneal_epochs = anneal_epochs
        self.anneal_strategy = anneal_strategy
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        # From the rate now, which something else may have set: what is left of the way, less one epoch.
        before, now = self._part(self.last_epoch - 1), self._part(self.last_epoch)
        groups = self.optimizer.param_groups
        if before >= 1.0:
            return [group["swa_lr"] * now + group["lr"] * (1.0 - now) for group in groups]
        starts = [(group["lr"] - before * group["swa_lr"]) / (1.0 - before) for group in groups]
        return [
            cast("float", group["swa_lr"] * now + start * (1.0 - now))
            for group, start in zip(groups, starts, strict=True)
        ]

    def _part(self, epoch: int) -> float:
        """How much of the way is done in `epoch`, from 0 to 1."""
        linear = min(1.0, max(0.0, epoch / max(1, self.anneal_epochs)))
        if self.anneal_epochs == 0:
            linear = 1.0
        return linear if self.anneal_strategy == "linear" else (1.0 - math.cos(math.pi * linear)) / 2.0
