"""Dropout: zeros at random, in training."""

from __future__ import annotations

from ... import ops
from ...dtypes import float32
from ...inplace import in_place
from ...random import rand
from ...refusals import named
from ...tensor import Tensor
from ...warn import warn_user

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]


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


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of `input` [N, C, D, H, W] or [C, D, H, W]."""
    return _drop_channels("dropout3d", input, 3, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that leaves a mean of 0 and a variance of 1 as they are, for `selu` (Klambauer and others, 2017).

    An element that is dropped becomes SELU's lowest value; then all are scaled and shifted.

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
    >>> x = ag.nn.functional.alpha_dropout(ag.zeros(1000), 0.5, training=True)
    >>> [round(value, 4) for value in sorted(set(x.tolist()))]
    [-0.7792, 0.7792]
    """
    return _alpha_drop("alpha_dropout", input, tuple(input.shape), p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels of `input` [N, C, ...]."""
    if input.ndim < 2:
        raise ValueError(f"feature_alpha_dropout: expected [N, C, ...], got shape {tuple(input.shape)}")
    mask = (*input.shape[:2], *(1,) * (input.ndim - 2))
    return _alpha_drop("feature_alpha_dropout", input, mask, p, training, inplace)


#: SELU's lowest value: its scale times its alpha.
_LOWEST = -1.0507009873554804934193349852946 * 1.6732632423543772848170429916717


def _drop_channels(name: str, input: Tensor, spatial: int, p: float, training: bool, inplace: bool) -> Tensor:
    if input.ndim not in (spatial + 1, spatial + 2):
        expected = f"{name}: expected {spatial + 1} or {spatial + 2} dimensions, got shape {tuple(input.shape)}"
        if spatial == 1 or input.ndim < 2:
            raise ValueError(expected)
        warn_user(
            f"{expected}; whole channels [N, C, ...] are dropped, of [N, C] single numbers, which is dropout's task"
        )
        return _drop(name, input, (*input.shape[:2], *(1,) * (input.ndim - 2)), p, training, inplace)
    return _drop(name, input, (*input.shape[:-spatial], *(1,) * spatial), p, training, inplace)


def _drop(name: str, input: Tensor, mask: tuple[int, ...], p: float, training: bool, inplace: bool) -> Tensor:
    _check_probability(name, p)
    if not training or p == 0.0:
        return input
    return _apply(name, input, mask, p, inplace, 1.0 / (1.0 - p) if p < 1.0 else 1.0, 0.0, 0.0)


def _alpha_drop(name: str, input: Tensor, mask: tuple[int, ...], p: float, training: bool, inplace: bool) -> Tensor:
    _check_probability(name, p)
    if not training or p == 0.0:
        return input
    if p == 1.0:
        return _apply(name, input, mask, p, inplace, 1.0, 0.0, 0.0)
    # Of x with mean 0 and variance 1, p LOWEST is the mean after dropping and (1 - p) (1 + p LOWEST^2) the variance.
    scale = ((1.0 - p) * (1.0 + p * _LOWEST * _LOWEST)) ** -0.5
    return _apply(name, input, mask, p, inplace, scale, _LOWEST * scale, -p * _LOWEST * scale)


def _check_probability(name: str, p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{name}: p is a probability, in [0, 1], not {p}")


def _apply(
    name: str, input: Tensor, mask: tuple[int, ...], p: float, inplace: bool, scale: float, value: float, shift: float
) -> Tensor:
    """Each element with probability `p` `value`, else times `scale`; `shift` is added to all."""
    # float32 whatever the input is: the same seed drops the same elements.
    bits = ops.pack_bits(rand(mask, dtype=float32, device=input.device) >= p)

    def dropped(x: Tensor) -> Tensor:
        out = ops.dropout(x, bits, mask, scale, value)
        return out + shift if shift else out

    return in_place(input, dropped, name=f"{name}_") if inplace else dropped(input)


named(__name__)
