"""Dropout: zeros at random, in training."""

from __future__ import annotations

from ... import ops
from ...dtypes import float32
from ...inplace import in_place
from ...random import rand
from ...tensor import Tensor

__all__ = ["dropout", "dropout1d", "dropout2d"]


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element 0 with probability `p`, else divided by 1 - p (Srivastava and others, 2014).

    Parameters
    ----------
    input
        Of any shape.
    p
        The probability, in [0, 1].
    training
        Whether to do anything: otherwise `input` is returned.
    inplace
        Whether to change `input` itself.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1].

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.nn.functional.dropout(ag.ones(1000), 0.5)
    >>> sorted(set(x.tolist()))
    [0.0, 2.0]
    """
    return _drop("dropout", input, tuple(input.shape), p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of `input` [N, C, L] or [C, L]."""
    return _drop_channels("dropout1d", input, 1, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of `input` [N, C, H, W] or [C, H, W]."""
    return _drop_channels("dropout2d", input, 2, p, training, inplace)


def _drop_channels(name: str, input: Tensor, spatial: int, p: float, training: bool, inplace: bool) -> Tensor:
    if input.ndim not in (spatial + 1, spatial + 2):
        raise ValueError(f"{name}: expected {spatial + 1} or {spatial + 2} dimensions, got shape {tuple(input.shape)}")
    return _drop(name, input, (*input.shape[:-spatial], *(1,) * spatial), p, training, inplace)


def _drop(name: str, input: Tensor, mask: tuple[int, ...], p: float, training: bool, inplace: bool) -> Tensor:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{name}: p is a probability, in [0, 1], not {p}")
    if not training or p == 0.0:
        return input
    # float32 whatever the input is: the same seed drops the same elements.
    keep = rand(mask, dtype=float32, device=input.device) >= p
    scale = 1.0 / (1.0 - p) if p < 1.0 else 1.0
    return in_place(input, ops.dropout, keep, scale, name=f"{name}_") if inplace else ops.dropout(input, keep, scale)
