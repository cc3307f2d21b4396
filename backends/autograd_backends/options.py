"""The options of the module ops: small frozen values, checked once when made.

They are hashable, so that an op can look up by them what it has worked out before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from operator import index
from typing import Any, NamedTuple

from .array_types import IntPair
from .errors import ShapeError
from .resampling import MODES, SMOOTH_MODES

__all__ = [
    "AdamStep",
    "AttentionModuleOptions",
    "ConvOptions",
    "ConvTransposeOptions",
    "DeformConvOptions",
    "GridSampleOptions",
    "InterpolateOptions",
    "PaddedConvOptions",
    "RecurrentOptions",
    "UnfoldOptions",
]


class AdamStep(NamedTuple):
    """The numbers of one step of Adam.

    Attributes
    ----------
    beta1, beta2
        How slowly the two moments forget.
    pace
        The learning rate, with the corrections of both moments for their start at 0.
    slack
        The epsilon beside the root of the second moment, with its correction.
    shrink
        What the parameter is multiplied by before it moves, 1 without decoupled weight decay.
    """

    beta1: float
    beta2: float
    pace: float
    slack: float
    shrink: float = 1.0


#: (before, after) for each spatial dimension.
Pairs = tuple[tuple[int, int], ...]


def per_dimension(op_name: str, field: str, value: IntPair, rank: int) -> tuple[int, ...]:
    """`value` as one number for each of `rank` spatial dimensions.

    Raises
    ------
    ShapeError
        If `value` has a number for each of several dimensions, and these are not `rank`.
    TypeError
        If it is neither an int nor a sequence of ints.
    """
    if isinstance(value, int):
        return (value,) * rank
    numbers = as_ints(f"{op_name}: {field}", value)
    if isinstance(numbers, int):
        return (numbers,) * rank
    if len(numbers) != rank:
        raise ShapeError(f"{op_name}: {field}={numbers} has {len(numbers)} entries for {rank} spatial dimensions")
    return numbers


def as_ints(name: str, value: Any) -> int | tuple[int, ...]:
    """`value`, which may be of NumPy, as a plain int or a tuple of plain ints.

    Raises
    ------
    TypeError
        If it is neither.
    """
    try:
        return tuple([index(n) for n in value]) if hasattr(value, "__len__") else index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r} is not an int or a tuple of ints") from None


def _checked(owner: object, field: str, least: int) -> None:
    """Replace `field` of `owner` by plain ints, and refuse numbers below `least`."""
    given = getattr(owner, field)
    name = f"{type(owner).__name__}: {field}={given!r}"
    value = as_ints(f"{type(owner).__name__}: {field}", given)
    numbers = (value,) if isinstance(value, int) else value
    if not numbers or min(numbers) < least:
        raise ValueError(f"{name} must be {'positive' if least else 'zero or more'}")
    object.__setattr__(owner, field, value)


def _checked_count(owner: object, field: str) -> None:
    """Replace `field` of `owner` by a plain int, and refuse one below 1, or several."""
    _checked(owner, field, 1)
    if not isinstance(getattr(owner, field), int):
        raise TypeError(f"{type(owner).__name__}: {field}={getattr(owner, field)!r} is not an int")


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
        _checked_count(self, "groups")

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


def _checked_name(owner: object, field: str, names: Sequence[str]) -> None:
    """Refuse a `field` of `owner` that is none of `names`."""
    given = getattr(owner, field)
    if given not in names:
        there = ", ".join(map(repr, names))
        raise ValueError(f"{type(owner).__name__}: {field}={given!r} is not there; there are {there}")


@dataclass(frozen=True)
class InterpolateOptions:
    """How an array is resized.

    Parameters
    ----------
    mode
        ``"nearest"`` and ``"nearest_exact"``, in exact integers; ``"bilinear"``, in any number of dimensions, also
        called ``"linear"`` and ``"trilinear"``; ``"bicubic"``; ``"lanczos3"``; or ``"area"``, the mean of what a cell
        covers.
    align_corners
        Whether the centres of the first and last cells stay where they are, rather than their outer edges; of no
        effect on the nearest modes and on area.
    scales
        The ratio of output to input size that positions are computed with in each dimension, if it is not that of the
        sizes: PyTorch's meaning of ``scale_factor``. Of no effect where corners are aligned.
    antialias
        Whether the kernel is widened where the output is smaller, so that each cell of the input counts; in a smooth
        mode only.

    Raises
    ------
    ValueError
        Naming the field.

    Examples
    --------
    >>> InterpolateOptions("bilinear", align_corners=False)
    InterpolateOptions(mode='bilinear', align_corners=False, scales=None, antialias=False)
    """

    mode: str
    align_corners: bool = True
    scales: tuple[float, ...] | None = None
    antialias: bool = False

    def __post_init__(self) -> None:
        _checked_name(self, "mode", MODES)
        if self.antialias and self.mode not in SMOOTH_MODES:
            there = ", ".join(map(repr, SMOOTH_MODES))
            raise ValueError(f"InterpolateOptions: antialias=True needs one of the modes {there}, not {self.mode!r}")
        if self.scales is not None:
            scales = tuple(map(float, self.scales))
            if not all(0 < scale < inf for scale in scales):
                raise ValueError(f"InterpolateOptions: scales={self.scales} must be positive and finite")
            object.__setattr__(self, "scales", scales)


@dataclass(frozen=True)
class GridSampleOptions:
    """How an array is read at given points.

    Parameters
    ----------
    mode
        ``"bilinear"``; ``"nearest"``, where halves go to the even cell; or ``"bicubic"``.
    padding_mode
        What lies outside: ``"zeros"``; ``"border"``, the nearest cell; or ``"reflection"``, the array mirrored at its
        edge.
    align_corners
        Whether -1 and 1 are the centres of the first and last cells, rather than their outer edges.

    Raises
    ------
    ValueError
        Naming the field.

    Examples
    --------
    >>> GridSampleOptions(padding_mode="border")
    GridSampleOptions(mode='bilinear', padding_mode='border', align_corners=False)
    """

    mode: str = "bilinear"
    padding_mode: str = "zeros"
    align_corners: bool = False

    def __post_init__(self) -> None:
        _checked_name(self, "mode", ("bilinear", "nearest", "bicubic"))
        _checked_name(self, "padding_mode", ("zeros", "border", "reflection"))


@dataclass(frozen=True)
class ConvTransposeOptions:
    """How the kernel of a transposed convolution moves over its output.

    Each but `groups` is one int for every spatial dimension, or a tuple with one for each.

    Parameters
    ----------
    stride, padding, dilation, groups
        Those of the convolution whose gradient this is: `padding` cells are cut off both sides of the output.
    padding_out
        How much longer the output is at its end than the shortest that the convolution would take.

    Raises
    ------
    ValueError
        Naming the field that is out of range.

    Examples
    --------
    >>> ConvTransposeOptions(stride=2, padding_out=1)
    ConvTransposeOptions(stride=2, padding=0, padding_out=1, dilation=1, groups=1)
    """

    stride: IntPair = 1
    padding: IntPair = 0
    padding_out: IntPair = 0
    dilation: IntPair = 1
    groups: int = 1

    def __post_init__(self) -> None:
        _checked(self, "stride", 1)
        _checked(self, "padding", 0)
        _checked(self, "padding_out", 0)
        _checked(self, "dilation", 1)
        _checked_count(self, "groups")


@dataclass(frozen=True)
class DeformConvOptions:
    """How the kernel of a deformable convolution moves over its input, before the offsets.

    Parameters
    ----------
    stride, padding, dilation
        As in `ConvOptions`.
    weight_groups
        How many parts the channels are cut into; each part of the input makes one part of the output.
    offset_groups
        How many parts the channels of the input are cut into, each with offsets of its own.

    Raises
    ------
    ValueError
        Naming the field that is out of range.
    """

    stride: IntPair = 1
    padding: IntPair = 0
    dilation: IntPair = 1
    weight_groups: int = 1
    offset_groups: int = 1

    def __post_init__(self) -> None:
        _checked(self, "stride", 1)
        _checked(self, "padding", 0)
        _checked(self, "dilation", 1)
        _checked_count(self, "weight_groups")
        _checked_count(self, "offset_groups")


@dataclass(frozen=True)
class UnfoldOptions:
    """How a window moves over an image that is unfolded or folded.

    Each is one int for both dimensions, or a tuple with one for each.

    Parameters
    ----------
    stride
        The step of the window, at least 1.
    padding
        How many zeros are put on both sides of the image.
    dilation
        The distance between the cells of the window, at least 1.

    Raises
    ------
    ValueError
        Naming the field that is out of range.
    """

    stride: IntPair = 1
    padding: IntPair = 0
    dilation: IntPair = 1

    def __post_init__(self) -> None:
        _checked(self, "stride", 1)
        _checked(self, "padding", 0)
        _checked(self, "dilation", 1)
