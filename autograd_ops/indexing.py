"""``x[index]`` and ``x[index] = value``, and the functions that take and put by number.

A key of integers, slices, ``None`` and ``...`` is one op, `getitem`, and gives a view. A key with lists, integer or
bool arrays is first made basic, with a full slice where they stand; then the dimensions they index are brought to the
front and flattened, and what is left is to take rows by number. An integer beside arrays is a choice made before, as in
PyTorch, and does not count as an array, as in NumPy: that decides where the indexed dimensions stand in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograd_backends import is_array, kernels

from . import ops
from .creation import as_tensor, full_like, tensor, zeros
from .dims import axis_of, broadcast_shape
from .inplace import bump, in_place, refuse_expanded, refuse_leaf
from .refusals import named
from .tape import mode
from .tensor import Tensor

__all__ = [
    "check_indices",
    "gather",
    "getitem",
    "index_add",
    "index_fill",
    "index_select",
    "masked_fill",
    "masked_select",
    "narrow",
    "nonzero",
    "scatter",
    "scatter_add",
    "select",
    "setitem",
    "take",
]

_BASIC = (int, slice, type(None), type(...))


def check_indices(indices: Tensor, size: int, name: str) -> None:
    """Refuse indices that are not in ``[0, size)``.

    Parameters
    ----------
    indices
        Integers, of any shape.
    size
        The limit.
    name
        What the error calls them.

    Raises
    ------
    IndexError
        Naming the first such value and the limit; on an asynchronous device, at the next wait for it.
    TypeError
        If `indices` are not integers.
    """
    if not isinstance(indices, Tensor):
        raise TypeError(f"{name}: indices must be a Tensor of integers, not {type(indices).__name__}")
    if indices.dtype.kind not in ("int", "uint"):
        raise TypeError(f"{name}: indices must be integers, not {indices.dtype.name}")
    kernels(indices.array).check_indices(indices.array, size, name)


# ---------------------------------------------------------------- x[index]


def getitem(x: Tensor, index: Any) -> Tensor:
    """``x[index]``: a view for integers, slices, None and ``...``; a copy where lists or arrays index."""
    key = index if type(index) is tuple else (index,)
    if all(type(k) in _BASIC for k in key):
        return ops.getitem(x, _normal(x, key))
    if type(index) is Tensor and index.ndim == 1 and x.ndim and index.dtype.kind == "int":
        return ops.take_rows(
            x, in_range(index, x.array.shape[0], "getitem: dimension 0")
        )  # a batch by number: the common case
    basic, arrays = _split(x, key)
    viewed = ops.getitem(x, basic)
    return _take(viewed, arrays) if arrays else viewed


def _normal(x: Tensor, key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key with ``...`` at the dimensions it leaves out, and slices within bounds."""
    shape = x.array.shape
    indexed = len(key) - key.count(None) - key.count(...)
    if indexed > len(shape):
        raise IndexError(f"getitem: {indexed} indices for a tensor of {len(shape)} dimensions")
    if key.count(...) > 1:
        raise IndexError("getitem: an index can have one ... only")
    if ... not in key:
        key = (*key, ...)
    axis = 0
    normal: list[Any] = []
    for k in key:
        if k is ...:
            axis += len(shape) - indexed
        elif k is not None:
            if type(k) is slice:
                k = _within(k, shape[axis])
            axis += 1
        normal.append(k)
    return tuple(normal)


def _within(k: slice, size: int) -> slice:
    """The same slice with its ends inside the dimension, as the array API wants them."""
    if k.start is None and k.stop is None:
        return k
    start, stop, step = k.indices(size)
    if step > 0:
        return slice(start, max(start, stop), step)
    return slice(start, stop if stop >= 0 else None, step) if start > stop else slice(0, 0, 1)


def _split(x: Tensor, key: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[int, Tensor]]:
    """A basic key with full slices where arrays index, and those arrays by dimension of what it gives."""
    expanded: list[Any] = []
    masks: dict[int, tuple[int, ...]] = {}  # where in the expanded key the indices of a mask begin, and its shape
    for k in key:
        indices, mask_shape = _as_indices(x, k)
        if mask_shape is not None:
            masks[len(expanded)] = mask_shape
        expanded += indices
    shape = x.array.shape
    indexed = sum(k is not None and k is not ... and not isinstance(k, _Flag) for k in expanded)
    if indexed > len(shape):
        raise IndexError(f"getitem: {indexed} indices for a tensor of {len(shape)} dimensions")
    ellipses = sum(k is ... for k in expanded)
    if ellipses > 1:
        raise IndexError("getitem: an index can have one ... only")
    if not ellipses:
        expanded.append(...)
    basic: list[Any] = []
    arrays: dict[int, Tensor] = {}
    given = taken = 0  # dimensions of the result of the basic key, and of x, so far
    for i, k in enumerate(expanded):
        if i in masks and not _fits(masks[i], shape[taken:]):
            raise IndexError(
                f"getitem: a mask of shape {masks[i]} does not fit dimension {taken} of a tensor of {tuple(shape)}"
            )
        if k is ...:
            rest = len(shape) - indexed
            basic.append(...)
            given, taken = given + rest, taken + rest
        elif k is None:
            basic.append(None)
            given += 1
        elif isinstance(k, _Flag):
            arrays[given] = k.indices
            basic.append(None)
            given += 1
        elif isinstance(k, Tensor):
            arrays[given] = k
            basic.append(slice(None))
            given, taken = given + 1, taken + 1
        else:
            basic.append(_within(k, shape[taken]) if isinstance(k, slice) else k)
            given, taken = given + isinstance(k, slice), taken + 1
    return tuple(basic), arrays


def _fits(mask: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a mask has the lengths that `shape` begins with; one without elements chooses none, whatever they are."""
    return len(mask) <= len(shape) and all(m in (0, n) for m, n in zip(mask, shape, strict=False))


class _Flag(NamedTuple):
    """A single bool: a new dimension of length 1, of which `indices` takes the one place or none."""

    indices: Tensor


def _as_indices(x: Tensor, k: Any) -> tuple[list[Any], tuple[int, ...] | None]:
    """One element of a key as integers, slices and integer Tensors; a bool mask becomes several, and has a shape."""
    if type(k) in _BASIC:
        return [k], None
    if isinstance(k, (list, tuple, range)):
        k = tensor(list(k), device=x.device) if len(k) else tensor(list(k), dtype="int64", device=x.device)
    elif isinstance(k, bool):
        k = tensor(k, device=x.device)
    elif not isinstance(k, Tensor):
        if not is_array(k):
            raise TypeError(f"getitem: an index is an int, a slice, None, ..., a list or a tensor, not {k!r}")
        k = as_tensor(k, device=x.device)
    if k.dtype.kind == "bool" and k.ndim == 0:
        return [_Flag(tensor([0] if k else [], dtype="int64", device=x.device))], None
    if k.dtype.kind == "bool":
        return list(_unbind_mask(k)), tuple(k.array.shape)
    if k.dtype.kind not in ("int", "uint"):
        raise TypeError(f"getitem: an index tensor must be of integers or bools, not {k.dtype.name}")
    return [int(k)] if k.ndim == 0 else [k], None


def _unbind_mask(mask: Tensor) -> Sequence[Tensor]:
    xp = kernels(mask.array).xp
    return [Tensor(array) for array in xp.nonzero(mask.array)]


def _take(x: Tensor, arrays: dict[int, Tensor]) -> Tensor:
    """x at integer arrays along the dimensions that they are given for."""
    if len(arrays) == 1:
        ((axis, index),) = arrays.items()
        lengths = tuple(x.array.shape)
        places = in_range(index, lengths[axis])
        flat = kernels(places).xp.reshape(places, (-1,))
        taken = ops.take_rows(x, flat, axis)
        if len(places.shape) != 1:
            taken = ops.reshape(taken, (*lengths[:axis], *places.shape, *lengths[axis + 1 :]))
    else:
        rows, flat, shape, back = _as_rows(x, arrays)
        taken = ops.reshape(ops.take_rows(rows, flat), shape)
        if back is not None:
            taken = ops.contiguous(ops.permute(taken, back))
    taken.alias = None  # what it may be a view of is nobody else's
    return taken


def _as_rows(x: Tensor, arrays: dict[int, Tensor]) -> tuple[Tensor, Any, tuple[int, ...], tuple[int, ...] | None]:
    """The rows of x that `arrays` choose from, which they choose, and how the result is put in order again.

    Returns
    -------
    rows, flat, shape, back
        x with the indexed dimensions in front and flattened; the number of each row taken; the shape of the result
        with the indexed dimensions in front; the order that brings them to where NumPy has them, or None.
    """
    axes = sorted(arrays)
    rest = [i for i in range(x.ndim) if i not in arrays]
    xp = kernels(x.array).xp
    index_arrays = xp.broadcast_arrays(*[in_range(arrays[a], x.array.shape[a]) for a in axes])
    flat = index_arrays[0]
    for a, array in zip(axes[1:], index_arrays[1:], strict=True):
        flat = flat * x.array.shape[a] + array
    front = axes == list(range(len(axes)))
    ordered = x if front else ops.permute(x, (*axes, *rest))
    size = 1
    for a in axes:
        size *= x.array.shape[a]
    lengths = tuple([x.array.shape[i] for i in rest])
    rows = ordered if len(axes) == 1 else ops.reshape(ordered, (size, *lengths))
    index_shape = tuple(flat.shape)
    # NumPy: indexed dimensions that stand together stay in their place, otherwise they come first.
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    back = None
    if together and axes[0] > 0:
        n, lead = len(index_shape), axes[0]
        back = (*range(n, n + lead), *range(n), *range(n + lead, n + len(rest)))
    return rows, xp.reshape(flat, (-1,)), (*index_shape, *lengths), back


def in_range(indices: Tensor, size: int, name: str = "getitem") -> Any:
    """Integer indices as an array, made int64 and counted from the front.

    Raises
    ------
    IndexError
        If one is not in ``[-size, size)``.
    """
    backend = kernels(indices.array)
    array = backend.xp.astype(indices.array, backend.xp.int64, copy=False)
    backend.check_indices(array, size, name, -size)
    return backend.xp.where(array < 0, array + size, array)


# ---------------------------------------------------------------- x[index] = value


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """``x[index] = value``, in place; `value` broadcasts.

    Raises
    ------
    TapeError
        If x is a leaf that requires grad, while ops are recorded.
    ValueError
        If the value does not fit.
    """
    key = index if type(index) is tuple else (index,)
    if type(value) in (float, int) and all(type(k) in _BASIC for k in key) and not x.requires_grad:
        set_number(x, _normal(x, key), value, "setitem")
        return
    if not isinstance(value, Tensor):
        value = as_tensor(value, device=x.device) if is_array(value) else tensor(value, dtype=x.dtype, device=x.device)
    value = value.detach() if not mode.enabled else value
    if all(type(k) in _BASIC for k in key):
        basic = _normal(x, key)
        arrays: dict[int, Tensor] = {}
    else:
        basic, arrays = _split(x, key)
    root = x if x.alias is None else x.alias.base
    if value.node is None and any(0 in chosen.array.shape for chosen in arrays.values()):
        refuse_leaf(x, "setitem")  # no value changes, so all that the tape keeps is still right
    elif arrays:
        in_place(x, _put, value, basic, arrays, name="setitem")
    elif not mode.enabled or (root.node is None and value.node is None):
        _write(x, basic, value)
    else:
        in_place(x, _overwrite, value, basic, name="setitem")


def set_number(x: Tensor, key: tuple[Any, ...], value: float, called: str) -> None:
    """Set part of a Tensor that is not on the tape to a number; the key is basic."""
    refuse_expanded(x, called)
    backend = kernels(x.array)
    if x.dtype.kind != "float":
        value = tensor(value, dtype=x.dtype, device=x.device).array
    backend.make_current(x.array)
    x.array[tuple([k for k in key if k is not None]) if None in key else key] = value
    bump(x, called)


def _write(x: Tensor, key: tuple[Any, ...], value: Tensor) -> None:
    """Set part of a Tensor with nothing to record: only that part is touched."""
    refuse_expanded(x, "setitem")
    backend = kernels(x.array)
    backend.make_current(x.array)
    part = x.array[key]
    # A view of x is copied first: not every library reads all before it writes.
    array = backend.cast(value.array, x.array.dtype, copy=value.version is x.version)
    fitted = backend.xp.broadcast_to(_without_leading_ones(array, len(part.shape)), part.shape)
    if None in key:  # the standard assigns to keys without it only
        key = tuple([k for k in key if k is not None])
        fitted = backend.xp.reshape(fitted, x.array[key].shape)
    x.array[key] = fitted
    bump(x, "setitem")


def _without_leading_ones(array: Any, rank: int) -> Any:
    extra = len(array.shape) - rank
    if extra > 0 and all(n == 1 for n in array.shape[:extra]):
        return kernels(array).xp.reshape(array, array.shape[extra:])
    return array


def _fitted(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`value` broadcast to the shape of the part that it is put into."""
    extra = value.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in value.array.shape[:extra]):
        value = ops.reshape(value, tuple(value.array.shape[extra:]))
    return value if tuple(value.array.shape) == shape else ops.broadcast_to(value, shape)


def _overwrite(x: Tensor, value: Tensor, key: tuple[Any, ...]) -> Tensor:
    shape = tuple(x.array[key].shape)
    return ops.overwrite(x, ops.astype(_fitted(value, shape), x.dtype), key)


def _put(
    x: Tensor, value: Tensor, basic: tuple[Any, ...], arrays: dict[int, Tensor], accumulate: bool = False
) -> Tensor:
    """x out of place with `value` where a key with arrays points, or added there."""
    part = ops.getitem(x, basic)
    rows, flat, shape, back = _as_rows(part, arrays)
    result_shape = shape if back is None else tuple([shape[i] for i in back])
    fitted = ops.astype(_fitted(value, result_shape), x.dtype)
    if back is not None:
        fitted = ops.permute(fitted, ops.inverse(back))
    fitted = ops.reshape(fitted, (flat.shape[0], *rows.array.shape[1:]))
    shape = tuple(rows.array.shape)
    put = rows + ops.add_rows(shape, fitted, flat) if accumulate else ops.put_rows(rows, fitted, flat)
    axes = sorted(arrays)
    rest = [i for i in range(part.ndim) if i not in arrays]
    order = (*axes, *rest)
    put = ops.reshape(put, tuple([part.array.shape[i] for i in order]))
    return ops.overwrite(x, ops.permute(put, ops.inverse(order)), basic)


def put(x: Tensor, index: tuple[Any, ...], value: Tensor, accumulate: bool = False) -> Tensor:
    """x out of place after ``x[index] = value``, or after ``x[index] += value`` for each element, repeats too."""
    basic, arrays = _split(x, index)
    if not arrays:
        part = ops.getitem(x, basic)
        return _overwrite(x, part + value if accumulate else value, basic)
    return _put(x, value, basic, arrays, accumulate)


# ---------------------------------------------------------------- by number along one dimension


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A view of `length` elements along `dim`, from `start` on.

    Raises
    ------
    IndexError
        If they are not all there.
    """
    axis = axis_of("narrow", dim, input.ndim)
    size = input.array.shape[axis]
    begin = start + size if start < 0 else start
    if not (0 <= begin <= begin + length <= size):
        raise IndexError(f"narrow: elements {start} to {start + length} are not all in a dimension of {size}")
    return ops.getitem(input, (*(slice(None),) * axis, slice(begin, begin + length), ...))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of one place along `dim`, without that dimension."""
    axis = axis_of("select", dim, input.ndim)
    return ops.getitem(input, (*(slice(None),) * axis, index, ...))


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The places `index` [m] along `dim`; m takes the place of that dimension's length. A 0-d index counts as [1].

    Raises
    ------
    ValueError
        If the index has more than one dimension.
    """
    if input.ndim == 0:
        return ops.reshape(index_select(ops.reshape(input, (1,)), dim, index), ())
    axis = axis_of("index_select", dim, input.ndim)
    check_indices(index, input.array.shape[axis], "index_select")
    if index.ndim > 1:
        raise ValueError(f"index_select: the index must have one dimension, not shape {tuple(index.shape)}")
    if index.ndim == 0:
        index = ops.reshape(index, (1,))
    return getitem(input, (*(slice(None),) * axis, index))


def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened `input` at `index`, in the shape of `index`."""
    return getitem(ops.reshape(input, (-1,)), index)


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """``out[i][j] = input[index[i][j]][j]`` for dim 0, and likewise for the others.

    Parameters
    ----------
    index
        Integers of the rank of `input`, along no other dimension than `dim` longer than it.

    Raises
    ------
    IndexError
        If an index is not in ``[0, input.shape[dim])``.
    ValueError
        If the shapes do not fit.
    """
    axis = axis_of("gather", dim, input.ndim)
    check_indices(index, input.array.shape[axis] if input.ndim else 1, "gather")
    if input.ndim == 0:
        return ops.broadcast_to(input, tuple(index.array.shape))
    return ops.take_along_axis(cut("gather", input, index, axis), index, axis)


def cut(name: str, input: Tensor, index: Tensor, axis: int) -> Tensor:
    """`input`, cut to the lengths of `index` along every dimension but `axis`."""
    shape, wanted = input.array.shape, index.array.shape
    if len(shape) != len(wanted) or any(w > n for i, (n, w) in enumerate(zip(shape, wanted, strict=True)) if i != axis):
        raise ValueError(
            f"{name}: index {tuple(wanted)} must have the rank of {tuple(shape)} and be no longer than it, "
            f"but for dimension {axis}"
        )
    if all(n == w for i, (n, w) in enumerate(zip(shape, wanted, strict=True)) if i != axis):
        return input
    return ops.getitem(input, (*[slice(None) if i == axis else slice(0, w) for i, w in enumerate(wanted)], ...))


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with ``src[i][j]`` added at ``[index[i][j]][j]`` for dim 0, and likewise for the others.

    Raises
    ------
    IndexError
        If an index is not in ``[0, input.shape[dim])``.
    ValueError
        If the shapes do not fit.
    """
    axis = axis_of("scatter_add", dim, input.ndim)
    check_indices(index, input.array.shape[axis] if input.ndim else 1, "scatter_add")
    if input.ndim == 0:
        return input + ops.reshape(src, ())
    cut("scatter_add", input, index, axis)
    return input + ops.put_along_axis(tuple(input.array.shape), cut_to(src, index), index, axis)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, value: Any = None, *, reduce: str | None = None
) -> Tensor:
    """`input` with ``src[i][j]`` (or one `value`) put at ``[index[i][j]][j]`` for dim 0, and likewise for the others.

    Where an index repeats, one of the values counts. With `reduce` ``"add"`` or ``"multiply"`` all of them are added to
    what is there, or multiplied.

    Raises
    ------
    IndexError
        If an index is not in ``[0, input.shape[dim])``.
    ValueError
        If the shapes do not fit, or there is no such reduction.
    """
    axis = axis_of("scatter", dim, input.ndim)
    check_indices(index, input.array.shape[axis] if input.ndim else 1, "scatter")
    if src is None or not isinstance(src, Tensor):
        src = full_like(index, value if src is None else src, dtype=input.dtype)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise ValueError(f"scatter: reduce must be 'add' or 'multiply', not {reduce!r}")
        # Imported here: few programs use it.
        from .functions.scattering import scatter_reduce

        return scatter_reduce(input, dim, index, src, "sum" if reduce == "add" else "prod")
    if input.ndim == 0:
        return ops.astype(ops.reshape(src, ()), input.dtype)
    cut("scatter", input, index, axis)
    flat = ops.reshape(Tensor(ops.flat_along_axis(index.array, tuple(input.array.shape), axis)), (-1,))
    values = ops.reshape(cut_to(src, index), (-1,))
    put = ops.put_rows(ops.reshape(input, (-1,)), ops.astype(values, input.dtype), flat)
    return ops.reshape(put, tuple(input.array.shape))


def cut_to(src: Tensor, index: Tensor) -> Tensor:
    if tuple(src.array.shape) == tuple(index.array.shape):
        return src
    return ops.getitem(src, (*[slice(0, n) for n in index.array.shape], ...))


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """`input` with the places of `source` along `dim` added at `index` [m]; repeats add up.

    Raises
    ------
    ValueError
        If `source` has not the shape of `input`, with m along `dim`.
    """
    if input.ndim == 0:
        rows, values = ops.reshape(input, (1,)), ops.reshape(source, (source.numel(),))
        return ops.reshape(index_add(rows, dim, index, values, alpha=alpha), ())
    axis = axis_of("index_add", dim, input.ndim)
    check_indices(index, input.array.shape[axis], "index_add")
    order = (axis, *[i for i in range(input.ndim) if i != axis])
    wanted = (*input.shape[:axis], index.numel(), *input.shape[axis + 1 :])
    if tuple(source.shape) != wanted:
        raise ValueError(f"index_add: the source must have shape {wanted}, not {tuple(source.shape)}")
    rows = ops.permute(source, order)
    shape = tuple([input.array.shape[i] for i in order])
    added = ops.permute(ops.add_rows(shape, rows, index), ops.inverse(order))
    return input + (added if alpha == 1 else added * alpha)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """`input` with `value`, a number or a 0-d Tensor, at the places `index` [m] along `dim`."""
    if input.ndim == 0:
        return ops.reshape(index_fill(ops.reshape(input, (1,)), dim, index, value), ())
    axis = axis_of("index_fill", dim, input.ndim)
    check_indices(index, input.array.shape[axis], "index_fill")
    xp = kernels(input.array).xp
    places = xp.arange(input.array.shape[axis], dtype=index.array.dtype, device=index.array.device)
    chosen = xp.any(xp.expand_dims(places, axis=1) == xp.expand_dims(index.array, axis=0), axis=1)
    mask = xp.reshape(chosen, tuple([n if i == axis else 1 for i, n in enumerate(input.array.shape)]))
    return ops.where(Tensor(mask), value, input)


# ---------------------------------------------------------------- by mask


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`input` with `value`, a number or a 0-d Tensor, where the bool `mask` holds.

    Raises
    ------
    TypeError
        If the mask is not of bools.
    """
    if mask.dtype.kind != "bool":
        raise TypeError(f"masked_fill: the mask must be of bools, not {mask.dtype.name}")
    return ops.where(mask, value, input)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements of `input` where the bool `mask` holds, in one dimension; the two broadcast.

    Raises
    ------
    TypeError
        If the mask is not of bools.
    """
    if mask.dtype.kind != "bool":
        raise TypeError(f"masked_select: the mask must be of bools, not {mask.dtype.name}")
    shape = broadcast_shape("masked_select", (input.array.shape, mask.array.shape))
    return getitem(ops.broadcast_to(input, shape or (1,)), ops.broadcast_to(mask, shape or (1,)))


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Where `input` is not 0: indices [count, ndim], or with `as_tuple` one Tensor [count] for each dimension."""
    holds = ops.not_equal(input, 0) if input.dtype.kind != "bool" else input
    if input.ndim == 0 and not as_tuple:
        return zeros((int(bool(holds)), 0), dtype="int64", device=input.device)
    columns = _unbind_mask(holds if input.ndim else ops.reshape(holds, (1,)))
    return tuple(columns) if as_tuple else ops.stack(columns, 1)


named(__name__, without=("check_indices",))  # which is told whose indices they are
