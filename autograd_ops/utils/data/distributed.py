"""DistributedSampler: the part of the samples that one process of several draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized

from ...random import Generator, randperm
from ...refusals import named
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th sample, from the `rank`-th on, of an order that all processes share.

    Parameters
    ----------
    dataset
        The data set.
    num_replicas, rank
        How many processes there are, and which this is: by default one, the first.
    shuffle
        Whether the order is random, a new one after each `set_epoch`.
    seed
        What the order is drawn from, with the epoch.
    drop_last
        Whether samples at the end are left out, so that all processes have as many; otherwise some come twice.

    Raises
    ------
    ValueError
        If `rank` is not one of the processes.

    Examples
    --------
    >>> from autograd_ops.utils.data import DistributedSampler
    >>> list(DistributedSampler("abcde", num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        self.dataset = dataset
        self.num_replicas = 1 if num_replicas is None else num_replicas
        self.rank = 0 if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"DistributedSampler: rank must be at least 0 and below {self.num_replicas}, not {self.rank}"
            )
        self.epoch = 0
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        each = len(dataset) / self.num_replicas
        self.num_samples = math.floor(each) if drop_last else math.ceil(each)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        if self.shuffle:
            order = randperm(size, generator=Generator().manual_seed(self.seed + self.epoch), device="cpu").tolist()
        else:
            order = list(range(size))
        while 0 < len(order) < self.total_size:
            order += order[: self.total_size - len(order)]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch begins, so that its order is another than the last one's."""
        self.epoch = epoch


named(__name__)
