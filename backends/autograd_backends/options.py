"""The options of the module ops: small frozen values, checked once when made.

They are hashable, so that an op can look up by them what it has worked out before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import index

from .array_types import IntPair
from .errors import ShapeError

__all__ = ["ConvOptions", "PaddedConvOptions", "RecurrentOptions", "per_dimension"]

#: (before, after) for each spatial dimension.
Pairs = tuple[tuple[int, int], ...]


def per_dimension(op_name: str, field: str, value: IntPair, rank: int) -> tuple[int, ...]:
    """`value` as one number for each of `rank` spatial dimensions.

    Raises
    ------
    ShapeError
        If `value` has a number for each of several dimensions, and these are not `rank`.
    """
    if isinstance(value, int):
        return (value,) * rank
    if len(value) != rank:
        raise ShapeError(f"{op_name}: {field}={tuple(value)} has {len(value)} entries for {rank} spatial dimensions")
    return tuple(value)


def _checked(owner: object, field: str, least: int) -> None:
    """Replace `field` of `owner` by plain ints, and refuse numbers below `least`."""
    given = getattr(owner, field)
    name = f"{type(owner).__name__}: {field}={given!r}"
    try:
        value = tuple(index(n) for n in given) if isinstance(given, Sequence) else index(given)
    except TypeError:
        raise TypeError(f"{name} is not an int or a tuple of ints") from None
    numbers = (value,) if isinstance(value, int) else value
    if not numbers or min(numbers) < least:
        raise ValueError(f"{name} must be {'positive' if least else 'zero or more'}")
    object.__setattr__(owner, field, value)


@dataclass(frozen=True)
class ConvOptions:
    """How the kernel of a convolution moves over its input.

    Each but `groups` is one int for every spatial dimension, or a tuple with one for each.

    Parameters
    ----------
    stride
        The step of the kernel, at least 1.
    padding
        How many zeros are put on both sides of the input.
    dilation
        The distance between the cells of the kernel, at least 1.
    groups
        How many parts the channels are cut into; each part of the input makes one part of the output.

    Raises
    ------
    ValueError
        Naming the field that is out of range.

    Examples
    --------
    >>> ConvOptions(padding=1)
    ConvOptions(stride=1, padding=1, dilation=1, groups=1)
    """

    stride: IntPair = 1
    padding: IntPair = 0
    dilation: IntPair = 1
    groups: int = 1

    def __post_init__(self) -> None:
        _checked(self, "stride", 1)
        _checked(self, "padding", 0)
        _checked(self, "dilation", 1)
        _checked(self, "groups", 1)
        if not isinstance(self.groups, int):
            raise TypeError(f"{type(self).__name__}: groups={self.groups!r} is not an int")

    def padding_pairs(self, op_name: str, rank: int) -> Pairs:
        """The zeros (before, after) the input in each of `rank` spatial dimensions."""
        return tuple((n, n) for n in per_dimension(op_name, "padding", self.padding, rank))


@dataclass(frozen=True)
class PaddedConvOptions(ConvOptions):
    """ConvOptions whose `padding` is that before the input, with another, `padding_end`, after it.

    Examples
    --------
    >>> PaddedConvOptions.asymmetric(stride=1, padding_start=1, padding_end=(2, 3)).padding_pairs("conv2d", 2)
    ((1, 2), (1, 3))
    """

    padding_end: IntPair = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _checked(self, "padding_end", 0)

    @classmethod
    def asymmetric(
        cls,
        stride: IntPair = 1,
        padding_start: IntPair = 0,
        padding_end: IntPair = 0,
        dilation: IntPair = 1,
        groups: int = 1,
    ) -> PaddedConvOptions:
        """Options with `padding_start` zeros before the input and `padding_end` after it."""
        return cls(stride, padding_start, dilation, groups, padding_end)

    def padding_pairs(self, op_name: str, rank: int) -> Pairs:
        before = per_dimension(op_name, "padding_start", self.padding, rank)
        after = per_dimension(op_name, "padding_end", self.padding_end, rank)
        return tuple(zip(before, after, strict=True))


@dataclass(frozen=True)
class RecurrentOptions:
    """How a recurrent network goes through its sequences.

    Parameters
    ----------
    reverse
        From the last time to the first; the results still stand in the order of x.
    batch_sizes
        None: all sequences are equally long, and x is [T, N, d_input]. For sequences of several lengths, ordered by
        length with the longest first: how many of them have each time; x is then [sum of batch_sizes, d_input], the
        rows of all sequences at the first time, then at the second, and so on.

    Raises
    ------
    ValueError
        If `batch_sizes` is empty, or has a number that is not positive or larger than the one before it.

    Examples
    --------
    Sequences of 3 and 1 elements:

    >>> RecurrentOptions(batch_sizes=(2, 1, 1))
    RecurrentOptions(reverse=False, batch_sizes=(2, 1, 1))
    """

    reverse: bool = False
    batch_sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.batch_sizes is None:
            return
        given: object = self.batch_sizes
        if isinstance(given, int):
            raise TypeError(f"RecurrentOptions: batch_sizes={given} is not a tuple of ints")
        _checked(self, "batch_sizes", 1)
        if any(n > before for before, n in pairwise(self.batch_sizes)):
            raise ValueError(f"RecurrentOptions: batch_sizes={self.batch_sizes} may not rise: order the longest first")
