"""What one run of a step does with arrays, written down as source that does it again.

While a step runs, and it runs as always, every op is a stub that calls the op and writes a line: ``v3 = tanh(v2)``.
An array is known by the line that made it. Backward writes a line for each rule that it runs; what changes parameters
and optimizers from outside of the ops, such as ``optimizer.step()``, becomes a line that calls it again.

Where a line cannot say it, the recorder gives up and remembers why: the step has run as always, nothing is lost.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager
from heapq import heappop, heappush
from types import FunctionType
from typing import Any

from autograd_backends import is_array, kernels, namespace, scalar_to_array
from autograd_backends.lookup import _kernels

from .. import creation, inplace, tape
from ..autograd import core
from ..errors import changed
from ..random import drawing
from ..random.generator import Generator
from ..registry import Op, parameters
from ..runtime import fit, fit_all
from ..table import TABLE
from ..tape import FREED, Leaf, Node, Port, mode
from ..tensor import Tensor
from .patches import stubbed, swapped

__all__ = ["Call", "Recorder"]

#: Functions that make a Tensor of numbers which are the same each time.
_CONSTANT = ("zeros", "ones", "empty", "full", "arange", "linspace", "eye")


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


def _call(text: str, key: str, out: str, values: list[Any], said: list[str], result: Any) -> Call:
    line = Call(text)
    line.key, line.out, line.values, line.said, line.result = key, out, values, said, result
    return line


class Recorder:
    """Writes down what happens in one thread between `begin` and `end`.

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
        self.scope: dict[str, Any] = {"to_array": to_array, "fit": fit, "fit_all": fit_all, "copied": copied}
        self.tensors: list[Tensor] = []
        self.arguments: list[Tensor] = []
        self._thread = threading.get_ident()
        self._first: list[tuple[Tensor, Any, Any]] = []  # each Tensor with its node and array, as first seen
        self._inside = 0  # of something that is one line
        self._aligned = False
        self._names: dict[int, str] = {}  # of an array, by its id
        self._of_tensor: dict[int, str] = {}  # of a Tensor, by its id
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

    # ---------------------------------------------------------------- what the step meets while it is recorded

    @contextmanager
    def recording(self) -> Any:
        """Let the ops, and what else there is to know of, write lines, in a ``with`` block."""
        with ExitStack() as stack:
            for op in list(TABLE.values()):
                for function, _ in ((op.function, ()), *op.faces):
                    stack.enter_context(stubbed(function, self._op_stub(op)))
            for function in _again_functions():
                stack.enter_context(stubbed(function, lambda real, args, kwargs: self._again(real)(*args, **kwargs)))
            stack.enter_context(stubbed(inplace.bump, self._bump_stub))  # type: ignore[arg-type]
            for owner, name, make in self._patches():
                stack.enter_context(swapped(owner, name, make(getattr(owner, name))))
            yield

    def _patches(self) -> list[tuple[Any, str, Callable[[Any], Any]]]:
        from ..nn.module import Module
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
        for cls in {type(backend) for backend in _kernels.values()}:
            found += [
                (cls, "to_host", lambda real: self._refusing(real, "it reads a value")),
                (cls, "write", self._write_patch),
                (cls, "check_indices", self._check_patch),
                (cls, "refuse_unless", self._check_patch),
            ]
        return found

    @property
    def _listening(self) -> bool:
        return self.reason is None and not self._inside and threading.get_ident() == self._thread

    def give_up(self, reason: str) -> None:
        """The step cannot be replayed."""
        if self.reason is None:
            self.reason = f"{reason} ({_where()})"

    def _refusing(self, real: Any, reason: str) -> Any:
        def refusing(*args: Any, **kwargs: Any) -> Any:
            if self._listening:
                self.give_up(reason)
            return real(*args, **kwargs)

        return refusing

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
        if op.recorded is not None and mode.enabled and any(_on_tape(v) for n, v in zip(names, given) if n in kinds):
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
                self.lines[-1] = _call(self.lines[-1], op.name, self._names[id(array)], arrays, said, array)
        else:
            self._several_results(op, result, call, plain)
        return result

    def _one_result(self, op: Op, result: Any, call: str, plain: bool) -> None:
        array = result.array if isinstance(result, Tensor) else result
        node = result.node if isinstance(result, Tensor) else None
        name = self._new(array)
        made = node is not None and node.op is op
        if made:
            self._nodes.add(node.seq)
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
        kept = {} if node is None else {k.name: v for k, v in self._kept(op, node)}
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

    @staticmethod
    def _kept(op: Op, node: Node) -> list[tuple[Any, Any]]:
        """What `node` saved, beside what it is."""
        found, column = [], 0
        for kept in op.kept:
            found.append((kept, node.saved[column]))
            column += 3 if kept.kind in ("input", "output") else 1
        return found

    # ---------------------------------------------------------------- Tensors and arrays that no op makes

    def _init_patch(self, real: Any) -> Any:
        recorder = self
        constant = {getattr(creation, name).__code__ for name in _CONSTANT}

        def __init__(self: Tensor, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            if recorder._listening:
                recorder._born.add(id(self))
                recorder._alive.append(self)
                frame = sys._getframe(1)
                made = frame.f_code in constant
                if frame.f_code is creation.tensor.__code__:
                    made = not is_array(frame.f_locals["data"]) and _only_numbers(frame.f_locals["data"])
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
            if any(callable(a) for a in (*args[1:], *kwargs.values())):
                self.give_up(f"{real.__name__} is given a function to call")
                return real(*args, **kwargs)
            said = [self._again_said(a) for a in args]
            said += [f"{name}={self._again_said(a)}" for name, a in kwargs.items()]
            result = self._silently(real, *args, **kwargs)
            call = f"{self._constant(real, real.__qualname__.replace('.', '_'))}({', '.join(said)})"
            self._forget_gradients()
            self._note_versions()
            if isinstance(result, Tensor):
                self.lines.append(f"{self._new(result.array)} = {call}.array")
            elif is_array(result):
                self.lines.append(f"{self._new(result)} = {call}")
            else:
                self.lines.append(call)
            return result

        return again

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

    def _again_said(self, value: Any) -> str:
        if isinstance(value, Tensor):
            if id(value) in self._of_tensor or id(value.array) not in self._names:
                return self.tensor_name(value)
            self.scope["Tensor"] = Tensor
            return f"Tensor({self.name_of(value)})"
        if type(value) in (list, tuple):
            return "[" + ", ".join([self._again_said(v) for v in value]) + "]"
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
            for tensor in (*self.tensors, *self.arguments):
                if tensor.version is args[0].version:
                    self.lines.append(f"{self._of_tensor[id(tensor)]}.version[0] += 1")
                    self._versions[id(tensor)] += 1
                    break

    # ---------------------------------------------------------------- backward

    def _walk_patch(self, real: Any) -> Any:
        def walk(
            roots: Sequence[Node],
            gradients: Sequence[Any],
            retain_graph: bool,
            create_graph: bool,
            inputs: Any = None,
        ) -> dict[int, Any]:
            if self._listening:
                if create_graph or inputs is not None:
                    self.give_up("it differentiates with create_graph or for inputs of its own")
                else:
                    self._known_nodes(roots, frozenset())
                    self._forget_gradients()
            if not self._listening:
                found: dict[int, Any] = real(roots, gradients, retain_graph, create_graph, inputs)
                return found
            before, mode.enabled = mode.enabled, False
            try:
                for leaf, gradient, name, owned, _ in self._walk(roots, gradients, retain_graph, {}):
                    tensor = leaf.ref()  # type: ignore[attr-defined]
                    if tensor is not None:
                        self._silently(tensor.accumulate, gradient, owned)
                        self._names.pop(id(tensor._grad.array), None)  # its name now is that of the grad
                        self.lines.append(f"{self.tensor_name(tensor)}.accumulate({name}, {owned})")
                self._note_versions()
            finally:
                mode.enabled = before
            return {}

        return walk

    def _known_nodes(self, roots: Sequence[Node], ends: Any) -> None:
        """Give up if there is a node behind `roots` that no line made."""
        stack, seen = list(roots), set()
        while stack:
            node = stack.pop()
            if node.seq in seen:
                continue
            seen.add(node.seq)
            if node.hooks is not None or getattr(node, "after", None) is not None:
                self.give_up("a hook on a tensor waits for its gradient")
            if node.seq in ends or type(node) is Leaf:
                continue
            if type(node) is Port:
                stack.append(node.main)
                continue
            if node.seq not in self._nodes or node.saved is FREED or not isinstance(node.op, Op):
                self.give_up(f"backward comes to {node.op.name}, which was not recorded in this step")
            stack += [parent for parent in node.parents if parent is not None]

    def _walk(
        self, roots: Sequence[Node], gradients: Sequence[Any], retain: bool, ends: dict[int, Any]
    ) -> list[tuple[Node, Any, str, bool, int]]:
        """`tape.walk` that writes lines: the leaves, with gradient, its name, whether it is nobody else's, how many met."""
        grads: dict[int, Any] = {}
        names: dict[int, str] = {}
        waiting: dict[int, Node] = {}
        arrived: list[Node] = []
        count: dict[int, int] = {}
        owned: set[int] = set()
        heap: list[int] = []
        parents: Sequence[Node | None] = roots
        pulled: Sequence[Any] = gradients
        said = [self._names.get(id(g)) or self._constant(g, "ones") for g in gradients]
        fresh = False
        while True:
            for parent, gradient, name in zip(parents, pulled, said, strict=True):
                if parent is None or gradient is None:
                    continue
                seq = parent.seq
                count[seq] = count.get(seq, 0) + 1
                if seq not in grads:
                    grads[seq], names[seq] = gradient, name
                    if fresh:
                        owned.add(seq)
                    if type(parent) is Leaf or seq in ends:
                        arrived.append(parent)
                    else:
                        waiting[seq] = parent
                        heappush(heap, -seq)
                    continue
                grads[seq] = grads[seq] + gradient
                owned.add(seq)
                total = self._new(grads[seq], "g")
                self.lines.append(f"{total} = {names[seq]} + {name}")
                names[seq] = total
            if not heap:
                break
            seq = -heappop(heap)
            node, gradient, name = waiting.pop(seq), grads.pop(seq), names.pop(seq)
            parents = node.parents
            if type(node) is Port:
                main = node.main
                if main.seq not in grads:
                    grads[main.seq], names[main.seq] = [None] * len(main.shape), ["None"] * len(main.shape)  # type: ignore[assignment]
                    waiting[main.seq] = main
                    heappush(heap, -main.seq)
                grads[main.seq][node.index] = gradient
                names[main.seq][node.index] = name  # type: ignore[index]
                pulled, said = (None,), ["None"]
                continue
            if type(gradient) is list:
                self._count += 1
                like = self._constant(_Like(node), "like")
                self.scope["with_zeros"] = tape._with_zeros
                self.lines.append(f"g{self._count} = with_zeros([{', '.join(name)}], {like})")
                name, gradient = f"g{self._count}", tape._with_zeros(gradient, node)
            self._inside += 1
            try:
                pulled, said = self._pull(node, gradient, name)
            finally:
                self._inside -= 1
            fresh = node.op.fresh
            if node.op.keeps_arrays and not retain:
                node.saved = FREED
        return [(n, grads[n.seq], names[n.seq], n.seq in owned, count[n.seq]) for n in arrived]

    def _pull(self, node: Node, gradient: Any, name: str) -> tuple[list[Any], list[str]]:
        """Run the rules of a node, a line for each."""
        op: Any = node.op
        kinds = {i.name: i.kind for i in op.inputs}
        values: dict[str, tuple[Any, str]] = {}
        column = 0
        for kept in op.kept:
            value = node.saved[column]
            if kept.kind in ("input", "output"):
                versions, numbers = node.saved[column + 1 : column + 3]
                many = kinds.get(kept.name) == "arrays"
                for version, number in zip(versions, numbers) if many else ((versions, numbers),):
                    if version[0] != number and value is not None:
                        raise changed(op, kept.name, version)
                column += 2
            column += 1
            values[kept.name] = value, self._said(value) if kept.wanted_by else "None"
        values["needs"] = (tuple([p is not None for p in node.parents]),) * 2  # type: ignore[assignment]
        values["needs"] = values["needs"][0], repr(values["needs"][0])
        if op.joint_rule is not None:
            made, lines = self._rule(op, op.joint_rule, "joint", gradient, name, values)
            results, at = list(made), [f"{lines}[{i}]" for i in range(len(op.differentiable))]
        else:
            results, at = [], []
            i = 0
            for target in op.differentiable:
                several = kinds[target] == "arrays"
                needed = several or node.parents[i] is not None
                i += 1
                made, line = self._rule(op, op.rules[target], target, gradient, name, values) if needed else (None, "")
                results.append(made)
                at.append(line)
        pulled: list[Any] = []
        said: list[str] = []
        for target, made, line in zip(op.differentiable, results, at, strict=True):
            if kinds[target] == "arrays":
                count = len(node.parents) - len(op.differentiable) + 1
                for j in range(count):
                    pulled.append(None if made is None else made[j])
                    said.append(f"{line}[{j}]")
            else:
                pulled.append(made)
                said.append(line)
        for j, parent in enumerate(node.parents):
            g = pulled[j]
            if g is None or parent is None:
                continue
            if "[" in said[j]:
                self.lines.append(f"{self._new(g, 'g')} = {said[j]}")
                said[j] = self._names[id(g)]
            if op.fits_gradients and (g.shape != parent.shape or g.dtype != parent.dtype):
                pulled[j] = fit(g, parent)
                self.lines.append(
                    f"{self._new(pulled[j], 'g')} = fit({said[j]}, {self._constant(_Like(parent), 'like')})"
                )
                said[j] = self._names[id(pulled[j])]
        return pulled, said

    def _rule(
        self, op: Op, rule: Any, target: str, gradient: Any, name: str, values: dict[str, tuple[Any, str]]
    ) -> tuple[Any, str]:
        wanted = parameters(rule)[1:]
        made = rule(gradient, *[values[w][0] for w in wanted])
        line = "g0" if made is None else self._new(made, "g")
        said = ", ".join([name, *[values[w][1] for w in wanted]])
        text = f"{line} = {self._constant(rule, f'{op.name}_{target}_gradient')}({said})"
        given = [gradient, *[values[w][0] for w in wanted]]
        self.lines.append(
            _call(text, f"{op.name}.{target}", line, given, [name, *[values[w][1] for w in wanted]], made)
        )
        return made, line

    # ---------------------------------------------------------------- at the end

    def finish(self) -> None:
        """Give up if something was changed that no line changes."""
        for tensor, node, array in self._first:
            if tensor.node is not node or tensor.array is not array:
                self.give_up("it changes what a tensor is")
        for tensor in (*self.tensors, *self.arguments):
            for changed_one in (tensor, getattr(tensor, "_grad", None)):
                if isinstance(changed_one, Tensor):
                    if self._versions.get(id(changed_one), 0) != changed_one.version[0]:
                        self.give_up("it changes a tensor in a way that is not recorded")

    def backward_of(self, result: Tensor) -> tuple[list[str], list[tuple[Any, str]]] | None:
        """The lines that lead from the gradient ``g`` of `result` back, and (what has it, its name) for each end.

        ``None`` if backward has been there already. The ends are Tensors.
        """
        ends = {t.node.seq: t for t in self.arguments if t.node is not None}
        node = result.place()
        assert node is not None
        self._known_nodes([node], ends)
        if self.reason is not None:
            return None
        forward, self.lines = self.lines, []
        before, mode.enabled = mode.enabled, False
        array = result.array
        one = namespace(array).ones(array.shape, dtype=array.dtype, device=array.device)
        self._names[id(one)] = "g"
        self._alive.append(one)
        try:
            found = []
            for end, _, name, _, count in self._walk([node], [one], True, ends):
                tensor = ends[end.seq] if end.seq in ends else end.ref()  # type: ignore[attr-defined]
                if count > 1:
                    self.give_up("a tensor is used several times before a backward outside of it")
                if tensor is not None:
                    self.tensor_name(tensor)
                    found.append((tensor, name))
            return self.lines, found
        finally:
            self.lines, mode.enabled = forward, before


class _Like:
    """What of a node its gradients are fitted to."""

    def __init__(self, node: Node) -> None:
        self.shape, self.dtype, self.op = node.shape, node.dtype, getattr(node, "op", None)


def _again_functions() -> list[FunctionType]:
    """Functions that are called again as they are: they change gradients, and not by ops."""
    from ..nn.utils import clip_grad

    return [clip_grad.clip_grad_norm_, clip_grad.clip_grad_value_, clip_grad.clip_grads_with_norm_]


def to_array(value: Any) -> Any:
    """`value`, as an array if it is a scalar of an array library."""
    cls = type(value)
    return scalar_to_array[cls](value) if cls in scalar_to_array else value


def copied(array: Any) -> Any:
    """A copy of `array`."""
    return namespace(array).asarray(array, copy=True)


def _below(cls: type) -> list[type]:
    return [c for sub in cls.__subclasses__() for c in (sub, *_below(sub))]


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
    flat = [v for value in values for v in (value if type(value) in (list, tuple) else (value,)) if v is not None]
    arrays = [v.array if isinstance(v, Tensor) else v for v in flat]
    numbers = [a for a in arrays if type(a) in (int, float)]
    rest = [a for a in arrays if type(a) not in (int, float)]
    if not rest or any(type(a) in (bool, complex) or type(a) in scalar_to_array for a in rest):
        return False
    first = rest[0]
    if not op.promote and not op.floating:
        return True
    floating = first.dtype in kernels(first).floating_dtypes
    if op.promote and any(type(a) is not type(first) or a.dtype != first.dtype for a in rest):
        return False
    return floating or not (op.floating or numbers)


def _only_numbers(data: Any) -> bool:
    return type(data) in (bool, int, float, complex) or (type(data) in (list, tuple) and all(map(_only_numbers, data)))


def _where() -> str:
    """The line of the user's program that runs."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("autograd_ops."):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}, line {frame.f_lineno}"
