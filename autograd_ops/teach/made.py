"""Which op made an array, also where nothing was recorded: noted inside `watch`, for as long as the array lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograd_backends import is_array, scalar_to_array

from ..pytree import flatten
from ..registry import Op
from ..tape import mode
from ..user_line import Line, user_line

__all__ = ["Made", "made_of", "noting"]


@dataclass(slots=True)
class Made:
    """How an array came about.

    Attributes
    ----------
    op
        The op that gave it.
    line
        The user's line that called the op.
    recording
        Whether ops were being recorded there.
    recorded
        Whether this one was: that takes an input that needs a gradient.
    """

    op: Op
    line: Line
    recording: bool
    recorded: bool = False


_made: dict[int, Made] = {}


def made_of(array: Any) -> Made | None:
    """How `array` came about, if a watched op gave it."""
    return _made.get(id(array))


def noting(op: Op, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """What runs in the place of an op's own `function`: the same, with a note of what it gives in forward."""
    if kind != "forward":
        return function

    def forward(*arguments: Any) -> Any:
        result = function(*arguments)
        if type(result) in scalar_to_array:  # nothing can be noted of a scalar of NumPy's
            result = scalar_to_array[type(result)](result)
        made = None
        for array in flatten(result)[0]:
            if is_array(array) and not any(array is argument for argument in arguments):
                made = made or Made(op, user_line(), mode.enabled)
                _note(array, made)
        return result

    return forward


def _note(array: Any, made: Made) -> None:
    key = id(array)
    try:
        weakref.finalize(array, _made.pop, key, None).atexit = False
    except TypeError:  # it cannot be looked after, so it might outlive its note
        return
    _made[key] = made
