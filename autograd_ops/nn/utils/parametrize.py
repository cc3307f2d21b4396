"""Parameters that are computed from others: a function stands between what is learned and what the module uses.

`register_parametrization` moves the parameter into a `ParametrizationList`, as ``original``, and makes the attribute a
property of a class of the module's own, which computes the value each time it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...refusals import named
from ...tape import no_grad
from ...tensor import Tensor
from ..containers import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

#: What was computed within `cached`, by module and name; None outside.
_cache: dict[tuple[int, str], Tensor] | None = None


@contextmanager
def cached() -> Iterator[None]:
    """Within it, each parametrized Tensor is computed once."""
    global _cache
    before, _cache = _cache, {} if _cache is None else _cache
    try:
        yield
    finally:
        _cache = before


class ParametrizationList(ModuleList):
    """The parametrizations of one Tensor, called one after the other, and the Tensor itself.

    Attributes
    ----------
    original
        What is learned; ``original0``, ``original1``, ... where the first one's ``right_inverse`` gives several.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList: needs a parametrization at least")
        super().__init__(modules)
        self.unsafe = unsafe
        with no_grad():
            inner = self._inverted(original)
        self.is_tensor = isinstance(inner, Tensor)
        self.ntensors = 1 if isinstance(inner, Tensor) else len(inner)
        if isinstance(inner, Tensor):
            self._hold("original", original, inner)
        else:
            for i, part in enumerate(inner):
                self._hold(f"original{i}", original, part)

    def _inverted(self, value: Any) -> Any:
        for module in reversed(list(self)):
            if not hasattr(module, "right_inverse"):
                continue
            value = module.right_inverse(value)
        return value

    def _hold(self, name: str, original: Tensor, value: Tensor) -> None:
        if isinstance(original, Parameter):
            if value is not original:
                value = Parameter(value.detach(), original.requires_grad)
            self.register_parameter(name, value)
        else:
            self.register_buffer(name, value)

    def _originals(self) -> list[Tensor]:
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    @no_grad
    def right_inverse(self, value: Tensor) -> None:
        """Let the originals be such that `forward` gives `value`."""
        inner = self._inverted(value)
        for held, new in zip(self._originals(), [inner] if self.is_tensor else inner, strict=True):
            held.copy_(new)

    def forward(self, *args: Any) -> Tensor:
        """What the module uses."""
        first, *others = self
        value = first(*self._originals())
        for module in others:
            value = module(value)
        return value


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer of `module` be what `parametrization` gives for it; a second one comes after the first.

    Parameters
    ----------
    module
        Gets a class of its own, of which the attribute is a property; it is changed and returned.
    tensor_name
        The attribute.
    parametrization
        Its ``forward`` takes the Tensor and gives one of the same shape and dtype. If it has ``right_inverse``, that
        is called with a value to be set, now and on assignment, and gives what ``forward`` takes for it: a Tensor, or
        several.
    unsafe
        Whether shape and dtype may change.

    Raises
    ------
    ValueError
        If there is no such parameter or buffer, or shape or dtype change.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.nn.utils import parametrize
    >>> class Symmetric(ag.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = parametrize.register_parametrization(ag.nn.Linear(3, 3), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all())
    True
    >>> sorted(name for name, _ in layer.named_parameters())
    ['bias', 'parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        held: Any = module.parametrizations[tensor_name]
        _check(tensor_name, getattr(module, tensor_name), parametrization, unsafe)
        if hasattr(parametrization, "right_inverse"):
            value = getattr(module, tensor_name).detach()
            held.append(parametrization)
            held.right_inverse(value)
        else:
            held.append(parametrization)
        return module
    original = module._parameters.get(tensor_name, module._buffers.get(tensor_name))
    if original is None:
        raise ValueError(
            f"register_parametrization: {type(module).__name__} has no parameter, buffer or parametrized tensor "
            f"{tensor_name!r}"
        )
    made = ParametrizationList([parametrization], original, unsafe)
    if not unsafe:
        _check_like(tensor_name, original, made())
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _give_class(module)
        module.parametrizations = ModuleDict()
    _add_property(module, tensor_name)
    module.parametrizations[tensor_name] = made
    return module


def _check(name: str, value: Tensor, parametrization: Module, unsafe: bool) -> None:
    if not unsafe:
        with no_grad():
            _check_like(name, value, parametrization(value))


def _check_like(name: str, before: Tensor, after: Any) -> None:
    if not isinstance(after, Tensor) or after.shape != before.shape or after.dtype != before.dtype:
        what = f"{after.dtype} of shape {tuple(after.shape)}" if isinstance(after, Tensor) else type(after).__name__
        raise ValueError(
            f"register_parametrization: {name!r} is {before.dtype} of shape {tuple(before.shape)}, and the "
            f"parametrization gives {what}; unsafe=True allows that"
        )


def _give_class(module: Module) -> None:
    """Make `module` the one instance of a class of its own, which properties can be added to."""
    before = type(module)
    module.__class__ = type(f"Parametrized{before.__name__}", (before,), {"_unparametrized": before})


def _add_property(module: Module, name: str) -> None:
    def read(self: Module) -> Any:
        key = (id(self), name)
        if _cache is not None and key in _cache:
            return _cache[key]
        value = self.parametrizations[name]()
        if _cache is not None:
            _cache[key] = value
        return value

    def write(self: Module, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(read, write))


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a Tensor of `module` is parametrized: that one, or any."""
    held = module._modules.get("parametrizations")
    if not isinstance(held, ModuleDict) or not hasattr(type(module), "_unparametrized"):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def type_before_parametrizations(module: Module) -> type:
    """The class that `module` had before it was parametrized."""
    before: type = type(module)._unparametrized if is_parametrized(module) else type(module)  # type: ignore[attr-defined]
    return before


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Let a parameter be one of its own again.

    Parameters
    ----------
    module
        Is changed and returned.
    tensor_name
        The attribute.
    leave_parametrized
        Whether it keeps the value it has now, and not the original one.

    Raises
    ------
    ValueError
        If it is not parametrized, or its original is several Tensors, which no parameter could be.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"remove_parametrizations: {tensor_name!r} of {type(module).__name__} is not parametrized")
    held: Any = module.parametrizations[tensor_name]
    first = held._originals()[0]
    if not leave_parametrized and not held.is_tensor:
        raise ValueError(
            f"remove_parametrizations: the original of {tensor_name!r} is {held.ntensors} tensors; leave it so"
        )
    value = getattr(module, tensor_name).detach() if leave_parametrized else first
    if leave_parametrized and isinstance(first, Parameter):
        if held.is_tensor and first.shape == value.shape and first.dtype == value.dtype:
            first.data.copy_(value)  # so that it stays the parameter that an optimizer has
            value = first
        else:
            value = Parameter(value, first.requires_grad)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(value, Parameter):
        module.register_parameter(tensor_name, value)
    else:
        module.register_buffer(tensor_name, value)
    if len(module.parametrizations) == 0:
        module.__class__ = type(module)._unparametrized  # type: ignore[attr-defined]
        del module.parametrizations
    return module


named(__name__)
