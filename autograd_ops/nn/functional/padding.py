"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from ... import ops
from ...creation import full
from ...tensor import Tensor

__all__ = ["pad"]


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """`input` with cells put around its last dimensions.

    Parameters
    ----------
    input
        Of any shape.
    pad
        How many go before and after the last dimension, before and after the one before it, and so on; negative
        numbers cut cells off.
    mode
        ``"constant"`` only.
    value
        What the cells are; 0 by default.

    Raises
    ------
    ValueError
        If `pad` has an odd number of entries, or more than two a dimension, or cuts off more than there is, or `mode`
        is another.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.pad(ag.ones(1, 2), (1, -1))
    tensor([[0., 1.]])
    """
    shape = tuple(input.shape)
    if mode != "constant":
        raise ValueError(f"pad: mode {mode!r} is not there yet; there is 'constant'")
    if len(pad) % 2 or len(pad) > 2 * len(shape):
        raise ValueError(f"pad: expected pairs for the last dimensions of shape {shape}, got {tuple(pad)}")
    pairs = [(0, 0)] * (len(shape) - len(pad) // 2)
    pairs += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    padded = tuple([before + n + after for n, (before, after) in zip(shape, pairs, strict=True)])
    if min(padded, default=0) < 0:
        raise ValueError(f"pad: {tuple(pad)} cuts off more than shape {shape} has")
    taken = tuple([slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(shape, pairs, strict=True)])
    filled = tuple([slice(max(before, 0), n - max(after, 0)) for n, (before, after) in zip(padded, pairs, strict=True)])
    around = full(padded, 0.0 if value is None else value, dtype=input.dtype, device=input.device)
    return ops.overwrite(around, ops.getitem(input, (*taken, ...)), (*filled, ...))
