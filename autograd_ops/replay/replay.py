"""A recording as a function: its source, and what it is run with."""

from __future__ import annotations

import linecache
import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from autograd_backends import is_array, kernels, namespace

from ..errors import changed
from ..inplace import root_of
from ..nn.module import Module
from ..optim.optimizer import Optimizer
from ..tape import FREED, Leaf, Node, Step, TapeError, new_node
from ..tensor import Tensor
from .helpers import strides
from .lines import Call
from .recorder import Recorder
from .update import Update, updates_in
from .watch import BY_VALUE, Watch

__all__ = ["Replay"]

_numbers = count()
_NAME = re.compile(r"\b[vwga]\d+\b")
_FLIPPED = re.compile(r"\b([vwg]\d+)\.T\b")


class Replay:
    """What is run in place of a step.

    Parameters
    ----------
    recorder
        What wrote the lines, and has not given up.
    watch
        What else must be as it was.
    arguments
        The Tensors and arrays that it was given.
    result
        What it returned.

    Attributes
    ----------
    reason
        Why it cannot be run after all.
    run
        What the step does and returns, given the Tensors and arrays among its arguments.
    """

    def __init__(self, name: str, recorder: Recorder, watch: Watch, arguments: Sequence[Any], result: Any) -> None:
        without = None
        if recorder.reads_gradients:
            without = [watch.gradless.get(id(t), t in recorder.without_gradient) for t in recorder.tensors]
        self._watch = watch
        #: Its own arrays are for one run at a time.
        self.lock = threading.Lock()
        self._recorder = recorder
        self._name = re.sub(r"\W", "_", name)
        self._scope = recorder.scope
        self._scope.update(Tensor=Tensor, new_node=new_node)
        self._texts: dict[str, str] = {}  # the source of each function, by its name
        self._kept: set[str] = set()  # names of arrays that stay from run to run
        self._flipped: set[str] = set()  # those of them whose transposes stay as well
        self._updates: list[Update] = []
        self._open: list[tuple[Tensor, list[str], list[tuple[Any, str]]]] = []
        said = self._result(result)
        given = [f"a{i} = tensors[{i}]{'.array' if isinstance(t, Tensor) else ''}" for i, t in enumerate(arguments)]
        lines = [*given, *self._shortened(recorder.lines, said)]
        if self._open:
            lines += self._backward(*self._open[0])
        self.reason = recorder.reason
        if self.reason is None:
            lines = _let_go([*lines, f"return {said}"], recorder.large - self._scope.keys())
            self.run = self._compiled(f"{self._name}_again", lines, "tensors")
        self._open.clear()
        self._tensors = recorder.tensors
        self._take_arrays()
        self._ask()
        #: Where the step asks for gradients: which Tensors had none when it began.
        self._without = without
        del self._recorder

    def holds(self) -> bool:
        """Whether what the step read is as it was when it was recorded; asked by who has the `lock`."""
        if not self._unchanged():
            if not self._alike():
                return False
            self._take_arrays()
        if self._without is not None and self._without != [tensor.grad is None for tensor in self._tensors]:
            return False
        return self._watch.holds()

    def _take_arrays(self) -> None:
        """Let the lines name the arrays that the Tensors have now."""
        scope = self._scope
        for i, tensor in enumerate(self._tensors):
            scope[f"w{i}"] = tensor.array
        for name in self._flipped:
            scope[f"{name}_T"] = scope[name].T

    def _ask(self) -> None:
        """Write what asks whether the Tensors have their places on the tape, and their arrays or arrays like them."""
        scope = self._scope
        scope["fits"] = _fits
        places, same, fitting = [], [], []
        for i, tensor in enumerate(self._tensors):
            scope[f"node{i}"] = tensor.node
            same.append(f"t{i}.array is w{i}")
            fitting.append(f"fits(t{i}.array, w{i})")
            places.append(f"t{i}.node is node{i}")
            if tensor.node is not None:
                hooks = f"node{i}.hooks is None"
                places.append(f"{hooks} and node{i}.after is None" if type(tensor.node) is Leaf else hooks)
        self._unchanged: Callable[[], bool] = eval("lambda: " + " and ".join(["True", *places, *same]), scope)
        self._alike: Callable[[], bool] = eval("lambda: " + " and ".join(["True", *places, *fitting]), scope)

    # ---------------------------------------------------------------- the source

    @property
    def source(self) -> str:
        """The source of all its functions."""
        return "\n\n".join(self._texts.values())

    def _compiled(self, name: str, lines: list[str], arguments: str = "") -> Callable[..., Any]:
        text = "\n    ".join([f"def {name}({arguments}):", *lines]) + "\n"
        self._texts[name] = text
        filename = f"<autograd_ops replay {next(_numbers)}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        exec(compile(text, filename, "exec"), self._scope)
        function: Callable[..., Any] = self._scope[name]
        return function

    def _shortened(self, lines: Sequence[str], said: str) -> list[str]:
        """`lines`, with those of a backend in place of calls that it can say itself.

        They write into arrays that the replay keeps, where nobody else can see these: where all that names them are
        such lines too, or those that give a parameter its gradient before an `Update`.
        """
        if not self._open:
            self._updates = updates_in(lines, self._scope, self._recorder.tensor_name, self._compiled)
        places = {id(one): update for update in self._updates for one in update.brought}
        named = Counter(name for line in (*lines, said) for name in set(_NAME.findall(line)))
        #: Gradients that are written where they belong: nothing else names them.
        windows = {
            one.gradient: update.windows[i]
            for update in self._updates
            for i, one in enumerate(update.brought)
            if named[one.gradient] == 2
        }
        steps = {id(update.line): update for update in self._updates}
        found: list[Any] = []
        seen_by_others = set(_NAME.findall(said))
        for line in lines:
            template = kept = None
            if isinstance(line, Call) and is_array(line.result):
                template = kernels(line.result).lines(line.key)
                kept = None if template is None else template(line.values, line.said, line.out, True)
            found.append((line, template, kept))
            if kept is None and id(line) not in places:
                seen_by_others.update(_NAME.findall(line))
        shorter: list[str] = []
        written: set[str] = set()
        for line, template, kept in found:
            if id(line) in places:
                update = places[id(line)]
                if line is update.brought[0]:  # all come one after the other
                    shorter += update.give(written)
            elif id(line) in steps:
                shorter += steps[id(line)].step()
            elif kept is None:
                shorter.append(line)
            else:
                keeps = line.out not in seen_by_others and not self._open
                texts, scope = kept if keeps else template(line.values, line.said, line.out, False)
                window = windows.get(line.out)
                if window is not None and not any(text.startswith(f"{line.out} = ") for text in kept[0]):
                    texts, scope = template(line.values, line.said, window, True)
                    written.add(window)
                    keeps = False
                self._scope.update(scope)
                if keeps and not any(text.startswith(f"{line.out} = ") for text in texts):
                    self._scope[line.out] = namespace(line.result).empty_like(line.result)
                    self._kept.add(line.out)
                shorter += [_FLIPPED.sub(self._flip, text) for text in texts]
        for update in self._updates:
            first = next(i for i, text in enumerate(shorter) if any(window in text for window in update.windows))
            shorter[first:first] = update.before()
        return shorter

    def _flip(self, found: re.Match[str]) -> str:
        """What says the transpose of an array, made once if the array stays."""
        name = found[1]
        if name not in self._kept and not name.startswith("w"):
            return found[0]
        self._flipped.add(name)
        return f"{name}_T"

    def _result(self, value: Any) -> str:
        """How the last line says what the step returns."""
        recorder = self._recorder
        if isinstance(value, Tensor):
            known = recorder._of_tensor.get(id(value))
            if known is not None:
                return known
            name = recorder.name_of(value)
            if value.alias is not None and any(root_of(value) is t for t in (*recorder.tensors, *recorder.arguments)):
                recorder.give_up("it returns a view of a tensor that it was given")
            if value.place() is None:
                return f"Tensor({name})"
            return self._on_tape(value, name)
        if type(value) in (list, tuple):
            parts = ", ".join([self._result(v) for v in value])
            return f"[{parts}]" if type(value) is list else f"({parts}{',' if len(value) == 1 else ''})"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{recorder._constant(type(value))}({', '.join([self._result(v) for v in value])})"
        if type(value) is dict:
            return "{" + ", ".join([f"{self._result(k)}: {self._result(v)}" for k, v in value.items()]) + "}"
        if type(value) in BY_VALUE:
            return recorder._said(value)
        if isinstance(value, (Module, Optimizer)):
            return recorder._constant(value)
        recorder.give_up(f"it returns a {type(value).__name__}")
        return "None"

    def _on_tape(self, value: Tensor, name: str) -> str:
        recorder = self._recorder
        result = f"result_{name}"
        if _spent(value.place()):
            step = recorder._constant(_Spent(value.node.op.name), "spent")  # type: ignore[union-attr]
            self._scope["result_of"] = _result_of
            recorder.lines.append(f"{result} = result_of({step}, {name})")
            return result
        recorder.lines.append(f"{result} = Tensor({name})")
        if self._open:
            recorder.give_up("it returns several tensors that require grad")
            return result
        back = recorder.backward_of(value)
        if back is not None:
            self._open.append((value, *back))
            self._open_name = result, name
        return result

    def _backward(self, value: Tensor, back: list[str], ends: list[tuple[Any, str]]) -> list[str]:
        """Make the function that goes back; the lines that put the result on the tape with it."""
        recorder = self._recorder
        made = {line.partition(" = ")[0] for line in back}
        names = sorted(
            {n for line in back for n in _NAME.findall(line.partition(" = ")[2])}
            - {m for s in made for m in _NAME.findall(s)}
        )
        lines = [f"{', '.join(names)}, = saved"] if names else []
        back = [*lines, *back, f"return ({', '.join([name for _, name in ends])},)"]
        function = self._compiled(f"{self._name}_back", back, "g, saved")
        step = recorder._constant(_Replayed(self._name, function), "replayed")
        watched = [
            recorder._of_tensor[id(t)]
            for t in (*recorder.tensors, *recorder.arguments)
            if recorder._names[id(t.array)] in names
        ]
        versions = "(" + "".join([f"({t}.version, {t}.version[0])," for t in watched]) + ")"
        parents = "(" + "".join([f"{recorder._of_tensor[id(t)]}.place()," for t, _ in ends]) + ")"
        saved = "(" + "".join([f"{n}," for n in names]) + ")"
        result, name = self._open_name
        return [f"{result}.node = new_node({step}, {parents}, {name}, ({saved}, {versions}))"]


def _let_go(lines: Sequence[str], large: set[str]) -> list[str]:
    """`lines`, with one more after the last line that names a large array, which lets go of it."""
    kept: list[str] = []
    named: set[str] = set()
    for line in reversed(lines):
        last = [name for name in dict.fromkeys(_NAME.findall(line)) if name in large and name not in named]
        named.update(last)
        if last and not line.startswith("return"):
            kept.append(f"del {', '.join(last)}")
        kept.append(line)
    return kept[::-1]


def _fits(array: Any, before: Any) -> bool:
    same = type(array) is type(before) and array.shape == before.shape and array.dtype == before.dtype
    return same and strides(array) == strides(before)


def _spent(node: Node | None) -> bool:
    """Whether a backward has been along the nodes behind `node`."""
    stack, seen = [node], set()
    while stack:
        at = stack.pop()
        if at is None or at.seq in seen or type(at) is Leaf:
            continue
        if at.saved is FREED:
            return True
        seen.add(at.seq)
        stack += at.parents
    return False


class _Spent(Step):
    """What a result is of whose tape a backward within the step has used up."""

    keeps_arrays = True

    def __init__(self, name: str) -> None:
        self.name = name


def _result_of(step: _Spent, array: Any) -> Tensor:
    """The Tensor of `array` that `step` has made; as ``Tensor(array)`` with a node, in half the time."""
    tensor = object.__new__(Tensor)
    tensor.array, tensor.version = array, [0]
    tensor._grad = tensor.alias = None
    tensor.node = new_node(step, (), array, FREED)
    return tensor


class _Replayed(Step):
    """A whole replay as one step of the tape."""

    keeps_arrays = True

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self._function = function

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        values, versions = saved
        for version, number in versions:
            if version[0] != number:
                raise changed(self, "an input", version)
        found: tuple[Any, ...] = self._function(gradient, values)
        return found

    def pull_recorded(self, node: Node, gradient: Any, parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        raise TapeError(
            f"{self.name} was compiled, and its gradient cannot be differentiated again: "
            "call the function that was compiled, where create_graph is used"
        )
