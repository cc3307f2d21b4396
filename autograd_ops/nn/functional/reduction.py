"""How the losses of single elements become one, and what losses share besides."""

from __future__ import annotations

from ... import ops
from ...tensor import Tensor
from ...warn import warn_user

__all__ = ["check_reduction", "chosen_reduction", "reduced", "warn_if_shapes_differ"]


def chosen_reduction(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """`reduction`, unless one of its predecessors in PyTorch is given; those it has deprecated, so they warn."""
    if size_average is None and reduce is None:
        return reduction
    chosen = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn_user(f"size_average and reduce are deprecated: write reduction={chosen!r}")
    return chosen


def check_reduction(name: str, reduction: str) -> None:
    """Refuse a `reduction` that is none.

    Raises
    ------
    ValueError
        If it is neither ``"mean"``, ``"sum"`` nor ``"none"``.
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{name}: reduction must be 'mean', 'sum' or 'none', not {reduction!r}")


def reduced(name: str, loss: Tensor, reduction: str) -> Tensor:
    """The mean of `loss`, its sum, or itself.

    Raises
    ------
    ValueError
        As `check_reduction`.
    """
    check_reduction(name, reduction)
    return ops.mean(loss) if reduction == "mean" else ops.sum(loss) if reduction == "sum" else loss


def warn_if_shapes_differ(name: str, input: Tensor, target: Tensor) -> None:
    """Warn of shapes that broadcast where a user most likely forgot a dimension."""
    if input.shape != target.shape:
        warn_user(
            f"{name}: the input has shape {tuple(input.shape)} and the target {tuple(target.shape)}: "
            "they are broadcast, which is seldom meant; make them equal, as with target.view_as(input)"
        )
