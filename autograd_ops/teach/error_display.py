"""``teach.explain_errors()``: an explanation after each error's traceback, in a notebook and at a prompt."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from ..user_line import raised_by
from .explaining import Explanation, explain
from .shell import running_shell

__all__ = ["explain_errors"]


def explain_errors(on: bool = True) -> None:
    """Show an explanation after the traceback of each error that this library raises; or no longer.

    In a notebook it is drawn under the traceback, elsewhere it is written to standard error.

    Examples
    --------
    >>> from autograd_ops import teach
    >>> teach.explain_errors()
    >>> teach.explain_errors(False)
    """
    shell = running_shell()
    if shell is not None:
        shell.set_custom_exc((Exception,) if on else (), _in_notebook if on else None)
    elif on and sys.excepthook is not _at_prompt:
        _before.append(sys.excepthook)
        sys.excepthook = _at_prompt
    elif not on and _before:
        sys.excepthook = _before.pop()


#: What printed errors before.
_before: list[Any] = []


def _ours(error: BaseException) -> Explanation | None:
    """The explanation, if the error came out of this library."""
    # Code of no module is the generated call path.
    ours = error.__traceback__ is not None and raised_by(error) in ("", "autograd_ops", "autograd_backends")
    return explain(error) if ours else None


def _at_prompt(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    (_before[-1] if _before else sys.__excepthook__)(kind, error, traceback)
    found = _ours(error)
    if found is not None:
        print(f"\n{found.text()}", file=sys.stderr)


def _in_notebook(
    shell: Any, kind: type[BaseException], error: BaseException, traceback: TracebackType, tb_offset: int | None = None
) -> None:
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
    found = _ours(error)
    if found is not None:
        from IPython.display import display

        display(found)
