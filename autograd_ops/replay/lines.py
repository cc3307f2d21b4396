"""The lines of a recording, and the names in them.

An array is known by the line that made it, a Tensor that was there before by a name of its own. What is known of
neither stops the recording.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from autograd_backends import is_array

from ..runtime import fit
from ..tensor import Tensor
from ..user_line import user_frame
from .helpers import copied, to_array

__all__ = ["Accumulate", "Again", "Call", "Lines", "is_ours"]

#: From so many bytes on an array is let go of after the last line that needs it, rather than at the end.
LARGE = 2**16


class Call(str):
    """A line that calls one function, and what it calls it with: a backend may have other lines that say the same.

    Attributes
    ----------
    key
        The op, or the op and the input whose rule it is.
    out
        The name of the result.
    values, said
        The arguments, and how the line says them.
    result
        What it was.
    """

    __slots__ = ("key", "out", "result", "said", "values")

    key: str
    out: str
    values: list[Any]
    said: list[str]
    result: Any

    def __new__(cls, text: str, key: str, out: str, values: list[Any], said: list[str], result: Any) -> Call:
        line = super().__new__(cls, text)
        line.key, line.out, line.values, line.said, line.result = key, out, values, said, result
        return line


class Again(str):
    """A line that calls `function` with `given` again, as it is."""

    __slots__ = ("function", "given")

    function: Any
    given: tuple[Any, ...]

    def __new__(cls, text: str, function: Any, given: tuple[Any, ...]) -> Again:
        line = super().__new__(cls, text)
        line.function, line.given = function, given
        return line


class Accumulate(str):
    """A line that gives `tensor` the gradient of the name `gradient`.

    Attributes
    ----------
    array
        That gradient.
    first
        Whether there was none before.
    """

    __slots__ = ("array", "first", "gradient", "tensor")

    tensor: Tensor
    gradient: str
    array: Any
    first: bool

    def __new__(cls, text: str, tensor: Tensor, gradient: str, array: Any, first: bool) -> Accumulate:
        line = super().__new__(cls, text)
        line.tensor, line.gradient, line.array, line.first = tensor, gradient, array, first
        return line


class Lines:
    """What was written so far, in one thread.

    Parameters
    ----------
    arguments
        The Tensors and arrays that the step is given, in order.

    Attributes
    ----------
    reason
        Why the step cannot be replayed; ``None`` if it can.
    lines
        What it did, in order.
    scope
        What the lines name: functions, Tensors, constants.
    tensors
        The Tensors that were there before, and are no arguments.
    reads_gradients
        Whether it looks at the ``grad`` of a Tensor, and so may ask whether there is one.
    """

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.reason: str | None = None
        self.reads_gradients = False
        self.without_gradient: set[Tensor] = set()  # when the step first used them
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"to_array": to_array, "fit": fit, "copied": copied}
        self.tensors: list[Tensor] = []
        self.arguments: list[Tensor] = []
        self.large: set[str] = set()  # names of arrays to be let go of as soon as can be
        self._thread = threading.get_ident()
        self._first: list[tuple[Tensor, Any, Any]] = []  # each Tensor with its node and array, as first seen
        self._inside = 0  # of something that is one line
        self._names: dict[int, str] = {}  # of an array, by its id
        self._of_tensor: dict[int, str] = {}  # of a Tensor, by its id
        self._written: Any = None  # the array that a line has just written to
        self._alive: list[Any] = []  # so that no id is used twice
        self._born: set[int] = set()
        self._nodes: set[int] = set()  # those that a line made, by number
        self._gradients: list[int] = []  # ids of arrays that are the grad of somebody now
        self._versions: dict[int, int] = {}
        self._count = 0
        for i, given in enumerate(arguments):
            array = given.array if isinstance(given, Tensor) else given
            self._names[id(array)] = f"a{i}"
            self._alive.append(array)
            if isinstance(given, Tensor):
                self.arguments.append(given)
                self._first.append((given, given.node, given.array))
                self._of_tensor[id(given)] = f"tensors[{i}]"
        self._note_versions()

    def is_listening(self) -> bool:
        """Whether what happens in this thread now has to become a line."""
        return self._listening

    @property
    def _listening(self) -> bool:
        return self.reason is None and not self._inside and threading.get_ident() == self._thread

    def give_up(self, reason: str) -> None:
        """The step cannot be replayed."""
        if self.reason is None:
            self.reason = f"{reason} ({_where()})"

    def _silently(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._inside += 1
        try:
            return function(*args, **kwargs)
        finally:
            self._inside -= 1

    # ---------------------------------------------------------------- names

    def _new(self, value: Any, letter: str = "v") -> str:
        """The name of an array that the next line makes."""
        self._count += 1
        name = f"{letter}{self._count}"
        self._names[id(value)] = name
        self._alive.append(value)
        if getattr(value, "nbytes", 0) >= LARGE:
            self.large.add(name)
        return name

    def _constant(self, value: Any, hint: str = "k") -> str:
        for name, known in self.scope.items():
            if known is value:
                return name
        hint = re.sub(r"\W", "_", hint)
        name = hint if hint not in self.scope and hint != "k" else f"{hint}_{len(self.scope)}"
        self.scope[name] = value
        return name

    def name_of(self, value: Any) -> str:
        """The name of the array of a Tensor, or of an array."""
        array = value.array if isinstance(value, Tensor) else value
        name = self._names.get(id(array))
        if name is not None:
            return name
        for tensor in (*self.tensors, *self.arguments):
            if tensor._grad is not None and tensor._grad.array is array:
                name = self._new(array)
                self._gradients.append(id(array))
                self.lines.append(f"{name} = {self._of_tensor[id(tensor)]}.grad.array")
                return name
        if isinstance(value, Tensor) and id(value) not in self._born:
            self.tensor_name(value)
            return self._names[id(array)]
        self.give_up("it uses numbers that no op made")
        return "None"

    def tensor_name(self, tensor: Tensor) -> str:
        """The name of a Tensor that was there before."""
        name = self._of_tensor.get(id(tensor))
        if name is None:
            for owner in (*self.tensors, *self.arguments):
                if owner._grad is tensor:
                    return f"{self._of_tensor[id(owner)]}.grad"
            if id(tensor) in self._born:
                self.give_up("it makes a tensor that keeps a gradient")
            if tensor.alias is not None and tensor.place() is not None:
                self.give_up("it uses a view that was made before, of a tensor that requires grad")
            name = f"t{len(self.tensors)}"
            self.scope[name] = tensor
            self._of_tensor[id(tensor)] = name
            self._versions[id(tensor)] = tensor.version[0]
            if tensor._grad is None:
                self.without_gradient.add(tensor)
            else:
                self._versions[id(tensor._grad)] = tensor._grad.version[0]
            self._names.setdefault(id(tensor.array), f"w{len(self.tensors)}")
            self._first.append((tensor, tensor.node, tensor.array))
            self._alive.append(tensor.array)
            self.tensors.append(tensor)
        return name

    def _said(self, value: Any) -> str:
        """How a line says an argument."""
        if isinstance(value, Tensor) or is_array(value):
            return self.name_of(value)
        if type(value) in (list, tuple):
            parts = ", ".join([self._said(v) for v in value])
            return f"[{parts}]" if type(value) is list else f"({parts}{',' if len(value) == 1 else ''})"
        if value is None or type(value) in (bool, int, str):
            return repr(value)
        if type(value) is float and value - value == 0:
            return repr(value)
        return self._constant(value)

    # ---------------------------------------------------------------- what changes as the step runs

    def _note_versions(self) -> None:
        """All changes so far are those of lines."""
        for tensor in (*self.tensors, *self.arguments):
            if isinstance(tensor, Tensor):
                self._versions[id(tensor)] = tensor.version[0]
                if tensor._grad is not None:
                    self._alive.append(tensor._grad)
                    self._versions[id(tensor._grad)] = tensor._grad.version[0]

    def _forget_gradients(self) -> None:
        """The arrays that are gradients of Tensors may be others from here on."""
        for known in self._gradients:
            self._names.pop(known, None)
        self._gradients.clear()

    def finish(self) -> None:
        """Give up if something was changed that no line changes."""
        for tensor, node, array in self._first:
            if tensor.node is not node or tensor.array is not array:
                self.give_up("it changes what a tensor is")
        self._check_versions()

    def _check_versions(self) -> None:
        for tensor in (*self.tensors, *self.arguments):
            for changed_one in (tensor, getattr(tensor, "_grad", None)):
                known = self._versions.get(id(changed_one), 0)
                if isinstance(changed_one, Tensor) and known != changed_one.version[0]:
                    self.give_up("it changes a tensor in a way that is not recorded")


def is_ours(name: str | None) -> bool:
    """Whether a module of this name, or generated code, which has none, is the library's."""
    return name is None or name.partition(".")[0] in ("autograd_ops", "autograd_backends")


def _where() -> str:
    """The line of the user's program that runs."""
    frame = user_frame()
    return f"{frame.f_code.co_filename}, line {frame.f_lineno}"
