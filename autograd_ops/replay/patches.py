"""Putting something else in a function's place for a while, wherever it was imported to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FunctionType
from typing import Any

from ..call_path import compile_op

__all__ = ["stubbed", "swapped"]


def _stub(*args: Any, stub_of_call: Any, **kwargs: Any) -> Any:
    return stub_of_call(args, kwargs)


class stubbed:  # a context manager, named as one
    """Let ``stub(real, args, kwargs)`` run in place of `functions`, whose code is changed, not the objects.

    `real` is a function of the code that the one which is called had. Several are those of one op, which get their code
    together when one of them is called for the first time: that is done now.
    """

    def __init__(self, stub: Callable[[Any, Any, Any], Any], *functions: FunctionType) -> None:
        self._functions, self._stub = functions, stub

    def __enter__(self) -> None:
        self._before = [(f.__code__, f.__defaults__, f.__kwdefaults__) for f in self._functions]
        for i, function in enumerate(self._functions):
            function.__code__, function.__defaults__ = _stub.__code__, None
            function.__kwdefaults__ = {"stub_of_call": partial(self._call, i)}

    def _call(self, i: int, args: Any, kwargs: Any) -> Any:
        function = self._functions[i]
        op = getattr(function, "op", None)
        if op is not None and "tape_mode" not in function.__globals__:
            compile_op(op)
            self.__enter__()
        code, defaults, named = self._before[i]
        real = FunctionType(code, function.__globals__, function.__name__, defaults, function.__closure__)
        real.__kwdefaults__ = named
        return self._stub(real, args, kwargs)

    def __exit__(self, *exception: object) -> None:
        for function, (code, defaults, named) in zip(self._functions, self._before, strict=True):
            function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, named


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
