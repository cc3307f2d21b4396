"""Manipulation functions: arrays in other shapes."""

from __future__ import annotations

from collections.abc import Sequence

from .. import functions, ops
from ..dims import axis_of, broadcast_shape
from ..tensor import Tensor
from .axes import Axes, axes_of

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of `shapes` broadcast to.

    Raises
    ------
    ValueError
        If two lengths of a dimension differ, and neither is 1.
    """
    return broadcast_shape("broadcast_shapes", shapes)


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """All stretched to the shape that they broadcast to."""
    shape = broadcast_shape("broadcast_arrays", [x.array.shape for x in arrays])
    return tuple([ops.broadcast_to(x, shape) for x in arrays])


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """x, stretched along axes of length 1 and given new leading ones, without a copy."""
    return ops.broadcast_to(x, tuple(shape))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The arrays one after the other along `axis`; if it is None, flattened.

    Raises
    ------
    ValueError
        If there is none, or another axis differs in length.
    """
    if axis is None:
        return functions.cat([ops.reshape(x, (-1,)) for x in arrays])
    for i, other in enumerate(arrays):
        if other.ndim != arrays[0].ndim or not other.ndim:
            raise ValueError(f"concat: array {i} has shape {tuple(other.shape)}, and array 0 {tuple(arrays[0].shape)}")
    return functions.cat(arrays, axis)


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """x with a new axis of length 1 at `axis`, or at each of several, counted in the result."""
    if isinstance(axis, int):
        return ops.expand_dims(x, axis_of("expand_dims", axis, x.ndim + 1))
    new = axes_of("expand_dims", axis, x.ndim + len(axis)) or ()
    lengths = iter(x.array.shape)
    return ops.reshape(x, tuple([1 if i in new else next(lengths) for i in range(x.ndim + len(new))]))


def flip(x: Tensor, /, *, axis: Axes = None) -> Tensor:
    """The order along `axis` reversed."""
    axes = axes_of("flip", axis, x.ndim)
    return ops.flip(x, tuple(range(x.ndim)) if axes is None else axes)


def moveaxis(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    """Axes `source` moved to `destination`; the others keep their order."""
    return functions.movedim(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """The axes in the order of `axes`."""
    return functions.permute(x, tuple(axes))


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element `repeats` times in a row, along `axis` or of the flattened x; a number, or one for each place."""
    return functions.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape, of which one length may be -1.

    Parameters
    ----------
    copy
        True for memory of its own, False for the memory of x, None for that where it can be.

    Raises
    ------
    ValueError
        If the elements do not fit, or `copy` is False and a copy is needed.
    """
    shaped = ops.reshape(x, tuple(shape))
    if copy is False and shaped.alias is None:
        raise ValueError(f"reshape: {tuple(x.shape)} to {tuple(shape)} needs a copy here, which copy=False forbids")
    return ops.clone(shaped) if copy and shaped.alias is not None else shaped


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: Axes = None) -> Tensor:
    """Moved by `shift` along `axis`, or along the flattened x; what falls off one end comes in at the other."""
    axes = axes_of("roll", axis, x.ndim)
    shifts = (shift,) * len(axes or (0,)) if isinstance(shift, int) else tuple(shift)
    return functions.roll(x, shifts, axes)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Without the axes of length 1 that `axis` names.

    Raises
    ------
    ValueError
        If one of them is longer.
    """
    axes = axes_of("squeeze", axis, x.ndim) or ()
    for a in axes:
        if x.array.shape[a] != 1:
            raise ValueError(f"squeeze: axis {a} has length {x.array.shape[a]}, not 1")
    return ops.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Side by side along a new axis."""
    return functions.stack(arrays, axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Copies side by side, as many along each axis as `repetitions` says; counted from the last axis."""
    return functions.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along `axis`, each a copy.

    Raises
    ------
    ValueError
        If x has no dimensions.
    """
    if not x.ndim:
        raise ValueError("unstack: an array of no dimensions has no axis to take apart")
    return ops.unstack(x, axis_of("unstack", axis, x.ndim))
