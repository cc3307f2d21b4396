"""Sequences of several lengths in one batch: padded to the longest, or packed without padding.

A packed sequence has what all sequences have at the first time in one run of rows, then what they have at the second,
and so on. The sequences are ordered by length, the longest first, so those that still go on are always the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Self

from ... import ops
from ...creation import full, tensor
from ...dtypes import float16, float32, float64, int64
from ...refusals import named
from ...tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Fields(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Fields):
    """Sequences of several lengths without padding; made by `pack_padded_sequence` and `pack_sequence`.

    Attributes
    ----------
    data
        [sum of lengths, ...], time after time.
    batch_sizes
        int64 on the CPU: how many of the sequences have each time.
    sorted_indices
        Which of the given sequences is the longest, the next one, and so on; None where they were given in that order.
    unsorted_indices
        Where in that order each given sequence is; by default from `sorted_indices`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> packed = ag.nn.utils.rnn.pack_sequence([ag.tensor([1, 2, 3]), ag.tensor([4])])
    >>> packed.data
    tensor([1, 4, 2, 3])
    >>> packed.batch_sizes
    tensor([2, 1, 1])
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"PackedSequence({fields})"

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with data as of ``data.to(...)``, and the indices on its device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        moved = [None if i is None else i.to(data.device) for i in (self.sorted_indices, self.unsorted_indices)]
        return PackedSequence(data, self.batch_sizes, *moved)

    def cpu(self) -> PackedSequence:
        """The same on the CPU."""
        return self.to("cpu")

    def cuda(self) -> PackedSequence:
        """The same on the first GPU."""
        return self.to("cuda")

    def half(self) -> PackedSequence:
        """The same in float16."""
        return self.to(float16)

    def float(self) -> PackedSequence:
        """The same in float32."""
        return self.to(float32)

    def double(self) -> PackedSequence:
        """The same in float64."""
        return self.to(float64)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes `permutation`; None for None.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.utils.rnn.invert_permutation(ag.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    return tensor(ops.inverse(permutation.tolist()), dtype=int64, device=permutation.device)


# ---------------------------------------------------------------- packing


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Iterable[Any], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Padded sequences without their padding.

    Parameters
    ----------
    input
        [T, N, ...], or [N, T, ...] with `batch_first`.
    lengths
        [N], how many elements of each sequence count.
    enforce_sorted
        Refuse sequences that are not ordered by length, the longest first; otherwise they are put in that order.

    Raises
    ------
    ValueError
        If there are no sequences, or `lengths` are not N numbers from 1 to T, in falling order if that is enforced.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> padded = ag.tensor([[1, 0, 0], [2, 3, 4]])
    >>> packed = ag.nn.utils.rnn.pack_padded_sequence(padded, [1, 3], batch_first=True, enforce_sorted=False)
    >>> packed.data, packed.sorted_indices
    (tensor([2, 1, 3, 4]), tensor([1, 0]))
    """
    counts = _ints(lengths)
    if input.ndim < 2:
        raise ValueError(f"pack_padded_sequence: expected [T, N, ...], got shape {tuple(input.shape)}")
    times, batch = reversed(input.shape[:2]) if batch_first else input.shape[:2]
    if not batch:
        raise ValueError(f"pack_padded_sequence: there are no sequences in an input of shape {tuple(input.shape)}")
    if len(counts) != batch:
        raise ValueError(f"pack_padded_sequence: {len(counts)} lengths for {batch} sequences")
    for count in counts:
        if not 0 < count <= times:
            raise ValueError(
                f"pack_padded_sequence: a length is from 1 to T, which is {times} in an input of shape "
                f"{tuple(input.shape)}; one is {count}"
            )
    order = list(range(batch))
    if not enforce_sorted:
        order.sort(key=lambda n: -counts[n])
    elif any(after > before for before, after in pairwise(counts)):
        raise ValueError(
            f"pack_padded_sequence: lengths {counts} are not in falling order, as enforce_sorted=True asks for; "
            "with enforce_sorted=False the sequences are put in order"
        )
    sizes = [sum(count > t for count in counts) for t in range(counts[order[0]])]
    along_time, along_batch = (1, times) if batch_first else (batch, 1)
    rows = [t * along_time + n * along_batch for t, size in enumerate(sizes) for n in order[:size]]
    flat = ops.reshape(input, (times * batch, *input.shape[2:]))
    data = ops.take_rows(flat, tensor(rows, dtype=int64, device=input.device))
    sorted_indices = None if enforce_sorted else tensor(order, dtype=int64, device=input.device)
    return PackedSequence(data, tensor(sizes, dtype=int64), sorted_indices)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Packed sequences, in the order in which they were given, with padding after the shorter ones.

    Parameters
    ----------
    batch_first
        Give [N, T, ...].
    padding_value
        What stands after the end of a sequence.
    total_length
        T; by default the length of the longest sequence.

    Returns
    -------
    tuple
        The sequences [T, N, ...], and their lengths [N], int64 on the CPU.

    Raises
    ------
    ValueError
        If `total_length` is less than the length of the longest sequence.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> packed = ag.nn.utils.rnn.pack_sequence([ag.tensor([1, 2, 3]), ag.tensor([4])])
    >>> ag.nn.utils.rnn.pad_packed_sequence(packed)
    (tensor([[1, 4],
            [2, 0],
            [3, 0]]), tensor([3, 1]))
    """
    data, sizes, order = sequence.data, sequence.batch_sizes.tolist(), sequence.unsorted_indices
    batch = sizes[0]
    times = len(sizes) if total_length is None else total_length
    if times < len(sizes):
        raise ValueError(
            f"pad_packed_sequence: total_length={total_length} is less than the length of the longest sequence, "
            f"{len(sizes)}"
        )
    places = list(range(batch)) if order is None else order.tolist()
    counts = [sum(size > place for size in sizes) for place in places]
    starts = [0, *accumulate(sizes)]
    padding = data.shape[0]  # the row behind the data

    def row(t: int, n: int) -> int:
        return starts[t] + places[n] if t < counts[n] else padding

    if batch_first:
        rows, shape = [row(t, n) for n in range(batch) for t in range(times)], (batch, times)
    else:
        rows, shape = [row(t, n) for t in range(times) for n in range(batch)], (times, batch)
    filled = ops.concat([data, full((1, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)], 0)
    padded = ops.take_rows(filled, tensor(rows, dtype=int64, device=data.device))
    return ops.reshape(padded, (*shape, *data.shape[1:])), tensor(counts, dtype=int64)


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """`pack_padded_sequence` of sequences [T_n, ...], each a Tensor of its own."""
    return pack_padded_sequence(pad_sequence(sequences), map(len, sequences), enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The inverse of `pack_sequence`: sequences [T_n, ...], each a Tensor of its own."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences))


# ---------------------------------------------------------------- padding


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences of several lengths in one Tensor, with padding.

    Parameters
    ----------
    sequences
        Each [T_n, ...].
    batch_first
        Give [N, T, ...].
    padding_value
        What fills up a shorter sequence.
    padding_side
        ``"right"``, after its end, or ``"left"``, before its start.

    Returns
    -------
    Tensor
        [T, N, ...], where T is the length of the longest sequence.

    Raises
    ------
    ValueError
        If there are no sequences, they differ in more than their length, or `padding_side` is another.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.utils.rnn.pad_sequence([ag.tensor([1, 2, 3]), ag.tensor([4])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])
    """
    if padding_side not in ("left", "right"):
        raise ValueError(f"pad_sequence: padding_side is 'left' or 'right', not {padding_side!r}")
    if not len(sequences):
        raise ValueError("pad_sequence: there are no sequences")
    first = sequences[0]
    for i, sequence in enumerate(sequences):
        if not sequence.ndim or sequence.shape[1:] != first.shape[1:]:
            raise ValueError(
                f"pad_sequence: sequences may differ in their first dimension only, but the first one has shape "
                f"{tuple(first.shape)} and number {i} {tuple(sequence.shape)}"
            )
    longest = max(map(len, sequences))

    def padded(sequence: Tensor) -> Tensor:
        if len(sequence) == longest:
            return sequence
        shape = (longest - len(sequence), *sequence.shape[1:])
        padding = full(shape, padding_value, dtype=sequence.dtype, device=sequence.device)
        return ops.concat([sequence, padding] if padding_side == "right" else [padding, sequence], 0)

    return ops.stack([padded(sequence) for sequence in sequences], 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor | Iterable[Any], batch_first: bool = False
) -> list[Tensor]:
    """Padded sequences [T, N, ...], or [N, T, ...] with `batch_first`, as a Tensor [T_n, ...] each.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.utils.rnn.unpad_sequence(ag.tensor([[1, 2, 3], [4, 0, 0]]), [3, 1], batch_first=True)
    [tensor([1, 2, 3]), tensor([4])]
    """
    counts = _ints(lengths)
    batch = padded_sequences.shape[0 if batch_first else 1]
    if len(counts) != batch:
        raise ValueError(f"unpad_sequence: {len(counts)} lengths for {batch} sequences")
    if batch_first:
        return [padded_sequences[n, :count] for n, count in enumerate(counts)]
    return [padded_sequences[:count, n] for n, count in enumerate(counts)]


def _ints(lengths: Tensor | Iterable[Any]) -> list[int]:
    return lengths.tolist() if isinstance(lengths, Tensor) else [int(count) for count in lengths]


named(__name__)
