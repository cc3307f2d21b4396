"""What type checkers are told of Tensor's methods is what there is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate_method_types import STUB, method_types

#: A user's program, and the types that mypy is to find in it.
PROGRAM = """\
import autograd_ops as ag
from autograd_ops import nn, optim
from autograd_ops.nn import functional as F

x = ag.randn(3, 3)
layer = nn.Linear(3, 4)
reveal_type(ag.sum(x))
reveal_type(x.mean(dim=0))
reveal_type(x.exp().flipud().mul_(2.0))
reveal_type(x.T)
reveal_type(ag.linalg.solve(x, x))
reveal_type(ag.logcumsumexp(x, 0))
reveal_type(F.mse_loss(layer(x), x))
reveal_type(layer)
reveal_type(optim.Adam(layer.parameters()))
"""
TYPES = ["tensor.Tensor"] * 7 + ["nn.linear.Linear", "optim.adam.Adam"]


def test_the_stub_is_up_to_date() -> None:
    assert STUB.read_text() == method_types(), "run python -m docs.generate_method_types"


def test_a_users_program_has_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    root = Path(__file__).parents[1]
    options = ["--config-file=", f"--cache-dir={root / '.mypy_cache'}", "--follow-imports=silent"]
    environment = {"MYPYPATH": f"{root}:{root / 'backends'}"}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(program)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    found = [line.split('"')[1] for line in done.stdout.splitlines() if "Revealed type" in line]
    assert found == [f"autograd_ops.{name}" for name in TYPES]
