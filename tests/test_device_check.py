"""``python -m tests.device_check``: its table, its exit status, and that it finds what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograd_backends import get_backend
from autograd_ops.registry import TABLE

from . import device_check
from .cuda_stand_in import FOLDER

ROOT = Path(__file__).parents[1]


def run(*arguments: str, path: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": ":".join(map(str, [ROOT, ROOT / "backends", *path])), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.device_check", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("device", "path"), [("strict:device1", ()), ("cuda", (FOLDER,))])
def test_a_device_where_all_is_well(device: str, path: tuple[Path, ...], tmp_path: Path) -> None:
    out = tmp_path / "found"
    done = run("--device", device, "--only", "linear", "--out", str(out), path=path)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines[0] == f"device_check on {'cuda:0' if device == 'cuda' else device}"
    assert lines[-1].split(" agree, ")[1].startswith("0 disagree, 0 not reached, in ")
    assert int(lines[-1].split()[0]) > 100
    kept = out.read_text().splitlines()
    assert [line for line in kept if not line.startswith("# ")] == lines
    assert "# linear_x_backward" in kept


@pytest.mark.parametrize(
    ("kernel", "row"),
    [("linear", "forward"), ("linear", "vector"), ("linear_bias_backward", "backward"), ("linear_x_backward", "tape")],
)
def test_a_wrong_result_is_reported(kernel: str, row: str, monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    right = getattr(get_backend("strict"), kernel)
    monkeypatch.setattr(get_backend("strict"), kernel, lambda *arguments: right(*arguments) * 1.001, raising=False)
    out = tmp_path / "found"
    status = device_check.main(["--device", "strict", "--only", "linear", "--dtype", "float64", "--out", str(out)])
    assert status == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["op", "sample", "lane", "first", "difference"]
    rows = [line for line in lines[2:-1] if line.startswith("linear ") and row in line]
    assert any(", want " in line for line in rows)
    assert set(rows) <= set(out.read_text().splitlines())
    assert f" {len(lines) - 3} disagree" in lines[-1]


def test_an_error_is_a_difference(monkeypatch: Any, capsys: Any) -> None:
    def broken(*arguments: Any) -> Any:
        raise RuntimeError("no such kernel\nand more")

    device_check.main(["--only", "exp", "--dtype", "float64"])
    monkeypatch.setitem(TABLE["exp"].function.__globals__, "forward", broken)
    capsys.readouterr()
    assert device_check.main(["--only", "exp", "--dtype", "float64"]) == 1
    assert "RuntimeError: no such kernel\n" in capsys.readouterr().out


def test_what_is_not_reached_is_counted(capsys: Any) -> None:
    assert device_check.main(["--only", "add", "--seconds", "0"]) == 1
    assert "0 agree, 0 disagree" in capsys.readouterr().out
