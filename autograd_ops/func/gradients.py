"""``grad`` and its kin: gradients of a function of one number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from autograd_backends import namespace

from ..pytree import unflatten
from ..tape import enable_grad
from ..tensor import Tensor
from .level import Level

__all__ = ["grad", "grad_and_value", "value_and_grad"]

Argnums = int | tuple[int, ...]


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives the gradient of `func`.

    Parameters
    ----------
    func
        A function that gives a Tensor of shape ().
    argnums
        Which arguments it is differentiated by: a number, or a tuple of them, which gives a tuple of gradients. Each
        may be a tree of Tensors.
    has_aux
        Whether `func` gives ``(value, aux)``; then the new function gives ``(gradient, aux)``.

    Raises
    ------
    TypeError
        When called, if an argument to differentiate by is no float Tensor, or `func` gives no Tensor.
    ValueError
        When called, if `func` gives a Tensor of another shape than (), or there is no argument of such a number.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.func import grad
    >>> grad(grad(lambda x: x**3))(ag.tensor(2.0))
    tensor(12.)
    """

    @wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, _, aux = _differentiated("grad", func, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives ``(gradient, value)``, or with `has_aux` ``(gradient, (value, aux))``; see `grad`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.func.grad_and_value(lambda x: x**3)(ag.tensor(2.0))
    (tensor(12.), tensor(8.))
    """

    @wraps(func)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        found, value, aux = _differentiated("grad_and_value", func, argnums, has_aux, args, kwargs)
        return (found, (value, aux)) if has_aux else (found, value)

    return gradient_and_value


def value_and_grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives ``(value, gradient)``, or with `has_aux` ``((value, aux), gradient)``, as in JAX.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.func.value_and_grad(lambda x: x**3)(ag.tensor(2.0))
    (tensor(8.), tensor(12.))
    """

    @wraps(func)
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        found, value, aux = _differentiated("value_and_grad", func, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), found

    return value_and_gradient


def _differentiated(
    name: str, func: Callable[..., Any], argnums: Argnums, has_aux: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """The gradient, the value, and what came beside it."""
    numbers = positions(name, argnums, args)
    level = Level(name, [args[i] for i in numbers])
    with enable_grad():
        value, aux = split_aux(name, func(*replaced(args, numbers, level.trees), **kwargs), has_aux)
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}: the function must give a Tensor, and gave a {type(value).__name__}")
        if value.array.shape != ():
            raise ValueError(f"{name}: the function must give a Tensor of shape (), and gave {tuple(value.shape)}")
        array = value.array
        ones = Tensor(namespace(array).ones((), dtype=array.dtype, device=array.device))
        gradients = level.gradients([value], [ones])
    found = level.released(arranged(argnums, level, gradients))
    return found, level.released(value), level.released(aux)


def positions(name: str, argnums: Argnums, args: Sequence[Any]) -> tuple[int, ...]:
    """`argnums` as a tuple, counted from the front."""
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for i in numbers:
        if not -len(args) <= i < len(args):
            raise ValueError(f"{name}: argnums has {i}, but there are {len(args)} positional arguments")
    return tuple([i % len(args) for i in numbers])


def replaced(args: Sequence[Any], numbers: Sequence[int], trees: Sequence[Any]) -> list[Any]:
    """`args` with `trees` in the place of those of these `numbers`."""
    new = list(args)
    for i, tree in zip(numbers, trees, strict=True):
        new[i] = tree
    return new


def split_aux(name: str, result: Any, has_aux: bool) -> tuple[Any, Any]:
    """What a function gave, and what it gave beside it."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(f"{name}: with has_aux the function must give a tuple (result, aux)")
    return result


def arranged(argnums: Argnums, level: Level, leaves: Sequence[Any]) -> Any:
    """A result for each input, as the arguments are: of the one, or a tuple of several."""
    trees = unflatten(leaves, level.shape)
    return trees[0] if isinstance(argnums, int) else trees
