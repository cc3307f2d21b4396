"""SciPy and scikit-learn, which compute with the arrays they are given when they are told to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("dispatched.py")
NAMES = re.findall(r'^    "([\w.]+)":', SCRIPT.read_text(), flags=re.MULTILINE)


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[float, float]]:
    """The errors of the results, and of the gradients, by name."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    return {name: (float(value), float(gradient)) for name, value, gradient in lines}


@pytest.mark.parametrize("name", NAMES)
def test_takes_tensors_and_is_differentiated(name: str, found: dict[str, tuple[float, float]]) -> None:
    value, gradient = found[name]
    assert value < 1e-12
    assert gradient < 1e-7  # of central differences with steps of 1e-6


def test_every_call_was_made(found: dict[str, tuple[float, float]]) -> None:
    assert list(found) == NAMES
