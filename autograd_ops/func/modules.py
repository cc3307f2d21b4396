"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..functions import stack
from ..nn import Module
from ..tape import no_grad
from ..tensor import Tensor

__all__ = ["functional_call", "stack_module_state"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with other parameters and buffers, which it has for this call only.

    Parameters
    ----------
    parameter_and_buffer_dicts
        Tensors by path, as ``dict(module.named_parameters())`` has them, or a sequence of such dicts.
    args, kwargs
        The arguments: a tuple, or the one argument.
    tie_weights
        Whether a parameter that the module has in several places is replaced in all, though only one path is given.
    strict
        Whether every parameter and buffer has to be given.

    Raises
    ------
    KeyError
        If the module has no parameter or buffer of such a path, or `strict` and one is missing.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.Linear(2, 1, bias=False)
    >>> ag.func.functional_call(layer, {"weight": ag.tensor([[1.0, 2.0]])}, ag.ones(2))
    tensor([3.])
    """
    given: dict[str, Tensor] = {}
    dicts = (
        [parameter_and_buffer_dicts] if isinstance(parameter_and_buffer_dicts, Mapping) else parameter_and_buffer_dicts
    )
    for more in dicts:
        given.update(more)
    places = _places(module)
    for path in given:
        if path not in places:
            raise KeyError(f"functional_call: {type(module).__name__} has no parameter or buffer {path!r}")
    if strict and len(given) < len(places):
        missing = [path for path in places if path not in given]
        raise KeyError(f"functional_call: strict, and there is nothing for {', '.join(map(repr, missing))}")
    if tie_weights:
        by_tensor = {id(_held(*places[path])): tensor for path, tensor in given.items()}
        given = {
            path: given.get(path, by_tensor[id(_held(*place))])
            for path, place in places.items()
            if id(_held(*place)) in by_tensor
        }
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _swapped({places[path]: tensor for path, tensor in given.items()}):
        return module(*arguments, **(kwargs or {}))


#: A module, a register of its, and a name there.
Place = tuple[Module, str, str]


def _places(module: Module) -> dict[str, Place]:
    """Where each parameter and buffer is, by path."""
    return {
        f"{path}.{name}" if path else name: (owner, register, name)
        for path, owner in module.named_modules(remove_duplicate=False)
        for register in ("_parameters", "_buffers")
        for name, held in getattr(owner, register).items()
        if held is not None
    }


def _held(owner: Module, register: str, name: str) -> Tensor:
    held: Tensor = getattr(owner, register)[name]
    return held


@contextmanager
def _swapped(tensors: Mapping[Place, Tensor]) -> Iterator[None]:
    before = {place: _held(*place) for place in tensors}
    try:
        _put(tensors)
        yield
    finally:
        _put(before)


def _put(tensors: Mapping[Place, Tensor]) -> None:
    for (owner, register, name), tensor in tensors.items():
        getattr(owner, register)[name] = tensor
        object.__setattr__(owner, name, tensor)  # past the check that a parameter stays one


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and buffers of modules of one architecture, stacked: for `vmap` over an ensemble.

    Returns
    -------
    tuple
        Parameters and buffers by path, with a first dimension as long as `models`; the parameters are new leaves.

    Raises
    ------
    ValueError
        If there are no models, or they differ in class.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> params, buffers = ag.func.stack_module_state([ag.nn.Linear(2, 3) for _ in range(5)])
    >>> params["weight"].shape
    Size([5, 3, 2])
    """
    if len(models) == 0:
        raise ValueError("stack_module_state: there are no models")
    if any(type(model) is not type(models[0]) for model in models):
        raise ValueError("stack_module_state: the models are of different classes")
    with no_grad():
        parameters = {
            name: stack([dict(model.named_parameters())[name] for model in models])
            for name, _ in models[0].named_parameters()
        }
        buffers = {
            name: stack([dict(model.named_buffers())[name] for model in models])
            for name, _ in models[0].named_buffers()
        }
    for name, parameter in models[0].named_parameters():
        parameters[name].requires_grad_(parameter.requires_grad)
    return parameters, buffers
