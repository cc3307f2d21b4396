"""Finding the library, and doing without it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import autograd_ops as ag
from autograd_backends.numpy_backend.onednn import library as rooms_door

ROOT = Path(__file__).parents[2]


@pytest.fixture
def not_looked_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no library had been looked for."""
    monkeypatch.setattr(rooms_door, "_found", None)
    monkeypatch.delenv(rooms_door.SWITCH, raising=False)


def python(code: str, **environment: str) -> str:
    """What a process of its own prints that runs `code`."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "backends")])
    inherited = {name: value for name, value in os.environ.items() if name != rooms_door.SWITCH}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**inherited, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


BY_SIZE = """
import sys, autograd_ops as ag
def step(n):
    net = ag.nn.Linear(n, n)
    net(ag.ones(n, n)).sum().backward()
    return any(name.endswith("onednn.library") for name in sys.modules), net.weight.grad[0, 0].item()
print(*step(16), *step(256))
"""


def test_nothing_is_loaded_without_a_large_array() -> None:
    assert python(BY_SIZE).split() == ["False", "16.0", "True", "256.0"]


def test_switched_off_numpy_does_all_without_a_word() -> None:
    code = BY_SIZE + "ag.show_config(); print('onednn.plan' in ' '.join(sys.modules))"
    *_, config, loaded = python(code, **{rooms_door.SWITCH: "0"}).splitlines()
    assert config.endswith("; oneDNN is not used: AUTOGRAD_OPS_ONEDNN=0 is set")
    assert loaded == "False"


@pytest.mark.usefixtures("not_looked_yet")
def test_without_a_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(rooms_door, "_candidates", lambda: iter(["libdnnl-that-is-nowhere.so.3"]))
    assert rooms_door.why_not() == "it is not installed: pip install autograd-ops[onednn]"
    with pytest.raises(rooms_door.Unavailable):
        rooms_door.library()
    ag.show_config()
    assert "oneDNN is not used: it is not installed" in capsys.readouterr().out


@pytest.mark.usefixtures("not_looked_yet")
def test_what_cannot_be_loaded_is_named_without_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "libdnnl.so.3"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(rooms_door, "_candidates", lambda: iter([str(broken)]))
    assert f"{broken} cannot be loaded" in str(rooms_door.why_not())


@pytest.mark.usefixtures("not_looked_yet")
@pytest.mark.parametrize(
    ("version", "reason"),
    [((2, 7, 3, b"", 2, 0), "is oneDNN 2.7.3, and version 3 is needed"), ((3, 2, 0, b"", 8, 0), "for other threads")],
)
def test_another_version_is_refused_without_an_error(
    monkeypatch: pytest.MonkeyPatch, version: tuple[Any, ...], reason: str
) -> None:
    class DnnlVersion:
        def __call__(self) -> Any:
            return SimpleNamespace(contents=rooms_door._Version(*version))

    monkeypatch.setattr(ctypes, "CDLL", lambda path: SimpleNamespace(dnnl_version=DnnlVersion()))
    monkeypatch.setattr(rooms_door, "_candidates", lambda: iter(["/there/libdnnl.so.3"]))
    assert reason in str(rooms_door.why_not())


def test_it_says_what_is_in_use(capsys: Any) -> None:
    ag.show_config()
    found = rooms_door.library()
    assert f", oneDNN {found.version} ({found.path}), threads: " in capsys.readouterr().out


def test_an_unknown_function_is_named() -> None:
    with pytest.raises(AttributeError, match="dnnl_nothing is not among the functions"):
        rooms_door.library().nothing  # noqa: B018
