"""The example sine_lstm.py, as a user runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "examples" / "sine_lstm.py"

# Two tests at a time, each with a thread for every core, wait for each other most of the time.
ONE_THREAD = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


def run(*arguments):
    command = [sys.executable, "-W", "error", str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=ONE_THREAD, check=False)
    assert done.returncode == 0, done.stderr
    losses = [float(x) for x in re.findall(r"loss ([\d.]+)", done.stdout)]
    (error,) = re.findall(r"numbers of its own: ([\d.]+)", done.stdout)
    return losses, float(error)


def test_learns():
    losses, error = run("--steps", 300)
    assert len(losses) == 4
    assert losses[-1] < losses[0] / 50
    assert error < 0.4  # a wave is 0.64 away from nothing


def test_strict_device():
    losses, _ = run("--steps", 3, "--device", "strict")
    expected, _ = run("--steps", 3)
    assert len(losses) == len(expected) == 1
