"""Where in the user's program an op was called: the nearest line that is not this library's."""

from __future__ import annotations

import linecache
import os
import sys
from dataclasses import dataclass
from types import FrameType, TracebackType

import autograd_backends

__all__ = ["Line", "line_at", "raised_by", "user_frame", "user_line", "user_line_of"]

#: How the names of this library's files begin, and what its generated code calls itself. Files and not modules are
#: asked, so that an example in a docstring counts as a program.
_OWN = (os.path.dirname(__file__) + os.sep, os.path.dirname(autograd_backends.__file__) + os.sep, "<autograd_ops ")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a program.

    Attributes
    ----------
    file
        Its file, or what Python calls the source of a cell.
    number
        Its number, from 1.
    text
        What is written there, without the indent; empty if the source is not to be had.
    """

    file: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number}" + (f": {self.text}" if self.text else "")


def user_frame() -> FrameType:
    """The frame of the user's program that is running; the outermost of all if there is none."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def user_line() -> Line:
    """The line of the user's program that is running."""
    frame = user_frame()
    return line_at(frame.f_code.co_filename, frame.f_lineno)


def user_line_of(traceback: TracebackType | None) -> Line | None:
    """The last line of the user's program that an error came through; ``None`` if it came through none."""
    found = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(_OWN):
            found = line_at(file, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def raised_by(error: BaseException) -> str:
    """The package whose function raised `error`: empty if none did, or a generated one of no module."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return "" if place is None else place.tb_frame.f_globals.get("__name__", "").partition(".")[0]


def line_at(file: str, number: int) -> Line:
    """The line of that number."""
    return Line(file, number, linecache.getline(file, number).strip())
