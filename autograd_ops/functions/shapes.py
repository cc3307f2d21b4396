"""Shape functions with PyTorch's signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ops
from ..creation import arange, tensor
from ..dims import axes_of, axis_of, broadcast_shape, shape_of_sizes, tensors_of
from ..dtypes import DType
from ..indexing import index_select
from ..refusals import named
from ..tensor import Tensor

__all__ = [
    "broadcast_tensors",
    "broadcast_to",
    "cat",
    "chunk",
    "concat",
    "concatenate",
    "diag",
    "diagonal",
    "expand",
    "expand_as",
    "flatten",
    "flip",
    "hstack",
    "meshgrid",
    "moveaxis",
    "movedim",
    "numel",
    "permute",
    "repeat",
    "repeat_interleave",
    "reshape",
    "reshape_as",
    "roll",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "t",
    "tile",
    "transpose",
    "tril",
    "triu",
    "unbind",
    "unflatten",
    "unfold",
    "unsqueeze",
    "view",
    "view_as",
    "vstack",
]


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The elements in another shape, a view where memory allows; one length may be -1.

    Raises
    ------
    ValueError
        If the number of elements differs.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.arange(6).reshape(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    wanted = shape_of_sizes(shape)
    return ops.reshape(input, _without_minus_one(input, wanted) if -1 in wanted else wanted)


def _without_minus_one(input: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    known = 1
    for n in shape:
        known *= 1 if n == -1 else n
    size = input.numel()
    if shape.count(-1) > 1 or known == 0 or size % known:
        raise ValueError(f"reshape: {size} elements of shape {tuple(input.shape)} do not fit into {shape}")
    return tuple([size // known if n == -1 else n for n in shape])


def view(input: Tensor, *shape: Any) -> Tensor:
    """The same memory in another shape, or read as numbers of another dtype.

    Raises
    ------
    ValueError
        If the number of elements differs, or memory does not allow a view; `reshape` copies then.
    """
    if len(shape) == 1 and isinstance(shape[0], DType):
        return input.view_as_dtype(shape[0])
    viewed = reshape(input, *shape)
    if viewed.alias is None and not input.is_contiguous():
        raise ValueError(f"view: shape {tuple(viewed.shape)} is no view of this non-contiguous tensor; use reshape")
    return viewed


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`view` in the shape of `other`."""
    return view(input, tuple(other.shape))


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`reshape` to the shape of `other`."""
    return reshape(input, tuple(other.shape))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one.

    Raises
    ------
    ValueError
        If `start_dim` comes after `end_dim`.
    """
    if input.ndim == 0:
        return ops.reshape(input, (1,))
    start, end = axis_of("flatten", start_dim, input.ndim), axis_of("flatten", end_dim, input.ndim)
    if start > end:
        raise ValueError(f"flatten: start_dim {start_dim} comes after end_dim {end_dim}")
    shape = tuple(input.array.shape)
    size = 1
    for n in shape[start : end + 1]:
        size *= n
    return ops.reshape(input, (*shape[:start], size, *shape[end + 1 :]))


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Dimension `dim` as several of lengths `sizes`, of which one may be -1."""
    axis = axis_of("unflatten", dim, input.ndim)
    shape = tuple(input.array.shape)
    return reshape(input, (*shape[:axis], *_filled(shape[axis], tuple(sizes)), *shape[axis + 1 :]))


def _filled(size: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    known = 1
    for n in sizes:
        known *= 1 if n == -1 else n
    if sizes.count(-1) > 1 or known == 0 or size % known or (-1 not in sizes and known != size):
        raise ValueError(f"unflatten: a dimension of {size} does not fit into {sizes}")
    return tuple([size // known if n == -1 else n for n in sizes])


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged: a view."""
    a, b = axis_of("transpose", dim0, input.ndim), axis_of("transpose", dim1, input.ndim)
    order = list(range(input.ndim))
    if order:
        order[a], order[b] = order[b], order[a]
    return ops.permute(input, tuple(order))


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose`, with NumPy's names."""
    return transpose(input, axis0, axis1)


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector stays.

    Raises
    ------
    ValueError
        If there are more than two dimensions.
    """
    if input.ndim > 2:
        raise ValueError(f"t: expected at most 2 dimensions, got {input.ndim}; use transpose or permute")
    return ops.permute(input, tuple(reversed(range(input.ndim))))


def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dimensions in the order of `dims`: a view.

    Raises
    ------
    ValueError
        If `dims` does not name each dimension once.
    """
    order = tuple([axis_of("permute", d, input.ndim) for d in shape_of_sizes(dims)])
    if sorted(order) != list(range(input.ndim)):
        raise ValueError(f"permute: {order} does not name each of {input.ndim} dimensions once")
    return ops.permute(input, order)


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions `source` moved to `destination`; the others keep their order."""
    sources = axes_of("movedim", source, input.ndim) or ()
    targets = axes_of("movedim", destination, input.ndim) or ()
    if len(sources) != len(targets):
        raise ValueError(f"movedim: {len(sources)} sources but {len(targets)} destinations")
    order = [i for i in range(input.ndim) if i not in sources]
    for target, source_axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, source_axis)
    return ops.permute(input, tuple(order))


moveaxis = movedim


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without its dimensions of length 1, or those among `dim`: a view."""
    shape = input.array.shape
    named = axes_of("squeeze", dim, input.ndim)
    axes = tuple([i for i in (range(len(shape)) if named is None else named) if shape[i] == 1])
    return ops.squeeze(input, axes)


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a new dimension of length 1 at `dim`: a view."""
    return ops.expand_dims(input, axis_of("unsqueeze", dim, input.ndim + 1))


def expand(input: Tensor, *sizes: Any) -> Tensor:
    """Stretched along dimensions of length 1, without a copy; -1 keeps a length."""
    wanted = shape_of_sizes(sizes)
    lead = len(wanted) - input.ndim
    if lead < 0:
        raise ValueError(f"expand: {wanted} has fewer dimensions than {tuple(input.shape)}")
    return ops.broadcast_to(
        input,
        tuple([input.array.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted)]),
    )


def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`expand` to `size`."""
    return expand(input, *size)


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand` to the shape of `other`."""
    return expand(input, *other.shape)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All expanded to the shape that they broadcast to.

    Raises
    ------
    ValueError
        If they do not.
    """
    shape = broadcast_shape("broadcast_tensors", (t.array.shape for t in tensors))
    return tuple([expand(t, *shape) for t in tensors])


def flip(input: Tensor, *dims: Any) -> Tensor:
    """The order along `dims` reversed; a copy."""
    return ops.flip(input, axes_of("flip", shape_of_sizes(dims), input.ndim) or ())


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Moved by `shifts` along `dims`, or along the flattened Tensor; what falls off one end comes in at the other."""
    steps = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    axes = axes_of("roll", dims, input.ndim)
    if axes is not None and len(axes) != len(steps):
        raise ValueError(f"roll: {len(steps)} shifts but {len(axes)} dimensions")
    return ops.roll(input, steps, axes)


# ---------------------------------------------------------------- several into one, one into several


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """One after the other along `dim`; of Tensors of shape (0,) beside others of more dimensions, nothing.

    Raises
    ------
    ValueError
        If there is none, or another dimension differs.
    """
    tensors_of("cat", tensors)
    tensors = _of_one_rank(tensors)
    at = axis_of("cat", dim if axis is None else axis, tensors[0].ndim)
    for i, other in enumerate(tensors):
        if other.ndim != tensors[0].ndim or any(
            n != m for j, (n, m) in enumerate(zip(tensors[0].shape, other.shape, strict=True)) if j != at
        ):
            raise ValueError(
                f"cat: tensor {i} has shape {tuple(other.shape)}, and tensor 0 {tuple(tensors[0].shape)}; "
                f"only dimension {at} may differ"
            )
    return ops.concat(tensors, at)


concat = concatenate = cat


def _of_one_rank(tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    """`tensors`, without those of shape (0,) if others have more dimensions: a loop may begin with ``tensor([])``."""
    kept = [x for x in tensors if tuple(x.array.shape) != (0,)]
    if len(kept) in (0, len(tensors)) or kept[0].ndim == 1:
        return tensors
    return kept


def stack(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Side by side along a new dimension `dim`.

    Raises
    ------
    ValueError
        If there is none, or the shapes differ.
    """
    tensors_of("stack", tensors)
    for i, other in enumerate(tensors):
        if tuple(other.shape) != tuple(tensors[0].shape):
            raise ValueError(
                f"stack: tensor {i} has shape {tuple(other.shape)}, and tensor 0 {tuple(tensors[0].shape)}"
            )
    return ops.stack(tensors, axis_of("stack", dim if axis is None else axis, tensors[0].ndim + 1))


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """One below the other; vectors are rows."""
    tensors_of("vstack", tensors)
    return cat([x if x.ndim > 1 else reshape(x, 1, -1) for x in tensors], 0)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """One beside the other."""
    tensors_of("hstack", tensors)
    return cat([x if x.ndim else reshape(x, 1) for x in tensors], 0 if tensors[0].ndim < 2 else 1)


def split(input: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of equal length along `dim` (the last may be shorter), or of the lengths given.

    Raises
    ------
    ValueError
        If the lengths do not add up.
    """
    axis = axis_of("split", dim, _divisible("split", input))
    size = input.array.shape[axis]
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        if step <= 0:
            raise ValueError(f"split: the length of a part must be positive, not {step}")
        lengths = [min(step, size - start) for start in range(0, size, step)] or [0]
    else:
        lengths = list(split_size_or_sections)
        if any(n < 0 for n in lengths) or sum(lengths) != size:
            raise ValueError(f"split: lengths {lengths} do not add up to {size}, the length of dimension {dim}")
    return ops.split(input, tuple(lengths), axis)


def _divisible(name: str, input: Tensor) -> int:
    """The number of dimensions of what is to be cut in parts, which must have one."""
    if not input.ndim:
        raise ValueError(f"{name}: a 0-d tensor has no dimension to cut; give it one, as with x.reshape(1)")
    return input.ndim


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal length along `dim`; the last may be shorter."""
    if chunks <= 0:
        raise ValueError(f"chunk: the number of parts must be positive, not {chunks}")
    axis = axis_of("chunk", dim, _divisible("chunk", input))
    size = input.array.shape[axis]
    return split(input, -(-size // chunks) if size else [0] * chunks, axis)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """A view of each place along `dim`."""
    axis = axis_of("unbind", dim, _divisible("unbind", input))
    return ops.unstack(input, axis)


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """For vectors of lengths n, m, ...: a Tensor [n, m, ...] for each that repeats it along the other dimensions.

    ``indexing="xy"`` exchanges the first two dimensions.
    """
    vectors = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    if indexing not in ("ij", "xy"):
        raise ValueError(f"meshgrid: indexing must be 'ij' or 'xy', not {indexing!r}")
    rank = len(vectors)
    shape = [v.numel() for v in vectors]
    grids = [expand(reshape(v, *[-1 if i == j else 1 for j in range(rank)]), *shape) for i, v in enumerate(vectors)]
    return tuple([transpose(g, 0, 1) for g in grids] if indexing == "xy" and rank > 1 else grids)


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """The windows of `size` elements along `dimension`, `step` apart, as a new last dimension: a view.

    Raises
    ------
    ValueError
        If the dimension is shorter than `size`, or `step` is not positive.
    """
    return ops.unfold(input, axis_of("unfold", dimension, input.ndim), size, step)


# ---------------------------------------------------------------- repeats, triangles, diagonals


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Copies side by side, `repeats` times along each dimension; new leading dimensions come first."""
    times = shape_of_sizes(repeats)
    lead = len(times) - input.ndim
    if lead < 0:
        raise ValueError(f"repeat: {len(times)} numbers for a tensor of {input.ndim} dimensions")
    shape = (1,) * lead + tuple(input.array.shape)
    between = [n for pair in zip((1,) * len(shape), shape, strict=True) for n in pair]
    stretched = [n for pair in zip(times, shape, strict=True) for n in pair]
    wide = ops.broadcast_to(ops.reshape(input, tuple(between)), tuple(stretched))
    copies = ops.reshape(wide, tuple([n * k for n, k in zip(shape, times, strict=True)]))
    # Where nothing had to be moved it is a window on the input still.
    return copies if copies.alias is None else ops.clone(copies)


def tile(input: Tensor, dims: Sequence[int]) -> Tensor:
    """`repeat`, with missing leading numbers taken as 1."""
    return repeat(input, *(1,) * (input.ndim - len(dims)), *dims)


def repeat_interleave(
    input: Tensor, repeats: int | Tensor | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element `repeats` times in a row, along `dim` or of the flattened Tensor.

    Parameters
    ----------
    repeats
        One number, or a Tensor of integers, one for each place along `dim`. Without it, `input` is that vector of
        numbers, and what is repeated are its places 0, 1, ...
    output_size
        The length of the result, which spares PyTorch a look at the numbers.

    Raises
    ------
    ValueError
        If a number is negative, there is not one for each place, or `output_size` is not their sum.
    """
    if repeats is None:
        if input.ndim != 1:
            raise ValueError(f"repeat_interleave: the numbers must be a vector, not of shape {tuple(input.shape)}")
        repeats, input = input, arange(input.numel(), device=input.device)
    if dim is None:
        input, dim = ops.reshape(input, (input.numel(),)), 0
    axis = axis_of("repeat_interleave", dim, input.ndim)
    if not isinstance(repeats, Tensor) or repeats.numel() == 1:
        _check_repeats([int(repeats)] * input.shape[axis], output_size)
        return ops.repeat(input, int(repeats), axis)
    if tuple(repeats.shape) != (input.shape[axis],):
        raise ValueError(f"repeat_interleave: {tuple(repeats.shape)} numbers for {input.shape[axis]} places")
    times = repeats.tolist()
    _check_repeats(times, output_size)
    places = [place for place, n in enumerate(times) for _ in range(n)]
    return index_select(input, axis, tensor(places, dtype="int64", device=input.device))


def _check_repeats(times: Sequence[int], output_size: int | None) -> None:
    if min(times, default=0) < 0:
        raise ValueError(f"repeat_interleave: {min(times)} times")
    if output_size is not None and sum(times) != output_size:
        raise ValueError(f"repeat_interleave: output_size is {output_size}, and the numbers add up to {sum(times)}")


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """With zeros above a diagonal of the last two dimensions.

    Raises
    ------
    ValueError
        If there are fewer than two.
    """
    _refuse_vectors("tril", input)
    return ops.tril(input, diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """With zeros below a diagonal of the last two dimensions.

    Raises
    ------
    ValueError
        If there are fewer than two.
    """
    _refuse_vectors("triu", input)
    return ops.triu(input, diagonal)


def _refuse_vectors(name: str, input: Tensor) -> None:
    if input.ndim < 2:
        raise ValueError(f"{name}: expected at least 2 dimensions, got {input.ndim}")


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements with equal indices along two dimensions, as a new last dimension.

    Raises
    ------
    ValueError
        If `dim1` and `dim2` are the same.
    """
    a, b = axis_of("diagonal", dim1, input.ndim), axis_of("diagonal", dim2, input.ndim)
    if a == b:
        raise ValueError(f"diagonal: dim1 and dim2 are both {a}")
    return ops.diagonal(
        input if (a, b) == (input.ndim - 2, input.ndim - 1) else movedim(input, (a, b), (-2, -1)), offset
    )


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    if input.ndim == 2:
        return globals()["diagonal"](input, diagonal)
    if input.ndim != 1:
        raise ValueError(f"diag: expected a vector or a matrix, got {input.ndim} dimensions")
    n = input.numel() + abs(diagonal)
    start = diagonal if diagonal >= 0 else -diagonal * n
    stop = start + input.numel() * (n + 1) - n if input.numel() else start
    return ops.reshape(ops.place(input, (n * n,), (slice(start, stop, n + 1), ...)), (n, n))


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


named(__name__)
