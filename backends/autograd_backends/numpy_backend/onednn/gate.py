"""How a call finds oneDNN: one comparison of a size before the kernel that NumPy has.

The source of a gate is generated, as that of an op's call is, because anything that takes any arguments would cost a
small array more than its arithmetic. That of ``linear`` reads::

    def linear(x, weight, bias):
        if x.size * (weight.shape or ZERO)[-1] >= least and x.dtype == float32:
            _out = fast(x, weight, bias)    # None where it declines: an odd layout, a kind that oneDNN does slowly
            if _out is not None:
                return _out
        return plain(x, weight, bias)

Nothing is imported or loaded before a size is large enough; if there is no library then, none is large enough again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from math import inf
from types import FunctionType
from typing import Any

import numpy as np

from .table import KERNELS
from .thresholds import LEAST

__all__ = ["forced", "gate", "open_gates"]

_SOURCE = """\
def {name}({parameters}):
    if {work} >= least and {array}.dtype == float32:
        _out = fast({passed})
        if _out is not None:
            return _out
    return plain({parameters})
"""

#: The gates that were made, by the name of their kernel.
_gates: dict[str, FunctionType] = {}
_forced: int | None = None


def gate(name: str, plain: Callable[[], Callable[..., Any]]) -> FunctionType:
    """The gate of a kernel of the table; `plain` gives NumPy's, when it is first needed."""
    kernel = KERNELS[name]
    source = _SOURCE.format(
        name=name,
        parameters=kernel.parameters,
        work=kernel.work,
        array=kernel.array or kernel.parameters.partition(",")[0],
        passed=kernel.passed or kernel.parameters,
    )
    least = LEAST[name] if _forced is None else _forced
    scope: dict[str, Any] = {"float32": np.dtype(np.float32), "ZERO": (0,), "least": least}

    def first_fast(*args: Any) -> Any:
        from .library import Unavailable, library

        try:
            library()
        except Unavailable:
            scope["least"] = inf
            return None
        module, _, function = kernel.place.partition(":")
        scope["fast"] = fast = getattr(import_module(f".{module}", __package__), function)
        return fast(*args)

    def first_plain(*args: Any) -> Any:
        scope["plain"] = found = plain()
        return found(*args)

    scope |= {"fast": first_fast, "plain": first_plain}
    exec(compile(source, f"<autograd_ops gate of {name}>", "exec"), scope)
    made: FunctionType = scope[name]
    made.__defaults__ = kernel.defaults
    _gates[name] = made
    return made


class _Gated(staticmethod):  # a module op of the backend, as `module_ops` knows them
    """A kernel of a backend, whose gate is made when it is first used."""

    def __init__(self, owner: type, name: str) -> None:
        member = vars(owner).get(name)
        self._owner, self._name = owner, name
        self._plain = (lambda: getattr(super(owner, owner), name)) if member is None else (lambda: member.__func__)
        super().__init__(self._plain)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        found = gate(self._name, self._plain)
        setattr(self._owner, self._name, staticmethod(found))
        return found


def open_gates(backend: type) -> None:
    """Put the gates of the table before the kernels of `backend`."""
    for name, kernel in KERNELS.items():
        if kernel.of_backend:
            setattr(backend, name, _Gated(backend, name))


@contextmanager
def forced(least: int = 0) -> Iterator[None]:
    """Within it oneDNN does whatever it can of at least this much work, that tests may see it do little things."""
    global _forced
    _forced = least
    before = {name: made.__globals__["least"] for name, made in _gates.items()}
    for made in _gates.values():
        if made.__globals__["least"] != inf:
            made.__globals__["least"] = least
    try:
        yield
    finally:
        _forced = None
        for name, made in _gates.items():
            if made.__globals__["least"] != inf:
                made.__globals__["least"] = before.get(name, LEAST[name])
