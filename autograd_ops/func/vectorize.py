"""``vmap``: a function of one example, run over a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..functions import stack
from ..pytree import flatten, unflatten
from ..random import default_generator
from ..tensor import Tensor

__all__ = ["vmap"]


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that runs `func` on each slice of its arguments and stacks what it gives.

    It is a loop: `func` is run once for each slice, in order. So any function will do, also one that branches on
    values or prints, and it is no faster than the loop. A program that is to be fast is written with ops that take
    whole batches.

    Parameters
    ----------
    func
        A function of trees of Tensors that gives a tree of them.
    in_dims
        Along which dimension each argument is sliced, ``None`` for one that is the same in all: one for all arguments,
        or a tuple with one for each, which may be trees like the arguments. Keyword arguments are sliced along 0.
    out_dims
        Where the new dimension stands in each result.
    randomness
        ``"error"``: `func` may not draw random numbers; ``"different"``: each slice draws its own; ``"same"``: all draw
        the same.
    chunk_size
        Accepted for PyTorch's sake.

    Raises
    ------
    ValueError
        If `randomness` is none of the three; when called, if no argument is sliced, the lengths differ or there are no
        slices.
    RuntimeError
        When called, if `func` draws random numbers and `randomness` is ``"error"``.

    Examples
    --------
    Gradients for each example:

    >>> import autograd_ops as ag
    >>> from autograd_ops.func import grad, vmap
    >>> w, x = ag.tensor([1.0, 2.0]), ag.tensor([[1.0, 1.0], [2.0, 0.0]])
    >>> vmap(grad(lambda w, x: (w @ x) ** 2), in_dims=(None, 0))(w, x)
    tensor([[6., 6.],
            [8., 0.]])
    """
    if randomness not in ("error", "different", "same"):
        raise ValueError(f"vmap: randomness is 'error', 'different' or 'same', not {randomness!r}")

    @wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, shape = flatten((args, kwargs))
        dims = [*_leaf_dims("in_dims", in_dims, args), *_leaf_dims("in_dims", 0, kwargs)]
        results = []
        shape_out: Any = None
        start = default_generator.clone_state() if randomness == "same" else default_generator
        draws = default_generator.draws
        for k in range(_length(leaves, dims)):
            if randomness == "same":
                default_generator.take_state(start)
            one_args, one_kwargs = unflatten(
                [x if dim is None else x.select(dim, k) for x, dim in zip(leaves, dims, strict=True)], shape
            )
            result = func(*one_args, **one_kwargs)
            if randomness == "error" and default_generator.draws != draws:
                raise RuntimeError(
                    "vmap: the function drew random numbers; pass randomness='different' to let each slice draw its "
                    "own, or 'same' to let all draw the same"
                )
            found, shape_out = flatten(result)
            results.append(found)
        places = _leaf_dims("out_dims", out_dims, unflatten(results[0], shape_out))
        return unflatten(
            [_stacked([r[i] for r in results], place) for i, place in enumerate(places)],
            shape_out,
        )

    return mapped


def _leaf_dims(name: str, dims: Any, tree: Any) -> list[int | None]:
    """For each leaf of `tree` its dimension: `dims` is one for all, or a tree whose leaves are for all below them."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(flatten(tree)[0])
    if isinstance(dims, dict) and isinstance(tree, dict) and dims.keys() == tree.keys():
        return [dim for key, below in tree.items() for dim in _leaf_dims(name, dims[key], below)]
    if isinstance(dims, (tuple, list)) and isinstance(tree, (tuple, list)) and len(dims) == len(tree):
        return [dim for d, below in zip(dims, tree, strict=True) for dim in _leaf_dims(name, d, below)]
    if name == "out_dims" and isinstance(dims, tuple) and len(dims) == 1:
        return _leaf_dims(name, dims[0], tree)
    raise ValueError(f"vmap: {name} {dims!r} is not like what it is for: one number for all, or one for each")


def _length(leaves: list[Any], dims: list[int | None]) -> int:
    lengths = set()
    for x, dim in zip(leaves, dims, strict=True):
        if dim is not None:
            if not isinstance(x, Tensor):
                raise ValueError(f"vmap: in_dims has {dim} for a {type(x).__name__}; give None for what is no Tensor")
            if not -x.ndim <= dim < x.ndim:
                raise ValueError(f"vmap: in_dims has {dim} for a tensor of {x.ndim} dimensions")
            lengths.add(x.shape[dim])
    if len(lengths) != 1:
        said = f"the lengths differ: {sorted(lengths)}" if lengths else "in_dims has no dimension to go along"
        raise ValueError(f"vmap: {said}")
    (length,) = lengths
    if length == 0:
        raise ValueError("vmap: there are no slices, so nothing says what the function gives")
    return int(length)


def _stacked(slices: list[Any], place: int | None) -> Any:
    if place is None:
        return slices[0]
    if not isinstance(slices[0], Tensor):
        raise ValueError(f"vmap: the function must give Tensors, and gave a {type(slices[0]).__name__}")
    return stack(slices, place)
