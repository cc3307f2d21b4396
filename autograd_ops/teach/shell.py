"""The IPython that may be running: a notebook's kernel, or a terminal's. It is never imported, only found."""

from __future__ import annotations

import sys
from typing import Any

from ..user_line import Line

__all__ = ["draws_html", "line_in_words", "place_in_words", "running_shell"]


def running_shell() -> Any:
    """The running IPython; ``None`` if there is none."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def draws_html() -> bool:
    """Whether there is a notebook to draw in, and not a terminal."""
    shell = running_shell()
    return shell is not None and type(shell).__name__ != "TerminalInteractiveShell"


def place_in_words(line: Line) -> str:
    """Where a line is: its number, and before it the name of the file without folders, or of the notebook's cell."""
    compiler: Any = getattr(running_shell(), "compile", None)
    cell = compiler.format_code_name(line.file) if hasattr(compiler, "format_code_name") else None
    file = line.file.replace("\\", "/").rpartition("/")[2] if cell is None else " ".join(cell)
    return f"{file}, line {line.number}"


def line_in_words(line: Line) -> str:
    """What is written there, or where it is if the source is not to be had."""
    return line.text or place_in_words(line)
