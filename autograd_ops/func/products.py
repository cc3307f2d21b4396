"""``vjp`` and ``jvp``: the Jacobian times a vector, from the left and from the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..pytree import flatten, tree_map, unflatten
from ..tape import enable_grad
from ..tensor import Tensor
from .gradients import split_aux
from .level import Level, gradients, zeros_like

__all__ = ["jvp", "pushed", "vjp"]


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """What `func` gives, and the function that carries gradients back through it.

    Parameters
    ----------
    primals
        The arguments: trees of Tensors.
    has_aux
        Whether `func` gives ``(result, aux)``; then ``aux`` comes third.

    Returns
    -------
    tuple
        The result and ``vjp_fn``: given a gradient like the result, it gives a tuple of gradients like `primals`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> y, back = ag.func.vjp(lambda x: x**2, ag.tensor([1.0, 2.0]))
    >>> back(ag.tensor([1.0, 10.0]))
    (tensor([ 2., 40.]),)
    """
    level = Level("vjp", primals)
    with enable_grad():
        result, aux = split_aux("vjp", func(*level.trees), has_aux)
    outputs = level.outputs(result)
    _, shape = flatten(result)

    def vjp_fn(*cotangents: Any) -> tuple[Any, ...]:
        given, given_shape = flatten(cotangents[0] if len(cotangents) == 1 else cotangents)
        _check_like("vjp_fn", "gradient", given, given_shape, outputs, shape)
        found: tuple[Any, ...] = level.released(unflatten(level.gradients(outputs, given), level.shape))
        return found

    results = level.released(result), vjp_fn
    return (*results, level.released(aux)) if has_aux else results


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """What `func` gives, and its derivative along `tangents`.

    It is exact, and costs two walks back: the gradient that one walk gives is linear in the gradient that arrives, and
    the derivative of that linear function is the one wanted.

    Parameters
    ----------
    primals, tangents
        A tuple of arguments, and a direction like each.
    strict
        Accepted for PyTorch's sake: a result that does not depend on the arguments has derivative zero.
    has_aux
        Whether `func` gives ``(result, aux)``; then ``aux`` comes third.

    Raises
    ------
    TypeError
        If `primals` is no tuple.
    ValueError
        If `tangents` is not like it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.func.jvp(lambda x: x**2, (ag.tensor([1.0, 2.0]),), (ag.tensor([1.0, 10.0]),))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise TypeError("jvp: primals and tangents are tuples, with one entry for each argument of the function")
    level = Level("jvp", primals)
    directions, shape = flatten(tangents)
    _check_like("jvp", "tangent", directions, shape, level.inputs, level.shape)
    with enable_grad():
        result, aux = split_aux("jvp", func(*level.trees), has_aux)
        outputs = level.outputs(result)
        along = pushed(outputs, level.inputs, [directions], level.records(*outputs, *directions))
    _, shape = flatten(result)
    results = level.released(result), level.released(unflatten([column for (column,) in along], shape))
    return (*results, level.released(aux)) if has_aux else results


def pushed(
    outputs: list[Tensor], inputs: list[Tensor], directions: list[list[Tensor]], create_graph: bool
) -> list[list[Tensor]]:
    """For each output its derivative along each of `directions`, which have a Tensor for each input."""
    along: list[list[Tensor]] = []
    for output in outputs:
        if output.node is None:
            along.append([zeros_like(output) for _ in directions])
            continue
        arriving = zeros_like(output).requires_grad_()
        back = gradients([output], inputs, [arriving], create_graph=True)
        along.append([gradients(back, [arriving], d, create_graph)[0] for d in directions])
    return along


def _check_like(name: str, what: str, given: list[Any], shape: Any, tensors: list[Tensor], like: Any) -> None:
    if shape != like:
        raise ValueError(f"{name}: what is given is {_drawn(shape)}, but must be {_drawn(like)}")
    for g, x in zip(given, tensors, strict=True):
        if not isinstance(g, Tensor):
            raise TypeError(f"{name}: a {what} is a Tensor, not a {type(g).__name__}")
        if g.array.shape != x.array.shape:
            raise ValueError(f"{name}: a {what} has shape {tuple(g.shape)}, but must be like {tuple(x.shape)}")


def _drawn(shape: Any) -> str:
    return str(tree_map(lambda _: "tensor", shape)).replace("'tensor'", "tensor")
