"""What a public function says of wrong arguments: its own name first, and a TypeError for a wrong class.

The functions themselves look at shapes and dimensions. That a list is no Tensor they learn by themselves when they ask
it for its ``ndim``; Python's AttributeError then knows whom they asked. ``named(__name__)``, after the functions of a
module, makes of that what a user should read, so that no function needs a line for it, and nothing is looked at while
all goes well.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import partial
from types import FunctionType
from typing import Any

from autograd_backends import is_array

from .tensor import Tensor
from .user_line import raised_by
from .wrappers import Around

__all__ = ["named", "named_init", "named_method", "refusal", "wrong_class"]

#: Who raises in our name: this package, the backends, and the array libraries below them.
_OURS = frozenset(("", "autograd_ops", "autograd_backends", "numpy", "cupy", "array_api_strict", "array_api_compat"))

#: Classes of what is no Tensor, though functions compute with it.
_PLAIN = frozenset((bool, int, float, complex))

#: What Python itself says of a wrong class. It names neither the argument nor what was given.
_OF_PYTHON = re.compile(
    r"object (of type|is not|cannot|has no|does not)|not supported between|unsupported operand|can't multiply"
    r"|bad operand|the truth of a tensor|0-d tensor cannot|invalid literal for|to integer$|has no len|could not convert"
    r"|argument must be|must be (real number|str|an integer), not|can only|unhashable|indices must be"
)


def named(module: str, without: tuple[str, ...] = ()) -> None:
    """Let all functions and classes in ``__all__`` of `module`, or all public ones, name themselves in their errors."""
    names = sys.modules[module].__dict__
    listed = names.get("__all__") or [name for name in names if not name.startswith("_")]
    public = [name for name in listed if name not in without]
    made: dict[FunctionType, FunctionType] = {}
    for name in public:
        function = names[name]
        if isinstance(function, FunctionType) and function.__module__ == module and not hasattr(function, "op"):
            if function not in made:
                own = function.__name__  # the others are aliases, unless a factory gave it none of these
                made[function] = _around(function, own if own in public else name)
            names[name] = made[function]
        elif isinstance(function, type) and function.__module__ == module:
            named_init(function)


def named_method(function: Any, name: str) -> Any:
    """`function`, the method `name` of a class, with that name at the beginning of its errors."""
    method = _around(function, name)
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    return method


def named_init(cls: type) -> None:
    """Let the errors of making a `cls`, if it is a class of this package, begin with its name, or a subclass's."""
    init = cls.__dict__.get("__init__")
    if isinstance(init, FunctionType) and cls.__module__.partition(".")[0] == __package__:
        setattr(cls, "__init__", Around(init, _refuse_init).outer)  # noqa: B010


def _around(function: FunctionType, name: str) -> FunctionType:
    return Around(function, partial(refusal, name)).outer


def _refuse_init(error: Exception, arguments: dict[str, Any], defaults: Mapping[str, Any]) -> Exception:
    return refusal(type(arguments.pop("self")).__name__, error, arguments, defaults)


# ---------------------------------------------------------------- what is said


def refusal(
    name: str, error: Exception, arguments: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> Exception:
    """What to raise when `error` came of calling the function `name` with `arguments`: itself, where it says enough."""
    if not _is_ours(error):
        return error
    if isinstance(error, AttributeError):
        return wrong_class(name, error, arguments) or error
    said = str(error)
    kind = type(error)
    if kind.__module__.partition(".")[0] == "numpy":
        kind = next((k for k in (IndexError, ValueError, TypeError, MemoryError) if isinstance(error, k)), kind)
        error = kind(said).with_traceback(error.__traceback__)
    elif len(error.args) != 1 or not isinstance(error.args[0], str):
        return error
    if isinstance(error, (TypeError, ValueError)) and _OF_PYTHON.search(said) and "(called with" not in said:
        error.args = (f"{name}: {said} (called with {_told(arguments, defaults)})",)
    elif not re.search(rf"^{name}|(?<!\w){name.rstrip('_')}_?(?!\w)", said, re.IGNORECASE):
        error.args = (f"{name}: {said}",)
    return error


def wrong_class(name: str, error: AttributeError, arguments: Mapping[str, Any]) -> TypeError | None:
    """The error for an argument, or one in a list, that has not what is asked of it; ``None`` if it is no argument."""
    for argument, value in arguments.items():
        alone = value is error.obj
        if not alone and not _is_in(error.obj, value):
            continue
        got = _told_one(error.obj)
        said = f"{name}: {argument} cannot be {got}" if alone else f"{name}: {argument} cannot have {got} in it"
        if not isinstance(error.obj, Tensor) and hasattr(Tensor, str(error.name)):
            said = f"{name}: expected a Tensor, got {got} " + (f"as {argument}" if alone else f"in {argument}")
            if isinstance(error.obj, (bool, int, float, complex, list)):
                said += "; make one with tensor(...)"
        return TypeError(said).with_traceback(error.__traceback__)
    for argument, value in arguments.items():
        if not isinstance(value, Tensor) and is_array(value):
            # Ops take arrays, and give arrays: what has not the attribute of a Tensor came of this one.
            said = f"{name}: expected a Tensor, got {_told_one(value)} as {argument}; make one with tensor(...)"
            return TypeError(said).with_traceback(error.__traceback__)
    if type(error.obj) in _PLAIN and hasattr(Tensor, str(error.name)):
        # What became of numbers alone, where a function computes with Tensors.
        said = f"{name}: expected a Tensor among its arguments, got {_told(arguments)}"
        return TypeError(said).with_traceback(error.__traceback__)
    return None


def _is_in(wanted: Any, values: Any, depth: int = 3) -> bool:
    """Whether `wanted` itself is in a list, or in a list in it."""
    if isinstance(values, str):
        return isinstance(wanted, str) and wanted in values
    return isinstance(values, (list, tuple)) and any(
        one is wanted or (depth > 0 and _is_in(wanted, one, depth - 1)) for one in values
    )


def _is_ours(error: Exception) -> bool:
    """Whether it was raised here or below, and not by a function of the user's that was called from here."""
    return raised_by(error) in _OURS


def _told(arguments: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> str:
    """All that was given and is not the default."""
    told = []
    for name, value in arguments.items():
        nothing = type(value) in (tuple, dict) and not value
        if not nothing and not (defaults and name in defaults and value is defaults[name]):
            told.append(f"{name}: {_told_one(value)}")
    return ", ".join(told)


def _told_one(value: Any) -> str:
    """A value in a few words: a Tensor by its shape, what is short as it is, and the rest by its class."""
    if value is None:
        return "None"
    if isinstance(value, Tensor):
        return f"a Tensor of shape {tuple(value.array.shape)}"
    if isinstance(value, (bool, int, float, complex, str)):
        return f"{type(value).__name__} {value!r}" if len(repr(value)) < 40 else type(value).__name__
    return type(value).__name__
