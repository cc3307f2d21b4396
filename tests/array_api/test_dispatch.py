"""SciPy and scikit-learn, which compute with the arrays they are given when they are told to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("dispatched.py")
NAMES = re.findall(r'^    "([\w.]+)":', SCRIPT.read_text(), flags=re.MULTILINE)


PAGE = Path(__file__).parents[2] / "docs" / "array-api.md"


def run(*arguments: Any) -> str:
    """What a Python prints that lets SciPy take other arrays than NumPy's."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[float, float]]:
    """The errors of the results, and of the gradients, by name."""
    lines = [line.split() for line in run(SCRIPT).splitlines()]
    return {name: (float(value), float(gradient)) for name, value, gradient in lines}


@pytest.mark.parametrize("name", NAMES)
def test_takes_tensors_and_is_differentiated(name: str, found: dict[str, tuple[float, float]]) -> None:
    value, gradient = found[name]
    assert value < 1e-12
    assert gradient < 1e-7  # of central differences with steps of 1e-6


def test_every_call_was_made(found: dict[str, tuple[float, float]]) -> None:
    assert list(found) == NAMES


def test_the_lines_of_the_page_on_it_run() -> None:
    (lines,) = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert "Size([8, 3])" in run("-c", lines)
