"""PyTorch's compiler of scripts: functions and modules are given back as they are, and run as Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["export", "ignore", "is_scripting", "is_tracing", "script", "trace", "unused"]

T = TypeVar("T")


def script(obj: T, *args: Any, **kwargs: Any) -> T:
    """`obj`, as it is.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> @ag.jit.script
    ... def double(x):
    ...     return 2 * x
    >>> double(ag.tensor([1.0]))
    tensor([2.])
    """
    return obj


def trace(func: T, *args: Any, **kwargs: Any) -> T:
    """`func`, as it is; it is not called."""
    return func


def export(fn: T) -> T:
    """`fn`, as it is."""
    return fn


unused = export


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that gives the function back as it is, also when used without brackets."""
    if callable(drop):
        return drop

    def given_back(function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    return given_back


def is_scripting() -> bool:
    """Whether a script is being compiled: False."""
    return False


is_tracing = is_scripting
