"""What one run of a step does with arrays, written down as source that does it again.

While a step runs, and it runs as always, every op is a stub that calls the op and writes a line: ``v3 = tanh(v2)``.
An array is known by the line that made it. Backward writes a line for each rule that it runs; what changes parameters
and optimizers from outside of the ops, such as ``optimizer.step()``, becomes a line that calls it again.

Where a line cannot say it, the recorder gives up and remembers why: the step has run as always, nothing is lost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from autograd_backends import is_array, kernels, scalar_to_array
from autograd_backends.lookup import _kernels

from .. import creation, indexing, inplace
from ..autograd import core
from ..nn.module import Module
from ..random import drawing
from ..random.generator import Generator
from ..registry import Op
from ..table import TABLE
from ..tape import Node, Port, mode
from ..tensor import Tensor
from .backward import Backward
from .helpers import copied
from .lines import Again, Call, is_ours
from .patches import stubbed, swapped
from .watch import BY_VALUE

__all__ = ["Recorder"]

#: Functions that make a Tensor of numbers which are the same each time.
_CONSTANT = ("zeros", "ones", "empty", "full", "arange", "linspace", "eye")


class Recorder(Backward):
    """Lines of a step that runs within `recording`; the arguments are those of `Lines`.

    Attributes
    ----------
    read_attribute
        What is told of an attribute that the step reads of an optimizer: ``read_attribute(optimizer, name)``.
    """

    read_attribute: Callable[[Any, str], None]

    @contextmanager
    def recording(self) -> Any:
        """Let the ops, and what else there is to know of, write lines, in a ``with`` block."""
        with ExitStack() as stack:
            for op in list(TABLE.values()):
                stack.enter_context(stubbed(self._op_stub(op), op.function, *[face for face, _ in op.faces]))
            for function in _again_functions():
                stack.enter_context(stubbed(lambda real, args, kwargs: self._again(real)(*args, **kwargs), function))
            stack.enter_context(stubbed(self._bump_stub, inplace.bump))  # type: ignore[arg-type]
            for owner, name, make in self._patches():
                stack.enter_context(swapped(owner, name, make(getattr(owner, name))))
            yield

    def _patches(self) -> list[tuple[Any, str, Callable[[Any], Any]]]:
        from ..optim.lr_scheduler.scheduler import LRScheduler
        from ..optim.optimizer import Optimizer
        from ..optim.swa_utils import AveragedModel

        found: list[tuple[Any, str, Callable[[Any], Any]]] = [
            (core, "walk", self._walk_patch),
            (drawing, "draw", self._again),
            (Tensor, "__init__", self._init_patch),
            (Tensor, "_host", lambda real: self._refusing(real, "it reads a value")),
            (Generator, "manual_seed", lambda real: self._refusing(real, "it seeds a generator")),
            (Generator, "set_state", lambda real: self._refusing(real, "it sets the state of a generator")),
            (Module, "zero_grad", self._again),
            (Tensor, "grad", self._grad_patch),
            (Tensor, "data", self._data_patch),
            (AveragedModel, "update_parameters", self._again),
        ]
        for base, names in ((Optimizer, ("step", "zero_grad")), (LRScheduler, ("step",))):
            for cls in (base, *_below(base)):
                found += [(cls, name, self._again) for name in names if name in cls.__dict__]
            found += [(base, "__getattribute__", self._get_patch), (base, "__setattr__", self._set_patch)]
        for cls in {type(backend) for backend in _kernels.values()}:
            found += [
                (cls, "to_host", lambda real: self._refusing(real, "it reads a value")),
                (cls, "write", self._write_patch),
                (cls, "check_indices", self._check_patch),
                (cls, "refuse_unless", self._check_patch),
            ]
        return found

    def _refusing(self, real: Any, reason: str) -> Any:
        def refusing(*args: Any, **kwargs: Any) -> Any:
            if self._listening:
                self.give_up(reason)
            return real(*args, **kwargs)

        return refusing

    # ---------------------------------------------------------------- ops

    def _op_stub(self, op: Op) -> Callable[[Any, Any, Any], Any]:
        def stub(real: Any, args: Any, kwargs: Any) -> Any:
            if not self._listening:
                return real(*args, **kwargs)
            return self._op(op, real, args, kwargs)

        return stub

    def _op(self, op: Op, real: Any, args: Any, kwargs: Any) -> Any:
        code = op.forward.__code__
        names = code.co_varnames[: code.co_argcount]
        given = _bound(op, real, args, kwargs)
        if given is None:
            return real(*args, **kwargs)  # which says what is wrong
        kinds = {i.name: i.kind for i in op.inputs}
        if (
            op.recorded is not None
            and mode.enabled
            and any(_on_tape(v) for n, v in zip(names, given, strict=True) if n in kinds)
        ):
            return real(*args, **kwargs)  # written as other ops
        said = []
        for name, value in zip(names, given, strict=True):
            kind = kinds.get(name)
            if kind == "shape":
                value = tuple(value if type(value) in (tuple, list) else value.shape)
            elif kind is None and isinstance(value, Tensor):
                self.give_up(f"{op.name} takes a tensor for its {name}")
            said.append(self._said(value))
        plain = _alike(op, [value for name, value in zip(names, given, strict=True) if name in op.differentiable])
        result = self._silently(real, *args, **kwargs)
        function = self._constant(op.forward, op.name) if plain else self._constant(op.function, f"{op.name}_aligned")
        call = f"{function}({', '.join(said)})"
        if op.outputs is None:
            self._one_result(op, result, call, plain)
            if plain and not op.saves:
                arrays = [v.array if isinstance(v, Tensor) else v for v in given]
                array = result.array if isinstance(result, Tensor) else result
                self.lines[-1] = Call(self.lines[-1], op.name, self._names[id(array)], arrays, said, array)
        else:
            self._several_results(op, result, call, plain)
        return result

    def _one_result(self, op: Op, result: Any, call: str, plain: bool) -> None:
        array = result.array if isinstance(result, Tensor) else result
        node = result.node if isinstance(result, Tensor) else None
        name = self._new(array)
        made = node is not None and node.op is op
        if made:
            self._nodes.add(node.seq)  # type: ignore[union-attr]
        if op.saves and plain:
            extras = self._extras(op, node if made else None)
            self.lines.append(f"{', '.join([name, *extras])} = {call}")
            if not array.shape:
                self.lines.append(f"{name} = to_array({name})")
        else:
            self.lines.append(f"{name} = {call}" if array.shape or not plain else f"{name} = to_array({call})")

    def _several_results(self, op: Op, result: Any, call: str, plain: bool) -> None:
        if op.saves and not plain:
            self.give_up(f"{op.name} is given arrays of several dtypes")
        node = next((r.node for r in result if isinstance(r, Tensor) and r.node is not None), None)
        main = node.main if type(node) is Port else node
        if main is not None:
            self._nodes.add(main.seq)
        names = []
        for r in result:
            array = r.array if isinstance(r, Tensor) else r
            names.append("_" if array is None else self._new(array))
        outs = f"({', '.join(names)},)"
        self.lines.append(f"{', '.join([outs, *self._extras(op, main)])} = {call}" if op.saves else f"{outs} = {call}")

    def _extras(self, op: Op, node: Node | None) -> list[str]:
        """Names for what the function returns after its result."""
        kept = {} if node is None else {k.name: node.saved[column] for k, column in op.columns()}
        names = []
        for extra in op.saves:
            value = kept.get(extra)
            if value is not None and not is_array(value):
                if type(value) not in (bool, int, tuple, str):
                    self.give_up(f"{op.name} keeps {extra}, which is no array")
                names.append("_")
            else:
                names.append("_" if value is None else self._new(value))
        return names

    # ---------------------------------------------------------------- Tensors and arrays that no op makes

    def _init_patch(self, real: Any) -> Any:
        recorder = self
        data, shared = _innermost(creation.tensor), _innermost(creation.as_tensor)
        constant = {_innermost(getattr(creation, name)).__code__ for name in _CONSTANT}

        def __init__(self: Tensor, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            if recorder._listening:
                recorder._born.add(id(self))
                recorder._alive.append(self)
                frame = sys._getframe(1)
                made = frame.f_code in constant
                if frame.f_code in (data.__code__, shared.__code__):
                    given = {name: frame.f_locals[name] for name in ("data", "dtype", "device")}
                    made = _only_numbers(given["data"])
                    if recorder._names.get(id(given["data"])) and id(self.array) not in recorder._names:
                        function = recorder._constant(data if frame.f_code is data.__code__ else shared)
                        call = f"{function}({', '.join([f'{n}={recorder._said(v)}' for n, v in given.items()])}).array"
                        recorder.lines.append(f"{recorder._new(self.array)} = {call}")
                if made and id(self.array) not in recorder._names:
                    kept = recorder._constant(copied(self.array), "array")
                    recorder.lines.append(f"{recorder._new(self.array)} = copied({kept})")

        return __init__

    def _again(self, real: Any) -> Any:
        """What is called again as it is: it has no array that a line knows, or gives a new one."""

        def again(*args: Any, **kwargs: Any) -> Any:
            if not self._listening:
                return real(*args, **kwargs)
            args = tuple([list(a) if hasattr(a, "__next__") else a for a in args])
            if any(callable(a) and not isinstance(a, Module) for a in (*args[1:], *kwargs.values())):
                self.give_up(f"{real.__name__} is given a function to call")
                return real(*args, **kwargs)
            said = [self._again_said(a) for a in args]
            said += [f"{name}={self._again_said(a)}" for name, a in kwargs.items()]
            self._check_versions()
            result = self._silently(real, *args, **kwargs)
            call = f"{self._constant(real, real.__qualname__.replace('.', '_'))}({', '.join(said)})"
            self._forget_gradients()
            self._note_versions()
            if isinstance(result, Tensor):
                self.lines.append(f"{self._new(result.array)} = {call}.array")
            elif is_array(result):
                self.lines.append(f"{self._new(result)} = {call}")
            else:
                self.lines.append(Again(call, real, (*args, *kwargs.values())))
            return result

        return again

    def _again_said(self, value: Any) -> str:
        if isinstance(value, Tensor):
            if id(value) in self._of_tensor or id(value.array) not in self._names:
                return self.tensor_name(value)
            self.scope["Tensor"] = Tensor
            return f"Tensor({self.name_of(value)})"
        if type(value) in (list, tuple):
            parts = ", ".join([self._again_said(v) for v in value])
            return f"[{parts}]" if type(value) is list else f"({parts}{',' if len(value) == 1 else ''})"
        if value is None or type(value) in (bool, int, str, float):
            return (
                repr(value) if value == value and value not in (float("inf"), -float("inf")) else self._constant(value)
            )
        return self._constant(value)

    def _write_patch(self, real: Any) -> Any:
        def write(backend: Any, target: Any, value: Any) -> None:
            real(backend, target, value)
            if not self._listening:
                return
            self._written = target
            self.lines.append(
                f"{self._constant(backend, 'backend')}.write({self.name_of(target)}, {self.name_of(value)})"
            )

        return write

    def _check_patch(self, real: Any) -> Any:
        def check(backend: Any, array: Any, *rest: Any, **options: Any) -> None:
            real(backend, array, *rest, **options)
            if self._listening:
                said = [self._constant(backend, "backend"), self.name_of(array), *[self._constant(r) for r in rest]]
                said += [f"{name}={self._constant(value)}" for name, value in options.items()]
                self.lines.append(f"{self._constant(real, real.__name__)}({', '.join(said)})")

        return check

    def _grad_patch(self, real: Any) -> Any:
        def get(tensor: Tensor) -> Tensor | None:
            if self._listening:
                self.reads_gradients = True
            return tensor._grad

        def set_(tensor: Tensor, gradient: Tensor | None) -> None:
            real.fset(tensor, gradient)
            if self._listening:
                self._forget_gradients()
                said = "None" if gradient is None else self._again_said(gradient)
                self.lines.append(f"{self.tensor_name(tensor)}.grad = {said}")

        return property(get, set_)

    def _get_patch(self, real: Any) -> Any:
        """What a step reads of an optimizer or scheduler by itself: numbers are watched, the rest changes in steps."""

        def get(owner: Any, name: str) -> Any:
            value = real(owner, name)
            if self._listening and not is_ours(sys._getframe(1).f_globals.get("__name__")):
                if name in real(owner, "__dict__") and type(value) not in BY_VALUE:
                    self.give_up(f"it reads .{name} of {type(owner).__name__}")
                elif not callable(value):
                    self.read_attribute(owner, name)
            return value

        return get

    def _set_patch(self, real: Any) -> Any:
        def set_(owner: Any, name: str, value: Any) -> None:
            real(owner, name, value)
            if self._listening and not is_ours(sys._getframe(1).f_globals.get("__name__")):
                self.give_up(f"it sets .{name} of {type(owner).__name__}")

        return set_

    def _data_patch(self, real: Any) -> Any:
        def get(tensor: Tensor) -> Tensor:
            if self._listening:
                self.name_of(tensor)
            data: Tensor = real.fget(tensor)
            return data

        def set_(tensor: Tensor, value: Tensor) -> None:
            if self._listening:
                self.give_up("it sets the data of a tensor")
            real.fset(tensor, value)

        return property(get, set_)

    def _bump_stub(self, real: Any, args: Any, kwargs: Any) -> None:
        real(*args, **kwargs)
        if self._listening:
            if self._written is not args[0].array:
                self.give_up("it changes a tensor in a way that is not recorded")
            self._written = None
            for tensor in (*self.tensors, *self.arguments):
                if tensor.version is args[0].version:
                    self.lines.append(f"{self._of_tensor[id(tensor)]}.version[0] += 1")
                    self._versions[id(tensor)] += 1
                    break


def _again_functions() -> list[Any]:
    """Functions that are called again as they are: they change arrays, and not by ops."""
    from ..nn.utils import clip_grad

    found = (
        *(clip_grad.clip_grad_norm_, clip_grad.clip_grad_value_, clip_grad.clip_grads_with_norm_),
        *(indexing._write, indexing.set_number),
    )
    return [_innermost(function) for function in found]


def _innermost(function: Any) -> Any:
    """What decorators are around."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _below(cls: Any) -> list[Any]:
    return [c for below in cls.__subclasses__() for c in (below, *_below(below))]


def _on_tape(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.place() is not None
    return type(value) in (list, tuple) and any(_on_tape(v) for v in value)


def _bound(op: Op, real: Any, args: Any, kwargs: Any) -> list[Any] | None:
    """The arguments in order, or None if they do not fit."""
    count = op.forward.__code__.co_argcount
    names = real.__code__.co_varnames[:count] if real.__code__.co_argcount == count else ()
    names = names or op.forward.__code__.co_varnames[:count]
    defaults = op.forward.__defaults__ or ()
    given = list(args)
    for i in range(len(given), count):
        if names[i] in kwargs:
            given.append(kwargs[names[i]])
        elif i >= count - len(defaults):
            given.append(defaults[i - count])
        else:
            return None
    return given if len(given) == count and all(n in names[len(args) :] for n in kwargs) else None


def _alike(op: Op, values: Sequence[Any]) -> bool:
    """Whether an op's inputs need no alignment: arrays of one type and dtype, or a float array and a Python number."""
    if not op.promote and not op.floating:
        return True
    flat = [v for value in values for v in (value if type(value) in (list, tuple) else (value,)) if v is not None]
    arrays = [v.array if isinstance(v, Tensor) else v for v in flat]
    numbers = [a for a in arrays if type(a) in (int, float)]
    rest = [a for a in arrays if type(a) not in (int, float)]
    if not rest or any(type(a) in (bool, complex) or type(a) in scalar_to_array for a in rest):
        return False
    first = rest[0]
    floating = first.dtype in kernels(first).floating_dtypes
    if op.promote and any(type(a) is not type(first) or a.dtype != first.dtype for a in rest):
        return False
    return floating or not (op.floating or numbers)


def _only_numbers(data: Any) -> bool:
    return type(data) in (bool, int, float, complex) or (type(data) in (list, tuple) and all(map(_only_numbers, data)))
