"""DataLoader: batches of a data set, in the order of a sampler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import repeat
from typing import Any

from ...random import Generator, initial_seed
from ...refusals import named
from .collate import default_collate, default_convert
from .dataset import IterableDataset, whole_batches
from .prefetch import END, prefetched
from .sampler import BatchSampler, RandomSampler, SequentialSampler
from .worker import WorkerInfo, working_as

__all__ = ["DataLoader"]

Collate = Callable[[Any], Any]


class DataLoader:
    """Batches of a data set; each ``for`` loop over it is one epoch.

    Parameters
    ----------
    dataset
        The samples, by number or, if it is an `IterableDataset`, one after the other.
    batch_size
        How many samples a batch has; ``None`` gives single samples.
    shuffle
        Whether the samples come in a new random order in each epoch.
    sampler
        The order of the samples, instead of `shuffle`: any iterable of their numbers.
    batch_sampler
        The numbers of each batch, instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
    num_workers
        How many threads make batches ahead of time; with 0, each is made when it is asked for. The batches and
        their order are the same. The samples of an `IterableDataset` come from one thread.
    collate_fn
        Makes a batch of a list of samples, by default `default_collate`.
    drop_last
        Whether a last batch that is smaller is left out.
    worker_init_fn
        Called with each thread's number, from 0, before an epoch begins; within, `get_worker_info` tells of it.
    generator
        What `shuffle` draws from: the same seed, the same order. By default the global one, of ``manual_seed``.
    prefetch_factor
        How many batches each thread is ahead.
    pin_memory, timeout, multiprocessing_context, persistent_workers, pin_memory_device, in_order
        Accepted for PyTorch's sake; they do nothing.

    Raises
    ------
    ValueError
        If `batch_size` or `num_workers` is out of its range, or arguments are given that exclude each other.

    Notes
    -----
    A `TensorDataset`, or a part of one, is indexed with whole batches, unless `collate_fn` is given. A data set with a
    method ``__getitems__`` is asked for the list of a batch's samples at once.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.utils.data import DataLoader, TensorDataset
    >>> data = TensorDataset(ag.arange(5), ag.arange(5) * 10)
    >>> for x, y in DataLoader(data, batch_size=2):
    ...     print(x, y)
    tensor([0, 1]) tensor([ 0, 10])
    tensor([2, 3]) tensor([20, 30])
    tensor([4]) tensor([40])
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Collate | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if not isinstance(dataset, IterableDataset) and not hasattr(dataset, "__getitem__"):
            raise TypeError(
                f"DataLoader: a dataset has samples by number, dataset[0], and {type(dataset).__name__} has not; "
                "make one with TensorDataset(x, y), or give a list"
            )
        if num_workers < 0:
            raise ValueError(f"DataLoader: num_workers must be at least 0, not {num_workers}")
        if timeout < 0:
            raise ValueError(f"DataLoader: timeout must be at least 0, not {timeout}")
        if prefetch_factor is not None and prefetch_factor < 1:
            raise ValueError(f"DataLoader: prefetch_factor must be at least 1, not {prefetch_factor}")
        if isinstance(dataset, IterableDataset) and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError(
                "DataLoader: an IterableDataset sets its own order, so it takes no shuffle, sampler or batch_sampler"
            )
        if sampler is not None and shuffle:
            raise ValueError("DataLoader: sampler sets the order, so shuffle cannot be given beside it")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "DataLoader: batch_sampler makes the batches, so batch_size, shuffle, sampler and drop_last cannot be "
                "given beside it"
            )
        if batch_size is None and drop_last:
            raise ValueError("DataLoader: without batches (batch_size=None) there is no last one to drop")
        if sampler is None and not isinstance(dataset, IterableDataset):
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(dataset if sampler is None else sampler, batch_size, drop_last)
        batched = batch_sampler is not None
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self.worker_init_fn = worker_init_fn
        self.generator = generator
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.multiprocessing_context = multiprocessing_context
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self._take = whole_batches(dataset) if batched and collate_fn is None else None

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            # Its batch sampler, if there is one, makes lists of the samples themselves.
            made = map(self.collate_fn, self.dataset if self.batch_sampler is None else self.batch_sampler)
            return self._ahead(repeat(partial(next, made, END)), 1) if self.num_workers else made
        make, drawn = (self._sample, self.sampler) if self.batch_sampler is None else (self._batch, self.batch_sampler)
        if self.num_workers:
            return self._ahead((partial(make, numbers) for numbers in drawn), self.num_workers)
        return map(make, drawn)

    def _ahead(self, tasks: Iterator[Callable[[], Any]], workers: int) -> Iterator[Any]:
        if self.worker_init_fn is not None:
            for worker in range(workers):
                with working_as(WorkerInfo(worker, workers, initial_seed() + worker, self.dataset)):
                    self.worker_init_fn(worker)
        return prefetched(tasks, workers, self.prefetch_factor or 2)

    def _sample(self, number: Any) -> Any:
        return self.collate_fn(self.dataset[number])

    def _batch(self, numbers: Iterable[Any]) -> Any:
        if self._take is not None:
            return self._take(list(numbers))
        if hasattr(self.dataset, "__getitems__"):
            return self.collate_fn(self.dataset.__getitems__(list(numbers)))
        return self.collate_fn([self.dataset[number] for number in numbers])

    def __len__(self) -> int:
        """How many batches an epoch has.

        Raises
        ------
        TypeError
            If the data set, or a sampler that was given, has no length.
        """
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        return len(self.dataset if self.sampler is None else self.sampler)


named(__name__)
