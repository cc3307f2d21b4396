"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from ... import ops
from ...refusals import named
from ...tensor import Tensor

__all__ = ["pad"]

#: PyTorch's names of the modes that `ops.pad` calls otherwise.
_MODES = {"replicate": "edge"}
_NAMES = ("constant", "reflect", "replicate", "circular")


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
        What the cells are. ``"constant"``: `value`. ``"reflect"``: the input mirrored at its outermost cells, which
        are not repeated. ``"replicate"``: the outermost cells. ``"circular"``: as if copies of the input lay side by
        side.
    value
        For ``"constant"``; 0 by default.

    Raises
    ------
    ValueError
        If `pad` has an odd number of entries, or more than two a dimension, or cuts off more than there is, or is
        more than `mode` can fill (``"reflect"``: less than the length; ``"circular"``: the length); if there is no
        such `mode`, or it takes no `value`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.pad(ag.ones(1, 2), (1, -1))
    tensor([[0., 1.]])
    >>> ag.nn.functional.pad(ag.arange(3.0), (2, 2), mode="circular")
    tensor([1., 2., 0., 1., 2., 0., 1.])
    """
    if mode not in _NAMES:
        raise ValueError(f"pad: mode must be one of {', '.join(map(repr, _NAMES))}, not {mode!r}")
    if value and mode != "constant":
        raise ValueError(f"pad: value={value} is for mode 'constant'; mode {mode!r} takes none")
    if not hasattr(pad, "__len__"):
        raise TypeError(f"pad: expected pairs, two numbers a dimension, got {pad!r}")
    if len(pad) % 2:
        raise ValueError(f"pad: expected pairs, two numbers a dimension, got {tuple(pad)}")
    pairs = [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    return ops.pad(input, pairs, _MODES.get(mode, mode), 0.0 if value is None else value)


named(__name__)
