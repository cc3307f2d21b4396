"""What is asked of a running IPython, played by a stand-in."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from autograd_ops.teach.shell import draws_html, line_in_words, place_in_words, running_shell
from autograd_ops.user_line import Line


class Shell:
    compile = SimpleNamespace(format_code_name=lambda name: ("Cell", "In[3]") if "ipykernel" in name else None)


class TerminalInteractiveShell(Shell):
    pass


def run_in(monkeypatch, shell):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


def test_without_ipython(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert running_shell() is None
    assert not draws_html()
    assert place_in_words(Line("/home/me/lesson.py", 7, "y = x")) == "lesson.py, line 7"
    assert place_in_words(Line("C:\\me\\lesson.py", 7, "y = x")) == "lesson.py, line 7"


def test_a_line_of_a_cell_is_named_as_ipython_names_it(monkeypatch):
    run_in(monkeypatch, Shell())
    assert place_in_words(Line("/tmp/ipykernel_12/3894789.py", 2, "y = x")) == "Cell In[3], line 2"
    assert place_in_words(Line("/home/me/lesson.py", 2, "y = x")) == "lesson.py, line 2"


def test_a_line_without_source_is_its_place(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert line_in_words(Line("a/lesson.py", 2, "y = x")) == "y = x"
    assert line_in_words(Line("a/lesson.py", 2, "")) == "lesson.py, line 2"


def test_a_terminal_draws_no_html(monkeypatch):
    run_in(monkeypatch, Shell())
    assert draws_html()
    run_in(monkeypatch, TerminalInteractiveShell())
    assert not draws_html()
    run_in(monkeypatch, None)
    assert not draws_html()
