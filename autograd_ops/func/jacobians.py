"""Whole Jacobians, by rows and by columns, and Hessians."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from autograd_backends import namespace

from ..functions import stack
from ..pytree import flatten, unflatten
from ..tape import enable_grad
from ..tensor import Tensor
from .gradients import Argnums, arranged, positions, replaced, split_aux
from .level import Level, gradients, zeros_like
from .products import pushed

__all__ = ["columns", "hessian", "jacfwd", "jacrev", "rows"]


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Callable[..., Any]:
    """The function that gives the Jacobian of `func`, one walk back for each element of its result.

    Parameters
    ----------
    func
        A function that gives a tree of Tensors.
    argnums
        Which arguments it is differentiated by: a number, or a tuple of them. Each may be a tree of Tensors.
    has_aux
        Whether `func` gives ``(result, aux)``; then the new function gives ``(jacobian, aux)``.
    chunk_size
        Accepted for PyTorch's sake.

    Returns
    -------
    function
        It gives, in the place of each Tensor of the result, a tree like the arguments, of Tensors of the result's shape
        and then the argument's.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.func.jacrev(lambda x: x**2)(ag.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian("jacrev", func, argnums, has_aux, rows)


def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that gives the Jacobian of `func`, by columns: one derivative for each element of its arguments.

    The same as `jacrev`, and cheaper where there are fewer arguments than results.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.func.jacfwd(lambda x: ag.stack([x, x**2]))(ag.tensor(3.0))
    tensor([1., 6.])
    """
    return _jacobian("jacfwd", func, argnums, has_aux, columns)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The function that gives the second derivatives of `func`: the Jacobian of its Jacobian.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.func.hessian(lambda x: (x**3).sum())(ag.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)


def _jacobian(
    name: str, func: Callable[..., Any], argnums: Argnums, has_aux: bool, blocks: Callable[..., list[Tensor]]
) -> Callable[..., Any]:
    @wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        numbers = positions(name, argnums, args)
        level = Level(name, [args[i] for i in numbers])
        with enable_grad():
            result, aux = split_aux(name, func(*replaced(args, numbers, level.trees), **kwargs), has_aux)
            outputs = level.outputs(result)
            found = [blocks(output, level.inputs, level.records(output)) for output in outputs]
        _, shape = flatten(result)
        whole = level.released(unflatten([arranged(argnums, level, of_one) for of_one in found], shape))
        return (whole, level.released(aux)) if has_aux else whole

    return jacobian


def rows(output: Tensor, inputs: list[Tensor], create_graph: bool) -> list[Tensor]:
    """The Jacobian of `output` by each input, a row at a time: of shape output and then input."""
    found = [gradients([output], inputs, [unit], create_graph) for unit in units(output)]
    return [
        stack([row[i] for row in found]).reshape(output.shape + x.shape) if found else _empty(output, x)
        for i, x in enumerate(inputs)
    ]


def columns(output: Tensor, inputs: list[Tensor], create_graph: bool) -> list[Tensor]:
    """The same, a column at a time."""
    blocks = []
    for i, x in enumerate(inputs):
        directions = [[unit if j == i else zeros_like(y) for j, y in enumerate(inputs)] for unit in units(x)]
        (found,) = pushed([output], inputs, directions, create_graph)
        blocks.append(stack(found, -1).reshape(output.shape + x.shape) if found else _empty(output, x))
    return blocks


def units(tensor: Tensor) -> list[Tensor]:
    """The Tensors of its shape that are 1 in one element and 0 elsewhere, in order of the elements."""
    array = tensor.array
    xp = namespace(array)
    basis = xp.eye(array.size, dtype=array.dtype, device=array.device)
    return [Tensor(xp.reshape(basis[k, ...], array.shape)) for k in range(array.size)]


def _empty(output: Tensor, x: Tensor) -> Tensor:
    array = x.array
    shape = tuple(output.shape) + tuple(x.shape)
    return Tensor(namespace(array).zeros(shape, dtype=array.dtype, device=array.device))
