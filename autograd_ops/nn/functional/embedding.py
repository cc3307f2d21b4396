"""Rows of a table by number, and numbers as rows of zeros and a one."""

from __future__ import annotations

from ... import ops
from ...creation import arange, ones_like, zeros
from ...dtypes import bool_
from ...indexing import check_indices
from ...refusals import named
from ...tape import no_grad
from ...tensor import Tensor

__all__ = ["embedding", "one_hot"]


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` that `input` names.

    Parameters
    ----------
    input
        Integers in [0, n), of any shape.
    weight
        [n, d]
    padding_idx
        A row that gets no gradient; negative ones count from the end.
    max_norm
        Rows that are named and longer than this are first made that long, in `weight` itself and off the tape.
    norm_type
        The p of the norm that is meant.
    scale_grad_by_freq
        Whether the gradient of a row is divided by how often `input` names it.
    sparse
        Accepted for PyTorch's sake: gradients are dense.

    Returns
    -------
    Tensor
        [*input.shape, d]

    Raises
    ------
    IndexError
        If an index is negative or not below n, naming it and n; or there is no row `padding_idx`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> table = ag.tensor([[0.0, 0.0], [1.0, 2.0]])
    >>> ag.nn.functional.embedding(ag.tensor([1, 1, 0]), table)
    tensor([[1., 2.],
            [1., 2.],
            [0., 0.]])
    """
    padding_row = None if padding_idx is None else row_of("embedding", padding_idx, weight.shape[0])
    if max_norm is not None:
        shorten_rows(input, weight, max_norm, norm_type)
    rows = ops.embedding(weight, input)
    if scale_grad_by_freq and rows.requires_grad:
        rows = with_gradient_over_frequency(rows, input, weight.shape[0])
    if padding_row is None or not rows.requires_grad:
        return rows
    padding = ops.expand_dims(input == padding_row, input.ndim)
    return ops.where(padding, rows.detach(), rows)


@no_grad
def shorten_rows(input: Tensor, weight: Tensor, max_norm: float, norm_type: float) -> None:
    """Make the rows of `weight` that `input` names at most `max_norm` long, in place."""
    check_indices(input, weight.shape[0], "embedding")
    named = zeros(weight.shape[0], device=weight.device, dtype=bool_)
    named[ops.reshape(input, (input.numel(),))] = True
    lengths = weight.norm(norm_type, dim=1)
    factors = ops.where(named & (lengths > max_norm), max_norm / (lengths + 1e-7), 1.0)
    weight.mul_(ops.expand_dims(factors, 1))


def with_gradient_over_frequency(rows: Tensor, input: Tensor, count: int) -> Tensor:
    """`rows` [*input.shape, d], the gradient of each divided by how often `input` names its number, below `count`."""
    flat = ops.reshape(input, (input.numel(),)).long()
    often = zeros(count, dtype=rows.dtype, device=rows.device).index_add(0, flat, ones_like(flat, dtype=rows.dtype))
    share = ops.reshape(1.0 / often[flat], (*input.shape, 1))
    # What is added is 0, and so is the gradient of what it is added to.
    return rows.detach() + (rows - rows.detach()) * share


def row_of(name: str, padding_idx: int, count: int) -> int:
    """`padding_idx`, one of `count` rows, counted from the front.

    Raises
    ------
    IndexError
        If there is no such row.
    TypeError
        If it is no int.
    """
    if not hasattr(padding_idx, "__index__"):
        raise TypeError(f"{name}: padding_idx is an int, not {padding_idx!r}")
    if not -count <= padding_idx < count:
        raise IndexError(f"{name}: padding_idx={padding_idx} is none of the {count} rows")
    return int(padding_idx) % count


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each integer a row of zeros with a 1 in its place.

    Parameters
    ----------
    tensor
        Integers in [0, num_classes), of any shape.
    num_classes
        How long the rows are; -1 for one more than the largest integer.

    Returns
    -------
    Tensor
        int64, [*tensor.shape, num_classes]

    Raises
    ------
    IndexError
        If an integer is negative or not below `num_classes`.
    ValueError
        If `num_classes` is -1 and `tensor` is empty.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.one_hot(ag.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if num_classes == -1:
        if tensor.numel() == 0:
            raise ValueError("one_hot: the number of classes of an empty tensor must be given")
        num_classes = int(ops.amax(tensor)) + 1
    check_indices(tensor, num_classes, "one_hot")
    classes = arange(num_classes, device=tensor.device)
    return (ops.expand_dims(tensor.long(), tensor.ndim) == classes).long()


named(__name__)
