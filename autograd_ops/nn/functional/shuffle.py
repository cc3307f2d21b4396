"""Channels exchanged with each other, or with space."""

from __future__ import annotations

from ... import ops
from ...refusals import named
from ...tensor import Tensor

__all__ = ["channel_shuffle", "native_channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Each ``r ** 2`` channels made one image, r times as high and wide; r is `upscale_factor`.

    Parameters
    ----------
    input
        [..., C * r * r, H, W]

    Returns
    -------
    Tensor
        [..., C, H * r, W * r]

    Raises
    ------
    ValueError
        If ``r * r`` does not divide the channels, or r is not positive.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.pixel_shuffle(ag.arange(8.0).reshape(4, 1, 2), 2)
    tensor([[[0., 2., 1., 3.],
             [4., 6., 5., 7.]]])
    """
    r = _positive("pixel_shuffle", "upscale_factor", upscale_factor)
    *batch, channels, height, width = _image("pixel_shuffle", input)
    if channels % (r * r):
        raise ValueError(f"pixel_shuffle: {r}**2 does not divide the {channels} channels of shape {tuple(input.shape)}")
    split = ops.reshape(input, (*batch, channels // (r * r), r, r, height, width))
    return ops.reshape(_permuted(split, (0, 3, 1, 4, 2)), (*batch, channels // (r * r), height * r, width * r))


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of `pixel_shuffle`: [..., C, H * r, W * r] -> [..., C * r * r, H, W]

    Raises
    ------
    ValueError
        If `downscale_factor`, r, does not divide height and width, or is not positive.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.pixel_unshuffle(ag.arange(8.0).reshape(1, 2, 4), 2).shape
    Size([4, 1, 2])
    """
    r = _positive("pixel_unshuffle", "downscale_factor", downscale_factor)
    *batch, channels, height, width = _image("pixel_unshuffle", input)
    if height % r or width % r:
        raise ValueError(f"pixel_unshuffle: {r} does not divide height and width of shape {tuple(input.shape)}")
    split = ops.reshape(input, (*batch, channels, height // r, r, width // r, r))
    return ops.reshape(_permuted(split, (0, 2, 4, 1, 3)), (*batch, channels * r * r, height // r, width // r))


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels cut into `groups`, and dealt out: the first of each group, then the second of each, and so on.

    Parameters
    ----------
    input
        [N, C, ...]

    Raises
    ------
    ValueError
        If `groups` does not divide the channels, or is not positive.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.channel_shuffle(ag.arange(6.0).reshape(1, 6, 1), 2).flatten()
    tensor([0., 3., 1., 4., 2., 5.])
    """
    _positive("channel_shuffle", "groups", groups)
    shape = tuple(input.shape)
    if len(shape) < 3:
        raise ValueError(f"channel_shuffle: expected [N, C, ...], got shape {shape}")
    batch, channels, *rest = shape
    if channels % groups:
        raise ValueError(f"channel_shuffle: {groups} groups do not divide the {channels} channels of shape {shape}")
    split = ops.reshape(input, (batch, groups, channels // groups, *rest))
    order = (0, 2, 1, *range(3, len(shape) + 1))
    return ops.reshape(ops.permute(split, order), shape)


#: PyTorch's other name.
native_channel_shuffle = channel_shuffle


def _positive(name: str, what: str, number: int) -> int:
    if number < 1:
        raise ValueError(f"{name}: {what} must be positive, not {number}")
    return number


def _image(name: str, input: Tensor) -> tuple[int, ...]:
    """The shape of `input`.

    Raises
    ------
    ValueError
        If it has fewer than three dimensions.
    """
    if input.ndim < 3:
        raise ValueError(f"{name}: expected [..., C, H, W], got shape {tuple(input.shape)}")
    return tuple(input.shape)


def _permuted(x: Tensor, order: tuple[int, ...]) -> Tensor:
    """The last dimensions of `x` in another order."""
    lead = x.ndim - len(order)
    return ops.permute(x, (*range(lead), *[lead + i for i in order]))


named(__name__)
