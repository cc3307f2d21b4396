"""What of its arguments a recording is for: their shapes, dtypes and structure, and the numbers among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_backends import is_array

from ..tensor import Tensor
from .helpers import strides
from .watch import BY_VALUE, Same

__all__ = ["objects_in", "question", "shape_of"]


def shape_of(value: Any, tensors: list[Any]) -> Any:
    """What of an argument a recording is for; its Tensors and arrays are added to `tensors`."""
    if isinstance(value, Tensor):
        array = value.array
        first = None  # the place of an argument that has the same array
        for i, other in enumerate(tensors):
            if (other.array if isinstance(other, Tensor) else other) is array:
                first = i
                break
        tensors.append(value)
        kind = (type(value), array.shape, array.dtype, strides(array), value.alias is None, first)
        return kind if value.node is None else (*kind, type(value.node), value._grad is None)
    cls = type(value)
    if cls in BY_VALUE:
        return (cls, value if value or cls is not float else str(value))  # 0.0 is not -0.0
    if cls is tuple or cls is list:
        return (cls, *[shape_of(v, tensors) for v in value])
    if cls is dict:
        return (cls, *[(k, shape_of(v, tensors)) for k, v in value.items()])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (cls, *[shape_of(v, tensors) for v in value])
    if is_array(value):
        tensors.append(value)
        return (cls, value.shape, value.dtype, strides(value))
    return Same(value)


def question(args: Any, kwargs: Any) -> Callable[[Any, Any], Any] | None:
    """A function that gives the Tensors and arrays among arguments, if they have the `shape_of` of these.

    It does so faster than by comparing that, and may give ``None`` where it is the same. There is no function for
    arguments of other kinds than Tensors without a place on the tape, arrays, a few Python values and containers.
    """
    asking = _Question()
    if not (asking.ask("args", args) and asking.ask("kwargs", kwargs)):
        return None
    found = f"({''.join([f'{t}, ' for t in asking.given])})"
    made: Callable[[Any, Any], Any] = eval(
        f"lambda args, kwargs: {found} if {' and '.join(asking.asked)} else None", asking.scope
    )
    return made


class _Question:
    """What a `question` asks: `asked` is its source, `given` the names of Tensors and arrays in it."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {"len": len, "type": type}
        self.asked: list[str] = []
        self.given: list[str] = []
        self._arrays: list[tuple[str, Any]] = []  # those of all Tensors and arrays so far

    def _constant(self, value: Any) -> str:
        name = f"c{len(self.scope)}"
        self.scope[name] = value
        return name

    def ask(self, said: str, value: Any) -> bool:
        """Ask for what is like `value` where the source says `said`; False if there is no question for that."""
        cls = type(value)
        if isinstance(value, Tensor):
            return self._ask_tensor(said, value)
        if cls is tuple or cls is list:
            self.asked.append(f"type({said}) is {cls.__name__} and len({said}) == {len(value)}")
            self.scope[cls.__name__] = cls
            return all(self.ask(f"{said}[{i}]", v) for i, v in enumerate(value))
        if cls is dict:
            names = self._constant(list(value))
            self.asked.append(
                f"type({said}) is {self._constant(dict)} and [*{said}] == {names}" if value else f"not {said}"
            )
            return all(type(name) is str and self.ask(f"{said}[{name!r}]", v) for name, v in value.items())
        if value is None or cls is bool:
            self.asked.append(f"{said} is {value}")
            return True
        if cls is int or cls is str:
            self.asked.append(f"type({said}) is {self._constant(cls)} and {said} == {value!r}")
            return True
        if is_array(value):
            name = f"t{len(self.given)}"
            self.asked.append(f"type({name} := {said}) is {self._constant(cls)}")
            self._ask_array(name, value)
            self.given.append(name)
            return True
        return False

    def _ask_tensor(self, said: str, value: Tensor) -> bool:
        if value.node is not None:
            return False
        name, array = f"t{len(self.given)}", value.array
        alias = "is None" if value.alias is None else "is not None"
        self.asked += [
            f"type({name} := {said}) is {self._constant(type(value))} and {name}.node is None and {name}.alias {alias}",
            f"type(a{len(self.given)} := {name}.array) is {self._constant(type(array))}",
        ]
        self._ask_array(f"a{len(self.given)}", array)
        self.given.append(name)
        return True

    def _ask_array(self, name: str, array: Any) -> None:
        """Ask for an array of this kind, and for which of those before it is the same."""
        self.asked.append(
            f"{name}.dtype is {self._constant(array.dtype)} and {name}.shape == {self._constant(array.shape)}"
        )
        if strides(array) is not None:
            self.asked.append(f"{name}.strides == {self._constant(strides(array))}")
        self.asked += [f"{name} is {'' if array is known else 'not '}{other}" for other, known in self._arrays]
        self._arrays.append((name, array))


def objects_in(value: Any) -> list[Any]:
    """What is in arguments that is neither number, nor Tensor, nor a container."""
    if isinstance(value, dict):
        return [found for v in value.values() for found in objects_in(v)]
    if isinstance(value, (list, tuple)):
        return [found for v in value for found in objects_in(v)]
    return [] if isinstance(value, Tensor) or type(value) in BY_VALUE or is_array(value) else [value]
