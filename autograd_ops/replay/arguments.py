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


def question(args: tuple[Any, ...]) -> Callable[[tuple[Any, ...]], bool] | None:
    """A function that asks whether positional arguments have the `shape_of` of these, faster than by comparing it.

    It may say no where the answer is yes. ``None`` where the arguments are not all Tensors without a place on the tape.
    """
    if not args or any(not isinstance(value, Tensor) or value.node is not None for value in args):
        return None
    scope: dict[str, Any] = {"len": len, "type": type}
    asked = [f"len(args) == {len(args)}"]
    for i, value in enumerate(args):
        array = value.array
        scope.update({f"T{i}": type(value), f"S{i}": array.shape, f"D{i}": array.dtype, f"A{i}": type(array)})
        asked.append(f"type(t{i} := args[{i}]) is T{i} and t{i}.node is None")
        asked.append(f"t{i}.alias is {'' if value.alias is None else 'not '}None")
        asked.append(f"type(a{i} := t{i}.array) is A{i} and a{i}.dtype is D{i} and a{i}.shape == S{i}")
        if strides(array) is not None:
            scope[f"R{i}"] = strides(array)
            asked.append(f"a{i}.strides == R{i}")
        asked += [f"a{i} is {'' if array is args[j].array else 'not '}a{j}" for j in range(i)]
    found: Callable[[tuple[Any, ...]], bool] = eval("lambda args: " + " and ".join(asked), scope)
    return found


def objects_in(value: Any) -> list[Any]:
    """What is in arguments that is neither number, nor Tensor, nor a container."""
    if isinstance(value, dict):
        return [found for v in value.values() for found in objects_in(v)]
    if isinstance(value, (list, tuple)):
        return [found for v in value for found in objects_in(v)]
    return [] if isinstance(value, Tensor) or type(value) in BY_VALUE or is_array(value) else [value]
