"""The other libraries: how a workload is opened on each, and what each cannot do."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..workload import Session
from ..workloads import WORKLOADS

__all__ = ["PEERS", "open_session", "why_not"]

#: Shown names, by the name of the module.
PEERS: dict[str, str] = {
    "torch": "PyTorch",
}


def open_session(library: str, workload: str, **sizes: int) -> Any:
    """The `workload` on the module called `library`: an object with `Session`'s methods."""
    return Session(WORKLOADS[workload], import_module(library), **sizes)


def why_not(library: str, workload: str) -> str | None:
    """Why a library does not run a workload; ``None`` if it does."""
    return None
