"""What public functions and methods say of wrong arguments, asked of each of them with arguments chosen at random.

Whatever is wrong, it is one of the errors that the docstrings speak of, and the name of the function is in its message.
A new function is asked by itself.
"""

from __future__ import annotations

import inspect
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F

#: Not about Tensors, or they change settings for the tests that follow.
NOT_ASKED = {
    *("as_dtype", "dtype_of", "native_dtype", "default_complex", "check_indices"),
    *("load", "save", "no_grad", "enable_grad", "vmap", "compile", "manual_seed", "seed", "is_grad_enabled"),
    *("set_node", "accumulate", "use_deterministic_algorithms"),
}

REFUSED = (
    *(ValueError, TypeError, IndexError, ag.TapeError, ag.DeviceError, NotImplementedError, OverflowError),
    *(MemoryError, ZeroDivisionError, ag.linalg.LinAlgError),
)
CALLS = 12


def arguments() -> list[Any]:
    """What may be given: something of every class, some of it right now and then."""
    return [
        *(None, "a", "", [1, 2], [], (5,), (), {}, object(), 1.5, 7, -9, 0, True, float("nan"), 2 + 1j, 10**20),
        *(ag.ones(2, 3), ag.ones(3, 2, requires_grad=True), ag.ones(4), ag.tensor([1, 2]), ag.tensor([True, False])),
        *(ag.zeros(0, 3), ag.ones(2, 3, dtype=ag.complex64), ag.ones(()), [ag.ones(2), ag.ones(3)], np.ones(2)),
        *(ag.ones(2, 3, 4, 4), ag.tensor([[0, 1], [5, -1]]), ag.ones(2, 3, device="strict"), ag.float64, "mean"),
    ]


PLACES: dict[str, Any] = {
    "ag": ag,
    "F": F,
    "linalg": ag.linalg,
    "fft": ag.fft,
    "special": ag.special,
    "init": ag.nn.init,
    "Tensor": ag.Tensor,
}


def functions(place: Any) -> Iterator[str]:
    """The names of what is to be asked there."""
    for name in sorted(getattr(place, "__all__", dir(place))):
        settings = name.startswith(("_", "set_", "get_", "is_autocast"))
        if not settings and name not in NOT_ASKED and inspect.isfunction(getattr(place, name, None)):
            yield name


def names_of(name: str, function: Any) -> set[str]:
    """By which names an error may call a function: it may be another's alias, or an op with a name of its own."""
    op = getattr(function, "op", None)
    names = {name, function.__name__, inspect.unwrap(function).__name__, *([op.name] if op is not None else [])}
    without = getattr(ag.Tensor, name[:-1], None)
    if name.endswith("_") and inspect.isfunction(without):  # made of that
        names |= names_of(name[:-1], without)
    return {one.strip("_") for one in names}


def fault_of(name: str, function: Callable[..., Any], given: list[Any]) -> str | None:
    """What is wrong with how `function` refuses what it is `given`; ``None`` if all is well, or it takes it."""
    try:
        function(*given)
    except REFUSED as error:
        kind = type(error)
        if kind.__module__.startswith("numpy"):
            return f"{kind.__name__} of NumPy: {error}"
        words = [word.strip("_") for word in re.findall(r"[a-z0-9_]+", str(error).lower())]
        if not any(one in words or words[0].startswith(one) for one in names_of(name, function)):
            return f"{kind.__name__} without the name: {error}"
    except Exception as error:  # any other is what is looked for
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", PLACES)
def test_every_function_refuses_by_name(place: str) -> None:
    faults = []
    for name in functions(PLACES[place]):
        function = getattr(PLACES[place], name)
        random = np.random.default_rng(zlib.crc32(f"{place}.{name}".encode()))
        for _ in range(CALLS):
            choice = arguments()
            given = [choice[i] for i in random.integers(0, len(choice), random.integers(1, 5))]
            if place == "Tensor":
                given[0] = (ag.ones(2, 3), ag.ones(3, requires_grad=True), ag.tensor([1, 2, 3]))[random.integers(3)]
            fault = fault_of(name, function, given)
            if fault is not None:
                told = ", ".join(repr(g) if isinstance(g, (int, float, str)) else type(g).__name__ for g in given)
                faults.append(f"{place}.{name}({told}): {fault[:200]}")
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults)
