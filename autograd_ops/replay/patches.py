"""Putting something else in a function's place for a while, wherever it was imported to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

__all__ = ["stubbed", "swapped"]


def _stub(*args: Any, **kwargs: Any) -> Any:
    return stub_of_call(args, kwargs)  # type: ignore[name-defined]  # noqa: F821


class stubbed:  # a context manager, named as one
    """Let ``stub(real, args, kwargs)`` run in place of `function`, whose code is changed, not the object.

    `real` is a function of the code that it had. An op that compiles itself meanwhile is stubbed again.
    """

    def __init__(self, function: FunctionType, stub: Callable[[Any, Any, Any], Any]) -> None:
        self._function, self._stub = function, stub

    def __enter__(self) -> None:
        function = self._function
        self._code, self._defaults = function.__code__, function.__defaults__
        self._real = FunctionType(self._code, function.__globals__, function.__name__, self._defaults)
        function.__globals__["stub_of_call"] = self._call
        function.__code__, function.__defaults__ = _stub.__code__, None

    def _call(self, args: Any, kwargs: Any) -> Any:
        function = self._function
        if "first_call" in function.__globals__ and "tape_mode" not in function.__globals__:
            # Not compiled yet.
            from ..call_path import compile_op

            compile_op(function.op)  # type: ignore[attr-defined]
            self.__enter__()
        return self._stub(self._real, args, kwargs)

    def __exit__(self, *exception: object) -> None:
        self._function.__code__, self._function.__defaults__ = self._code, self._defaults


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
