"""Rows of a table by number, each bag of them made one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ... import ops
from ...creation import arange, ones, tensor, zeros
from ...refusals import named
from ...tensor import Tensor
from .embedding import row_of, shorten_rows, with_gradient_over_frequency

__all__ = ["embedding_bag"]


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """For each bag of numbers, the sum, mean or maximum of the rows of `weight` that they name.

    Parameters
    ----------
    input
        Integers in [0, n): [bags, length], or [N] with `offsets`.
    weight
        [n, d]; as in PyTorch, the two may come in the other order.
    offsets
        Where each bag begins in `input`, [bags], the first at 0. An empty bag gives 0.
    max_norm, norm_type, sparse
        As of `embedding`.
    scale_grad_by_freq
        As of `embedding`; not with ``"max"``.
    mode
        ``"sum"``, ``"mean"`` or ``"max"``, of each element by itself.
    per_sample_weights
        A factor for each number, of the shape of `input`; only with ``"sum"``.
    include_last_offset
        Whether `offsets` has one more, the length of `input`.
    padding_idx
        A number that does not count.

    Returns
    -------
    Tensor
        [bags, d]

    Raises
    ------
    ValueError
        If shapes or arguments do not go together.
    IndexError
        If a number is not in [0, n).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> table = ag.tensor([[1.0, 1.0], [2.0, 4.0]])
    >>> ag.nn.functional.embedding_bag(ag.tensor([0, 1, 1]), table, ag.tensor([0, 2]), mode="sum")
    tensor([[3., 5.],
            [2., 4.]])
    """
    if weight.dtype.kind in ("int", "uint") and input.dtype.kind == "float":
        input, weight = weight, input
    _check(input, weight, offsets, scale_grad_by_freq, mode, per_sample_weights)
    starts = _starts(input, offsets, include_last_offset)
    numbers = ops.reshape(input, (input.numel(),)).long()
    padding = None if padding_idx is None else row_of("embedding_bag", padding_idx, weight.shape[0])
    if max_norm is not None:
        shorten_rows(numbers, weight, max_norm, norm_type)
    rows = ops.embedding(weight, numbers)
    if scale_grad_by_freq and rows.requires_grad:
        rows = with_gradient_over_frequency(rows, numbers, weight.shape[0])
    counts = ones(*numbers.shape, dtype=rows.dtype, device=rows.device)
    if padding is not None:
        counts = (numbers != padding).to(rows.dtype)
        rows = rows if mode == "max" else ops.where(ops.expand_dims(numbers == padding, 1), 0.0, rows)
    if mode == "max":
        return _largest(rows, counts, starts)
    if per_sample_weights is not None:
        rows = rows * ops.reshape(per_sample_weights, (*numbers.shape, 1))
    bag = tensor([i for i, (a, b) in enumerate(pairwise(starts)) for _ in range(b - a)], device=rows.device).long()
    sums = zeros(len(starts) - 1, rows.shape[1], dtype=rows.dtype, device=rows.device).index_add(0, bag, rows)
    if mode == "sum":
        return sums
    sizes = zeros(len(starts) - 1, dtype=rows.dtype, device=rows.device).index_add(0, bag, counts)
    return sums / ops.expand_dims(ops.clamp(sizes, 1.0, None), 1)


def _check(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    scale_grad_by_freq: bool,
    mode: str,
    per_sample_weights: Tensor | None,
) -> None:
    name = "embedding_bag"
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"{name}: mode must be 'sum', 'mean' or 'max', not {mode!r}")
    if weight.ndim != 2:
        raise ValueError(f"{name}: the weight must be a matrix, and has shape {tuple(weight.shape)}")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError(f"{name}: scale_grad_by_freq has no meaning with mode 'max'")
    if input.ndim not in (1, 2) or (input.ndim == 1) != (offsets is not None):
        raise ValueError(
            f"{name}: takes numbers [bags, length], or [N] with offsets; got shape {tuple(input.shape)} "
            f"{'with' if offsets is not None else 'without'} offsets"
        )
    if per_sample_weights is not None:
        if mode != "sum":
            raise ValueError(f"{name}: per_sample_weights go with mode 'sum' only, not {mode!r}")
        if per_sample_weights.shape != input.shape:
            raise ValueError(
                f"{name}: per_sample_weights must have the shape of the input, {tuple(input.shape)}, and has "
                f"{tuple(per_sample_weights.shape)}"
            )


def _starts(input: Tensor, offsets: Tensor | None, include_last_offset: bool) -> list[int]:
    """Where each bag begins, and where the last one ends."""
    if offsets is None:
        bags, length = input.shape
        return [i * length for i in range(bags + 1)]
    starts: list[int] = offsets.tolist()
    if not include_last_offset:
        starts.append(input.numel())
    if not starts or starts[0] != 0 or starts[-1] > input.numel() or any(a > b for a, b in pairwise(starts)):
        raise ValueError(
            f"embedding_bag: offsets must begin with 0, not fall, and not go beyond the {input.numel()} numbers; "
            f"got {offsets.tolist()}"
        )
    starts[-1] = input.numel()
    return starts


def _largest(rows: Tensor, counts: Tensor, starts: Sequence[int]) -> Tensor:
    """The largest of `rows` [N, d] in each bag, the first of equals; those whose count is 0 are left out."""
    longest = max((b - a for a, b in pairwise(starts)), default=0)
    if longest == 0:
        return zeros(len(starts) - 1, rows.shape[1], dtype=rows.dtype, device=rows.device)
    begin = ops.expand_dims(tensor(starts[:-1], device=rows.device).long(), 1)
    end = ops.expand_dims(tensor(starts[1:], device=rows.device).long(), 1)
    places = begin + arange(longest, device=rows.device)
    inside = places < end
    places = ops.where(inside, places, 0)
    there = inside & (counts[places] > 0)
    spread = ops.where(ops.expand_dims(there, 2), ops.embedding(rows, places), -float("inf"))
    largest = spread.max(dim=1).values
    return ops.where(ops.expand_dims(ops.any(there, (1,)), 1), largest, 0.0)


named(__name__)
