"""Resizing by interpolation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import index
from typing import Any

from ... import ops
from ...ops import InterpolateOptions
from ...refusals import named
from ...tensor import Tensor

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

#: PyTorch's modes: the op's, and the number of dimensions of the input that each takes.
_MODES: dict[str, tuple[str, tuple[int, ...]]] = {
    "nearest": ("nearest", (3, 4, 5)),
    "nearest-exact": ("nearest_exact", (3, 4, 5)),
    "area": ("area", (3, 4, 5)),
    "linear": ("linear", (3,)),
    "bilinear": ("bilinear", (4,)),
    "bicubic": ("bicubic", (4,)),
    "lanczos": ("lanczos3", (4,)),
    "trilinear": ("trilinear", (5,)),
}
_WITHOUT_CORNERS = ("nearest", "nearest-exact", "area")
_ANTIALIASED = ("bilinear", "bicubic", "lanczos")


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """`input`, made larger or smaller.

    Parameters
    ----------
    input
        [N, C, W], [N, C, H, W] or [N, C, D, H, W].
    size
        The size of the output in each spatial dimension, or one for all.
    scale_factor
        Instead of `size`, the ratio of the sizes: the output has ``floor(size * scale_factor)`` cells, at positions
        that are computed with the ratio as it is given.
    mode
        ``"nearest"``, ``"nearest-exact"`` or ``"area"``; ``"linear"`` in one dimension, ``"bilinear"`` or
        ``"bicubic"`` in two, ``"trilinear"`` in three; ``"lanczos"`` in two, with `antialias`. The nearest modes
        compute in exact integers where PyTorch rounds a ratio to float32, and so may differ by a cell.
    align_corners
        Whether the centres of the first and last cells stay where they are, rather than their outer edges; False by
        default. Not for the nearest modes and area.
    recompute_scale_factor
        Whether positions are computed with the ratio of the sizes, rather than with `scale_factor` as given.
    antialias
        Whether each cell of the input counts where the output is smaller, as in PIL; for bilinear, bicubic and lanczos.

    Returns
    -------
    Tensor
        [N, C, ...]

    Raises
    ------
    ValueError
        If neither or both of `size` and `scale_factor` are given, a size is not positive, or a mode does not go with
        the dimensions of the input or the other arguments.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([[[0.0, 4.0]]])
    >>> ag.nn.functional.interpolate(x, scale_factor=2)
    tensor([[[0., 0., 4., 4.]]])
    >>> ag.nn.functional.interpolate(x, size=4, mode="linear")
    tensor([[[0., 1., 3., 4.]]])
    """
    spatial = tuple(input.shape[2:])
    rank = len(spatial)
    _check_mode(mode, input.ndim, align_corners, antialias)
    if (size is None) == (scale_factor is None):
        wrong = (
            "one of size and scale_factor must be given" if size is None else "size and scale_factor exclude each other"
        )
        raise ValueError(f"interpolate: {wrong}")
    if size is not None:
        if recompute_scale_factor:
            raise ValueError("interpolate: recompute_scale_factor means nothing beside a size")
        sizes = tuple(map(_size, _each("size", size, rank)))
        scales = None
    else:
        scales = tuple(map(float, _each("scale_factor", scale_factor, rank)))
        if not all(0 < scale < math.inf for scale in scales):
            raise ValueError(f"interpolate: scale_factor={scale_factor!r} must be positive and finite")
        sizes = tuple([math.floor(n * scale) for n, scale in zip(spatial, scales, strict=True)])
    if recompute_scale_factor or mode == "area":
        scales = None
    return ops.interpolate(input, sizes, _options(mode, bool(align_corners), scales, bool(antialias)))


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """PyTorch's older name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """PyTorch's older name of `interpolate` with ``mode="nearest"``."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """PyTorch's older name of `interpolate` with ``mode="bilinear"`` and ``align_corners=True``."""
    return interpolate(input, size, scale_factor, "bilinear", True)


def _check_mode(mode: str, ndim: int, align_corners: bool | None, antialias: bool) -> None:
    if mode not in _MODES:
        raise ValueError(f"interpolate: mode={mode!r} is not there; there are {', '.join(map(repr, _MODES))}")
    _, ranks = _MODES[mode]
    if ndim not in ranks:
        allowed = " or ".join(map(str, ranks))
        raise ValueError(f"interpolate: mode {mode!r} takes an input of {allowed} dimensions, [N, C, ...], not {ndim}")
    if align_corners is not None and mode in _WITHOUT_CORNERS:
        raise ValueError(f"interpolate: align_corners has no meaning for mode {mode!r}; leave it out")
    if antialias and mode not in _ANTIALIASED:
        raise ValueError(f"interpolate: antialias=True goes with mode 'bilinear', 'bicubic' or 'lanczos', not {mode!r}")
    if mode == "lanczos" and (align_corners or not antialias):
        raise ValueError("interpolate: mode 'lanczos' goes with antialias=True, and not with align_corners=True")


def _each(field: str, value: Any, rank: int) -> Sequence[Any]:
    """`value` for each of `rank` spatial dimensions."""
    if not isinstance(value, Sequence):
        return (value,) * rank
    if len(value) != rank:
        raise ValueError(
            f"interpolate: {field}={tuple(value)} has {len(value)} entries for {rank} spatial dimensions of the input"
        )
    return value


def _size(value: Any) -> int:
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"interpolate: a size is an int, not {value!r}") from None


@lru_cache(maxsize=1024)
def _options(mode: str, align_corners: bool, scales: tuple[float, ...] | None, antialias: bool) -> InterpolateOptions:
    return InterpolateOptions(_MODES[mode][0], align_corners, scales, antialias)


named(__name__)
