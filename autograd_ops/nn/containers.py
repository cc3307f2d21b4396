"""Modules that hold modules or parameters: in a row, in a list, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Generic, Self, TypeVar, overload

from ..tensor import Tensor
from .module import Module
from .parameter import Parameter

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]

T = TypeVar("T", Module, Parameter)


class _Numbered(Module, Generic[T]):
    """What `Sequential`, `ModuleList` and `ParameterList` share: a list whose items are attributes, called 0, 1, ..."""

    def _register_of_items(self) -> dict[str, Any]:
        return self._modules

    def _key(self, index: int) -> str:
        """The name of the item at `index`."""
        keys = list(self._register_of_items())
        if not -len(keys) <= index < len(keys):
            raise IndexError(f"{type(self).__name__}: index {index} is out of range for {len(keys)} items")
        return keys[index]

    def _become(self, items: Iterable[T]) -> None:
        """Hold `items` and nothing else, numbered from 0."""
        items = list(items)
        for key in list(self._register_of_items()):
            delattr(self, key)
        self.extend(items)

    def append(self, item: T) -> Self:
        """Add one at the end; returns itself."""
        self._add(str(len(self)), item)
        return self

    def extend(self, items: Iterable[T]) -> Self:
        """Add several at the end; returns itself."""
        for item in items:
            self.append(item)
        return self

    def insert(self, index: int, item: T) -> Self:
        """Put one before the item at `index`; returns itself."""
        items = list(self)
        items.insert(index, item)
        self._become(items)
        return self

    def pop(self, key: int = -1) -> T:
        """Take one out, by default the last, and return it.

        Raises
        ------
        IndexError
            If there is none.
        """
        item: T = self._register_of_items()[self._key(key)]
        del self[key]
        return item

    def _add(self, name: str, item: Any) -> None:
        self.add_module(name, item)

    def __len__(self) -> int:
        return len(self._register_of_items())

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._register_of_items().values()))

    def __setitem__(self, index: int, item: T) -> None:
        self._add(self._key(index), item)

    def __delitem__(self, index: int | slice) -> None:
        items = list(self)
        del items[index]
        self._become(items)

    def __iadd__(self, items: Iterable[T]) -> Self:
        return self.extend(items)


class Sequential(_Numbered[Module]):
    """Modules one after the other, each called with what the one before gave.

    Parameters
    ----------
    *args
        The modules, called ``"0"``, ``"1"``, ...; or one dict of them by name.

    Examples
    --------
    >>> from collections import OrderedDict
    >>> from autograd_ops import nn
    >>> nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    >>> nn.Sequential(OrderedDict(first=nn.Linear(2, 3), last=nn.Linear(3, 1)))[-1:]
    Sequential(
      (last): Linear(in_features=3, out_features=1, bias=True)
    )
    """

    def __init__(self, *args: Module | Mapping[str, Module]) -> None:
        super().__init__()
        only = args[0] if len(args) == 1 else None
        named: Mapping[str, Any] = only if isinstance(only, Mapping) else {str(i): m for i, m in enumerate(args)}
        for name, module in named.items():
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        """What the last module gives."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def __add__(self, other: Iterable[Module]) -> Sequential:
        return Sequential(*self, *other)

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*list(self) * _positive(times))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        return self.extend(list(self) * (_positive(times) - 1))

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            items: list[tuple[str, Any]] = list(self._modules.items())
            return type(self)(dict(items[index]))
        return self._modules[self._key(index)]  # type: ignore[return-value]


class ModuleList(_Numbered[Module]):
    """A list of modules, all of them registered; it is not callable.

    Parameters
    ----------
    modules
        The modules to start with.

    Examples
    --------
    >>> from autograd_ops import nn
    >>> nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> ModuleList: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[self._key(index)]  # type: ignore[return-value]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def _children_reprs(self) -> list[tuple[str, str]]:
        merged = []
        for text, group in groupby(super()._children_reprs(), key=lambda pair: pair[1]):
            names = [name for name, _ in group]
            many = len(names) > 1
            merged.append((f"{names[0]}-{names[-1]}" if many else names[0], f"{len(names)} x {text}" if many else text))
        return merged


class ModuleDict(Module):
    """Modules by name, all of them registered; it is not callable.

    Parameters
    ----------
    modules
        The modules to start with: a mapping, or pairs of name and module.

    Examples
    --------
    >>> from autograd_ops import nn
    >>> heads = nn.ModuleDict({"age": nn.Linear(4, 1)})
    >>> heads["name"] = nn.Linear(4, 26)
    >>> list(heads)
    ['age', 'name']
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]  # type: ignore[return-value]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules."""
        return self._modules.items()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, or put them in the place of those of the same name."""
        for key, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[key] = module

    def pop(self, key: str) -> Module:
        """Take the module called `key` out, and return it.

        Raises
        ------
        KeyError
            If there is none.
        """
        module = self[key]
        delattr(self, key)
        return module

    def clear(self) -> None:
        """Take all modules out."""
        for key in list(self):
            del self[key]


class ParameterList(_Numbered[Parameter]):
    """A list of parameters, all of them registered.

    Parameters
    ----------
    values
        Parameters, or Tensors to be made into some.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> weights = ag.nn.ParameterList([ag.ones(2, 2), ag.zeros(3)])
    >>> weights
    ParameterList(
      (0): Parameter containing: [autograd_ops.float32 of size 2x2]
      (1): Parameter containing: [autograd_ops.float32 of size 3]
    )
    """

    def __init__(self, values: Iterable[Tensor] | None = None) -> None:
        super().__init__()
        for value in values or ():
            self._add(str(len(self)), value)

    def _register_of_items(self) -> dict[str, Any]:
        return self._parameters

    def _add(self, name: str, item: Any) -> None:
        self.register_parameter(name, item if isinstance(item, Parameter) else Parameter(item))

    @overload
    def __getitem__(self, index: int) -> Parameter: ...
    @overload
    def __getitem__(self, index: slice) -> ParameterList: ...
    def __getitem__(self, index: int | slice) -> Parameter | ParameterList:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._parameters[self._key(index)]  # type: ignore[return-value]

    def _children_reprs(self) -> list[tuple[str, str]]:
        return [(name, _described(parameter)) for name, parameter in self._parameters.items()]


class ParameterDict(Module):
    """Parameters by name, all of them registered.

    Parameters
    ----------
    parameters
        Parameters, or Tensors to be made into some: a mapping, or pairs of name and Tensor.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> choices = ag.nn.ParameterDict({"left": ag.zeros(2)})
    >>> choices["right"] = ag.ones(2, 3)
    >>> choices
    ParameterDict(
      (left): Parameter containing: [autograd_ops.float32 of size 2]
      (right): Parameter containing: [autograd_ops.float32 of size 2x3]
    )
    """

    def __init__(self, parameters: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]] | None = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def __getitem__(self, key: str) -> Parameter:
        return self._parameters[key]  # type: ignore[return-value]

    def __setitem__(self, key: str, value: Tensor) -> None:
        self.register_parameter(key, value if isinstance(value, Parameter) else Parameter(value))

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._parameters)

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def __or__(self, other: Mapping[str, Tensor] | ParameterDict) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ior__(self, other: Mapping[str, Tensor] | ParameterDict) -> Self:
        self.update(other)
        return self

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return self._parameters.items()

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter called `key`, or `default` if there is none."""
        return self._parameters.get(key, default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter called `key`; if there is none, `default` becomes it."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, parameters: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]] | ParameterDict) -> None:
        """Add parameters, or put them in the place of those of the same name."""
        for key, value in parameters.items() if isinstance(parameters, (Mapping, ParameterDict)) else parameters:
            self[key] = value

    def pop(self, key: str) -> Parameter:
        """Take the parameter called `key` out, and return it.

        Raises
        ------
        KeyError
            If there is none.
        """
        parameter = self[key]
        delattr(self, key)
        return parameter

    def popitem(self) -> tuple[str, Parameter]:
        """Take the last parameter out, and return its name and itself.

        Raises
        ------
        KeyError
            If there is none.
        """
        if not self._parameters:
            raise KeyError("popitem: the ParameterDict is empty")
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self) -> None:
        """Take all parameters out."""
        for key in list(self):
            del self[key]

    def copy(self) -> ParameterDict:
        """Another one of the same parameters."""
        return ParameterDict(dict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Another one, with `default` under each of `keys`."""
        return ParameterDict((key, default) for key in keys)

    def _children_reprs(self) -> list[tuple[str, str]]:
        return [(name, _described(parameter)) for name, parameter in self._parameters.items()]


def _described(parameter: Parameter | None) -> str:
    if parameter is None:
        return "None"
    size = "x".join(map(str, parameter.shape))
    where = "" if parameter.device == "cpu" else f" ({parameter.device})"
    return f"Parameter containing: [{parameter.dtype!r} of size {size}{where}]"


def _positive(times: int) -> int:
    if not isinstance(times, int) or times < 1:
        raise ValueError(f"Sequential: a number of times is a positive int, not {times!r}")
    return times
