"""The other libraries: how a workload is opened on each, and what each cannot do."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..workload import Session
from ..workloads import WORKLOADS

__all__ = ["PACKAGES", "PEERS", "open_session", "why_not"]

#: Shown names, by the name of the module that is imported.
PEERS: dict[str, str] = {"torch": "PyTorch", "mygrad": "MyGrad", "pydynet": "PyDyNet", "autograd": "HIPS autograd"}

#: What is installed for them.
PACKAGES = ("torch==2.13.0", "mygrad==2.5.0", "pydynet==1.1", "autograd==1.9.1", "numpy>=2.1", "scipy>=1.17")

#: The modules of this folder that have the workloads which a library can do, if it has not PyTorch's names.
_BY_HAND = {"mygrad": "mygrad", "pydynet": "pydynet", "autograd": "hips_autograd"}

_MLPS = ("tiny-mlp-sgd", "tiny-mlp-adam", "mlp")

#: The workloads that each can do.
_CAN = {
    "mygrad": (*_MLPS, "mnist-cnn", "chain"),
    "pydynet": (*_MLPS, "chain"),
    "autograd": (*_MLPS, "wide-mlp", "chain"),
}

#: Why it does not do the others.
_WHY_NOT = {
    "mygrad": "it has no layer norm, no batch norm that keeps running statistics, no attention, LSTM or CTC loss",
    "pydynet": "its layers have no state_dict, other layouts, or are missing (GELU, CTC loss, transposed convolution)",
    "autograd": "it has no layers: no convolution of batches, pooling, recurrence or CTC loss",
}


def open_session(library: str, workload: str, **sizes: int) -> Any:
    """The `workload` on the module called `library`: an object with `Session`'s methods."""
    if library in _BY_HAND:
        return import_module(f".{_BY_HAND[library]}", __package__).open_session(workload, **sizes)
    return Session(WORKLOADS[workload], import_module(library), **sizes)


def why_not(library: str, workload: str) -> str | None:
    """Why a library does not run a workload; ``None`` if it does."""
    return None if workload in _CAN.get(library, WORKLOADS) else _WHY_NOT[library]
