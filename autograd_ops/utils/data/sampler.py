"""Samplers: the order in which samples are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

from ...creation import as_tensor
from ...dtypes import float64
from ...random import Generator, multinomial, randint, randperm
from ...refusals import named

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T = TypeVar("T", covariant=True)


class Sampler(Generic[T]):
    """Gives the numbers of samples, in the order in which they are to be drawn: a subclass overrides ``__iter__``."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(f"{type(self).__name__} does not override __iter__")


class SequentialSampler(Sampler[int]):
    """The samples in their own order.

    Parameters
    ----------
    data_source
        The data set.

    Examples
    --------
    >>> from autograd_ops.utils.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The samples in random order, a new one each time.

    Parameters
    ----------
    data_source
        The data set.
    replacement
        Whether a sample may come again before all others came.
    num_samples
        How many are drawn; by default as many as there are. Without replacement, more than there are begin anew.
    generator
        What the order is drawn from.

    Raises
    ------
    ValueError
        If `num_samples` is not at least 1.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.utils.data import RandomSampler
    >>> sorted(RandomSampler("abc", generator=ag.Generator().manual_seed(0)))
    [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        if num_samples is not None and num_samples < 1:
            raise ValueError(f"RandomSampler: num_samples must be at least 1, not {num_samples}")
        self.data_source = data_source
        self.replacement = replacement
        self.generator = generator
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """How many are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        return islice(self._endless(), self.num_samples) if len(self.data_source) else iter(())

    def _endless(self) -> Iterator[int]:
        n = len(self.data_source)
        while True:
            if self.replacement:  # some at a time, for num_samples may be said to be without end, as 10**10
                drawn = randint(0, n, (min(32, self.num_samples),), generator=self.generator, device="cpu")
            else:
                drawn = randperm(n, generator=self.generator, device="cpu")
            yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Certain samples in random order, a new one each time.

    Parameters
    ----------
    indices
        Their numbers.
    generator
        What the order is drawn from.

    Examples
    --------
    >>> from autograd_ops.utils.data import SubsetRandomSampler
    >>> sorted(SubsetRandomSampler([5, 7]))
    [5, 7]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        order = randperm(len(self.indices), generator=self.generator, device="cpu").tolist()
        return (self.indices[i] for i in order)

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Samples drawn with given weights: rare classes as often as common ones, say.

    Parameters
    ----------
    weights
        One for each sample, not negative; they need not add up to 1.
    num_samples
        How many are drawn.
    replacement
        Whether a sample may come more than once.
    generator
        What they are drawn from.

    Raises
    ------
    ValueError
        If `weights` are not one row of numbers, or `num_samples` is not at least 1; when drawing, as of
        ``multinomial``.

    Examples
    --------
    >>> from autograd_ops.utils.data import WeightedRandomSampler
    >>> list(WeightedRandomSampler([0.0, 1.0, 0.0], num_samples=3))
    [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        if num_samples < 1:
            raise ValueError(f"WeightedRandomSampler: num_samples must be at least 1, not {num_samples}")
        self.weights = as_tensor(weights, dtype=float64, device="cpu")
        if self.weights.ndim != 1:
            raise ValueError(f"WeightedRandomSampler: weights must be one row, got shape {tuple(self.weights.shape)}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[Any]]):
    """What another sampler gives, in lists of one length.

    Parameters
    ----------
    sampler
        The other one, or any iterable.
    batch_size
        The length of the lists.
    drop_last
        Whether a last list that is shorter is left out.

    Raises
    ------
    ValueError
        If `batch_size` is no integer of at least 1.

    Examples
    --------
    >>> from autograd_ops.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
            raise ValueError(f"batch_size must be an integer of at least 1, not {batch_size!r}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        drawn = iter(self.sampler)
        while batch := list(islice(drawn, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


named(__name__)
