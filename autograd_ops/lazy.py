"""Names that cost nothing until they are used: the module that has one is imported when it is first asked for.

A table says where names are: a module, counted from this package, and what it has. From such a table come

* a package's own names, by ``__getattr__, __dir__ = attributes(__name__, TABLE)``;
* methods, by ``attach(Tensor, "functions.special", "erfc", "lgamma")``, each of which takes the place of its stand-in
  when it is first looked up, so that from then on it is an ordinary method.

And `follow` imports a module of this package once another package is there, for those that ask it to be extended.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["attach", "attributes", "follow"]

#: A module, and the names that it has. One that has its own last name stands for itself.
Table = Mapping[str, Iterable[str]]


def _found(module: str, name: str) -> Any:
    """What is called `name` in a module of this package, or the module itself if that is its name."""
    found = import_module(f".{module}", __package__)
    return found if module.rpartition(".")[2] == name else getattr(found, name)


def attributes(
    package: str, table: Table, shown: Callable[[str, Any], Any] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of `package`, which has the names in `table` beside its own.

    What is found is shown as ``shown(name, found)`` gives it, if that is given. Of its modules ``dir`` shows those in
    `table` or in its ``__all__``: the rest are rooms that nobody enters by name.
    """
    places = {name: module for module, names in table.items() for name in names}
    own = sys.modules[package].__dict__

    def __getattr__(name: str) -> Any:
        if name not in places:
            # With the last two Python itself suggests a name that is near.
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        found = _found(places[name], name)
        own[name] = value = found if shown is None else shown(name, found)
        return value

    def __dir__() -> list[str]:
        public = {*places, *own.get("__all__", ())}
        hidden = {"TYPE_CHECKING", *(name for name, value in own.items() if isinstance(value, ModuleType))}
        return sorted((own.keys() - hidden) | public)

    return __getattr__, __dir__


class _StandIn:
    """What stands for a method or property of a class until it is first looked up."""

    __slots__ = ("module", "name", "owner")

    def __init__(self, owner: type, module: str, name: str) -> None:
        self.owner = owner
        self.module = module
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        setattr(self.owner, self.name, _found(self.module, self.name))
        return getattr(owner if instance is None else instance, self.name)


def attach(owner: type, module: str, *names: str) -> None:
    """Make what `module` calls each of `names` a method, or property, of `owner` when it is first looked up."""
    for name in names:
        setattr(owner, name, _StandIn(owner, module, name))


class _Follower:
    """Stands among Python's finders of modules until `wanted` is imported, and sees to what comes after."""

    def __init__(self, wanted: str, module: str) -> None:
        self.wanted = wanted
        self.module = module

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.wanted:
            return None
        from importlib.util import find_spec  # most programs have not imported it

        sys.meta_path.remove(self)
        spec = find_spec(name)
        loader: Any = None if spec is None else spec.loader
        if loader is not None:
            load = loader.exec_module

            def load_and_follow(module: Any) -> None:
                load(module)
                import_module(f".{self.module}", __package__)

            loader.exec_module = load_and_follow
        return spec


def follow(wanted: str, module: str) -> None:
    """Import `module` of this package when `wanted`, a module of another, has been imported: now, if it is already."""
    if wanted in sys.modules:
        import_module(f".{module}", __package__)
    else:
        sys.meta_path.insert(0, _Follower(wanted, module))
