"""Padding and packing: values and orders as in PyTorch 2.13, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_ops as ag
from autograd_ops.nn.utils.rnn import (
    PackedSequence,
    invert_permutation,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)

from .conftest import DEVICES

X = [[[0.0], [1.0], [2.0]], [[3.0], [4.0], [5.0]], [[6.0], [7.0], [8.0]], [[9.0], [10.0], [11.0]]]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_packing_out_of_order(device: str, batch_first: bool, as_tensor: bool) -> None:
    x = ag.tensor(X, device=device)
    x = (x.transpose(0, 1) if batch_first else x).detach().requires_grad_()
    lengths: Any = ag.tensor([2, 4, 4]) if as_tensor else [2, 4, 4]
    packed = pack_padded_sequence(x, lengths, batch_first, enforce_sorted=False)
    assert packed.data.flatten().tolist() == [1, 2, 0, 4, 5, 3, 7, 8, 10, 11]
    assert packed.batch_sizes.tolist() == [3, 3, 2, 2]
    assert packed.batch_sizes.device == "cpu"
    assert packed.sorted_indices.tolist() == [1, 2, 0]
    assert packed.unsorted_indices.tolist() == [2, 0, 1]
    assert packed.data.device == packed.sorted_indices.device == device
    padded, found = pad_packed_sequence(packed, batch_first, -1.0, total_length=5)
    assert found.tolist() == [2, 4, 4]
    assert padded.shape == ((3, 5, 1) if batch_first else (5, 3, 1))
    time_first = padded.transpose(0, 1) if batch_first else padded
    assert time_first[..., 0].tolist() == [[0, 1, 2], [3, 4, 5], [-1, 7, 8], [-1, 10, 11], [-1, -1, -1]]
    (padded * padded).sum().backward()
    grad = x.grad.transpose(0, 1) if batch_first else x.grad
    assert grad[..., 0].tolist() == [[0, 2, 4], [6, 8, 10], [0, 14, 16], [0, 20, 22]]


def test_packing_in_order() -> None:
    packed = pack_padded_sequence(ag.tensor(X), [4, 3, 1])
    assert packed.data.flatten().tolist() == [0, 1, 2, 3, 4, 6, 7, 9]
    assert packed.sorted_indices is None
    assert packed.unsorted_indices is None
    padded, lengths = pad_packed_sequence(packed)
    assert padded[..., 0].tolist() == [[0, 1, 2], [3, 4, 0], [6, 7, 0], [9, 0, 0]]
    assert lengths.tolist() == [4, 3, 1]
    assert lengths.dtype is ag.int64


@pytest.mark.parametrize(
    ("lengths", "options", "message"),
    [
        ([2, 4, 4], {}, r"lengths \[2, 4, 4\] are not in falling order"),
        ([4, 4, 0], {}, "a length is from 1 to T, which is 4 .*; one is 0"),
        ([5, 4, 4], {}, "a length is from 1 to T, which is 4 .*; one is 5"),
        ([4, 4], {}, "2 lengths for 3 sequences"),
        ([4, 4, 4], {"batch_first": True}, "3 lengths for 4 sequences"),
    ],
)
def test_packing_refuses(lengths: list[int], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pack_padded_sequence(ag.tensor(X), lengths, **options)


def test_other_refusals() -> None:
    with pytest.raises(ValueError, match="there are no sequences in an input"):
        pack_padded_sequence(ag.zeros(3, 0, 1), [])
    with pytest.raises(ValueError, match=r"expected \[T, N, ...\], got shape \(3,\)"):
        pack_padded_sequence(ag.zeros(3), [1])
    with pytest.raises(ValueError, match="total_length=3 is less than the length of the longest sequence, 4"):
        pad_packed_sequence(pack_padded_sequence(ag.tensor(X), [4, 3, 1]), total_length=3)
    with pytest.raises(ValueError, match="there are no sequences"):
        pad_sequence([])
    with pytest.raises(ValueError, match=r"the first one has shape \(2, 3\) and number 1 \(1, 4\)"):
        pad_sequence([ag.zeros(2, 3), ag.zeros(1, 4)])
    with pytest.raises(ValueError, match="padding_side is 'left' or 'right', not 'up'"):
        pad_sequence([ag.zeros(2)], padding_side="up")
    with pytest.raises(ValueError, match="unpad_sequence: 1 lengths for 2 sequences"):
        unpad_sequence(ag.zeros(3, 2), [1])


@pytest.mark.parametrize("batch_first", [False, True])
def test_padding_and_back(batch_first: bool) -> None:
    given = [ag.tensor([1, 2]), ag.tensor([3, 4, 5])]
    padded = pad_sequence(given, batch_first, -1)
    assert padded.dtype is ag.int64
    assert (padded if batch_first else padded.T).tolist() == [[1, 2, -1], [3, 4, 5]]
    left = pad_sequence(given, batch_first, -1, padding_side="left")
    assert (left if batch_first else left.T).tolist() == [[-1, 1, 2], [3, 4, 5]]
    back = unpad_sequence(padded, ag.tensor([2, 3]), batch_first)
    assert [sequence.tolist() for sequence in back] == [[1, 2], [3, 4, 5]]


def test_packing_single_sequences_and_back() -> None:
    packed = pack_sequence([ag.tensor([1, 2]), ag.tensor([3, 4, 5])], enforce_sorted=False)
    assert packed.data.tolist() == [3, 1, 4, 2, 5]
    assert packed.batch_sizes.tolist() == [2, 2, 1]
    assert [sequence.tolist() for sequence in unpack_sequence(packed)] == [[1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="falling order"):
        pack_sequence([ag.tensor([1, 2]), ag.tensor([3, 4, 5])])


def test_inverting_a_permutation() -> None:
    order = ag.tensor([2, 0, 1])
    assert order[invert_permutation(order)].tolist() == [0, 1, 2]
    assert invert_permutation(None) is None


def test_a_packed_sequence_moves() -> None:
    packed = pack_padded_sequence(ag.tensor(X), [2, 4, 4], enforce_sorted=False)
    moved = packed.to("strict:device1")
    assert type(moved) is PackedSequence
    assert moved.data.device == moved.sorted_indices.device == moved.unsorted_indices.device == "strict:device1"
    assert moved.batch_sizes.device == "cpu"
    assert moved.cpu().data.tolist() == packed.data.tolist()
    assert packed.to("cpu") is packed
    assert [p.data.dtype for p in (packed.double(), packed.half(), packed.float())] == [
        ag.float64,
        ag.float16,
        ag.float32,
    ]
    assert repr(packed).startswith("PackedSequence(data=tensor(")
    again = PackedSequence(packed.data, packed.batch_sizes, packed.sorted_indices)
    assert again.unsorted_indices.tolist() == [2, 0, 1]
