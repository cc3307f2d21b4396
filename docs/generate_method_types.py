"""Write autograd_ops/method_types.pyi, what type checkers and editors know of Tensor's methods.

``python -m docs.generate_method_types`` in the root of the repository. At run time the methods are attached from the
functions of the same names, most of them when they are first looked up, which no type checker follows.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import autograd_ops
from autograd_ops import Tensor

__all__ = ["STUB", "method_types"]

STUB = Path(autograd_ops.__file__).parent / "method_types.pyi"

HEAD = '''\
"""Tensor's attached methods. Made by `python -m docs.generate_method_types`; a test makes it again and compares."""

import builtins
from typing import Any

from .tensor import Tensor

class Methods:
'''

#: Annotations that are kept; the others are ``Any``. Some of these types are names of methods too.
KEPT = {"Tensor": "Tensor", "None": "None"} | {
    written: f"builtins.{name}" for name in ("bool", "int", "float", "str") for written in (name, f"builtins.{name}")
}


def method_types() -> str:
    """The stub."""
    own = vars(Tensor)
    written = {name for name, value in own.items() if getattr(value, "__module__", "") == Tensor.__module__}
    names = sorted(name for name in dir(Tensor) if not name.startswith("_") and name not in written)
    return HEAD + "".join(f"    {line}\n" for name in names for line in _lines(name, getattr(Tensor, name)))


def _lines(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, property):
        if value.fget is not None and value.fget.__module__ != Tensor.__module__:
            kind = _kind(value.fget)
            yield "@property"
            yield f"def {name}(self) -> {kind}: ..."
            if value.fset is not None:
                yield f"@{name}.setter"
                yield f"def {name}(self, value: Any) -> None: ..."
    elif inspect.isfunction(value):
        _, *parameters = inspect.signature(value).parameters.values()
        # By place alone if the next is: Python wants it so.
        kind = parameters[0].kind if parameters else inspect.Parameter.POSITIONAL_OR_KEYWORD
        kind = min(kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        written = [inspect.Parameter("self", kind)]
        for one in parameters:
            default = one.default if one.default is one.empty else ...
            written.append(one.replace(annotation=Any, default=default))
        text = str(inspect.Signature(written)).replace("typing.Any", "Any").replace("Ellipsis", "...")
        yield f"def {name}{text} -> {_kind(value)}: ..."


def _kind(function: Any) -> str:
    """What a method returns, in the words of the stub."""
    op = getattr(function, "op", None)
    if op is not None:
        return "Tensor" if op.outputs is None else "Any"
    if "__wrapped__" in vars(function) and function.__name__ == f"{function.__wrapped__.__name__}_":
        return "Tensor"  # a change in place
    return KEPT.get(str(function.__annotations__.get("return")), "Any")


if __name__ == "__main__":
    STUB.write_text(method_types())
