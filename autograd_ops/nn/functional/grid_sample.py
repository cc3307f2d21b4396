"""Reading images at points, and the points that an affine map gives."""

from __future__ import annotations

from collections.abc import Sequence

from ... import ops
from ...creation import tensor
from ...ops import GridSampleOptions
from ...refusals import named
from ...tensor import Tensor

__all__ = ["affine_grid", "grid_sample"]


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """`input` read at the points of `grid`.

    Parameters
    ----------
    input
        [N, C, H, W] or [N, C, D, H, W].
    grid
        [N, H', W', 2] or [N, D', H', W', 3]: the points, as (x, y) or (x, y, z), where -1 and 1 are the ends of a
        dimension.
    mode
        ``"bilinear"``, which in three dimensions is trilinear; ``"nearest"``; or, in two dimensions, ``"bicubic"``.
    padding_mode
        What lies outside: ``"zeros"``, ``"border"`` or ``"reflection"``.
    align_corners
        Whether the ends are the centres of the first and last cells, rather than their outer edges; False by default.

    Returns
    -------
    Tensor
        [N, C, H', W'] or [N, C, D', H', W'].

    Raises
    ------
    ValueError
        If the shapes do not fit, or a mode is not there.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> image = ag.tensor([[[[1.0, 2.0, 3.0]]]])
    >>> ag.nn.functional.grid_sample(image, ag.tensor([[[[0.0, 0.0], [0.5, 0.0]]]]), align_corners=True)
    tensor([[[[2. , 2.5]]]])
    """
    options = GridSampleOptions(mode, padding_mode, bool(align_corners))
    if input.ndim == 4:
        return ops.grid_sample_2d(input, grid, options)
    if input.ndim != 5:
        raise ValueError(
            f"grid_sample: the input is [N, C, H, W] or [N, C, D, H, W], not of shape {tuple(input.shape)}"
        )
    if mode == "bicubic":
        raise ValueError("grid_sample: mode 'bicubic' takes images, [N, C, H, W], and not volumes")
    return ops.grid_sample_3d(input, grid, options)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid with which `grid_sample` applies affine maps.

    Parameters
    ----------
    theta
        [N, 2, 3] or [N, 3, 4]: for each sample the map from points of the output to points of the input.
    size
        The shape of the output, (N, C, H, W) or (N, C, D, H, W).
    align_corners
        As in `grid_sample`.

    Returns
    -------
    Tensor
        [N, H, W, 2] or [N, D, H, W, 3]

    Raises
    ------
    ValueError
        If `theta` has no floats, or the shapes do not fit.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> identity = ag.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> ag.nn.functional.affine_grid(identity, (1, 1, 1, 2))
    tensor([[[[-0.5,  0. ],
              [ 0.5,  0. ]]]])
    """
    size = tuple(size)
    rank = len(size) - 2
    if rank not in (2, 3):
        raise ValueError(f"affine_grid: size is (N, C, H, W) or (N, C, D, H, W), not {size}")
    if min(size) < 1:
        raise ValueError(f"affine_grid: size={size} must be positive")
    if not theta.dtype.is_floating_point:
        raise ValueError(f"affine_grid: theta must have floats, and has dtype {theta.dtype}")
    if tuple(theta.shape) != (size[0], rank, rank + 1):
        raise ValueError(
            f"affine_grid: theta has shape {tuple(theta.shape)} but size {size} expects {(size[0], rank, rank + 1)}"
        )

    def column(k: int) -> Tensor:
        return ops.reshape(theta[:, :, k], (size[0], *(1,) * rank, rank))

    grid = column(rank)
    for k, n in enumerate(reversed(size[2:])):
        line = tensor(_centres(n, bool(align_corners)), dtype=theta.dtype, device=theta.device)
        grid = grid + ops.reshape(line, (n, *(1,) * (k + 1))) * column(k)
    return grid


def _centres(n: int, align_corners: bool) -> list[float]:
    """Where the centres of `n` cells lie between -1 and 1."""
    if align_corners:
        return [(2 * i - (n - 1)) / max(n - 1, 1) for i in range(n)]
    return [(2 * i - (n - 1)) / n for i in range(n)]


named(__name__)
