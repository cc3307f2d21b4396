"""PyTorch's ways to name dimensions, brought to the one that ops take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

__all__ = ["all_axes", "axes_of", "axis_of", "broadcast_shape", "either", "lengths", "shape_of_sizes", "tensors_of"]


def axis_of(name: str, dim: int, rank: int) -> int:
    """`dim`, counted from the front.

    Raises
    ------
    IndexError
        If a Tensor of `rank` dimensions has no such dimension; a 0-d one counts as having one.
    """
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"{name}: a dimension is an int, not {dim!r}")
    limit = rank or 1
    if not -limit <= dim < limit:
        raise IndexError(f"{name}: dimension {dim} is out of range for a tensor of {rank} dimensions")
    return int(dim) % limit


def axes_of(name: str, dim: Any, rank: int) -> tuple[int, ...] | None:
    """`dim`, one or several or None for all, as a tuple counted from the front, or None.

    Raises
    ------
    IndexError
        As `axis_of`.
    ValueError
        If one is named twice.
    """
    if dim is None:
        return None
    if isinstance(dim, int):
        # A sum over the one dimension that a 0-d Tensor is said to have is over none.
        axis = axis_of(name, dim, rank)
        return (axis,) if rank else ()
    if not isinstance(dim, Iterable):
        dim = (dim,)  # it may be an int of NumPy's, or nothing that can be a dimension
    axes = tuple([axis_of(name, d, rank) for d in dim])
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: dimension {next(a for a in axes if axes.count(a) > 1)} is named twice")
    return (axes or None) if rank else ()


def all_axes(axes: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """`axes`, or every one where it is None."""
    return tuple(range(rank)) if axes is None else axes


def broadcast_shape(name: str, shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that arrays of `shapes` broadcast to.

    Raises
    ------
    ValueError
        If two lengths of a dimension differ, and neither is 1.
    """
    given = [tuple(shape) for shape in shapes]
    result = []
    for axis in range(-max(map(len, given), default=0), 0):
        lengths = {shape[axis] for shape in given if len(shape) >= -axis} - {1}
        if len(lengths) > 1:
            raise ValueError(f"{name}: shapes {' and '.join(map(str, given))} differ in dimension {axis}")
        result.append(lengths.pop() if lengths else 1)
    return tuple(result)


def either(name: str, dim: Any, axis: Any, keepdim: bool, keepdims: bool | None) -> tuple[Any, bool]:
    """PyTorch's ``dim``/``keepdim`` or the array API's ``axis``/``keepdims``: whichever was given.

    Raises
    ------
    TypeError
        If both were.
    """
    if axis is not None:
        if dim is not None:
            raise TypeError(f"{name}: dim and axis mean the same; give one")
        dim = axis
    return dim, keepdim if keepdims is None else keepdims


def shape_of_sizes(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """``f(2, 3)`` and ``f((2, 3))`` are the same shape."""
    if len(sizes) == 1 and isinstance(sizes[0], Iterable):
        sizes = tuple(sizes[0])
    return lengths(sizes)


def lengths(sizes: Sequence[Any]) -> tuple[int, ...]:
    """`sizes` as Python's ints.

    Raises
    ------
    TypeError
        If one of them is none.
    """
    try:
        return tuple(map(index, sizes))
    except (TypeError, ValueError):
        given = ", ".join(repr(n) if isinstance(n, (int, float, str)) else type(n).__name__ for n in sizes)
        raise TypeError(f"expected ints, got {given}") from None


def tensors_of(name: str, tensors: Any) -> None:
    """Refuse what is no list of Tensors, or an empty one.

    Raises
    ------
    TypeError
        If it is no list or tuple; one Tensor is none either.
    ValueError
        If nothing is in it.
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}: expected a list or tuple of Tensors, got {type(tensors).__name__}; write [x, y]")
    if not tensors:
        raise ValueError(f"{name}: expected at least one tensor")
