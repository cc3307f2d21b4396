"""Connectionist temporal classification: a loss of sequences whose alignment with their labels is not known."""

from __future__ import annotations

from collections.abc import Sequence

from ... import ops
from ...creation import tensor
from ...dtypes import int64
from ...refusals import named
from ...tensor import Tensor
from .reduction import check_reduction, reduced

__all__ = ["ctc_loss"]

Lengths = Tensor | Sequence[int] | int


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """-log of the probability that a sequence spells its target, in any alignment (Graves and others, 2006).

    Parameters
    ----------
    log_probs
        [T, N, C], or [T, C] for one sequence: log-probabilities, as `log_softmax` gives them.
    targets
        Classes: [N, S], or those of all sequences one after the other, [sum of target_lengths].
    input_lengths, target_lengths
        [N], ints or integer Tensors, at most T and S; for one sequence a number will do.
    blank
        The class that stands for no label.
    reduction
        ``"mean"``: each loss over its target's length (at least 1), and then the mean over the batch; ``"sum"``; or
        ``"none"``.
    zero_infinity
        Whether the loss of a target that has no alignment, and its gradient, is 0; else it is +inf.

    Returns
    -------
    Tensor
        0-d, or [N] if not reduced.

    Raises
    ------
    ValueError
        If the shapes or lengths do not fit, or `blank` is no class.
    IndexError
        If a length in a Tensor is too long, or a label is no class.

    Examples
    --------
    >>> import math
    >>> import autograd_ops as ag
    >>> even = ag.full((2, 2), math.log(0.5))
    >>> ag.nn.functional.ctc_loss(even, ag.tensor([1]), 2, 1).exp()  # 1 / (3 alignments of 4)
    tensor(1.3333)
    """
    check_reduction("ctc_loss", reduction)
    if log_probs.ndim not in (2, 3):
        raise ValueError(f"ctc_loss: log_probs must be [T, N, C] or [T, C], and have shape {tuple(log_probs.shape)}")
    single = log_probs.ndim == 2
    if single:
        log_probs = ops.expand_dims(log_probs, 1)
    steps, batch, _ = log_probs.shape
    ends = _lengths("input_lengths", input_lengths, batch, log_probs, steps)
    if targets.ndim == 1:
        # Where each of several targets begins must be known to the host.
        targets = ops.expand_dims(targets, 0) if single else _padded(targets, _on_host(target_lengths))
    lengths = _lengths("target_lengths", target_lengths, batch, log_probs, targets.shape[-1] if targets.ndim else 0)
    loss = ops.ctc_loss(log_probs, targets, ends, lengths, blank, log_probs.requires_grad)
    if zero_infinity:
        loss = ops.where(ops.isinf(loss), 0.0, loss)
    if reduction == "mean":
        loss = loss / ops.astype(ops.maximum(lengths, 1), loss.dtype)
    return reduced("ctc_loss", ops.squeeze(loss, (0,)) if single else loss, reduction)


def _lengths(name: str, lengths: Lengths, batch: int, log_probs: Tensor, most: int) -> Tensor:
    """`lengths` as a Tensor [N] on the device of `log_probs`, where they may come from the host as in PyTorch."""
    if isinstance(lengths, Tensor):
        moved: Tensor = lengths.to(log_probs.device)
        return ops.reshape(moved, (1,)) if moved.ndim == 0 else moved
    numbers = _on_host(lengths)
    for n in numbers:
        if not 0 <= n <= most:
            raise ValueError(f"ctc_loss: {name} has the length {n}, which is not between 0 and {most}")
    return tensor(numbers, dtype=int64, device=log_probs.device)


def _on_host(lengths: Lengths) -> list[int]:
    if isinstance(lengths, int):
        return [lengths]
    numbers = lengths.reshape(-1).tolist() if isinstance(lengths, Tensor) else lengths
    return [int(n) for n in numbers]


def _padded(targets: Tensor, counts: list[int]) -> Tensor:
    """Targets one after the other, `counts` long, as rows [N, S]."""
    if sum(counts) != targets.shape[0] or min(counts, default=0) < 0:
        raise ValueError(
            f"ctc_loss: target_lengths {counts} are {sum(counts)} in all, and the targets have shape "
            f"{tuple(targets.shape)}"
        )
    width = max(counts, default=0)
    starts = [sum(counts[:i]) for i in range(len(counts))]
    # Past the end of a row any label will do.
    places = [min(start + i, targets.shape[0] - 1) for start in starts for i in range(width)]
    rows = ops.take_rows(targets, tensor(places, dtype=int64, device=targets.device))
    return ops.reshape(rows, (len(counts), width))


named(__name__)
