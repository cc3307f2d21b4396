"""Where in a model an error arose: the path of the module, and what it was given, in front of the message."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..tensor import Tensor
from ..user_line import raised_by

if TYPE_CHECKING:
    from .module import Module

__all__ = ["locate"]

#: Where the exception keeps its trail.
_MARK = "_module_trail"
_OWN = frozenset(("autograd_ops", "autograd_backends"))


@dataclass
class _Trail:
    """The way of an error out of a model."""

    message: str
    #: The module in which it arose, and what that was given.
    place: str
    #: The way to it from the module that the error left last.
    path: str
    module: Module


def locate(error: Exception, module: Module, args: tuple[Any, ...]) -> None:
    """Say in the message of `error`, which is leaving the call of `module`, in which module it arose.

    Each module that the error leaves puts its own name for the one before in front of the path, so that in the end the
    message reads ``Net.encoder.fc: Linear(784 -> 10) got (64, 1, 28, 28): linear: ...``. An error that the user raised
    keeps its words; it gets a note instead.
    """
    trail: _Trail | None = getattr(error, _MARK, None)
    if trail is None:
        trail = _Trail(str(error), f"{_summary(module)}{_given(args)}", "", module)
        setattr(error, _MARK, trail)
    else:
        name = next((name for name, below in module.named_modules() if below is trail.module), "")
        if name:
            trail.path = f"{name}.{trail.path}" if trail.path else name
            trail.module = module
    path = f"{type(trail.module).__name__}.{trail.path}: " if trail.path else ""
    if _is_own(error):
        error.args = (f"{path}{trail.place}: {trail.message}", *error.args[1:])
    else:
        error.__notes__ = [note for note in getattr(error, "__notes__", ()) if not note.startswith("in module ")]
        error.add_note(f"in module {path}{trail.place}")


def _given(args: tuple[Any, ...]) -> str:
    shapes = [str(tuple(arg.shape)) for arg in args if isinstance(arg, Tensor)]
    return f" got {', '.join(shapes)}" if shapes else ""


def _is_own(error: Exception) -> bool:
    """Whether this library raised `error`, with a message and nothing else."""
    return raised_by(error) in _OWN and len(error.args) == 1


#: Attributes that tell what a module takes and gives.
_SIZES = (
    ("in_features", "out_features"),
    ("in_channels", "out_channels"),
    ("input_size", "hidden_size"),
    ("num_embeddings", "embedding_dim"),
)


def _summary(module: Module) -> str:
    """A module in a few words: ``Linear(784 -> 10)``."""
    name = type(module).__name__
    for taken, given in _SIZES:
        if hasattr(module, taken) and hasattr(module, given):
            return f"{name}({getattr(module, taken)} -> {getattr(module, given)})"
    # What goes by its place in the call, or by the first name: the sizes, or the option that the module is about.
    extra = re.split(r", (?=\w+=)", module.extra_repr())[0]
    return name if module._modules else f"{name}({extra})"
