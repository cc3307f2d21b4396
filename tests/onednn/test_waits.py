"""How long OpenMP's threads wait awake is said while the library is loaded, and not to anything else."""

from __future__ import annotations

import os

import pytest

from autograd_backends.numpy_backend.onednn.library import brief_waits


@pytest.fixture(autouse=True)
def _nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)


def test_only_within() -> None:
    with brief_waits():
        assert int(os.environ["GOMP_SPINCOUNT"]) < 100_000
    assert "GOMP_SPINCOUNT" not in os.environ


def test_not_where_loading_fails() -> None:
    with pytest.raises(OSError, match="no such library"), brief_waits():
        raise OSError("no such library")
    assert "GOMP_SPINCOUNT" not in os.environ


@pytest.mark.parametrize("name", ["GOMP_SPINCOUNT", "OMP_WAIT_POLICY"])
def test_what_the_user_says_holds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "active")
    before = dict(os.environ)
    with brief_waits():
        assert dict(os.environ) == before
    assert dict(os.environ) == before
