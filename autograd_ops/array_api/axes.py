"""The standard's ways to name axes, brought to the ones that ops take."""

from __future__ import annotations

from ..dims import axis_of

__all__ = ["Axes", "axes_of", "axis_or_only"]

#: One axis, several, or None for all.
Axes = int | tuple[int, ...] | None


def axes_of(name: str, axis: Axes, rank: int) -> tuple[int, ...] | None:
    """`axis` as a tuple counted from the front, or None for all; of none at all, ``()``.

    Raises
    ------
    IndexError
        If an array of `rank` dimensions has no such axis.
    ValueError
        If one is named twice.
    """
    if axis is None:
        return None
    axes = tuple([axis_of(name, a, rank) for a in ((axis,) if isinstance(axis, int) else axis)])
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: axis {next(a for a in axes if axes.count(a) > 1)} is named twice")
    return axes


def axis_or_only(name: str, axis: int | None, rank: int) -> int:
    """`axis`, counted from the front; None is the only one of a vector.

    Raises
    ------
    ValueError
        If it is None and there are more axes than one, or none.
    """
    if axis is not None:
        return axis_of(name, axis, rank)
    if rank != 1:
        raise ValueError(f"{name}: an array of {rank} dimensions needs an axis to go along")
    return 0
