"""What the teaching tools give back: something that shows itself, as text in a terminal and as a picture in a notebook.

A fragment of HTML carries all that it needs, its style and its script, and no address of anything else: it looks the
same in Jupyter, in VS Code, in a saved page and without a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from html import escape
from itertools import count
from pathlib import Path
from typing import Any

from .look import STYLE
from .words import array_in_full

__all__ = ["Shown", "array_drawn", "framed", "new_id", "notes_drawn"]

_numbers = count(1)


def new_id(prefix: str) -> str:
    """An id for an element, unlike those of all other fragments that this process has made."""
    return f"{prefix}-{next(_numbers)}"


class Shown:
    """Something that shows itself.

    In a terminal ``print(shown)`` gives its text; as the last line of a notebook's cell it is a picture.
    """

    #: The heading of a saved page.
    title = "autograd_ops"

    def text(self) -> str:
        """As plain text, of no more than 100 columns."""
        raise NotImplementedError

    def html(self) -> str:
        """As a fragment of HTML that needs nothing else."""
        raise NotImplementedError

    def page(self) -> str:
        """As a whole page of HTML."""
        title = escape(self.title)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>body {{ margin: 24px; background: #fff; }}</style>\n</head>\n"
            f"<body>\n{self.html()}\n</body>\n</html>\n"
        )

    def writers(self) -> dict[str, Callable[[], str]]:
        """What `save` can write, by the end of the file's name."""
        return {".html": self.page, ".txt": lambda: self.text() + "\n"}

    def save(self, path: str | Path) -> Path:
        """Write it to a file, whose name's end says in which form; returns the path.

        Raises
        ------
        ValueError
            If the name ends in none of those that there are.
        """
        path = Path(path)
        writers = self.writers()
        if path.suffix not in writers:
            raise ValueError(f"save: {path.name!r} has to end in one of {', '.join(writers)}")
        path.write_text(writers[path.suffix](), encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()


def notes_drawn(notes: Iterable[str]) -> str:
    """Sentences for the reader, each a paragraph."""
    return "".join(f'<p class="beside note">{escape(note)}</p>' for note in notes)


def array_drawn(array: Any, kind: str, columns: int) -> str:
    """The elements of an array, of class ``value`` or ``gradient``, in lines of so many letters."""
    return f"<pre class='{kind}'>{escape(array_in_full(array, columns) or 'nothing')}</pre>"


def framed(body: str, kind: str, script: str = "") -> str:
    """A fragment around `body`: its own root element of class ``ago`` and `kind`, the common style, and a `script`.

    The script is a function's body, given the root element as ``root``.
    """
    # The number alone would come again beside outputs of another session, and scripts would find the wrong root.
    name = f"{new_id(f'ago-{kind}')}-{sha256(body.encode()).hexdigest()[:8]}"
    run = f"<script>(function (root) {{ {script} }})(document.getElementById({name!r}));</script>" if script else ""
    return f'<div class="ago ago-{kind}" id="{name}"><style>{STYLE}</style>{body}</div>{run}'
