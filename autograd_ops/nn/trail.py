"""Where in a model an error arose: the path of the module, as a note on the exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import Module

__all__ = ["note_module"]

#: Where the exception keeps the module it has come up through last, and the path from there to where it arose.
_MARK = "_module_trail"


def note_module(error: Exception, module: Module) -> None:
    """Say on `error`, which is leaving the call of `module`, in which module it arose.

    Each module that the error leaves puts its own name for the one before in front of the path, so that in the end
    the note reads as the path from the model: ``in module 'encoder.0.fc': Linear(...)``.
    """
    inner, path, note = getattr(error, _MARK, (None, "", ""))
    if inner is None:
        what = repr(module) if not module._modules else type(module).__name__
        setattr(error, _MARK, (module, "", what))
        error.add_note(f"in module {what}")
        return
    name = next((name for name, below in module.named_modules() if below is inner), "")
    if name:
        path = f"{name}.{path}" if path else name
        error.__notes__ = [n for n in error.__notes__ if not n.endswith(note)]
        error.add_note(f"in module {path!r}: {note}")
        setattr(error, _MARK, (module, path, note))
