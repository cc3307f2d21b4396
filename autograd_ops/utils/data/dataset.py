"""Data sets: samples by number, or one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from math import isclose
from typing import Any, Generic, TypeVar

from ...creation import tensor
from ...random import Generator, randperm
from ...refusals import named
from ...tensor import Tensor

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
    "whole_batches",
]

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by number: a subclass overrides ``__getitem__``, and ``__len__`` so that loaders know where it ends.

    Examples
    --------
    >>> from autograd_ops.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> Squares()[2]
    4
    """

    def __getitem__(self, index: int) -> T:
        raise NotImplementedError(f"{type(self).__name__} does not override __getitem__")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Samples one after the other: a subclass overrides ``__iter__``.

    Examples
    --------
    >>> from autograd_ops.utils.data import DataLoader, IterableDataset
    >>> class Lines(IterableDataset):
    ...     def __iter__(self):
    ...         yield from ["one", "two", "three"]
    >>> list(DataLoader(Lines(), batch_size=2))
    [['one', 'two'], ['three']]
    """

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(f"{type(self).__name__} does not override __iter__")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ChainDataset([self, other])


class ChainDataset(IterableDataset[Any]):
    """The samples of several iterable data sets, one set after the other.

    Parameters
    ----------
    datasets
        The data sets.

    Raises
    ------
    TypeError
        When it comes to one that is no `IterableDataset`, or its length is asked for and one has none.

    Examples
    --------
    >>> from autograd_ops.utils.data import IterableDataset
    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         yield from (1, 2)
    >>> list(Count() + Count())
    [1, 2, 1, 2]
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise TypeError(f"ChainDataset: takes IterableDatasets, not a {type(dataset).__name__}")
            yield from dataset

    def __len__(self) -> int:
        lengths: list[Any] = list(self.datasets)
        return sum(map(len, lengths))


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors whose first dimension counts the samples; sample i is the tuple of their i-th slices.

    Parameters
    ----------
    tensors
        One or more, with first dimensions of one length.

    Raises
    ------
    ValueError
        If there is none, one is 0-d, or their first dimensions differ.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.utils.data import TensorDataset
    >>> data = TensorDataset(ag.tensor([[1.0, 2.0], [3.0, 4.0]]), ag.tensor([0, 1]))
    >>> data[1]
    (tensor([3., 4.]), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if not tensors:
            raise ValueError("TensorDataset: give at least one tensor")
        if any(t.ndim == 0 for t in tensors):
            raise ValueError("TensorDataset: a 0-d tensor has no first dimension that counts samples")
        lengths = [len(t) for t in tensors]
        if len(set(lengths)) > 1:
            raise ValueError(f"TensorDataset: the tensors are of different lengths: {lengths}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        if isinstance(index, list):
            index = tensor(index, device=self.tensors[0].device)  # once for all of them
        return tuple([t[index] for t in self.tensors])

    def __len__(self) -> int:
        return len(self.tensors[0])


class StackDataset(Dataset[Any]):
    """Data sets side by side: sample i is the tuple, or by names the dict, of their i-th samples.

    Parameters
    ----------
    *args
        The data sets; or
    **kwargs
        the data sets by name.

    Raises
    ------
    ValueError
        If there is none, there are both kinds, or their lengths differ.

    Examples
    --------
    >>> from autograd_ops.utils.data import StackDataset
    >>> StackDataset(image="abc", label=[0, 1, 0])[1]
    {'image': 'b', 'label': 1}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset: give data sets by position or by name, one at least, and not both")
        self.datasets: Any = args or kwargs
        lengths = [len(dataset) for dataset in args or kwargs.values()]
        if len(set(lengths)) > 1:
            raise ValueError(f"StackDataset: the data sets are of different lengths: {lengths}")
        self._length = lengths[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple([dataset[index] for dataset in self.datasets])

    def __len__(self) -> int:
        return self._length


class Subset(Dataset[T]):
    """Some of the samples of another data set.

    Parameters
    ----------
    dataset
        The other one.
    indices
        The numbers, in it, of the samples that are in here.

    Examples
    --------
    >>> from autograd_ops.utils.data import Subset
    >>> vowels = Subset("abcde", [0, 4])
    >>> vowels[1], len(vowels)
    ('e', 2)
    """

    def __init__(self, dataset: Dataset[T] | Sequence[T], indices: Sequence[int]) -> None:
        self.dataset: Any = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> T:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset[Any]):
    """The samples of several data sets, one set after the other.

    Parameters
    ----------
    datasets
        One or more, each with a length.

    Raises
    ------
    ValueError
        If there is none.
    TypeError
        If one is an `IterableDataset`.

    Examples
    --------
    >>> from autograd_ops.utils.data import ConcatDataset
    >>> both = ConcatDataset(["ab", "cde"])
    >>> both[3], both[-1], len(both)
    ('d', 'e', 5)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset: give at least one data set")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise TypeError("ConcatDataset: an IterableDataset has no samples by number; use ChainDataset")
        self.cumulative_sizes = list(accumulate(len(dataset) for dataset in self.datasets))

    def __getitem__(self, index: int) -> Any:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"ConcatDataset: index {index} is out of range for {size} samples")
        index %= size
        which = bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self) -> int:
        return int(self.cumulative_sizes[-1])


def random_split(dataset: Dataset[T], lengths: Sequence[float], generator: Generator | None = None) -> list[Subset[T]]:
    """Parts of a data set, with no sample in two of them, chosen at random.

    Parameters
    ----------
    dataset
        What is split.
    lengths
        How many samples each part gets, which add up to all; or fractions, which add up to 1. What rounding leaves
        over goes to the first parts, one each.
    generator
        What the choice is drawn from; the same seed, the same parts.

    Raises
    ------
    ValueError
        If `lengths` do not add up.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.utils.data import random_split
    >>> train, test = random_split(range(10), [0.75, 0.25], generator=ag.Generator().manual_seed(0))
    >>> len(train), len(test), sorted([*train, *test])
    (8, 2, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    size = len(dataset)  # type: ignore[arg-type]
    counts = _counts(size, lengths)
    if sum(counts) != size:
        raise ValueError(f"random_split: the lengths {list(lengths)} add up to {sum(counts)}, not to {size} samples")
    order = randperm(size, generator=generator, device="cpu").tolist()
    ends = accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)]


def _counts(size: int, lengths: Sequence[float]) -> list[int]:
    if any(length < 0 for length in lengths):
        raise ValueError(f"random_split: a length is negative: {list(lengths)}")
    if all(isinstance(length, int) for length in lengths):
        return [int(length) for length in lengths]
    if not isclose(sum(lengths), 1.0, abs_tol=1e-9):
        raise ValueError(f"random_split: the fractions {list(lengths)} add up to {sum(lengths)}, not to 1")
    counts = [int(size * fraction) for fraction in lengths]
    for i in range(size - sum(counts)):
        counts[i % len(counts)] += 1
    return counts


def whole_batches(dataset: Any) -> Callable[[list[int]], Any] | None:
    """A function that takes a batch of samples at once, if there is one: tensors are indexed faster by whole lists.

    It is there for a `TensorDataset` and subsets of one, but for subclasses that make their samples in another way.
    """
    inner = dataset
    while isinstance(inner, Subset) and type(inner).__getitem__ is Subset.__getitem__:
        inner = inner.dataset
    if isinstance(inner, TensorDataset) and type(inner).__getitem__ is TensorDataset.__getitem__:
        return partial(_batch, dataset)
    return None


def _batch(dataset: Any, indices: list[int]) -> list[Any]:
    return list(dataset[indices])


named(__name__)
