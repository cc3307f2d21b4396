"""The options of the module ops: small frozen values, checked once when made.

They are hashable, so that an op can look up by them what it has worked out before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index

from .array_types import IntPair
from .errors import ShapeError

__all__ = ["AttentionModuleOptions", "ConvOptions", "PaddedConvOptions", "per_dimension"]

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
class AttentionModuleOptions:
    """How the scores of an attention are made.

    Parameters
    ----------
    scale
        What the products of queries and keys are multiplied by; None for 1 / sqrt(D), of the queries' width D.
    softcap
        Scaled scores s become ``softcap * tanh(s / softcap)``, which is between ±softcap; None for s itself.
    is_causal
        Whether a query sees no later key. The last query and the last key stand at one time, so that with Sq queries
        and Sk keys, query `row` sees key `column` if ``column <= row + Sk - Sq``.

    Raises
    ------
    ValueError
        Naming the field that is out of range.

    Examples
    --------
    >>> AttentionModuleOptions(softcap=30.0)
    AttentionModuleOptions(scale=None, softcap=30.0, is_causal=False)
    """

    scale: float | None = None
    softcap: float | None = None
    is_causal: bool = False

    def __post_init__(self) -> None:
        for field in ("scale", "softcap"):
            value = getattr(self, field)
            if value is None:
                continue
            name = f"{type(self).__name__}: {field}={value!r}"
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise TypeError(f"{name} is not a number or None") from None
            if not math.isfinite(number):
                raise ValueError(f"{name} must be finite")
            if field == "softcap" and number <= 0:
                raise ValueError(f"{name} must be positive")
            object.__setattr__(self, field, number)
        if not isinstance(self.is_causal, bool):
            raise TypeError(f"{type(self).__name__}: is_causal={self.is_causal!r} is not a bool")
