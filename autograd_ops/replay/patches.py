"""Putting something else in a function's place for a while, wherever it was imported to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from ..call_path import compile_op

__all__ = ["stubbed", "swapped"]


def _stub(*args: Any, stub_of_call: Any, **kwargs: Any) -> Any:
    return stub_of_call(args, kwargs)


class stubbed:  # a context manager, named as one
    """Let ``stub(real, args, kwargs)`` run in place of `function`, whose code is changed, not the object.

    `real` is a function of the code that it had. The code of an op that is called for the first time is made now.
    """

    def __init__(self, function: FunctionType, stub: Callable[[Any, Any, Any], Any]) -> None:
        self._function, self._stub = function, stub

    def __enter__(self) -> None:
        function = self._function
        self._code, self._defaults, self._named = function.__code__, function.__defaults__, function.__kwdefaults__
        function.__code__, function.__defaults__ = _stub.__code__, None
        function.__kwdefaults__ = {"stub_of_call": self._call}

    def _call(self, args: Any, kwargs: Any) -> Any:
        function = self._function
        op = getattr(function, "op", None)
        if op is not None and "tape_mode" not in function.__globals__:
            compile_op(op)
            self.__enter__()
        real = FunctionType(self._code, function.__globals__, function.__name__, self._defaults, function.__closure__)
        real.__kwdefaults__ = self._named
        return self._stub(real, args, kwargs)

    def __exit__(self, *exception: object) -> None:
        function = self._function
        function.__code__, function.__defaults__ = self._code, self._defaults
        function.__kwdefaults__ = self._named


@contextmanager
def swapped(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Let an attribute of a class or module be `value`."""
    inherited = isinstance(owner, type) and name not in owner.__dict__
    before = getattr(owner, name) if inherited else owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        if inherited:
            delattr(owner, name)
        else:
            setattr(owner, name, before)
