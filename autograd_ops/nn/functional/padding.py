"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from ... import ops
from ...tensor import Tensor

__all__ = ["pad"]

#: PyTorch's names of the modes that ops.pad has -> its own.
_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}


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
        ``"constant"``, ``"reflect"`` or ``"replicate"``.
    value
        What the cells of ``"constant"`` are; 0 by default.

    Raises
    ------
    ValueError
        If `pad` has an odd number of entries, or more than two a dimension, or `mode` is unknown.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.pad(ag.ones(1, 2), (1, 0))
    tensor([[0., 1., 1.]])
    """
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise ValueError(f"pad: expected a pair for some last dimensions of shape {tuple(input.shape)}, got {tuple(pad)}")
    if mode not in _MODES:
        raise ValueError(f"pad: mode must be one of {', '.join(map(repr, _MODES))}, not {mode!r}")
    pairs = [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    return ops.pad(input, pairs, _MODES[mode], 0.0 if value is None else value)
